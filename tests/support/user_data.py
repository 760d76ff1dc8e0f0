"""A user's own files, for tests."""

from __future__ import annotations

import datetime
import decimal
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pathlib import Path

QUERIES = """\
-- name: by_city
SELECT city, count(*) AS events, sum(amount) AS total, avg(amount) AS mean, sum(score) AS s
FROM events JOIN users ON events.user_id = users.id GROUP BY city ORDER BY city;

-- name: top
SELECT user_id, sum(amount) AS total FROM events GROUP BY user_id ORDER BY total DESC, user_id LIMIT 10;

/* ; */ SELECT day, count(*) FROM events WHERE day >= DATE '2025-12-01' AND 'a;b' = 'a;b' GROUP BY day
"""


def make_data(folder: Path) -> None:
    """Two tables, one of them in two files, in a folder whose name wants to be quoted."""
    data = folder / "my 'data'"
    data.mkdir()
    cities = ["Rome", "Oslo", "Lima"]
    users = {"id": range(100), "name": [f"u{n}" for n in range(100)], "city": [cities[n % 3] for n in range(100)]}
    pq.write_table(pa.table({name: list(values) for name, values in users.items()}), data / "users.parquet")
    for part in range(2):
        rows = range(part * 5000, part * 5000 + 5000)
        events = {
            "user_id": [(n * 7919) % 100 for n in rows],
            "amount": pa.array([decimal.Decimal(n * 31 % 10_000) / 100 for n in rows], pa.decimal128(12, 2)),
            "score": [n * 0.1 for n in rows],
            "day": [datetime.date(2025, 1, 1) + datetime.timedelta(days=n % 365) for n in rows],
        }
        pq.write_table(pa.table(events), data / f"events-{part}.parquet")
    (folder / "q.sql").write_text(QUERIES)
