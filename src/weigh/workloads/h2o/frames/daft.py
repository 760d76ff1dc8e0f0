"""db-benchmark's groupby for Daft: ``x`` is a data frame, and so is every answer."""

from daft import Window, col
from daft.functions import row_number

from weigh_worker import Unsupported

_IDS = ["id1", "id2", "id3", "id4", "id5", "id6"]


def q1(x):
    return x.groupby("id1").agg(col("v1").sum())


def q2(x):
    return x.groupby("id1", "id2").agg(col("v1").sum())


def q3(x):
    return x.groupby("id3").agg(col("v1").sum(), col("v3").mean())


def q4(x):
    return x.groupby("id4").agg(col("v1").mean(), col("v2").mean(), col("v3").mean())


def q5(x):
    return x.groupby("id6").agg(col("v1").sum(), col("v2").sum(), col("v3").sum())


def q6(x):
    raise Unsupported("Daft's groups have no exact median")


def q7(x):
    found = x.groupby("id3").agg(col("v1").max().alias("most"), col("v2").min().alias("least"))
    return found.select(col("id3"), (col("most") - col("least")).alias("range_v1_v2"))


def q8(x):
    within = Window().partition_by("id6").order_by("v3", desc=True)
    found = x.where(col("v3").not_null()).with_column("place", row_number().over(within))
    return found.where(col("place") <= 2).select(col("id6"), col("v3").alias("largest2_v3"))


def q9(x):
    raise Unsupported("Daft's groups have no correlation")


def q10(x):
    return x.groupby(*_IDS).agg(col("v3").sum(), col("v3").count("all").alias("count"))
