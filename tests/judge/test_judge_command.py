"""`weigh judge` as a user meets it: reports, JSON, exit codes, mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.command import Run, Weigh

FIXTURES = Path(__file__).parents[1] / "fixtures" / "judge"
BLOCKS = sorted(str(path) for path in (FIXTURES / "hyperfine" / "alternating").iterdir())
FIXED = str(FIXTURES / "hyperfine" / "fixed-order.json")


def words(run: Run) -> str:
    return " ".join(run.out.split())


def test_a_fixed_order_is_refused_with_the_way_that_would_not_be(weigh: Weigh) -> None:
    run = weigh("judge", FIXED, "--strict")
    assert run.code == 3
    assert "INADMISSIBLE, because: T5 all runs of old came before those of new" in words(run)
    assert "REFUSED (T5)" in run.out
    assert "16.1 ms" in run.out
    assert "To have a verdict, measure in turn:" in run.out
    assert 'hyperfine --warmup 1 --runs 3 --export-json block$i.json "$@"' in run.out
    assert "weigh judge --baseline old block*.json" in run.out


def test_the_way_that_the_refusal_tells_gives_a_verdict(weigh: Weigh) -> None:
    run = weigh("judge", "--baseline", "old", *BLOCKS, "--rule", "clickhouse")
    assert run.code == 1
    assert "SLOWER by" in run.out
    assert "SUGGESTIVE, not conclusive" in run.out
    assert "clickhouse's rule says" in run.out
    assert "To have a verdict" not in run.out


def test_the_document(weigh: Weigh) -> None:
    document = weigh("judge", *BLOCKS, "--margin", "5%", "--confidence", "0.95", "--json").json
    assert document["schema"] == "weigh/judge/1"
    assert (document["format"], document["baseline"], len(document["files"])) == ("hyperfine", "old", 10)
    assert document["files"][1]["contenders"] == ["new", "old"]
    assert (document["rules"]["margin"], document["rules"]["confidence"]) == (0.05, 0.95)
    (verdict,) = document["verdicts"]
    assert (verdict["verdict"], verdict["starts"], verdict["temperature"]) == ("slower", 10, "unknown")
    assert verdict["low"] > 1.05
    assert [timing["contender"] for timing in document["timings"]] == ["old", "new"]
    assert (document["series"], document["how"]) == ([], None)
    assert document["tier"]["name"] == "suggestive"


def test_a_log_has_percentiles_and_findings(weigh: Weigh) -> None:
    logs = [str(FIXTURES / "pgbench" / name) for name in ("threads.101", "threads.101.1")]
    document = weigh("judge", *logs, "--json").json
    (series,) = document["series"]
    assert [one["q"] for one in series["percentiles"]] == [0.5, 0.9, 0.99, 0.999]
    assert [finding["code"] for finding in document["findings"]] == ["L2"]
    assert document["baseline"] is None


def test_an_hlog_says_what_it_lost(weigh: Weigh) -> None:
    run = weigh("judge", str(FIXTURES / "hlog" / "rate.hlog"))
    assert run.code == 0
    assert "order lost" in run.out
    assert "T3.intervals the order inside an interval is lost" in words(run)


def test_mistakes(weigh: Weigh) -> None:
    (weigh.folder / "cut.json").write_text(Path(FIXED).read_text()[:900])
    for arguments, said in (
        (["judge"], "Missing argument"),
        (["judge", "cut.json"], "cut.json: it is not whole JSON"),
        (["judge", "--format", "hyperfin", FIXED], "did you mean 'hyperfine'?"),
    ):
        run = weigh(*arguments)
        assert (run.code, run.out) == (2, "")
        assert said in run.err
        assert len(run.err.splitlines()) == 2
