"""Simulations: the guarantees of the verdicts, measured through the code that makes the verdicts.

``PYTHONPATH=src:tests python -m sim`` prints them as a table.
"""
