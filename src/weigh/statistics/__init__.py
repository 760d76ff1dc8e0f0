"""Estimators by their textbook names. Pure: numbers in, numbers out; no noun of weigh but units and errors."""
