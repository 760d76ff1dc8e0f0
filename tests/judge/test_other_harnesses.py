"""True files of pytest-benchmark, criterion, JMH and k6, and what of them cannot carry a verdict."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from judge.test_readers import read
from support.samples import FIXTURES

if TYPE_CHECKING:
    from support.command import Weigh


def alternating(tool: str, ending: str = ".json") -> list[str]:
    folder = FIXTURES / tool / "alternating"
    return [str(folder / f"{one}{at}{ending}") for one in ("old", "new") for at in range(1, 7)]


def first_code(weigh: Weigh, *words: str) -> str:
    """The code of the first reason of the one verdict."""
    (verdict,) = weigh("judge", "--json", *words).json["verdicts"]
    return str(verdict["reasons"][0]["code"])


def test_rounds_of_pytest_are_one_start_in_seconds() -> None:
    reading = read("pytest-benchmark/rounds.json")
    assert [(one.operation, one.starts, len(one.values)) for one in reading.measurements] == [
        ("test_sort[100]", 1, 102),
        ("test_sort[1000]", 1, 14),
        ("test_pedantic", 1, 6),
    ]
    raw = json.loads((FIXTURES / "pytest-benchmark" / "rounds.json").read_text())["benchmarks"]
    for one, known in zip(reading.measurements, raw, strict=True):
        assert one.values.mean() == pytest.approx(known["stats"]["mean"])
    assert set(reading.machine) == {"brand_raw", "count"}


def test_what_pytest_saved_without_data_is_a_summary() -> None:
    reading = read("pytest-benchmark/saved.json")
    assert (reading.measurements, reading.summaries) == ((), ("test_pedantic",))


def test_forks_of_jmh_are_starts() -> None:
    small, large = read("jmh/forks.json").measurements
    assert (small.operation, small.starts, len(small.values)) == ("Sort.sort n=100", 2, 6)
    assert small.values[0] == pytest.approx(2.7616844340272992e-6)
    assert large.values.mean() > small.values.mean()
    assert read("jmh/inside.json").measurements[0].starts == 1


def test_a_mode_of_jmh_is_an_operation_of_its_own_and_a_throughput_a_time() -> None:
    throughput, average, sampled, single = read("jmh/modes.json").measurements
    assert [one.operation for one in (throughput, average, sampled, single)] == [
        "Sort.sort n=100 thrpt 2 threads",
        "Sort.sort n=100 2 threads",
        "Sort.sort n=100 sample 2 threads",
        "Sort.sort n=100 ss 2 threads",
    ]
    # 0.986 and 1.934 operations a microsecond, of both threads together
    assert throughput.values == pytest.approx([1e-6 / 0.9861256914414374, 1e-6 / 1.9338312487205587])
    assert (sampled.starts, len(sampled.values)) == (1, 2)
    assert 0.7e-6 < sampled.values[0] < 0.9e-6


def test_requests_of_k6_are_a_series_and_the_failed_are_left_out() -> None:
    reading = read("k6/closed.json")
    named = {one.operation: one for one in reading.measurements}
    assert set(named) == {"GET item", "GET missing"}
    assert (named["GET item"].series, len(named["GET item"].values), len(named["GET missing"].values)) == (True, 24, 0)
    assert named["GET item"].values[0] == pytest.approx(4.755047e-3)
    assert [note[0].code for note in reading.notes] == ["L2", "L7"]
    assert "6 of 30 requests" in reading.notes[1][1]


def test_iterations_that_k6_dropped_are_said() -> None:
    notes = read("k6/arrivals.json").notes
    assert [note[0].code for note in notes] == ["L2", "L7"]
    lines = (FIXTURES / "k6" / "arrivals.json").read_text().splitlines()
    dropped = sum('"Point"' in line and "dropped_iterations" in line for line in lines)
    assert f"{dropped} iterations were due and never began" in notes[1][1]


def test_a_password_in_an_address_is_not_shown(weigh: Weigh) -> None:
    tags = '{"name": "http://me:S3CRET@host/a?page=2&access_token=S3CRET&password=S3CRET#x", "method": "GET"}'
    line = '{"metric":"http_req_duration","type":"Point","data":{"time":"2026-01-01T00:00:%02dZ","value":1,"tags":%s}}'
    (weigh.folder / "k6.json").write_text("\n".join(line % (second, tags) for second in range(30)))
    run = weigh("judge", "k6.json")
    assert "GET http://host/a" in run.out
    assert "S3CRET" not in run.out + run.err
    assert "page=2&access_token=***&password=***#x" in "".join(run.out.split())


def test_criterion_is_read_by_its_folder_by_a_file_and_by_its_table(weigh: Weigh) -> None:
    folder = FIXTURES / "criterion" / "all"
    kept = folder / "sort" / "unstable" / "100" / "kept"
    timed = {}
    for path in (folder, kept, kept / "sample.json", kept / "raw.csv"):
        document = weigh("judge", "--json", str(path)).json
        assert document["format"] == "criterion"
        timed[path] = {one["operation"]: one["median"] for one in document["timings"]}
    assert set(timed[folder]) == {"sort/unstable/100", "sort/unstable/1000"}
    assert timed[kept] == timed[kept / "sample.json"] == pytest.approx(timed[kept / "raw.csv"])
    sample = json.loads((kept / "sample.json").read_text())
    each = sorted(time / count for time, count in zip(sample["times"], sample["iters"], strict=True))
    assert timed[kept]["sort/unstable/100"] == pytest.approx(1e-9 * (each[4] + each[5]) / 2)


def test_estimates_of_criterion_alone_are_a_summary(weigh: Weigh, tmp_path: Path) -> None:
    for name in ("old", "new"):
        shutil.copytree(FIXTURES / "criterion" / "all" / "sort", tmp_path / name / "sort")
        for sample in (tmp_path / name).rglob("sample.json"):
            sample.unlink()
    run = weigh("judge", str(tmp_path / "old"))
    assert run.code == 2
    assert "holds summaries and no single measurements" in run.err


def test_what_criterion_calls_base_and_new_is_one_start_of_each(weigh: Weigh) -> None:
    folder = FIXTURES / "criterion" / "all" / "sort" / "unstable" / "100"
    files = [str(folder / which / "sample.json") for which in ("base", "new")]
    assert first_code(weigh, *files) == "T10.starts"


@pytest.mark.promise("JMH and criterion write no date: without `--interleaved` nothing tells their order.")
@pytest.mark.parametrize(("tool", "ending"), [("jmh", ".json"), ("criterion", "")])
def test_files_without_a_date_need_the_word_of_the_user(weigh: Weigh, tool: str, ending: str) -> None:
    files = alternating(tool, ending)
    assert first_code(weigh, *files) == "T5"
    assert first_code(weigh, "--interleaved", *files) != "T5"


@pytest.mark.parametrize("tool", ["pytest-benchmark", "k6"])
def test_dates_tell_that_files_were_made_in_turn(weigh: Weigh, tool: str) -> None:
    assert first_code(weigh, *alternating(tool)) != "T5"


@pytest.mark.parametrize("tool", ["pytest-benchmark", "k6"])
def test_dates_tell_that_they_were_not(weigh: Weigh, tmp_path: Path, tool: str) -> None:
    """The six files that came first against the six that came last."""
    files = sorted(
        [FIXTURES / tool / "alternating" / f"{one}{at}.json" for one in ("old", "new") for at in range(1, 7)],
        key=lambda file: read(str(file.relative_to(FIXTURES))).measurements[0].at or 0.0,
    )
    for number, file in enumerate(files):
        shutil.copy(file, tmp_path / f"{'old' if number < 6 else 'new'}{number % 6}.json")
    assert first_code(weigh, *map(str, sorted(tmp_path.glob("old*")) + sorted(tmp_path.glob("new*")))) == "T5"


def test_runs_of_other_machines_are_not_compared(weigh: Weigh, tmp_path: Path) -> None:
    files = []
    for name in alternating("pytest-benchmark"):
        path = tmp_path / name.rsplit("/", 1)[-1]
        text = json.loads(Path(name).read_text())
        if path.name.startswith("new"):
            text["machine_info"]["cpu"]["brand_raw"] = "another processor"
        path.write_text(json.dumps(text))
        files.append(str(path))
    assert first_code(weigh, *files) == "T5.host"
