"""db-benchmark's groupby for PyArrow: ``x`` is a dataset, and every answer is a table."""

import pyarrow as pa
import pyarrow.compute as pc

from weigh_worker import Unsupported

_IDS = ["id1", "id2", "id3", "id4", "id5", "id6"]


def q1(x):
    return _grouped(x, ["id1"], ["v1"], [("v1", "sum")], "v1")


def q2(x):
    return _grouped(x, ["id1", "id2"], ["v1"], [("v1", "sum")], "v1")


def q3(x):
    return _grouped(x, ["id3"], ["v1", "v3"], [("v1", "sum"), ("v3", "mean")], "v1", "v3")


def q4(x):
    values = ["v1", "v2", "v3"]
    return _grouped(x, ["id4"], values, [(name, "mean") for name in values], *values)


def q5(x):
    values = ["v1", "v2", "v3"]
    return _grouped(x, ["id6"], values, [(name, "sum") for name in values], *values)


def q6(x):
    raise Unsupported("PyArrow's groups have no exact median")


def q7(x):
    found = _grouped(x, ["id3"], ["v1", "v2"], [("v1", "max"), ("v2", "min")], "most", "least")
    return pa.table({"id3": found["id3"], "range_v1_v2": pc.subtract(found["most"], found["least"])})


def q8(x):
    raise Unsupported("PyArrow's groups have no largest values but the largest")


def q9(x):
    raise Unsupported("PyArrow's groups have no correlation")


def q10(x):
    return _grouped(x, _IDS, ["v3"], [("v3", "sum"), ([], "count_all")], "v3", "count")


def _grouped(x, by, values, aggregates, *names):
    found = x.to_table(columns=[*by, *values]).group_by(by).aggregate(aggregates)
    return found.rename_columns([*by, *names])
