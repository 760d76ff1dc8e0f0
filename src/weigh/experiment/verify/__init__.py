"""Sealed evidence recomputed. Imports no engine and nothing that measures."""
