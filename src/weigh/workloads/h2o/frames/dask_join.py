"""db-benchmark's joins for Dask: tables are frames of Dask."""

import dask
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
    found = x[[key, "v1"]].merge(other[[key, "v2"]], on=key, how=how)
    rows, v1, v2 = dask.compute(found["v1"].size, found["v1"].sum(), found["v2"].sum())
    return pd.DataFrame({"joined": [int(rows)], "v1": [v1], "v2": [v2]})
