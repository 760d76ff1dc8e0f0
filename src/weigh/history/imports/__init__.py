"""Results of other tools as entries of a history."""
