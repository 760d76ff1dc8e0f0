"""The version of weigh: a module of its own, so that who needs it imports nothing else."""

__version__ = "0.2.0"
