"""``weigh history``: add and show, through the command line."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import msgspec
import pytest

from support import experiment_records, load_records, sessions
from support.command import Weigh
from support.evidence_folders import LOAD_INTERVALS, sealed_run, written_load
from support.history_records import entry, values, written
from weigh.history import store

if TYPE_CHECKING:
    from pathlib import Path


OTAVA = "time,commit,q1,q2\n" + "".join(
    f"2026-01-{1 + at // 2:02}T{12 * (at % 2):02}:00:00,c{at:02},{one:.6f},{two:.6f}\n"
    for at, (one, two) in enumerate(zip(values(40, 11, {24: 1.1}), values(40, 12), strict=True))
)
CLICKBENCH = {
    "system": "DuckDB", "date": "2026-01-02", "machine": "c6a.4xlarge", "cluster_size": 1, "proprietary": "no",
    "tuned": "no", "tags": ["C++"], "load_time": 10, "data_size": 5, "result": [[0.5, 0.1, 0.2], [None, None, None]],
}  # fmt: skip


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    return Weigh(tmp_path)


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two attempts of one comparison in two folders, as two CI jobs leave them: one SLOWER, and one not."""
    names = experiment_records.names(2)
    record = experiment_records.record(operations=("q1",), contenders=names, starts=5, runs=1, noise=0.005)
    jobs = [tmp_path_factory.mktemp("job") for _ in range(2)]
    return sealed_run(jobs[0], experiment_records.slowed(record, names[1])), sealed_run(jobs[1], record)


@pytest.mark.promise("Only what passes `weigh verify` is added, and nothing twice.")
def test_evidence_is_added_once_and_only_as_it_was_sealed(
    weigh: Weigh, evidence: tuple[Path, Path], tmp_path: Path
) -> None:
    load = written_load(tmp_path / "loads")
    first = weigh("history", "add", str(evidence[0]), str(load), "--commit", "c0ffee", "--json")
    assert first.code == 0, first.err
    assert [(one["kind"], one["added"]) for one in first.json["added"]] == [("run", True), ("load", True)]
    again = weigh("history", "add", str(evidence[0]), "--json").json["added"]
    assert [one["added"] for one in again] == [False]
    shown = weigh("history", "show", "--json").json
    assert {(one["operation"], one["metric"]) for one in shown["series"]} >= {("q1", "wall_s")}
    (q1,) = (one for one in shown["series"] if one["operation"] == "q1")
    # The baseline is not of that commit, and is the reference.
    assert {one["version"] for one in q1["points"]} == {"c0ffee"}
    assert q1["unit"] == ""
    edited = shutil.copytree(evidence[0], tmp_path / "edited" / evidence[0].name)
    (edited / "report.txt").write_text("all is well\n")
    refused = weigh("history", "add", str(edited))
    assert refused.code == 2
    assert "does not pass `weigh verify`" in refused.err


def test_a_load_without_a_figure_is_not_called_unmeasured(weigh: Weigh, tmp_path: Path) -> None:
    spec = load_records.spec(LOAD_INTERVALS)
    asked = msgspec.structs.replace(spec, warmup_s=spec.duration_s * 0.95)
    refused = weigh("history", "add", str(written_load(tmp_path / "loads", asked)))
    assert refused.code == 2
    assert "no run of it counts and resolves its p50 or p99" in refused.err


def test_a_file_is_no_history(weigh: Weigh, evidence: tuple[Path, Path], tmp_path: Path) -> None:
    place = tmp_path / "kept.json"
    place.write_text("mine\n")
    for words in (("add", str(evidence[0])), ("show",)):
        refused = weigh("history", *words, "--to" if words[0] == "add" else "--from", str(place))
        assert refused.code == 2
        assert "a history is a folder, and this is a file" in refused.err
    assert place.read_text() == "mine\n"


@pytest.mark.promise("Attempts of one comparison are counted, whatever job made them.")
def test_a_rerun_until_green_in_another_job_stays_red(weigh: Weigh, evidence: tuple[Path, Path]) -> None:
    first, second = evidence
    assert weigh("history", "add", str(first)).code == 0
    again = weigh("history", "add", str(second))
    assert again.code == 1
    assert "T8.disagree (warning): the comparison" in again.out
    assert "1 time SLOWER, of 2" in again.out
    (told,) = weigh("history", "show", "--json").json["attempts"]
    assert told["attempts"] == 2
    # The honest twin: added twice, it is one attempt.
    other = ("--to", "twin")
    assert [weigh("history", "add", str(second), *other).code for _ in range(2)] == [0, 0]
    assert weigh("history", "show", "--from", "twin", "--json").json["attempts"] == []


