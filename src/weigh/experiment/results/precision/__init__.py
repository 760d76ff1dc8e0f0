"""How narrow the intervals are, and where the time goes that is left."""
