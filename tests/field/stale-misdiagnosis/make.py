import random

import pyarrow as pa
import pyarrow.parquet as pq

r = random.Random(7)
n = 4000
pq.write_table(pa.table({"shop": [r.randrange(300) for _ in range(n)], "item": list(range(n))}), "sales.parquet")