@pytest.mark.promise("Another seed, another number of starts or other names make no other comparison of it")
def test_a_rerun_with_other_starts_and_names_is_the_same_comparison(weigh: Weigh, tmp_path: Path) -> None:
    made = [
        experiment_records.record(operations=("q1",), contenders=names, starts=starts, runs=1, noise=0.005)
        for starts, names in ((5, ("main", "pr")), (6, ("old", "new")))
    ]
    assert (
        weigh("history", "add", str(sealed_run(tmp_path / "one", experiment_records.slowed(made[0], "pr")))).code == 0
    )
    again = weigh("history", "add", str(sealed_run(tmp_path / "two", made[1])))
    assert again.code == 1
    assert ": 1 time SLOWER, of 2" in again.out
    # The honest twin: another setting is another comparison.
    (base, new) = made[1].spec.contenders
    spec = sessions.changed(made[1].spec, contenders=(base, sessions.changed(new, settings={"threads": 1})))
    other = weigh("history", "add", str(sealed_run(tmp_path / "three", sessions.changed(made[1], spec=spec))))
    assert (other.code, "T8" in other.out) == (0, False), other.out


def test_what_more_starts_decide_contradicts_no_attempt(weigh: Weigh, tmp_path: Path) -> None:
    """Three starts are too few for a verdict; the second attempt reads them with its own."""
    names = experiment_records.names(2)
    record = experiment_records.record(operations=("q1",), contenders=names, starts=3, runs=1, noise=0.005)
    record = experiment_records.slowed(record, names[1])
    for _ in range(2):
        added = weigh("history", "add", str(sealed_run(tmp_path / "runs", record)))
        assert added.code == 0, added.out
    assert "T8.attempts (note)" in added.out
    (told,) = weigh("history", "show", "--json").json["attempts"]
    assert (told["attempts"], [*told["verdicts"].values()]) == (2, [["slower"]])


def test_jobs_add_at_the_same_time(tmp_path: Path) -> None:
    entries = [entry(at % 20, 0.1) for at in range(80)]
    with ThreadPoolExecutor(8) as pool:
        added = list(pool.map(lambda one: store.add(tmp_path / "h", one), entries))
    assert sum(added) == 20
    found, damaged = store.read(tmp_path / "h")
    assert (len(found), damaged) == (20, [])
    assert len(list((tmp_path / "h").iterdir())) == 20


def test_an_edited_entry_is_named_and_left_out(weigh: Weigh, tmp_path: Path) -> None:
    written(tmp_path / "history", [entry(1, 0.1), entry(2, 0.1)])
    path = min((tmp_path / "history").iterdir())
    path.write_text(path.read_text().replace("a processor", "another"))
    shown = weigh("history", "show", "--json")
    assert shown.code == 1
    assert (shown.json["entries"], shown.codes) == (1, {"R4.history"})


def test_one_point_is_said_in_the_singular(weigh: Weigh) -> None:
    (weigh.folder / "duckdb.json").write_text(json.dumps({**CLICKBENCH, "result": [[None, 0.1, None]]}))
    added = weigh("history", "add", "duckdb.json")
    assert (added.code, added.out) == (0, "duckdb.json: 1 point\n")


def test_otava_and_clickbench_are_read_by_their_content(weigh: Weigh) -> None:
    (weigh.folder / "perf.csv").write_text(OTAVA)
    (weigh.folder / "duckdb.json").write_text(json.dumps(CLICKBENCH))
    added = weigh("history", "add", "perf.csv", "duckdb.json", "--json")
    assert [(one["kind"], one["points"]) for one in added.json["added"]] == [("otava", 80), ("clickbench", 2)]
    shown = weigh("history", "show", "--json").json
    (candidate,) = shown["candidates"]
    assert (candidate["before"], candidate["after"]) == ("c23", "c24")
    assert {one["code"] for one in shown["findings"]} == {"R6.unknown"}
    bench = {(one["operation"], one["temperature"]): one["points"] for one in shown["series"] if one["unit"] == "s"}
    assert {key: points[0]["value"] for key, points in bench.items()} == {("Q0", "cold"): 0.5, ("Q0", "hot"): 0.1}
    for name, text in (("bad.csv", "a,b\n1,2\n"), ("bad.json", "{}"), ("when.csv", "time,q\nsoon,1\n")):
        (weigh.folder / name).write_text(text)
        refused = weigh("history", "add", name)
        assert (refused.code, "Traceback" in refused.err) == (2, False)
    assert "is no time" in weigh("history", "add", "when.csv").err


