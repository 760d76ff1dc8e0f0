"""The report of a load: terminal, JSON, page."""
