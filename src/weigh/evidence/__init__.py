"""Evidence: the append-only journal of an attempt, what is derived from it, and its seal."""
