"""Capture: a user's own traffic becomes scripts for ``weigh load`` and a trace for ``weigh load replay``."""
