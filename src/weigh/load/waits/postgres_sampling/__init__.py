"""Sampling of a PostgreSQL server's sessions, inside the keeper. Imports nothing of weigh."""
