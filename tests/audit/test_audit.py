"""weigh audit: real forms are read, what contradicts itself is named, and what is honest is not accused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from audit import facts
from support.command import Weigh
from weigh.audit import claim, contradictions
from weigh.audit.experiment import toml
from weigh.audit.formats import registry
from weigh.audit.published import Latency, Published
from weigh.audit.rows import State, audited
from weigh.audit.text import Text
from weigh.experiment.config.file import read_file
from weigh.lies import CATALOGUE


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    return Weigh(tmp_path)


def read(folder: Path, text: str, name: str = "result.txt") -> Published:
    path = folder / name
    path.write_text(text)
    (one,) = registry.read(Text(path, name))
    return one


@pytest.mark.parametrize("name", facts.HONEST)
def test_each_form_is_read_and_an_honest_file_is_not_accused(tmp_path: Path, name: str) -> None:
    found = audited(read(tmp_path, facts.HONEST[name], name))
    assert [one.id for one in found.rows] == [lie.id for lie in CATALOGUE]
    assert [(one.id, one.text) for one in found.rows if one.state is State.CONTRADICTED] == []
    assert any(one.state is State.EVIDENT for one in found.rows if one.id != "R11")


def test_there_are_at_least_ten_forms() -> None:
    assert len(registry.FORMS) >= 10
    assert len({one.form for one in map(_published, facts.HONEST.values())}) == len(facts.HONEST)


def _published(text: str) -> Published:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return read(Path(folder), text)


@pytest.mark.parametrize("name", facts.LIARS)
def test_a_file_that_contradicts_itself_is_named(tmp_path: Path, name: str) -> None:
    text, row = facts.LIARS[name]
    found = audited(read(tmp_path, text))
    assert {row} <= {one.id for one in found.contradicted}, contradictions.found(found.published)
    (whole,) = (one for one in found.rows if one.id == "R11")
    assert whole.state is State.CONTRADICTED


def test_only_arithmetic_accuses_a_mean_above_p99() -> None:
    """A mean above p99 is possible where the slowest hundredth is slow enough, and only then."""
    possible = Published(
        form="x", file="x", latencies=(Latency(name="reads", mean=0.02, most=9.0, percentiles={99.0: 0.01}),)
    )
    assert contradictions.found(possible) == ()
    (shown,) = (one for one in audited(possible).rows if one.id == "L1")
    assert "lies above p99" in shown.text
    impossible = Published(
        form="x", file="x", latencies=(Latency(name="reads", mean=0.02, most=0.03, percentiles={99.0: 0.01}),)
    )
    assert [one.row for one in contradictions.found(impossible)] == ["L1"]


@pytest.mark.parametrize("name", facts.HONEST)
def test_the_smallest_experiment_is_a_weigh_toml(tmp_path: Path, name: str) -> None:
    path = tmp_path / "weigh.toml"
    path.write_text(toml(read(tmp_path, facts.HONEST[name], name)))
    file = read_file(path)
    assert file.contender or file.load


def test_the_command_reads_a_folder_and_exits_with_what_it_found(weigh: Weigh) -> None:
    results = weigh.folder / "results"
    results.mkdir()
    for name, text in facts.HONEST.items():
        (results / name).write_text(text)
    (results / "notes.md").write_text("nothing")
    honest = weigh("audit", "results", "--json")
    assert (honest.code, len(honest.json["results"]), honest.json["unread"]) == (0, len(facts.HONEST), ["notes.md"])
    (results / "liar.json").write_text(facts.LIARS["passed and never run"][0])
    found = weigh("audit", "results", "--html", "page.html")
    assert found.code == 1
    page = (weigh.folder / "page.html").read_text()
    assert "validation &#34;passed&#34;" in page
    assert "1 contradicts itself" in page
    printed = weigh("audit", "results/liar.json")
    assert "CONTRADICTED" in printed.out
    assert "weigh.toml" in printed.out or "[experiment]" in printed.out


def test_a_file_of_no_known_form_is_refused(weigh: Weigh) -> None:
    (weigh.folder / "x.txt").write_text("fast!")
    run = weigh("audit", "x.txt")
    assert run.code == 2
    assert "known forms: BenchBox" in run.err


def test_a_claim_is_asked_the_questions(weigh: Weigh) -> None:
    template = weigh("audit", "--claim").out
    assert "against" not in template.splitlines()[0]
    for one in claim.QUESTIONS:
        assert f'{one.key} = ""' in template
    filled = template.replace('claim = ""', 'claim = "4 million transactions per second"')
    filled = filled.replace('data_size = ""', 'data_size = "1GB"').replace('memory = ""', 'memory = "64GB"')
    (weigh.folder / "claim.toml").write_text(filled)
    run = weigh("audit", "--claim", "claim.toml", "--json")
    rows = {one["id"]: one for one in run.json["results"][0]["rows"]}
    assert run.code == 0
    assert rows["D7"]["state"] == "shown"
    assert rows["L1"]["state"] == "not shown"
    (weigh.folder / "claim.toml").write_text('prize = "5"')
    assert "did you mean 'price'" in weigh("audit", "--claim", "claim.toml").err


HOSTILE: list[Any] = [
    {"system": 1, "result": [None, "x", [1e400, "nan", {}]]},
    {"run": [], "benchmark": 3, "platform": None, "queries": [1, {"ms": "NaN", "id": []}]},
    {"metrics": {"http_req_duration": 5, "http_reqs": {"values": {"count": "x"}}}},
    {"Throughput (requests/second)": "fast", "Latency Distribution": []},
]


@pytest.mark.parametrize("document", HOSTILE)
def test_what_anybody_may_have_made_is_read_or_refused(tmp_path: Path, document: Any) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document))
    for one in registry.read(Text(path, "x.json")):
        audited(one)


def test_what_is_not_there_is_named_with_what_to_do(weigh: Weigh) -> None:
    run = weigh("audit", "nowhere/")
    assert run.code == 2
    assert "it cannot be read: No such file or directory\n  name a file or a folder that can be" in run.err
