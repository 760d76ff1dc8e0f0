"""Simulations: the guarantees of the verdicts, measured through the code that makes the verdicts.

``PYTHONPATH=src:tests python -m guarantees`` prints them as a table.
"""
