"""``weigh history confirm``: both sides of a candidate side by side, and what lies between halved."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support.command import Weigh
from support.history_records import beside, entry, measured, point, values, written
from weigh.history import run, store
from weigh.history.entry import sealed
from weigh.history.results import Candidate, history_results
from weigh.history.run import Measurement, Version
from weigh.model.errors import ExitCode, WeighError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weigh.history.entry import Entry

STEP = 1.08
MOVED = 20


def history(count: int = 40) -> list[Entry]:
    return [entry(at + 1, one) for at, one in enumerate(values(count, 2, {MOVED: STEP}))]


def candidate() -> Candidate:
    (one,) = history_results("h", history()).candidates
    return one


def engine(slow_from: int, *, silent: frozenset[int] = frozenset()) -> Callable[[Version, Version], Measurement]:
    """What side by sides say of versions that are numbers, of which those from one on are slower."""

    def measure(before: Version, after: Version) -> Measurement:
        one, two = int(before.name), int(after.name)
        if two in silent:
            return Measurement(before.name, after.name, "refused", None, None, None, "e")
        slower = one < slow_from <= two
        ratio = STEP if slower else 1.0
        return Measurement(before.name, after.name, "slower" if slower else "same", ratio, ratio, ratio, "e")

    return measure


@pytest.mark.parametrize("slow_from", range(1, 17))
def test_halving_finds_the_version(slow_from: int) -> None:
    known = [Version(str(at), "") for at in range(17)]
    found = run.confirm(candidate(), known, engine(slow_from))
    assert (found.state, found.before, found.after, found.left) == ("confirmed", str(slow_from - 1), str(slow_from), ())
    assert len(found.measured) <= 2 + math.ceil(math.log2(16))
    assert found.exit_code == ExitCode.FOUND


def test_what_does_not_change_is_not_confirmed_and_what_says_nothing_stays_open() -> None:
    known = [Version(str(at), "") for at in range(5)]
    found = run.confirm(candidate(), known, engine(99))
    assert (found.state, len(found.measured), found.exit_code) == ("not confirmed", 1, ExitCode.OK)
    found = run.confirm(candidate(), known, engine(1, silent=frozenset({4})))
    assert (found.state, found.exit_code) == ("open", ExitCode.INCONCLUSIVE)
    found = run.confirm(candidate(), known, engine(1, silent=frozenset({2})))
    assert (found.state, found.before, found.after, found.left) == ("confirmed", "0", "4", ("1", "2", "3"))


def test_versions_between_are_those_of_the_history_and_those_that_are_named() -> None:
    one = candidate()
    assert [version.name for version in run.versions(one)] == ["1.20", "1.21"]
    assert run.versions(one, ["1.20.5"])[1] == Version("1.20.5", "duckdb@1.20.5")
    who = msgspec.structs.replace(measured(1), spec="duckdb@1.1?layout=many", settings={"threads": 2, "order": True})
    assert run.contender(who) == "duckdb@1.1?layout=many&threads=2&order=true"


def test_what_cannot_be_measured_again_is_refused(weigh: Weigh) -> None:
    written(weigh.folder / "history", history())
    assert "there is no candidate 'nobody'" in weigh("history", "confirm", "nobody").err
    (one,) = weigh("history", "show", "--json").json["candidates"]
    loads = [sealed(msgspec.structs.replace(own, kind="load")) for own in history()]
    written(weigh.folder / "loads", loads)
    refused = weigh("history", "confirm", one["id"], "--from", "loads")
    assert refused.code == 2
    assert "weigh load --contender A --contender B" in refused.err
    with pytest.raises(WeighError, match="is not recorded"):
        run.contender(msgspec.structs.replace(measured(1), spec=""))


def test_another_question_or_other_rows_confirm_nothing() -> None:
    one = candidate()
    run.check_alike(one, beside(21, 20, 1.08, "slower"))
    for fields, said in (
        ({"workload": "tpch"}, "its workload is another"),
        ({"data": {"rows": "others"}}, "its rows are others"),
        ({"points": (point(21, 0.1, verdict="slower", question="p"),)}, "its query is another"),
    ):
        with pytest.raises(WeighError, match=said):
            run.check_alike(one, msgspec.structs.replace(beside(21, 20, 1.08, "slower"), **fields))


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    return Weigh(tmp_path)


def real(operation: str, asked: dict[str, str], **fields: Any) -> list[Entry]:
    """A history whose two levels are of two released versions."""
    made = []
    for at, own in enumerate(history(), 1):
        who = msgspec.structs.replace(measured(at), spec="duckdb@1.5.5" if at <= MOVED else "duckdb@2.0.0")
        one = point(at, own.points[0].value, operation=operation, question="", who=who)
        made.append(sealed(msgspec.structs.replace(own, flags=asked, data={}, points=(one,), **fields)))
    return made


@pytest.mark.long
@pytest.mark.promise("What was made to confirm a candidate is no point of the series.")
def test_both_versions_are_measured_and_added(weigh: Weigh) -> None:
    """Two released versions, one start: too few for a verdict, which is reported."""
    asked = {"workload": "netflow", "scale": "1000", "seed": "42", "temperature": "hot", "margin": "0.03"}
    written(weigh.folder / "history", real("by_action", asked))
    before = weigh("history", "show", "--json").json
    (one,) = before["candidates"]
    ran = weigh("history", "confirm", one["id"], "--starts", "1", "--quiet", "--json")
    assert ran.code == 3, ran.err
    assert (ran.json["state"], ran.json["before"], ran.json["after"]) == ("open", "1.20", "1.21")
    assert [found["verdict"] for found in ran.json["measured"]] == ["refused"]
    assert weigh("verify", str(ran.evidence)).code == 0
    entries, _ = store.read(weigh.folder / "history")
    (added,) = (own for own in entries if own.confirms)
    assert {(point.who.name, point.who.version) for point in added.points} == {("before", "1.20"), ("after", "1.21")}
    after = weigh("history", "show", "--json").json
    assert (after["entries"], after["series"], after["candidates"][0]["state"]) == (41, before["series"], "candidate")


SUITE = {
    "load.sql": "CREATE TABLE events AS SELECT i AS id, (i * 31) % 97 AS g FROM range(2000) r(i);",
    "q.sql": "-- name: gaps\nSELECT g, sum(id) AS total FROM events GROUP BY g ORDER BY g;",
}


def test_of_your_own_data_it_asks_where_that_is(weigh: Weigh) -> None:
    written(weigh.folder / "history", real("gaps", {"seed": "42", "margin": "0.03"}, workload="sql"))
    (one,) = weigh("history", "show", "--json").json["candidates"]
    refused = weigh("history", "confirm", one["id"], "--quiet")
    assert refused.code == 2
    assert "name the suite: --workload ./queries/" in refused.err


@pytest.mark.long
@pytest.mark.promise("A suite that was named by `--workload` is named again.")
def test_a_suite_is_measured_again_where_it_is_named(weigh: Weigh) -> None:
    """One start: too few for a verdict, which is reported."""
    written(weigh.folder / "history", real("gaps", {"seed": "42", "margin": "0.03"}, workload="queries"))
    (weigh.folder / "queries").mkdir()
    for name, text in SUITE.items():
        (weigh.folder / "queries" / name).write_text(text)
    (one,) = weigh("history", "show", "--json").json["candidates"]
    suite = ("--workload", "./queries/", "--starts", "1", "--quiet", "--json")
    ran = weigh("history", "confirm", one["id"], *suite)
    assert ran.code == 3, ran.err
    assert (ran.json["state"], ran.json["measured"][0]["verdict"]) == ("open", "refused")
    assert weigh("verify", str(ran.evidence)).code == 0
    entries, _ = store.read(weigh.folder / "history")
    assert [own.points[-1].operation for own in entries if own.confirms] == ["gaps"]
