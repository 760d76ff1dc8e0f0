"""One long series of measurements: its mean, its shape, whether it is steady."""
