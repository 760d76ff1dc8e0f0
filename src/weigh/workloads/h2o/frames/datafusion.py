"""db-benchmark's groupby for DataFusion: ``x`` is a data frame, and so is every answer."""

from datafusion import col, lit
from datafusion import functions as f

_IDS = ["id1", "id2", "id3", "id4", "id5", "id6"]


def q1(x):
    return x.aggregate([col("id1")], [f.sum(col("v1")).alias("v1")])


def q2(x):
    return x.aggregate([col("id1"), col("id2")], [f.sum(col("v1")).alias("v1")])


def q3(x):
    return x.aggregate([col("id3")], [f.sum(col("v1")).alias("v1"), f.avg(col("v3")).alias("v3")])


def q4(x):
    return x.aggregate([col("id4")], [f.avg(col(name)).alias(name) for name in ("v1", "v2", "v3")])


def q5(x):
    return x.aggregate([col("id6")], [f.sum(col(name)).alias(name) for name in ("v1", "v2", "v3")])


def q6(x):
    spread = [f.median(col("v3")).alias("median_v3"), f.stddev(col("v3")).alias("sd_v3")]
    return x.aggregate([col("id4"), col("id5")], spread)


def q7(x):
    found = x.aggregate([col("id3")], [f.max(col("v1")).alias("most"), f.min(col("v2")).alias("least")])
    return found.select(col("id3"), (col("most") - col("least")).alias("range_v1_v2"))


def q8(x):
    place = f.row_number(partition_by=[col("id6")], order_by=[col("v3").sort(ascending=False)]).alias("place")
    found = x.filter(col("v3").is_not_null()).select(col("id6"), col("v3"), place)
    return found.filter(col("place") <= lit(2)).select(col("id6"), col("v3").alias("largest2_v3"))


def q9(x):
    found = x.aggregate([col("id2"), col("id4")], [f.corr(col("v1"), col("v2")).alias("r")])
    return found.select(col("id2"), col("id4"), f.power(col("r"), lit(2)).alias("r2"))


def q10(x):
    return x.aggregate([col(name) for name in _IDS], [f.sum(col("v3")).alias("v3"), f.count_star().alias("count")])
