"""weigh's own exports: each is read, an honest one contradicts nothing, an edit is named where the file shows it.

What was edited together cannot be found in a file; then the audit says what would find it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from golden.kept import Kept
from support.command import Weigh
from weigh.audit.rows import State
from weigh.audit.run import audit
from weigh.evidence import bundle
from weigh.kinds.table import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from weigh.audit.rows import Audited

_CHDB, _DUCKDB = "chdb@4.4.0", "duckdb@1.5.5"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    return Kept(tmp_path_factory.mktemp("kept"))


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    return Weigh(tmp_path)


def document(kept: Kept, name: str) -> dict[str, Any]:
    """The JSON of a report, as it is kept in the evidence."""
    folder = kept.folder / kept.path(name)
    files = ("verdicts.json", "load.json", "load-comparison.json")
    (path,) = (folder / file for file in files if (folder / file).exists())
    return dict(json.loads(path.read_text()))


def written(kept: Kept, name: str, form: str) -> bytes:
    folder = kept.folder / kept.path(name)
    return kind_of(folder).export(folder, form, _CHDB if form == "clickbench" else None)[0]


def only(folder: Path, content: bytes) -> Audited:
    (folder / "result.txt").write_bytes(content)
    (one,) = audit([folder / "result.txt"]).results
    return one


_DOCUMENTS = ("agreed", "ranked", "diverged", "refused", "few", "failed", "both", "precision", "run", "load", "servers")
_FORMS = ("junit", "benchfmt", "bencher", "clickbench", "openmetrics", "markdown", "csv", "parquet")


@pytest.mark.parametrize("name", _DOCUMENTS)
def test_an_honest_document_is_read_and_contradicts_nothing(kept: Kept, tmp_path: Path, name: str) -> None:
    found = only(tmp_path, json.dumps(document(kept, name)).encode())
    assert [(one.id, one.text) for one in found.contradicted] == []
    (edited,) = (one for one in found.rows if one.id == "R4")
    assert edited.state is State.ABSENT
    assert f"get the evidence {document(kept, name)['evidence']}, and run weigh verify" in edited.text


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("name", ["agreed", "run", "failed"])
def test_an_honest_export_is_read_and_contradicts_nothing(kept: Kept, tmp_path: Path, name: str, form: str) -> None:
    found = only(tmp_path, written(kept, "agreed" if form == "clickbench" else name, form))
    assert [(one.id, one.text) for one in found.contradicted] == []
    assert found.published.form == ("ClickBench" if form == "clickbench" else "weigh export")
    assert any(one.state is State.EVIDENT for one in found.rows if one.id != "R11")


@pytest.mark.parametrize(
    ("form", "noise", "starts"),
    [
        ("csv", "intervals at 99 %", "10 starts"),
        ("openmetrics", "intervals", ""),
        ("junit", "intervals", ""),
        ("markdown", "intervals", ""),
        ("bencher", "the least and the most of the times", ""),
    ],
)
def test_an_export_shows_what_it_has_of_the_noise(
    kept: Kept, tmp_path: Path, form: str, noise: str, starts: str
) -> None:
    rows = {one.id: one for one in only(tmp_path, written(kept, "agreed", form)).rows}
    assert (rows["T1"].state, rows["T1"].text) == (State.EVIDENT, noise)
    hidden = (State.ABSENT, "of how many starts it is does not stand in this form")
    assert (rows["T10"].state, rows["T10"].text) == ((State.EVIDENT, starts) if starts else hidden)


def _of(made: dict[str, Any], part: str) -> Iterator[dict[str, Any]]:
    return (one for one in made[part] if one.get("contender") == _CHDB and one.get("metric") == "wall_s")


def _faster(made: dict[str, Any]) -> None:
    for one in _of(made, "timings"):
        one.update({name: one[name] * 0.7 for name in ("min", "median", "max")})


def _each(**fields: Any) -> Callable[[dict[str, Any]], None]:
    """Every verdict of the slower one has other figures: those given, or what a function makes of it."""

    def edit(made: dict[str, Any]) -> None:
        for one in _of(made, "verdicts"):
            one.update({name: value(one) if callable(value) else value for name, value in fields.items()})

    return edit


def _turned(made: dict[str, Any]) -> None:
    """All that the interval is made of, and not what is said in words."""
    for one in _of(made, "verdicts"):
        ends = {"low": 1 / one["high"], "high": 1 / one["low"], "low_fcr": 1 / one["high_fcr"]}
        one |= {**ends, "high_fcr": 1 / one["low_fcr"], "ratio": 1 / one["ratio"], "verdict": "faster"}
        one["median_ratio"] = 1 / one["median_ratio"]


def _narrow(made: dict[str, Any]) -> None:
    for one in _of(made, "verdicts"):
        one |= {"low": one["ratio"] / 1.001, "high": one["ratio"] * 1.001}


def _mean(made: dict[str, Any]) -> None:
    made["suites"][0]["mean"] *= 0.9


def _conclusive(made: dict[str, Any]) -> None:
    made["tier"]["name"] = "conclusive"


_EDITED: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "times x 0.7": (_faster, "R4"),
    "a ratio turned over": (_each(ratio=lambda one: 1 / one["ratio"]), "R4"),
    "ratio and interval turned over": (_turned, "R4"),
    "slower called the same": (_each(verdict="same"), "R4"),
    "slower called small": (_each(verdict="small"), "R4"),
    "an interval made narrow": (_narrow, "R4"),
    "other words": (_each(sentence=lambda one: one["sentence"].replace("2.0", "1.0")), "R4"),
    "three starts": (_each(starts=3), "R4"),
    "another mean": (_mean, "R2"),
    "conclusive with reasons why not": (_conclusive, "R5"),
}


@pytest.mark.parametrize("name", _EDITED)
def test_an_edit_that_the_rest_of_a_document_contradicts_is_named(kept: Kept, tmp_path: Path, name: str) -> None:
    edit, row = _EDITED[name]
    made = document(kept, "agreed")
    edit(made)
    found = only(tmp_path, json.dumps(made).encode())
    assert row in {one.id for one in found.contradicted}


def _rate(made: dict[str, Any]) -> None:
    made["load"]["rate_achieved"].update(value=900.0, low=890.0, high=910.0)


def _tail(made: dict[str, Any]) -> None:
    made["operations"][0]["response"]["p99"]["seen"] *= 0.3


def _waits(made: dict[str, Any]) -> None:
    for name in ("p50", "p90", "p95", "p99", "p999", "p9999", "max"):
        one = made["runs"][0]["operations"][0]["response"][name]
        one["seen"] = one["seen"] and one["seen"] * 0.1


def _fewer(made: dict[str, Any]) -> None:
    made["operations"][1]["count"] //= 2


def _answered(made: dict[str, Any]) -> None:
    made["runs"][0]["requests"]["answered"] += 100


_EDITED_LOADS = {
    "a rate above the offered": (_rate, "L3"),
    "p99 below p95": (_tail, "L1"),
    "users who wait less than the server takes": (_waits, "L2"),
    "parts that are not the whole": (_fewer, "R2"),
    "answers to what was not sent": (_answered, "L7"),
}


@pytest.mark.parametrize("name", _EDITED_LOADS)
def test_an_edit_of_a_load_is_named(kept: Kept, tmp_path: Path, name: str) -> None:
    edit, row = _EDITED_LOADS[name]
    made = document(kept, "load")
    edit(made)
    assert row in {one.id for one in only(tmp_path, json.dumps(made).encode()).contradicted}


_EDITED_EXPORTS = {
    "csv": (r"slower,2\.[0-9]+", "slower,1.5"),
    "junit": (r'<failure type="verdict\.slower" message="([^"]*)" />', r"<system-out>\1</system-out>"),
    "openmetrics": (r"(weigh_time_ratio\{[^}]*chdb[^}]*\}) 2\.[0-9]+", r"\1 1.2"),
    "bencher": (r'"value": [0-9.]+', '"value": 1.0'),
    "markdown": (r"2\.01 \(", "1.01 ("),
}


@pytest.mark.parametrize("form", _EDITED_EXPORTS)
def test_an_edit_of_an_export_is_named(kept: Kept, tmp_path: Path, form: str) -> None:
    pattern, other = _EDITED_EXPORTS[form]
    text, number = re.subn(pattern, other, written(kept, "agreed", form).decode(), count=1)
    assert number == 1
    assert "R4" in {one.id for one in only(tmp_path, text.encode()).contradicted}


def test_what_was_edited_together_is_said_to_be_unprovable(kept: Kept, tmp_path: Path) -> None:
    """Raw times times 0.7: nothing in the file is computed from them."""
    lines = written(kept, "agreed", "benchfmt").decode()
    text = re.sub(r"([0-9.]+) sec/op", lambda found: f"{float(found[1]) * 0.7:.9g} sec/op", lines)
    found = only(tmp_path, text.encode())
    assert found.contradicted == ()
    (edited,) = (one for one in found.rows if one.id == "R4")
    assert "cannot be proven from this file" in edited.text
    assert "run weigh verify on it" in edited.text


def test_a_bundle_shows_what_the_documents_in_it_show(kept: Kept, weigh: Weigh) -> None:
    packed = weigh.folder / "agreed.weigh"
    packed.write_bytes(bundle.packed(kept.folder / kept.path("agreed"), "run"))
    found = weigh("audit", str(packed), "--json")
    forms = {one["published"]["file"]: one["published"]["form"] for one in json.loads(found.out)["results"]}
    assert forms == {"samples.parquet": "weigh export", "verdicts.json": "weigh"}
    assert found.code == 0


def test_the_report_names_what_would_prove_it(kept: Kept, weigh: Weigh) -> None:
    made = document(kept, "agreed")
    (weigh.folder / "honest.json").write_text(json.dumps(made))
    _faster(made)
    (weigh.folder / "liar.json").write_text(json.dumps(made))
    honest, liar = (weigh("audit", name) for name in ("honest.json", "liar.json"))
    assert (honest.code, liar.code) == (0, 1)
    assert "none contradicts itself" in honest.out
    assert "cannot be proven from this file" in honest.out
    assert "the ratio of the medians is" in liar.out


def test_a_page_of_weigh_is_called_one(kept: Kept, tmp_path: Path) -> None:
    from weigh.model.errors import DataFault

    with pytest.raises(DataFault, match="it is a report of weigh's own"):
        audit([kept.folder / kept.path("agreed") / "report.html"])
