"""db-benchmark's joins for Polars: tables are lazy frames, and so is every answer."""

import polars as pl


def q1(x, small):
    return _joined(x, small, "id1", "inner")


def q2(x, medium):
    return _joined(x, medium, "id2", "inner")


def q3(x, medium):
    return _joined(x, medium, "id2", "left")


def q4(x, medium):
    return _joined(x, medium, "id5", "inner")


def q5(x, big):
    return _joined(x, big, "id3", "inner")


def _joined(x, other, key, how):
    found = x.join(other, on=key, how=how)
    return found.select(pl.len().alias("joined"), pl.sum("v1"), pl.sum("v2"))
