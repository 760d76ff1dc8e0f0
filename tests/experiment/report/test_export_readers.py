"""Exports against what their readers accept: JUnit's schema, benchstat and its format, Bencher's schema.

Prometheus and JUnit are also read by their parsers in ``test_export``. benchstat is a Go program: where there is none,
what its format demands is checked (golang.org/design/14313-benchmark-format), and what it would make of it.
"""

from __future__ import annotations

import csv
import importlib
import re
import shutil
import subprocess
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import msgspec
import pytest

from golden.kept import Kept
from weigh.experiment.report import export, files

KEPT = ("run", "diverged", "both")
SCHEMA = Path(__file__).parents[2] / "fixtures" / "export" / "junit-10.xsd"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    return Kept(tmp_path_factory.mktemp("export"))


@pytest.fixture(params=KEPT)
def folder(kept: Kept, request: pytest.FixtureRequest) -> Path:
    return kept.folder / kept.path(request.param)


def of(folder: Path, form: str) -> str:
    return export.export(folder, form)[0].decode()


@pytest.fixture(scope="module")
def junit() -> Any:
    """The schema, which says what is wrong with a document."""
    schema = importlib.import_module("xmlschema").XMLSchema(str(SCHEMA))
    return lambda text: [error.reason for error in schema.iter_errors(text)]


def test_junit_is_valid_by_the_schema_of_jenkins(folder: Path, junit: Any) -> None:
    text = of(folder, "junit")
    assert junit(text) == []
    assert junit(text.replace("classname=", "class="))
    assert junit(text.replace("<testsuite ", "<testsuite colour='red' ", 1))


def benchfmt(text: str) -> list[tuple[dict[str, str], str, dict[str, float]]]:
    """Results of a file in Go's format: configuration in force, name, value by unit. What it demands is asserted."""
    found: list[tuple[dict[str, str], str, dict[str, float]]] = []
    configuration: dict[str, str] = {}
    for line in text.splitlines():
        if key := re.fullmatch(r"([a-z][^\sA-Z:]*):[ \t]+(\S.*)", line):
            configuration = {**configuration, key[1]: key[2]}
        elif line:
            name, runs, *pairs = line.split()
            assert re.match(r"Benchmark[^a-z\s]", name), line
            assert int(runs) > 0
            assert len(pairs) >= 2
            assert len(pairs) % 2 == 0
            values = dict(zip(pairs[1::2], map(float, pairs[::2]), strict=True))
            assert len(values) == len(pairs) // 2
            found.append((configuration, name.removeprefix("Benchmark"), values))
    return found


def starts(folder: Path) -> dict[tuple[str, str], list[float]]:
    """Seconds of each start, by arm and operation: medians of its timed executions."""
    values: dict[tuple[str, str, int, int], list[float]] = {}
    for record in files.attempts(folder):
        for one in record.samples:
            if one.timed and one.wall_s is not None:
                name = one.operation if one.temperature == "hot" else f"{one.operation}_({one.temperature})"
                values.setdefault((one.arm, f"Operation/{name}", one.attempt, one.start), []).append(one.wall_s)
    found: dict[tuple[str, str], list[float]] = {}
    for (arm, name, _, _), own in values.items():
        found.setdefault((arm, name), []).append(median(own))
    return found


def test_benchfmt_is_by_its_specification(folder: Path) -> None:
    results = benchfmt(of(folder, "benchfmt"))
    found: dict[tuple[str, str], list[float]] = {}
    for configuration, name, values in results:
        found.setdefault((configuration["contender"], name), []).append(values["sec/op"])
    expected = starts(folder)
    assert found.keys() == expected.keys()
    for key, values in found.items():
        assert sorted(values) == pytest.approx(sorted(expected[key]))


@pytest.mark.promise("benchstat makes one table of a metric, with the baseline first")
def test_what_benchstat_compares_stands_in_one_table(folder: Path) -> None:
    results = benchfmt(of(folder, "benchfmt"))
    # It makes a table for every other value of anything else.
    assert (
        len({tuple((key, configuration[key]) for key in ("workload", "evidence")) for configuration, *_ in results})
        == 1
    )
    assert {frozenset(configuration) for configuration, *_ in results} == {
        frozenset(("workload", "evidence", "contender"))
    }
    assert results[0][0]["contender"] == files.read(folder).record.spec.baseline


@pytest.mark.skipif(shutil.which("benchstat") is None, reason="go install golang.org/x/perf/cmd/benchstat@latest")
def test_benchstat_reads_it(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text(of(folder, "benchfmt"))
    command = ["benchstat", "-format", "csv", "-col", "contender", "new.txt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    lines = list(csv.reader(done.stdout.splitlines()))
    (place,) = (number for number, line in enumerate(lines) if "sec/op" in line)
    arms = {column: arm for column, arm in enumerate(lines[place - 1]) if arm}
    assert next(iter(arms.values())) == files.read(folder).record.spec.baseline
    read = {}
    for line in lines[place + 1 :]:
        if not line or line[0] == "geomean":
            break
        read |= {(arm, line[0]): float(line[column]) for column, arm in arms.items() if line[column]}
    assert read == pytest.approx({key: median(values) for key, values in starts(folder).items()})


class Metric(msgspec.Struct, forbid_unknown_fields=True):
    """bencher.dev/bmf.json: ``value`` is required, and all three are numbers."""

    value: float
    lower_value: float | msgspec.UnsetType = msgspec.UNSET
    upper_value: float | msgspec.UnsetType = msgspec.UNSET


Name = Annotated[str, msgspec.Meta(min_length=1, max_length=1024)]
Measure = Annotated[str, msgspec.Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]


def test_bencher_is_by_its_schema_and_limits(folder: Path) -> None:
    text = of(folder, "bencher")
    assert msgspec.json.decode(text, type=dict[Name, dict[Measure, Metric]])
    for wrong in (text.replace('"value"', '"values"'), text.replace('"latency"', '"La tency"')):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(wrong, type=dict[Name, dict[Measure, Metric]])
