"""db-benchmark's joins for DataFusion: tables are data frames, and so is every answer."""

from datafusion import col
from datafusion import functions as f


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
    right = other.select(col(key).alias("key"), col("v2"))
    found = x.select(key, "v1").join(right, left_on=key, right_on="key", how=how)
    return found.aggregate(
        [], [f.count_star().alias("joined"), f.sum(col("v1")).alias("v1"), f.sum(col("v2")).alias("v2")]
    )
