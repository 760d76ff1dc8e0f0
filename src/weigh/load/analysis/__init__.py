"""From what a load recorded to its figures, and whether they may be believed. Pure."""
