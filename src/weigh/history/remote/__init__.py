"""Histories that are no folders: a program for each, in an environment with the library that it needs."""
