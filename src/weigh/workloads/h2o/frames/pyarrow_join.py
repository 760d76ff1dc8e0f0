"""db-benchmark's joins for PyArrow: tables are datasets, and every answer is a table."""

import pyarrow as pa
import pyarrow.compute as pc


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
    left, right = x.to_table(columns=[key, "v1"]), other.to_table(columns=[key, "v2"])
    found = left.join(right, keys=key, join_type="inner" if how == "inner" else "left outer")
    sums = {name: [pc.sum(found[name]).as_py()] for name in ("v1", "v2")}
    return pa.table({"joined": [found.num_rows], **sums})
