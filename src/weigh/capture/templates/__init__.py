"""Statements without their values: how a call becomes a template."""
