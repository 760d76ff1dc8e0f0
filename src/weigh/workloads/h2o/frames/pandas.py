"""db-benchmark's groupby for pandas: ``x`` is the path of a Parquet file, or of a folder of them."""

import pandas as pd

_IDS = ["id1", "id2", "id3", "id4", "id5", "id6"]


def q1(x):
    return _read(x, "id1", "v1").groupby("id1", as_index=False).agg(v1=("v1", "sum"))


def q2(x):
    return _read(x, "id1", "id2", "v1").groupby(["id1", "id2"], as_index=False).agg(v1=("v1", "sum"))


def q3(x):
    return _read(x, "id3", "v1", "v3").groupby("id3", as_index=False).agg(v1=("v1", "sum"), v3=("v3", "mean"))


def q4(x):
    rows = _read(x, "id4", "v1", "v2", "v3").groupby("id4", as_index=False)
    return rows.agg(v1=("v1", "mean"), v2=("v2", "mean"), v3=("v3", "mean"))


def q5(x):
    rows = _read(x, "id6", "v1", "v2", "v3").groupby("id6", as_index=False)
    return rows.agg(v1=("v1", "sum"), v2=("v2", "sum"), v3=("v3", "sum"))


def q6(x):
    rows = _read(x, "id4", "id5", "v3").groupby(["id4", "id5"], as_index=False)
    return rows.agg(median_v3=("v3", "median"), sd_v3=("v3", "std"))


def q7(x):
    found = _read(x, "id3", "v1", "v2").groupby("id3", as_index=False).agg(most=("v1", "max"), least=("v2", "min"))
    found["range_v1_v2"] = found["most"] - found["least"]
    return found[["id3", "range_v1_v2"]]


def q8(x):
    rows = _read(x, "id6", "v3").dropna(subset="v3").sort_values("v3", ascending=False)
    return rows.groupby("id6", as_index=False).head(2).rename(columns={"v3": "largest2_v3"})


def q9(x):
    rows = _read(x, "id2", "id4", "v1", "v2")
    products = rows.assign(xx=rows["v1"] ** 2, yy=rows["v2"] ** 2, xy=rows["v1"] * rows["v2"])
    found = products.groupby(["id2", "id4"], as_index=False).agg(
        n=("v1", "size"), x=("v1", "sum"), y=("v2", "sum"), xx=("xx", "sum"), yy=("yy", "sum"), xy=("xy", "sum")
    )
    n, x, y = found["n"], found["x"], found["y"]
    spread = (n * found["xx"] - x**2).astype(float) * (n * found["yy"] - y**2)
    found["r2"] = (n * found["xy"] - x * y) ** 2 / spread
    return found[["id2", "id4", "r2"]]


def q10(x):
    return _read(x, *_IDS, "v3").groupby(_IDS, as_index=False).agg(v3=("v3", "sum"), count=("v3", "size"))


def _read(x, *columns):
    return pd.read_parquet(x, columns=list(columns))
