"""weigh: benchmarks of data engines whose result can be believed."""

__version__ = "0.1.0"
