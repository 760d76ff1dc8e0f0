"""``weigh doctor``: what on this machine would move measurements, and how much."""
