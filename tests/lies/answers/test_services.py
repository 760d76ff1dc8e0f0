"""A9, A10, E7: services by URL that lie about their cache, their time, their bytes or their size, and honest twins."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh_liars.service import Service

from ..reading import contenders, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh
    from support.once import Once
    from weigh_liars.service import Lie

ROWS = [(number, number % 10) for number in range(100)]
WORK = {"GROUP": 0.03}
QUEUE = {"GROUP": 0.12}
FLAGS = ("--starts", "1", "--rounds", "2", "--runs", "3", "--contention", "100%", "--no-shrink", "--quiet", "--json")


def services(weigh: Weigh, lies: dict[str, Lie], queued: tuple[str, ...] = ()) -> Run:
    """One start of a service for each name; those of whom one waits have a queue before the heavier question."""
    folder = weigh.folder
    pq.write_table(pa.table({"id": [one for one, _ in ROWS], "v": [v for _, v in ROWS]}), folder / "t.parquet")
    (folder / "q").mkdir()
    (folder / "q" / "total.sql").write_text("SELECT sum(id) AS total FROM t")
    (folder / "q" / "groups.sql").write_text("SELECT v, count(*) AS n FROM t GROUP BY v")
    tables = {"t": (("id", "v"), ROWS)}
    with ExitStack() as stack:
        named = [
            f"{name}={stack.enter_context(Service(tables, lie, WORK, QUEUE if name in queued else None)).url}"
            for name, lie in lies.items()
        ]
        return weigh("run", "--data", "t.parquet", "--sql", "q", *contenders(*named), *FLAGS, "--price", "5USD/TB")


@pytest.fixture(scope="module")
def run(fresh: Callable[[], Weigh], once: Once) -> Run:
    """All of them in one experiment: the honest ones differ from the liars in nothing else."""
    lies: dict[str, Lie] = {
        "honest": "none", "waits": "none", "cache": "cache", "queue": "queue", "quick": "fast-clock", "grows": "grows",
    }  # fmt: skip
    return once("services", lambda: services(fresh(), lies, ("waits", "queue")))


def found(run: Run, *families: str) -> set[tuple[str, str, str | None]]:
    """Warnings and errors of some families, but for what every system by URL has: code, contender, operation."""
    return {
        (one["code"], one["contender"], one["operation"])
        for one in run.json["findings"]
        if one["code"].split(".")[0] in families and one["severity"] != "note"
    }


def test_who_reports_what_is_so_is_not_accused(run: Run) -> None:
    assert run.code in (0, 1, 3), run.err
    for name in ("honest", "waits"):
        assert not {one for one in found(run, "A9", "A10", "E7") if one[1] == name}
        assert {one["operation"] for one in run.json["cost"]["rows"] if one["contender"] == name} == {
            "groups", "total", None,
        }  # fmt: skip


def test_a_cache_that_its_switch_does_not_switch_off_is_named(run: Run) -> None:
    """The switch is read back as off, and the service says of each answer where it came from."""
    assert {("A9.reported", "cache", "groups"), ("A9.reported", "cache", "total")} <= found(run, "A9")
    assert {one[1] for one in found(run, "A9")} == {"cache"}
    for metric in ("wall_s", "cost"):
        assert {name for name in verdicts(run, "groups", metric) if name == "cache"} <= {"cache"}
        assert verdicts(run, "groups", metric).get("cache", {"verdict": "refused"})["verdict"] == "refused"
    assert not [one for one in run.json["cost"]["rows"] if one["contender"] == "cache"]


def test_a_time_that_leaves_out_the_queue_is_named(run: Run) -> None:
    """The twin waits as long, and says so: its queue is taken apart from its execution."""
    assert ("A10.server", "queue", "groups") in found(run, "A10")
    assert {one[1] for one in found(run, "A10")} == {"queue", "quick"}
    (row,) = (one for one in run.json["reported"] if (one["contender"], one["operation"]) == ("waits", "groups"))
    assert row["queue_s"] == pytest.approx(0.12, abs=0.01)
    assert row["server_s"] == pytest.approx(0.03, abs=0.02)
    assert 0 < row["network_s"] < 0.1
    assert row["wall_s"] == pytest.approx(row["queue_s"] + row["server_s"] + row["network_s"], abs=0.02)
    assert verdicts(run, "groups", "server_s")["queue"]["reasons"][0]["code"] == "A10.server"


def test_a_time_that_is_less_than_possible_is_named(run: Run) -> None:
    assert ("A10.server", "quick", "groups") in found(run, "A10")
    (text,) = (
        one["text"] for one in run.json["findings"] if (one["code"], one["contender"]) == ("A10.server", "quick")
    )
    assert "it says that it took 100 us with its queue, while " in text


def test_a_service_that_grows_meanwhile_is_named(run: Run) -> None:
    assert found(run, "E7") == {("E7.grown", "grows", None)}
    (text,) = (one["text"] for one in run.json["findings"] if one["code"] == "E7.grown")
    assert text.startswith("warehouse_size was SMALL and then LARGE: ")


def test_a_cache_that_says_nothing_is_found_by_asking_anew(weigh: Weigh) -> None:
    """It reports nothing of its cache, and 0 bytes: by time where the question is long enough, and by its bill."""
    run = services(weigh, {"honest": "none", "silent": "silent-cache"})
    certain = {
        ("A9.suspect", "silent", "groups"), ("A10.scanned", "silent", "groups"), ("A10.scanned", "silent", "total"),
    }  # fmt: skip
    # On a busy machine the short one may take long enough to be suspected too, and rightly.
    assert certain <= found(run, "A9", "A10") <= certain | {("A9.suspect", "silent", "total")}
    assert verdicts(run, "groups")["silent"]["verdict"] == "refused"
    assert not [one for one in run.json["cost"]["rows"] if one["contender"] == "silent"]


def test_a_cache_that_answers_every_second_repetition_is_found_by_its_bill(weigh: Weigh) -> None:
    """Its times are those of a quick and a slow node, of which an honest service may have both."""
    run = services(weigh, {"honest": "none", "half": "half-cache"})
    bill = {("A10.scanned", "half", "groups"), ("A10.scanned", "half", "total")}
    assert bill <= found(run, "A9", "A10") <= bill | {("A9.suspect", "half", "groups"), ("A9.suspect", "half", "total")}
    assert not [one for one in run.json["cost"]["rows"] if one["contender"] == "half"]
