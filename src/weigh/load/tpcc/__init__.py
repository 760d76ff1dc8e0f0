"""TPC-C: its data, what must hold of it, and what its terminals do."""
