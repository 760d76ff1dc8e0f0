"""An excuse is bounded: by what engines are asked, or by what the data has."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from weigh.answers import constructs
from weigh.answers.constructs import construct, letters, of_query
from weigh.answers.constructs.probes import BACKSLASHES, CLASSES, DAYS, LETTERS
from weigh.answers.constructs.probes import NAMES as NAMES_OF_COLUMNS
from weigh.answers.left_open import _may
from weigh.answers.votes import vote
from weigh.model.answer import Column, GateStatus, ResultSchema
from weigh.model.gate import Difference
from weigh.model.operation import Case, Operation

if TYPE_CHECKING:
    from weigh.model.gate import Check

NAMES = ("duckdb", "datafusion", "polars")


def votes(sql: str, values: dict[str, int | str], ways: dict[str, dict[str, str]] | None = None) -> list[Check]:
    """Of values in one column, each contender of a lineage of its own."""
    case = Case(name="only", timed=True)
    texts = any(isinstance(one, str) for one in values.values())
    schema = ResultSchema(columns=(Column(name="v", kind="text" if texts else "integer"),))
    kind = pa.string() if texts else pa.decimal128(38, 0)
    tables = {name: pa.table({"v": pa.array([value], kind)}) for name, value in values.items()}
    operation = Operation(name="q", sql=sql, cases=(case,), schema=schema)
    return vote(operation, case, tables, {name: name for name in values}, ways)


def yielded() -> set[str]:
    """The keys that the modules which recognise constructs can give, read off their source; of a column their begin."""
    sources = [Path(str(module.__file__)).read_text(encoding="utf-8") for module in (of_query, letters)]
    found: set[str] = set()
    for node in (one for source in sources for one in ast.walk(ast.parse(source))):
        if not isinstance(node, ast.Yield) or node.value is None:
            continue
        value = node.value
        first = value.elts[0] if isinstance(value, ast.Tuple) else value
        match first:
            case ast.Constant(value=str(key)):
                found.add(key)
            case ast.Name(id="_EMPTY"):
                found.add(of_query._EMPTY[0])
            case ast.Name(id="part"):
                found |= of_query._PARTS.keys()
            case ast.Name(id=name):
                found.add(getattr(construct, name))
            case ast.JoinedStr(
                values=[ast.FormattedValue(value=ast.Name(id="name" | "named")), ast.Constant(value=str(end))]
            ):
                words = {
                    "()": DAYS,
                    " as a name": NAMES_OF_COLUMNS,
                    " in a pattern": CLASSES,
                    " in a text": BACKSLASHES,
                }.get(end, LETTERS)
                found |= {f"{name}{end}" for name in words}
            case ast.JoinedStr(values=[ast.FormattedValue(value=begin), *_]):
                names = [begin.body, begin.orelse] if isinstance(begin, ast.IfExp) else [begin]
                found |= {getattr(construct, one.id) for one in names if isinstance(one, ast.Name)}
            case other:
                raise AssertionError(f"a key that this test cannot read: {ast.unparse(other)}")
    return found


def test_every_construct_has_a_probe_or_a_check_of_the_data() -> None:
    keys = yielded()
    assert {"week()", "unicode of ''", "shift", "nano", construct.NAN, construct.ZONE, "empty"} <= keys
    by_data = {*construct.OF_DATA}
    unbounded = keys - constructs.PROBES.keys() - by_data - constructs.UNASKED - {constructs.SEQUENCE}
    assert not unbounded
    assert constructs.PROBES.keys() | by_data >= constructs.ALIKE


def test_a_construct_that_nothing_bounds_excuses_nothing() -> None:
    made = construct.Construct("of no kind", "because", None, None, construct.anything)
    assert not _may(made, lambda _key: None, lambda _key: True)


@pytest.mark.parametrize(
    ("sql", "key"),
    [
        ("SELECT count(*) AS v FROM t WHERE week(d) = 3", "week()"),
        ("SELECT count(*) AS v FROM t WHERE dayofweek(d) = 1", "day_of_week()"),
        ("SELECT count(*) AS v FROM t GROUP BY week(d)", "week()"),
        ("SELECT count(*) AS v FROM t WHERE unicode(x) > 70", "unicode of a letter"),
        ("SELECT max(inf) AS v FROM t", "inf as a name"),
        ("SELECT count(*) AS v FROM t WHERE d < DATE '1000-01-01'", "years"),
        (r"SELECT count(*) AS v FROM t WHERE s ~ '^\w+$'", r"\w in a pattern"),
        (r"SELECT count(*) AS v FROM t WHERE s ~ '\bab\b'", r"\b in a pattern"),
        ("SELECT count(*) AS v FROM t WHERE s ~ '[[:alpha:]]'", "[: in a pattern"),
        (r"SELECT count(*) AS v FROM t WHERE s = 'a\nb'", r"\n in a text"),
        (r"SELECT count(*) AS v FROM t WHERE s = 'a\wb'", r"\w in a text"),
        ("SELECT count(*) AS v FROM t WHERE lpad(s, 3, 'x') = 'abc'", "length"),
        ("SELECT count(*) AS v FROM t WHERE log(2, x) > 3", "base"),
        ("SELECT count(*) AS v FROM t WHERE date_diff('week', d, e) > 3", "weeks"),
        ("SELECT levenshtein(s, 'a') AS v FROM t", "edits"),
        ("SELECT count(*) AS v FROM t GROUP BY user", "user as a name"),
    ],
)
def test_who_takes_a_construct_as_the_others_do_is_outvoted(sql: str, key: str) -> None:
    values = {"duckdb": 4, "datafusion": 9, "polars": 9}
    other_key = "unicode of ''"
    others = {one.key: "1" for one in constructs.of(sql)}
    alike = {name: {**others, key: "1", other_key: "0"} for name in NAMES}
    assert [one.detail for one in votes(sql, values, alike) if one.contender == "duckdb"] == ["outvoted"]
    otherwise = {**alike, "duckdb": {**others, key: "2", other_key: "0"}}
    assert {one.status for one in votes(sql, values, otherwise)} == {GateStatus.LEFT_OPEN}
    unasked = {**alike, "duckdb": {}}
    assert {one.status for one in votes(sql, values, unasked)} == {GateStatus.LEFT_OPEN}


@pytest.mark.parametrize(
    ("sql", "got", "above_zero", "status"),
    [
        ("SELECT {} AS v FROM t", -1, False, GateStatus.LEFT_OPEN),
        ("SELECT {} AS v FROM t", -1, True, GateStatus.DIVERGED),
        ("SELECT {} AS v FROM t", 60, False, GateStatus.DIVERGED),
        ("SELECT max(v) AS v FROM t WHERE {} = 1", 60, False, GateStatus.LEFT_OPEN),
        ("SELECT max(v) AS v FROM t WHERE {} = 1", 60, True, GateStatus.DIVERGED),
    ],
)
def test_a_remainder_is_off_by_its_divisor_and_only_below_zero(
    sql: str, got: int, above_zero: bool, status: GateStatus
) -> None:
    ways = {name: {"modulo": "-1"} | ({"fraction modulo i % 7": "whole"} if above_zero else {}) for name in NAMES}
    ways["duckdb"]["modulo"] = "2"
    found = votes(sql.format("i % 7"), {"duckdb": got, "datafusion": 6, "polars": 6}, ways)
    assert next(one.status for one in found if one.contender == "duckdb") is status


def test_a_remainder_of_a_divisor_that_is_computed_is_off_by_anything() -> None:
    ways = {"duckdb": {"modulo": "2"}, "datafusion": {"modulo": "-1"}, "polars": {"modulo": "-1"}}
    found = votes("SELECT i % (2 * 50) AS v FROM t", {"duckdb": 66, "datafusion": -34, "polars": -34}, ways)
    assert {one.status for one in found} == {GateStatus.LEFT_OPEN}


@pytest.mark.parametrize(
    ("divisor", "got", "explained"),
    [("2", "'NaN'", True), ("2", "NULL", False), ("0.5", "NULL", True), ("0.5", "1.5", True), ("2", "3.5", False)],
)
def test_an_infinity_has_no_remainder_and_a_half_is_nothing_to_who_cuts_it(
    divisor: str, got: str, explained: bool
) -> None:
    found = next(one for one in of_query.of(f"SELECT x % {divisor} AS v FROM t") if "modulo" in one.key)
    assert found.explains([Difference(row="", column="v", got=got, expected="1")]) == explained


@pytest.mark.parametrize(
    ("sql", "got", "status"),
    [
        ("SELECT left(s, 3) AS v FROM t", "abc", GateStatus.DIVERGED),
        ("SELECT left(s, 3) AS v FROM t", "aä", GateStatus.LEFT_OPEN),
        ("SELECT reverse(s) AS v FROM t", "abc", GateStatus.DIVERGED),
        ("SELECT right(s, -2) AS v FROM t", "abc", GateStatus.LEFT_OPEN),
    ],
)
def test_a_part_of_a_text_excuses_letters_that_are_not_ascii(sql: str, got: str, status: GateStatus) -> None:
    ways = {"duckdb": {"length": "2"}, "datafusion": {"length": "1"}, "polars": {"length": "1"}}
    found = votes(sql, {"duckdb": got, "datafusion": "abd", "polars": "abd"}, ways)
    assert next(one.status for one in found if one.contender == "duckdb") is status


@pytest.mark.parametrize(
    ("sql", "way", "status"),
    [
        ("SELECT ROUND(d % 0.7) AS v FROM t", "7.7", GateStatus.LEFT_OPEN),
        ("SELECT ROUND(d % 0.7) AS v FROM t", "0", GateStatus.DIVERGED),
        ("SELECT ROUND(d % 7) AS v FROM t", "7.7", GateStatus.DIVERGED),
    ],
)
def test_what_is_written_with_a_point_is_a_decimal_or_a_double(sql: str, way: str, status: GateStatus) -> None:
    alike = {name: {"modulo": "-1", "round": "3", "remainder": "0"} for name in NAMES}
    ways = alike | {"duckdb": alike["duckdb"] | {"remainder": way}}
    found = votes(sql, {"duckdb": 1, "datafusion": 0, "polars": 0}, ways)
    assert next(one.status for one in found if one.contender == "duckdb") is status


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT a AS k, b AS a FROM t", {"a"}),
        ("SELECT b AS a FROM t WHERE a > 3", {"a"}),
        ("SELECT a % 3 AS A, count(*) AS n FROM t GROUP BY a", {"a"}),
        ("SELECT b AS a FROM t ORDER BY abs(a)", {"a"}),
        ("SELECT k, a FROM (SELECT a AS k, -b AS a FROM t) AS s", {"a"}),
        ("SELECT -a AS a, b FROM t ORDER BY a", set()),
        ("SELECT a AS a, a + 1 AS b FROM t WHERE a > 3", set()),
        ("SELECT t.a AS k, b AS a FROM t WHERE t.a > 3", set()),
        ("SELECT b AS a FROM (SELECT a AS b FROM t) AS s", set()),
    ],
)
def test_a_name_that_a_query_gives_and_reads_is_of_two(sql: str, names: set[str]) -> None:
    keys = {one.key for one in of_query.of(sql)}
    assert {key.removeprefix(construct.NAMED) for key in keys if key.startswith(construct.NAMED)} == names


@pytest.mark.parametrize(("way", "status"), [("2; 0; 1", GateStatus.LEFT_OPEN), ("1; 1; 2", GateStatus.DIVERGED)])
def test_a_name_of_two_excuses_who_takes_the_other(way: str, status: GateStatus) -> None:
    ways = {name: {"named a": way if name == "duckdb" else "1; 1; 2"} for name in NAMES}
    sql = "SELECT max(b) AS a FROM t WHERE a > 3"
    found = votes(sql, {"duckdb": 1, "datafusion": 0, "polars": 0}, ways)
    assert next(one.status for one in found if one.contender == "duckdb") is status
    # No table has a column of that name: the alias is the only one.
    assert {one.status for one in votes(sql, {"duckdb": 1, "datafusion": 0, "polars": 0}, {})} != {GateStatus.LEFT_OPEN}


def test_who_is_not_defined_there_is_null_nan_or_an_infinity() -> None:
    (found,) = (one for one in of_query.of("SELECT ln(x) AS v FROM t") if one.key == "domain")
    assert found.explains([Difference(row="", column="v", got="NULL", expected="'-Infinity'")])
    assert not found.explains([Difference(row="", column="v", got="NULL", expected="0")])
    assert "domain" in {one.key for one in of_query.of("SELECT log10(x), sqrt(y) FROM t")}
    assert "domain" not in {one.key for one in of_query.of("SELECT exp(x), abs(y) FROM t")}


@pytest.mark.parametrize(
    ("sql", "key", "got", "expected", "status"),
    [
        ("SELECT substr(s, 3, 2) AS v FROM t", "length", "ab", "bc", GateStatus.LEFT_OPEN),
        ("SELECT substr(s, 1, 2) AS v FROM t", "length", "ab", "bc", GateStatus.DIVERGED),
        ("SELECT reverse(s) AS v FROM t", "clusters", "b\r\na", "b\n\ra", GateStatus.LEFT_OPEN),
        ("SELECT reverse(s) AS v FROM t", "clusters", "xe\u0301", "x\u0301e", GateStatus.LEFT_OPEN),
        ("SELECT reverse(s) AS v FROM t", "clusters", "abc", "cba", GateStatus.DIVERGED),
        ("SELECT reverse(s) AS v FROM t", "clusters", "xé", "xe", GateStatus.DIVERGED),
        ("SELECT trim(s) AS v FROM t", "trimmed", "x", "\tx", GateStatus.LEFT_OPEN),
        ("SELECT rtrim(s) AS v FROM t", "trimmed", "x", "x\u00a0", GateStatus.LEFT_OPEN),
        ("SELECT trim(s) AS v FROM t", "trimmed", "x", "y", GateStatus.DIVERGED),
        ("SELECT trim(s, 'x') AS v FROM t", "trimmed", "x", "\tx", GateStatus.DIVERGED),
        ("SELECT initcap(s) AS v FROM t", "initials", "3Rd O'N", "3rd O'n", GateStatus.LEFT_OPEN),
        ("SELECT initcap(s) AS v FROM t", "initials", "3Rd", "3Th", GateStatus.DIVERGED),
    ],
)
def test_a_function_of_a_text_excuses_what_it_may_do(
    sql: str, key: str, got: str, expected: str, status: GateStatus
) -> None:
    alike = {name: {"length": "1", "clusters": "1", "trimmed": "1", "initials": "1", "case": "1"} for name in NAMES}
    ways = alike | {"duckdb": alike["duckdb"] | {key: "2"}}
    values: dict[str, int | str] = {"duckdb": got, "datafusion": expected, "polars": expected}
    assert next(one.status for one in votes(sql, values, ways) if one.contender == "duckdb") is status
    assert next(one.status for one in votes(sql, values, alike) if one.contender == "duckdb") is GateStatus.DIVERGED


def test_of_what_engines_cannot_be_asked_the_reason_says_so() -> None:
    found = votes("SELECT count(*) AS v FROM t WHERE a << 2 = 4", {"duckdb": 4, "datafusion": 9, "polars": 9})
    assert {one.status for one in found} == {GateStatus.LEFT_OPEN}
    assert all("no engine was asked" in one.notes[0] for one in found)


@pytest.mark.parametrize(("sql", "key"), [("date_part('week', d)", "week"), ("date_part('dow', d)", "weekday")])
def test_parts_of_a_moment_are_excused_in_either_spelling(sql: str, key: str) -> None:
    assert key in [one.key for one in constructs.of(f"SELECT {sql} AS v FROM t")]


def test_a_zone_excuses_nothing_where_only_literals_are_dates() -> None:
    keys = [one.key for one in constructs.of("SELECT count(*) AS v FROM t WHERE d > DATE '1950-01-01'")]
    assert not [key for key in keys if key.startswith(construct.ZONE)]
    assert f"{construct.ZONE}ts" in [one.key for one in constructs.of("SELECT CAST(ts AS DATE) AS v FROM t")]


def test_a_zone_excuses_what_is_read_off_its_column_and_nothing_else() -> None:
    ways = {name: {f"{construct.ZONE}at": name} for name in NAMES}
    values = {"duckdb": 4, "datafusion": 9, "polars": 9}
    for sql in ("SELECT hour(at) AS v FROM t", "SELECT hour(k) AS v FROM (SELECT at AS k FROM t) AS s"):
        assert {one.status for one in votes(sql, values, ways)} == {GateStatus.LEFT_OPEN}, sql
    for sql in ("SELECT hour(plain) AS v FROM t", "SELECT count(*) AS v FROM t WHERE at IS NULL"):
        assert [one.detail for one in votes(sql, values, ways) if one.contender == "duckdb"] == ["outvoted"], sql


@pytest.mark.parametrize("first", NAMES[:2])
def test_a_sum_that_overflows_is_nobodys_mistake_whoever_is_first(first: str) -> None:
    whole, wrapped = 4740813226943354726526, 18446744073709512830
    second = next(name for name in NAMES if name != first)
    found = votes("SELECT sum(u) AS v FROM t", {first: whole, second: wrapped})
    assert {one.contender: one.status for one in found} == dict.fromkeys((first, second), GateStatus.LEFT_OPEN)


def test_who_wraps_is_wrong_where_two_lineages_have_the_whole_sum() -> None:
    whole, wrapped = 4740813226943354726526, 18446744073709512830
    found = votes("SELECT sum(u) AS v FROM t", {"duckdb": wrapped, "datafusion": whole, "polars": whole})
    assert {one.contender: one.detail for one in found if one.status is GateStatus.DIVERGED} == {"duckdb": "outvoted"}


def test_a_place_in_bytes_is_at_most_four_times_that_in_characters() -> None:
    ways = {name: {"position": "2" if name == "duckdb" else "3"} for name in NAMES}

    def found(mine: int) -> set[str]:
        sql = "SELECT strpos(s, 'x') AS v FROM t"
        checks = votes(sql, {"duckdb": mine, "datafusion": 8, "polars": 8}, ways)
        return {one.status for one in checks if one.contender == "duckdb"}

    assert found(2) == {GateStatus.LEFT_OPEN}
    assert found(1) == found(0) == {GateStatus.DIVERGED}
