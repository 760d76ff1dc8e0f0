"""Adapters to the systems under test, their environments and their lives."""
