"""What an engine is asked to know how it takes a construct."""

from __future__ import annotations

from weigh.answers.constructs.construct import SAMPLE
from weigh.answers.constructs.rounding import NARROW_SUM

ALIKE = frozenset(
    {
        "like",
        "collation",
        "average",
        "sets",
        "none of",
        "outer",
        "empty",
        "rollup",
        "united",
        "deviation",
        "domain",
        SAMPLE,
    }
)
"""Keys of constructs that nearly all engines take alike: who cannot be probed is taken for one of them."""
_ONE_TWO = "(SELECT 1 AS a UNION ALL SELECT 2 AS a) AS t"
_NULL_ONE = "(SELECT 1 AS a UNION ALL SELECT NULL AS a) AS t"
_ZEROS = "(SELECT 1 AS id, CAST('0.0' AS DOUBLE) AS a UNION ALL SELECT 2 AS id, CAST('-0.0' AS DOUBLE) AS a) AS t"
_THIRDS = " UNION ALL ".join(f"SELECT CAST({one} AS DECIMAL(15, 2)) AS a" for one in ("1.10", "1.10", "1.12"))
_TENTHS = f"({' UNION ALL '.join(['SELECT CAST(0.1 AS REAL) AS a'] * 3)}) AS t"
_DIGITS = f"({' UNION ALL '.join(f'SELECT {digit} AS d' for digit in range(10))})"
_MANY = f"{_DIGITS} AS a, {_DIGITS} AS b, {_DIGITS} AS c, {_DIGITS} AS e, {_DIGITS} AS f"
"""100,000 rows: more than ClickHouse draws."""
PROBES: dict[str, tuple[str, ...]] = {
    "division": ("7 / 2",),
    "zero": ("CAST(1 AS DOUBLE) / CAST(0 AS DOUBLE)",),
    "modulo": ("-7 % 3", "CAST(7.5 AS DOUBLE) % 2"),
    "remainder": ("7.7 % 0.7", "CAST(7.7 AS DECIMAL(9, 2)) % 0.7"),
    "floor": ("-7 // 2",),
    "integer": ("CAST(CAST(1.7 AS DOUBLE) AS INTEGER)", "CAST(CAST(2.5 AS DOUBLE) AS INTEGER)"),
    "decimal": ("CAST(CAST(1.77 AS DOUBLE) AS DECIMAL(9, 1))", "CAST(CAST(0.25 AS DOUBLE) AS DECIMAL(9, 1))"),
    "text": ("CAST(CAST(2 AS DOUBLE) AS VARCHAR)", "CAST(CAST(1e20 AS DOUBLE) AS VARCHAR)", "CAST(1 = 1 AS VARCHAR)",
             "CAST(TIMESTAMP '2024-01-02 03:04:05' AS VARCHAR)"),
    "members": ("CAST('[1]' AS VARCHAR[])",),
    "round": ("round(CAST(2.5 AS DOUBLE))", "round(CAST(0.125 AS DOUBLE), 2)"),
    "round up": ("round(14, -1)",),
    "years": ("extract(year FROM DATE '1000-01-01')", "extract(year FROM DATE '9000-01-01')"),
    "substring": ("substr('abc', 0, 2)", "substr('abc', -2)"),
    "replace": ("replace('ab', '', 'x')",),
    "length": ("length('ä')",),
    "clusters": ("reverse('e\u0301x')", "reverse('a\r\nb')"),
    "initials": ("initcap('3rd o''n x_y')",),
    "trimmed": ("trim('\tx')", "trim('\nx')", "trim('\u00a0x')", "trim('\u3000x')"),
    "case": ("upper('äß')", "lower('Ä')"),
    "like": ("CASE WHEN 'A' LIKE 'a' THEN 1 ELSE 0 END",),
    "escape": (r"CASE WHEN '_' LIKE '\_' THEN 1 ELSE 0 END",),
    "collation": ("CASE WHEN 'a' < 'B' THEN 1 ELSE 0 END", "CASE WHEN 'b_' < 'ba' THEN 1 ELSE 0 END",
                  "CASE WHEN 'z' < 'ä' THEN 1 ELSE 0 END", "CASE WHEN 'a' = 'A' THEN 1 ELSE 0 END"),
    "nulls": (f"a FROM {_NULL_ONE} ORDER BY a LIMIT 1", f"a FROM {_NULL_ONE} ORDER BY a DESC LIMIT 1"),
    "zeros": (f"count(DISTINCT a) FROM {_ZEROS}", f"id FROM {_ZEROS} ORDER BY a, id LIMIT 1",
              f"count(*) FROM (SELECT a FROM {_ZEROS} GROUP BY a) AS s",
              f"count(*) FROM {_ZEROS} JOIN {_ZEROS.replace('AS t', 'AS u')} ON t.a = u.a"),
    "logarithm": ("log(CAST(100 AS DOUBLE))",),
    "base": ("log(2, 8)",),
    "edits": ("levenshtein('ä', 'a')",),
    "weeks": ("date_diff('week', DATE '2024-01-07', DATE '2024-01-08')",),
    "spread": (f"stddev(a) FROM {_ONE_TWO}",),
    "lone": ("stddev_samp(a) FROM (SELECT 1 AS a) AS t",),
    "straight": (f"corr(a, 1) FROM {_ONE_TWO}",),
    "average": (f"avg(a) FROM {_ONE_TWO}",),
    "concatenation": ("concat('a', NULL, 'b')",),
    "greatest": ("greatest(1, NULL)",),
    "pattern": ("regexp_replace('aa', 'a', 'b')",),
    "similar": ("CASE WHEN 'ab' SIMILAR TO 'a' THEN 1 ELSE 0 END",),
    "format": ("strftime(DATE '2024-02-03', '%Y-%m')",),
    "domain": ("ln(CAST(0 AS DOUBLE))",),
    "named": ("max(k) FROM (SELECT a AS k, 2 AS a FROM (SELECT 1 AS a) AS t) AS s",
              "count(*) FROM (SELECT 2 AS a FROM (SELECT 1 AS a) AS t WHERE a = 1) AS s",
              f"count(*) FROM (SELECT a * 0 AS a, count(*) AS n FROM {_ONE_TWO} GROUP BY a) AS s"),
    "single": ("CASE WHEN CAST(0.1 AS REAL) = 0.1 THEN 1 ELSE 0 END", "CAST(0.1 AS REAL) * 3",
               "CASE WHEN CAST(0.1 AS REAL) IN (0.1, 0.5) THEN 1 ELSE 0 END"),
    "quotient": ("CAST(1.10 AS DECIMAL(15, 2)) / CAST(3.30 AS DECIMAL(15, 2))", f"avg(a) FROM ({_THIRDS}) AS t",
                 "CASE WHEN CAST(0.30 AS DECIMAL(15, 2)) / CAST(0.10 AS DECIMAL(15, 2)) = 3 THEN 1 ELSE 0 END"),
    NARROW_SUM: (f"sum(a) FROM {_TENTHS}",),
    "moved": ("extract(hour FROM TIMESTAMP '2024-01-01 12:00:00' AT TIME ZONE 'America/New_York')",),
    "second": ("extract(second FROM TIMESTAMP '2024-01-02 03:04:05.5')",),
    "zone": tuple(f"extract(hour FROM CAST('{day} 12:00:00+00' AS TIMESTAMP WITH TIME ZONE))"
                  for day in ("2024-01-01", "2024-07-01", "1960-01-01")),
    "milli": ("extract(millisecond FROM TIMESTAMP '2024-01-02 03:04:05.0005')",),
    "micro": ("extract(microsecond FROM TIMESTAMP '2024-01-02 03:04:05.000001')",),
    "epoch": ("extract(epoch FROM TIMESTAMP '2024-01-02 03:04:05.5')",),
    "position": ("strpos('äb', 'b')",),
    "power": ("2 ^ 3",),
    "weekday": ("extract(dow FROM DATE '2024-01-07')",),
    "week": ("extract(week FROM DATE '2023-01-01')", "extract(week FROM DATE '2022-01-01')"),
    "outer": ("u.a FROM (SELECT 1 AS a) AS t LEFT JOIN (SELECT 2 AS a) AS u ON t.a = u.a",),
    "empty": ("max(a) FROM (SELECT 1 AS a) AS t WHERE a > 1",),
    "rollup": ("count(a) FROM (SELECT a, count(*) AS n FROM (SELECT 1 AS a) AS t GROUP BY ROLLUP (a)) AS s",),
    "sets": ("count(*) FROM (SELECT a FROM (SELECT 1 AS a UNION ALL SELECT 1 AS a) AS t EXCEPT SELECT 2 AS a) AS s",),
    "none of": ("CASE WHEN 1 NOT IN (2, NULL) THEN 1 ELSE 0 END",),
    "days": ("extract(year FROM CAST(TIMESTAMP '1960-01-02 03:04:05' AS DATE))",),
    "listed": ("count(*) FROM (SELECT unnest(CAST(NULL AS INTEGER[])) AS a) AS t",),
    SAMPLE: (f"median(a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d) FROM {_MANY}",),
    "united": ("count(*) FROM (SELECT 2 AS a UNION ALL SELECT 1 AS a ORDER BY 1 LIMIT 1) AS s",),
    "deviation": ("stddev_samp(a) FROM (SELECT 1 AS a UNION ALL SELECT 300000000 AS a) AS t",),
    "skipped": ("max(f) FROM (SELECT first_value(a) OVER (ORDER BY b) AS f FROM"
                " (SELECT NULL AS a, 1 AS b UNION ALL SELECT 7 AS a, 2 AS b) AS t) AS s",),
    "uuids": ("CASE WHEN CAST('00000000-0000-0001-8000-000000000000' AS UUID)"
              " < CAST('00000000-0000-0002-4000-000000000000' AS UUID) THEN 1 ELSE 0 END",),
    "truncation": ("date_trunc('week', DATE '2024-01-07')",),
}  # fmt: skip
"""What an engine is asked, of its own constants, to know how it takes a construct; one SELECT each."""
DAYS = {"day_of_week": "dayofweek", "weekday": "weekday", "week": "week", "week_of_year": "weekofyear",
        "yearweek": "yearweek"}  # fmt: skip
