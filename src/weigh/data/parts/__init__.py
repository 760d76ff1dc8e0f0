"""Datasets made by parts, each for itself on whatever machine: where they lie, how they are made, what proves them."""
