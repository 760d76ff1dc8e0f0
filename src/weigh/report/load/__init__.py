"""The report of a load experiment."""
