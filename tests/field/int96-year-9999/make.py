import datetime as dt
import pyarrow as pa, pyarrow.parquet as pq

t = pa.table(
    {
        "id": [1, 2, 3],
        "until": pa.array(
            [dt.datetime(2024, 1, 1, 20, 34, 56), dt.datetime(2024, 12, 30, 23), dt.datetime(9999, 12, 31, 3)],
            pa.timestamp("us"),
        ),
    }
)
pq.write_table(t, "t.parquet", use_deprecated_int96_timestamps=True)
