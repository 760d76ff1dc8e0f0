"""db-benchmark's joins for pandas: tables are paths of Parquet files."""

import pandas as pd


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
    left = pd.read_parquet(x, columns=[key, "v1"])
    found = left.merge(pd.read_parquet(other, columns=[key, "v2"]), on=key, how=how)
    return pd.DataFrame({"joined": [len(found)], "v1": [found["v1"].sum()], "v2": [found["v2"].sum()]})