"""Functions that count days or weeks, and how most engines call them."""
LETTERS = ("unicode", "ascii", "ord")
"""Functions that are the number of the first letter of a text."""
PROBES |= {
    f"{key}()": tuple(f"{name}(DATE '{day}')" for day in ("2023-01-01", "2022-01-01", "2024-12-30"))
    for key, name in DAYS.items()
}
PROBES |= {f"{name} of ''": (f"{name}('')",) for name in LETTERS}
PROBES |= {f"{name} of a letter": (f"{name}('ä')",) for name in LETTERS}
CLASSES = {
    r"\w": (r"'ä' ~ '^\w$'",),
    r"\d": (r"'٣' ~ '^\d$'",),
    r"\s": ("'\u3000' ~ '^\\s$'",),
    r"\b": (r"'a' ~ '\ba'", r"'ä' ~ '\bä'"),
    "[:": ("'ä' ~ '^[[:alpha:]]$'",),
}
"""Classes of characters in a regular expression, of Unicode or of ASCII; \\b is a backspace in PostgreSQL."""
PROBES |= {
    f"{key} in a pattern": tuple(f"CASE WHEN {one} THEN 1 ELSE 0 END" for one in conditions)
    for key, conditions in CLASSES.items()
}
BACKSLASHES = {r"\n": r"\\[\\abfnrtvx0]", r"\w": r"\\[^\\abfnrtvx0%_]"}
"""Escapes that whoever has any takes alike, and others, of which some drop the backslash: which texts have them."""
PROBES |= {f"{key} in a text": (f"length('{key}')",) for key in BACKSLASHES}
NAMES = ("inf", "infinity", "nan", "user")
"""Words that are names of columns to most engines, numbers to ClickHouse, and who is connected to PostgreSQL."""
PROBES |= {f"{name} as a name": (f"{name} FROM (SELECT 1 AS {name}) AS t",) for name in NAMES}
UNASKED = frozenset({"shift", "nano"})
"""Keys of constructs of which engines cannot be asked: what overflows, or has no such part, is an error to many."""
