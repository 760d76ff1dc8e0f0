import datetime as dt

import pyarrow as pa
import pyarrow.parquet as pq

moments = [dt.datetime(2024, 1, 1, 20, 34, 56), dt.datetime(2024, 12, 30, 23), dt.datetime(9999, 12, 31, 3)]
rows = pa.table({"id": [1, 2, 3], "until": pa.array(moments, pa.timestamp("us"))})
pq.write_table(rows, "t.parquet", use_deprecated_int96_timestamps=True)
