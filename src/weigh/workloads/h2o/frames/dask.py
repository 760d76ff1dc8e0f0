"""db-benchmark's groupby for Dask: ``x`` is a frame of Dask."""

from weigh_worker import Unsupported

_IDS = ["id1", "id2", "id3", "id4", "id5", "id6"]


def q1(x):
    return x.groupby("id1").agg(v1=("v1", "sum")).reset_index()


def q2(x):
    return x.groupby(["id1", "id2"]).agg(v1=("v1", "sum")).reset_index()


def q3(x):
    return x.groupby("id3").agg(v1=("v1", "sum"), v3=("v3", "mean")).reset_index()


def q4(x):
    return x.groupby("id4").agg(v1=("v1", "mean"), v2=("v2", "mean"), v3=("v3", "mean")).reset_index()


def q5(x):
    return x.groupby("id6").agg(v1=("v1", "sum"), v2=("v2", "sum"), v3=("v3", "sum")).reset_index()


def q6(x):
    raise Unsupported("Dask's median of groups sends every row to one place")


def q7(x):
    found = x.groupby("id3").agg(most=("v1", "max"), least=("v2", "min")).reset_index()
    found["range_v1_v2"] = found["most"] - found["least"]
    return found[["id3", "range_v1_v2"]]


def q8(x):
    raise Unsupported("Dask has no largest values of groups but the largest")


def q9(x):
    products = x.assign(xx=x["v1"] ** 2, yy=x["v2"] ** 2, xy=x["v1"] * x["v2"])
    found = products.groupby(["id2", "id4"]).agg(
        n=("v1", "size"), x=("v1", "sum"), y=("v2", "sum"), xx=("xx", "sum"), yy=("yy", "sum"), xy=("xy", "sum")
    )
    found = found.reset_index()
    n, x, y = found["n"], found["x"], found["y"]
    spread = (n * found["xx"] - x**2).astype(float) * (n * found["yy"] - y**2)
    found["r2"] = (n * found["xy"] - x * y) ** 2 / spread
    return found[["id2", "id4", "r2"]]


def q10(x):
    return x.groupby(_IDS).agg(v3=("v3", "sum"), count=("v3", "size")).reset_index()
