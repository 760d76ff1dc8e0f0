"""YCSB's property files: what of them is used, what is refused, and what is named as meaning nothing here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import RAN, Weigh
from support.load_flags import NONE
from weigh.load.config import make
from weigh.load.ycsb.properties import read, requested
from weigh.load.ycsb.workload import YcsbRange, YcsbRequests
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run
    from weigh.load.spec import LoadSpec

WORKLOAD_A = """\
# Yahoo! Cloud System Benchmark
# Workload A: Update heavy workload

recordcount=1000
operationcount=1000
workload=site.ycsb.workloads.CoreWorkload

readallfields=true

readproportion=0.5
updateproportion=0.5
scanproportion=0
insertproportion=0

requestdistribution=zipfian
"""
"""The lines of the file that comes with YCSB."""


def spec(*workload: str, **flags: object) -> LoadSpec:
    return make(workload, "valkey:embedded", {**NONE, "rate": "100", **flags})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "workloada"
    path.write_text(WORKLOAD_A)
    return path


def test_a_file_of_ycsbs_is_what_it_says(file: Path) -> None:
    found = spec(properties=(file,))

    assert found.workload == "ycsb"
    assert found.records == 1000
    assert found.ycsb
    assert {name: share for name, share in found.ycsb.mix.items() if share} == {"read": 0.5, "update": 0.5}
    assert found.ycsb.requests == YcsbRequests(kind="zipfian")
    assert found.ycsb.ignored == ("operationcount",)


def test_what_a_file_leaves_out_is_ycsbs_default() -> None:
    found = requested({}, None).workload

    assert found.mix == {"read": 0.95, "update": 0.05, "insert": 0.0, "scan": 0.0, "read_modify_write": 0.0}
    assert found.requests.kind == "uniform"
    assert found.scan_rows == YcsbRange(least=1, most=1000, lengths="uniform")
    assert found.field_bytes == YcsbRange(least=100, most=100, lengths="constant")
    assert (found.fields, found.read_all, found.write_all, found.hashed) == (10, True, False, True)


def test_the_command_line_comes_after_the_file_and_a_flag_before_both(file: Path) -> None:
    found = spec(properties=(file,), property=("recordcount=7", "readproportion = 0.9"))
    assert found.ycsb
    assert (found.records, found.ycsb.mix["read"]) == (7, 0.9)
    assert spec(properties=(file,), records="5K").records == 5000


def test_a_letter_is_changed_by_a_property() -> None:
    found = spec("ycsb-e", property=("fieldlength=50",))
    assert found.ycsb
    assert found.ycsb.mix["scan"] == 0.95
    assert found.ycsb.scan_rows.most == 100
    assert found.ycsb.requests.kind == "zipfian"
    assert found.ycsb.field_bytes.most == 50
    assert found.ordered_index


def test_files_are_read_as_java_reads_them(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_text("! a comment\n a = 1 \nb: two words\nc 3\n\nd=\nlong=a\\\n   b\n")
    assert read(path) == {"a": "1", "b": "two words", "c": "3", "d": "", "long": "ab"}


@pytest.mark.promise(
    "**A property whose name is nearly one of the core workload's is refused, and so is a value that weigh does not "
    "have**: `insertstart` and an `insertcount` that load a part of the records, another `workload`, a distribution "
    "that does not exist."
)
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("reedproportion=1", "no property 'reedproportion'"),
        ("requestdistribution=zipf", "none that there is"),
        ("requestdistribution=histogram", "none that there is"),
        ("fieldlengthdistribution=histogram", "does not read"),
        ("insertstart=10", "a part of the records"),
        ("insertcount=10", "a part of the records"),
        ("workload=site.ycsb.workloads.TimeSeriesWorkload", "is another one"),
        ("readallfields=yes", "neither true nor false"),
        ("readproportion=-1", "cannot be"),
        ("readproportion=nan", "cannot be"),
        ("fieldcount=0", "cannot be"),
        ("recordcount=1e6", "cannot be"),
        ("nothing", "no name=value"),
    ],
)
def test_what_weigh_does_not_have_is_refused(given: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        spec("ycsb", property=(given,))


def test_a_workload_is_named_once(file: Path) -> None:
    for workload in (("tpcb-like",), ("ycsb-a", "ycsb-b")):
        with pytest.raises(UsageError, match="another workload"):
            spec(*workload, property=("fieldcount=3",))
    with pytest.raises(UsageError, match="says it too"):
        spec("ycsb-a", properties=(file,))
    with pytest.raises(UsageError, match="no workload is named"):
        spec()


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Everything at once, from a file, on SQLite; and two secrets that no report may tell."""
    weigh = Weigh(tmp_path_factory.mktemp("properties"))
    (weigh.folder / "mine").write_text(WORKLOAD_A + "jdbc.url=jdbc:hidden1\nthreadcount=7\n")
    given = (
        "recordcount=300", "readproportion=3", "updateproportion=2", "scanproportion=1", "insertproportion=1",
        "readmodifywriteproportion=1", "requestdistribution=latest", "writeallfields=true", "maxscanlength=20",
        "fieldcount=4", "fieldlengthdistribution=uniform", "minfieldlength=24", "jdbc.passwd=hidden2",
    )  # fmt: skip
    flags = [word for one in given for word in ("-p", one)]
    return weigh(
        "load", "-P", "mine", *flags, "--target", "sqlite:embedded", "--rate", "200", "--duration", "1s",
        "--connections", "2", "--quiet", "--json",
    )  # fmt: skip


def test_every_operation_of_a_mix_is_made_and_checked(ran: Run) -> None:
    assert ran.code in RAN, ran.err
    names = {one["name"] for one in ran.json["operations"]}
    assert names == {"all", "read", "update", "scan", "insert", "read-modify-write"}
    assert ran.json["runs"][0]["verified_reads"] > 50
    assert not ran.codes & {"L6.wrong", "L6.missing"}
    assert ran.json["load"]["records"] == 300
    assert ran.json["load"]["ycsb"]["requests"] == {"kind": "latest"}
    for name in ("report.txt", "report.html"):
        assert "keys latest; 4 fields of 24 to 100 bytes; updates of all fields" in " ".join(
            (ran.evidence / name).read_text().split()
        )


@pytest.mark.promise("So are the properties of its bindings")
def test_what_means_nothing_here_is_named_and_no_secret_is_told(ran: Run) -> None:
    (said,) = [one["text"] for one in ran.json["findings"] if one["code"] == "X.ignored"]
    for name in ("jdbc.passwd", "jdbc.url", "operationcount", "threadcount"):
        assert name in said
    for path in ran.evidence.iterdir():
        assert b"hidden" not in path.read_bytes()
    assert "hidden" not in ran.out + ran.err


def test_it_verifies(ran: Run, weigh: Weigh) -> None:
    assert weigh("verify", str(ran.evidence)).code == 0
