"""Small lies (A1): one row, one digit, one kind of NULL. The name of the last column of a question says which."""

from __future__ import annotations

import re

from .honest import Engine

LIES = {
    "row_lost": "SELECT * FROM ({sql}) WHERE id <> 1234",
    "row_twice": "SELECT * FROM ({sql}) UNION ALL SELECT * FROM ({sql}) WHERE id = 1234",
    "digit_cut": "SELECT * REPLACE (CASE WHEN id = 77 THEN trunc(digit_cut, 1) ELSE digit_cut END AS digit_cut) "
    "FROM ({sql})",
    "null_as_zero": "SELECT * REPLACE (coalesce(null_as_zero, 0) AS null_as_zero) FROM ({sql})",
    "zero_as_null": "SELECT * REPLACE (nullif(zero_as_null, 0) AS zero_as_null) FROM ({sql})",
    "trimmed": "SELECT * REPLACE (rtrim(trimmed) AS trimmed) FROM ({sql})",
    "composed": "SELECT * REPLACE (nfc_normalize(composed) AS composed) FROM ({sql})",
    "empty_as_null": "SELECT * REPLACE (nullif(empty_as_null, '') AS empty_as_null) FROM ({sql})",
    "null_as_empty": "SELECT * REPLACE (coalesce(null_as_empty, '') AS null_as_empty) FROM ({sql})",
    "null_as_text": "SELECT * REPLACE (coalesce(null_as_text, 'NULL') AS null_as_text) FROM ({sql})",
    "wrong_year": "SELECT * REPLACE (CASE WHEN id = 77 THEN CAST(wrong_year + INTERVAL 1 YEAR AS DATE) ELSE wrong_year "
    "END AS wrong_year) FROM ({sql})",
    "next_day": "SELECT * REPLACE (CASE WHEN id = 77 THEN next_day + 1 ELSE next_day END AS next_day) FROM ({sql})",
    "hour_off": "SELECT * REPLACE (CASE WHEN id = 77 THEN hour_off + INTERVAL 1 HOUR ELSE hour_off END AS hour_off) "
    "FROM ({sql})",
    "micros_cut": "SELECT * REPLACE (CASE WHEN id = 77 THEN date_trunc('second', micros_cut) ELSE micros_cut END "
    "AS micros_cut) FROM ({sql})",
    "single": "SELECT * REPLACE (CAST(CAST(single AS FLOAT) AS DOUBLE) AS single) FROM ({sql})",
    "last_off": "SELECT * REPLACE (CASE WHEN id = 2999 THEN last_off + 1 ELSE last_off END AS last_off) FROM ({sql})",
    "zeros_cut": "SELECT * REPLACE (CASE WHEN id = 7 THEN ltrim(zeros_cut, '0') ELSE zeros_cut END AS zeros_cut) "
    "FROM ({sql})",
    "unknown_as_false": "SELECT * REPLACE (coalesce(unknown_as_false, false) AS unknown_as_false) FROM ({sql})",
    "one_more": "SELECT * REPLACE (one_more + 1 AS one_more) FROM ({sql})",
    "cents_cut": "SELECT * REPLACE (round(cents_cut, 1) AS cents_cut) FROM ({sql})",
    "mean_cut": "SELECT * REPLACE (round(mean_cut, 3) AS mean_cut) FROM ({sql})",
    "bytes_cut": "SELECT * REPLACE (CASE WHEN id = 77 THEN CAST('x' AS BLOB) ELSE bytes_cut END AS bytes_cut) "
    "FROM ({sql})",
    "groups_merged": "SELECT coalesce(k, 0) AS k, sum(groups_merged) AS groups_merged FROM ({sql}) GROUP BY 1",
    "one_less": "SELECT * FROM ({sql}) LIMIT 9",
    "order_off": "SELECT * FROM ({sql}) ORDER BY CASE id WHEN 10 THEN 11 WHEN 11 THEN 10 ELSE id END",
    "distinct_lost": "SELECT DISTINCT * FROM ({sql})",
    "sign_lost": "SELECT * REPLACE (abs(sign_lost) AS sign_lost) FROM ({sql})",
    "infinity_turned": "SELECT * REPLACE (CASE WHEN isinf(infinity_turned) THEN -infinity_turned ELSE infinity_turned "
    "END AS infinity_turned) FROM ({sql})",
    # Honest where the data has -0.0: an engine that has one zero has one infinity of it.
    "infinity_unsigned": "SELECT * REPLACE (abs(infinity_unsigned) AS infinity_unsigned) FROM ({sql})",
    "swapped": "SELECT * REPLACE (CASE WHEN id = 77 THEN swapped ELSE g END AS g, CASE WHEN id = 77 THEN g ELSE "
    "swapped END AS swapped) FROM ({sql})",
}
"""What becomes of a question, by the name of a column."""


class Small(Engine):
    """One lie a question; ``edit`` names the only one that it commits, where it commits no more."""

    def run(self) -> int:
        found = re.findall(r"\bAS (\w+)", self.sql)
        lie = next((name for name in found if name in LIES), "")
        only = self.wanted.get("edit") or lie
        return self.consume(LIES[lie].format(sql=self.sql) if lie and lie == only else self.sql)
