"""Readers: one a form of source. Each gives entries in the order of the source, or totals."""
