"""The report of a ladder: computed from the evidence of its rungs, and from nothing else."""