@pytest.mark.promise("Rows of another `branch` are a part of their own.")
@pytest.mark.parametrize(
    ("form", "content", "said"),
    [
        ("clickbench", "{", "it is no file of ClickBench's results"),
        ("otava", "a,b\n1,2\n", "it has no column of times"),
        ("otava", "time,b\nnever,2\n", "line 2: 'never' is no time"),
    ],
)
def test_a_broken_file_is_named_as_it_was_given(weigh: Weigh, form: str, content: str, said: str) -> None:
    (weigh.folder / "my results").mkdir()
    (weigh.folder / "my results" / "bad.txt").write_text(content)
    run = weigh("history", "add", "my results/bad.txt", "--from", form)
    assert (run.code, run.out) == (2, "")
    assert f"error: my results/bad.txt: {said}" in run.err


def test_cells_without_a_value_and_rows_of_another_length_are_not_swallowed(weigh: Weigh) -> None:
    head = "time,commit,lat\n"
    rows = [f"2026-01-{day:02}T00:00:00Z,c{day},{100 + day}\n" for day in range(1, 6)]
    odd = ["2026-01-06T00:00:00Z,c6,NaN\n", "2026-01-07T00:00:00Z,c7,107,9\n", "2026-01-08T00:00:00Z,c8\n"]
    (weigh.folder / "perf.csv").write_text("".join([head, *rows, *odd, "2026-01-09T00:00:00Z,c9,null\n"]))
    added = weigh("history", "add", "perf.csv", "--json")
    assert added.code == 1
    (one,) = added.json["added"]
    assert one["points"] == 6
    assert one["left_out"] == [
        "line 8: 4 cells under 3 columns",
        "line 9: 2 cells under 3 columns",
        "line 7, lat: 'NaN' is no number",
        "1 cell without a value left out",
    ]
    shown = weigh("history", "add", "perf.csv", "--to", "again")
    assert "perf.csv: 6 points; 1 cell without a value left out" in shown.out
    assert "left out: line 8: 4 cells under 3 columns" in shown.out


def test_otavas_own_way_of_dates_and_its_branches(weigh: Weigh) -> None:
    rows = [
        f"2026.01.{day:02} 3:00:00 +0100,a{day},{'main' if day % 3 else 'side'},{100 + day}" for day in range(1, 10)
    ]
    (weigh.folder / "own.csv").write_text("\n".join(["time,commit,branch,q1", *rows]))
    assert weigh("history", "add", "own.csv").code == 0
    (one,) = weigh("history", "show", "--json").json["series"]
    assert [point["part"] for point in one["points"]] == [0, 0, 1] * 3
    assert next((point["at"], point["kind"]) for point in one["points"]) == ("2026-01-01T02:00:00Z", "otava")
    assert one["splits"][0]["why"] == ["branch: main, then side"]
    assert "1 series of Otava's CSV: not weighed by weigh" in weigh("history", "show").out
    assert "as Otava&#39;s CSV says, not weighed by weigh" in weigh("history", "show", "--html", "-").out


def test_a_url_that_holds_no_history_is_refused_without_its_secret(weigh: Weigh) -> None:
    (weigh.folder / "perf.csv").write_text(OTAVA)
    for url, said in (
        ("gs://me:geheim@bucket/h", "a folder, in S3, PostgreSQL or ClickHouse"),
        ("clickhouse://me:geheim@127.0.0.1:1/h", "clickhouse://me@127.0.0.1:1/h"),
        ("postgresql://me:geheim@127.0.0.1:1/h", "postgresql://me@127.0.0.1:1/h"),
        ("postgres://me:geheim@db:x/h", "port is no number"),
    ):
        refused = weigh("history", "add", "perf.csv", "--to", url)
        assert refused.code == 2
        assert said in refused.err
        assert "geheim" not in refused.err + refused.out


def test_hostile_names_reach_neither_terminal_nor_page(weigh: Weigh, tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>\x1b[31m"
    moved = [entry(at, one) for at, one in enumerate(values(30, 3, {15: 1.2}), 1)]
    renamed = [
        msgspec.structs.replace(
            one.points[0], operation=evil, who=msgspec.structs.replace(one.points[0].who, engine=evil)
        )
        for one in moved
    ]
    written(tmp_path / "history", [entry(at, 0.1, points=(one,)) for at, one in enumerate(renamed, 1)])
    shown = weigh("history", "show")
    assert "\x1b" not in shown.out
    page = weigh("history", "show", "--html", "-").out
    assert "<script" not in page
    assert "\x1b" not in page
    assert "candidates" in page
