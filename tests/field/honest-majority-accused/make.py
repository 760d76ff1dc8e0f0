import pyarrow as pa
import pyarrow.parquet as pq

pq.write_table(
    pa.table({"id": pa.array([1, 2], pa.int32()), "x": pa.array([1.0, float("nan")])}),
    "t.parquet",
    write_statistics=False,
)
