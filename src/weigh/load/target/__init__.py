"""Targets: servers that load is offered to, started by weigh or reached by URL."""
