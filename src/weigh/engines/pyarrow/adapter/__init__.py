"""PyArrow inside its own environment: plans translated from SQL, or functions."""
