"""Anchoring: the head of a journal's chain, kept elsewhere while a run goes on."""
