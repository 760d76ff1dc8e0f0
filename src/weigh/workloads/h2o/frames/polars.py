"""db-benchmark's groupby for Polars: ``x`` is a lazy frame, and so is every answer."""

import polars as pl


def q1(x):
    return x.group_by("id1").agg(pl.sum("v1"))


def q2(x):
    return x.group_by("id1", "id2").agg(pl.sum("v1"))


def q3(x):
    return x.group_by("id3").agg(pl.sum("v1"), pl.mean("v3"))


def q4(x):
    return x.group_by("id4").agg(pl.mean("v1"), pl.mean("v2"), pl.mean("v3"))


def q5(x):
    return x.group_by("id6").agg(pl.sum("v1"), pl.sum("v2"), pl.sum("v3"))


def q6(x):
    return x.group_by("id4", "id5").agg(pl.median("v3").alias("median_v3"), pl.std("v3").alias("sd_v3"))


def q7(x):
    return x.group_by("id3").agg((pl.max("v1") - pl.min("v2")).alias("range_v1_v2"))


def q8(x):
    return x.drop_nulls("v3").group_by("id6").agg(pl.col("v3").top_k(2).alias("largest2_v3")).explode("largest2_v3")


def q9(x):
    return x.group_by("id2", "id4").agg((pl.corr("v1", "v2") ** 2).alias("r2"))


def q10(x):
    return x.group_by("id1", "id2", "id3", "id4", "id5", "id6").agg(pl.sum("v3"), pl.len().alias("count"))
