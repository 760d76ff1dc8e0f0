"""db-benchmark's joins for Daft: tables are data frames, and so is every answer."""

from daft import col


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
    found = x.select(key, "v1").join(other.select(key, "v2"), on=key, how=how)
    return found.agg(col("v1").count("all").alias("joined"), col("v1").sum(), col("v2").sum())
