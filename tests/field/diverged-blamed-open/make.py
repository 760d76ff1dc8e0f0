import random

import pyarrow as pa
import pyarrow.parquet as pq

r = random.Random(7)
pq.write_table(pa.table({"id": list(range(500)), "region": [r.choice("nse") for _ in range(500)]}), "cust.parquet")
pq.write_table(
    pa.table(
        {
            "cust": [r.randrange(500) for _ in range(300)],
            "late": [None if r.random() < 0.2 else r.randrange(60) for _ in range(300)],
        }
    ),
    "bill.parquet",
)
