"""Sampling of a PostgreSQL server's sessions, inside the process that runs it. Imports nothing of weigh."""
