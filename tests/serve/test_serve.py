"""``weigh report --serve``: the list, its filters, the pages, two evidences, and the command."""

from __future__ import annotations

import html
import json
import re
import shutil
import signal
import socket
from typing import TYPE_CHECKING, Any

import pytest

import weigh as face
from compare.test_compare import day
from serve.conftest import Names, serving
from support.evidence_folders import sealed_run, written_load, written_run
from support.experiment_records import record
from support.served_pages import many, rows
from support.sessions import READ, changed, written
from weigh.evidence import journal
from weigh.kinds.kind import Kind
from weigh.kinds.table import KINDS
from weigh.model.answer import GateStatus
from weigh.model.gate import UNDECIDED
from weigh.serve.stored import documents

if TYPE_CHECKING:
    from pathlib import Path

    from serve.conftest import Served
    from support.command import Weigh
    from weigh.experiment.record import Record


@pytest.mark.promise("lists every evidence of a folder, the newest first, each with the question answered in one line")
def test_every_kind_is_listed_with_what_it_says(every: Served, names: tuple[Path, Names]) -> None:
    page = html.unescape(every.ask("/").text)
    assert len(rows(page)) == 10
    name = names[1]
    for one, said in (
        (name.run, "chdb@4.4.0: SLOWER on 2, 2.0 times"),
        (name.ladder, "resolvable from SF 0.1 on"),
        (name.load, "p50 458 us"),
        (name.load_ladder, "no longer fits into the memory from 2x on"),
        (name.servers, "new against old: same in p50, p95, p99"),
        (name.killed, "No report yet: it was killed, or goes on."),
    ):
        entry = page.split(f'href="/evidence/{one}">')[1].split("</li>")[0]
        assert said in entry
        assert ("not ended" in entry) == (one in (name.killed, name.ladder, name.load_ladder))
        sealed = {name.killed: "not sealed", name.ladder: "by its rungs", name.load_ladder: "by its rungs"}
        assert f">{sealed.get(one, 'sealed')}</span>" in entry


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("kind=load", {"load"}),
        ("kind=load-comparison", {"servers"}),
        ("name=YCSB", {"load", "load_ladder", "servers"}),
        ("contender=chdb", {"run", "ladder", "killed"}),
        ("contender=chdb&kind=run", {"run", "killed"}),
        ("operation=q2", {"run", "ladder"}),
        ("verdict=slower", {"run"}),
        ("verdict=slower&contender=1.5.5", set()),
        ("verdict=same&contender=1.5.5&operation=q1", {"run"}),
        ("verdict=same&operation=q9", set()),
        ("verdict=refused", {"servers"}),
        ("tier=suggestive&kind=ladder", {"ladder"}),
        ("tier=conclusive", set()),
        ("since=2000-01-01&kind=load", {"load"}),
        ("until=2000-01-01", set()),
        ("since=yesterday&kind=ladder", {"ladder"}),
        ("kind=nonsense&name=ladder-", {"ladder", "load_ladder"}),
    ],
)
def test_filters(every: Served, names: tuple[Path, Names], query: str, shown: set[str]) -> None:
    page = every.ask(f"/?{query}")
    assert page.status == 200
    known = {getattr(names[1], field): field for field in Names.__dataclass_fields__}
    assert {known[one] for one in rows(page.text) if one in known} == shown
    assert ("this filter is left out" in page.text) == ("yesterday" in query or "nonsense" in query)


@pytest.mark.promise("Evidence that is new or has changed shows when the list is loaded again")
def test_what_is_new_shows_when_it_is_loaded_again(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        assert "There is no evidence in this folder yet" in served.ask("/").text
        first = written_run(tmp_path)
        assert rows(served.ask("/").text) == [first.name]
        (tmp_path / "notes").mkdir()
        second = written_load(tmp_path)
        assert sorted(rows(served.ask("/").text)) == sorted([first.name, second.name])
        document = json.loads((first / "verdicts.json").read_text())
        document["verdicts"][0]["verdict"] = "faster"
        (first / "verdicts.json").write_text(json.dumps(document))
        page = served.ask("/").text
        assert "its kept report is not what was sealed" in page
        assert '<span class="bad">altered</span>' in page
        shutil.rmtree(first)
        assert rows(served.ask("/").text) == [second.name]
        assert served.ask(f"/evidence/{first.name}").status == 404


@pytest.mark.promise("each page is computed anew from the evidence")
def test_each_page_is_that_of_its_report(every: Served, names: tuple[Path, Names]) -> None:
    root, name = names
    for one in (name.run, name.ladder, name.load, name.load_ladder, name.servers, name.killed):
        answer = every.ask(f"/evidence/{one}")
        assert answer.status == 200
        whole = face.open(root / one).html()
        assert answer.text.endswith(whole.partition("<body>")[2])
        (declared,) = re.findall('Content-Security-Policy" content="([^"]+)"', answer.text)
        assert answer.headers["Content-Security-Policy"] == f"{declared}; frame-ancestors 'none'"
        assert '<a href="/">All evidence</a>' in answer.text


def test_a_page_is_computed_once_and_again_when_any_file_of_its_experiment_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written_load(tmp_path)
    asked: list[Path] = []
    html_of = Kind.html

    def counted(kind: Kind[Any, Any], folder: Path) -> bytes:
        asked.append(folder)
        return html_of(kind, folder)

    monkeypatch.setattr(Kind, "html", counted)
    with serving(tmp_path) as served:
        first, second = (served.ask(f"/evidence/{folder.name}") for _ in range(2))
        assert first.text == second.text
        assert len(asked) == 1
        with (folder / journal.NAME).open("ab") as file:
            file.write(b"{")
        served.ask(f"/evidence/{folder.name}")
        assert len(asked) == 2
        shutil.copytree(folder, folder.with_name(f"{folder.name[:-1]}2"))
        served.ask(f"/evidence/{folder.name}")
        assert len(asked) == 3


def another(session: Record) -> Record:
    """The same session as one of another experiment."""
    return changed(session, spec=changed(session.spec, seed=7))


def test_two_sessions_with_a_reference_are_compared(tmp_path: Path) -> None:
    first, second = written(tmp_path, day(1)), written(tmp_path, another(day(2, new=1.2)))
    with serving(tmp_path) as served:
        chosen = served.ask(f"/?first={first.name}&name=netflow").text
        (link,) = re.findall(r'href="(/compare[^"]+)"', chosen)
        page = html.unescape(served.ask(html.unescape(link)).text)
        assert "new is SLOWER than in the first session on q1" in page
        assert first.name in page
        assert second.name in page
        backwards = served.ask(f"/compare?first={second.name}&second={first.name}").text
        assert "new is FASTER than in the first session on q1" in backwards


@pytest.mark.promise("they are shown side by side, and nothing is concluded")
def test_what_nothing_joins_is_shown_side_by_side(tmp_path: Path, every: Served, names: tuple[Path, Names]) -> None:
    name = names[1]
    for one, other, why in (
        (name.load, name.load, "no reference contender took part"),
        (name.run, name.load, "One is an experiment, the other a load"),
        (name.servers, name.servers, "response times of two sessions are not"),
        (name.ladder, name.ladder, "It is a ladder"),
        (name.run, name.killed, "T5"),
    ):
        page = html.unescape(every.ask(f"/compare?first={one}&second={other}").text)
        assert "<h1>Not joined: these two are side by side, and nothing follows from it</h1>" in page
        assert why in page
    strangers = another(
        day(2, changed(READ, name="another", engine="chdb"), changed(READ, name="new", version="2.2.0"))
    )
    first, second = written(tmp_path, day(1)), written(tmp_path, strangers)
    with serving(tmp_path) as served:
        page = html.unescape(served.ask(f"/compare?first={first.name}&second={second.name}").text)
        assert "Not joined" in page
        assert "no contender is the same in both sessions" in page


def test_a_verdict_that_was_refused_is_told_with_its_reason(tmp_path: Path) -> None:
    """Too few starts: the reasons are those of the kept document, in the list and side by side."""
    one, other = (sealed_run(tmp_path, record(starts=count, contenders=("old", "new"))) for count in (3, 4))
    with serving(tmp_path) as served:
        for folder in (one, other):
            entry = html.unescape(served.ask("/").text).split(f'href="/evidence/{folder.name}">')[1].split("</li>")[0]
            assert "open on 2" in entry
            assert ">sealed</span>" in entry
        assert set(rows(served.ask("/?verdict=refused").text)) == {one.name, other.name}
        page = html.unescape(served.ask(f"/compare?first={one.name}&second={other.name}").text)
        assert "REFUSED (T10.starts)" in page


def test_a_list_knows_the_report_of_every_kind() -> None:
    for kind in KINDS:
        assert documents.file_of(kind).endswith(".json")


def test_figures_side_by_side_are_those_of_the_reports(every: Served, names: tuple[Path, Names]) -> None:
    name = names[1]
    page = html.unescape(every.ask(f"/compare?first={name.run}&second={name.ladder}").text)
    assert "q1, hot: chdb@4.4.0 against duckdb@2.0.0" in page
    assert "from SF 0.1 on" in page
    page = html.unescape(every.ask(f"/compare?first={name.load}&second={name.load_ladder}").text)
    assert "458 us (450 us to 465 us)" in page
    assert "at 2x, p50" in page


@pytest.mark.promise("a folder of thousands is shown a hundred at a time")
def test_many_are_shown_a_hundred_at_a_time(tmp_path: Path) -> None:
    folders = many(tmp_path, 230)
    with serving(tmp_path) as served:
        first, last = served.ask("/").text, served.ask("/?page=3").text
        assert "230 shown, 1 to 100 here" in first
        assert (len(rows(first)), len(rows(last))) == (100, 30)
        assert not set(rows(first)) & set(rows(last))
        assert max(map(len, (first, last))) < 250_000
        assert rows(served.ask("/?page=999999").text) == rows(last)
        found = served.ask("/?verdict=slower&operation=q2").text
        assert f"{len(folders)} of 230 shown, 1 to 100 here" in found
        assert 'href="/?operation=q2&amp;verdict=slower&amp;page=2"' in found


@pytest.fixture
def root(weigh: Weigh) -> Path:
    """The folder that evidence goes to."""
    return weigh.folder / "runs"


@pytest.mark.promise("Ctrl-C ends it, with exit code 130")
def test_the_command(weigh: Weigh, root: Path) -> None:
    written_run(root)
    process = weigh.start("report", "--serve", "--port", "0")
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", url)
    port = int(url.rpartition(":")[2].strip("/"))
    with socket.create_connection(("127.0.0.1", port), 60) as asking:
        asking.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200 OK" in asking.recv(100)
    taken = weigh("report", "--serve", "runs", "--port", str(port))
    assert (taken.code, taken.out) == (2, "")
    assert f"127.0.0.1:{port}: the port is in use" in taken.err
    assert "--port; 0 takes one that is free" in taken.err
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "interrupted" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--serve", "nowhere"), "nowhere: there is no such directory"),
        (("--serve", "runs", "--port", "70000"), "70000"),
        (("--serve", "runs", "--json"), "--json and --serve are several forms of one report"),
        (("runs", "--port", "1"), "--port is of --serve"),
        (("--serve", "latest"), "it is one evidence, and not a folder of them"),
    ],
)
def test_what_cannot_be_served_is_refused(weigh: Weigh, root: Path, words: tuple[str, ...], said: str) -> None:
    written_run(root)
    run = weigh("report", *words)
    assert (run.code, run.out) == (2, "")
    assert said in run.err


@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize(
    ("detail", "said"),
    [
        ("", "WRONG answers: {0} on q; {1} on q"),
        ("{1} is wrong, contradicted by ground truth; {0} answers differently", "WRONG answers: {1} on q"),
        # A name that ends as another one does.
        ("not-{0} is wrong; {1} is wrong, contradicted by ground truth", "WRONG answers: {1} on q"),
        (
            f"{{0}} and {{1}} answer differently ({UNDECIDED})",
            "DIFFERENT answers, who is right is open: {0} and {1} on q",
        ),
    ],
    ids=["older", "one", "suffix", "open"],
)
def test_wrong_answers_are_in_the_list_while_it_is_measured_and_afterwards(
    tmp_path: Path, over: bool, detail: str, said: str
) -> None:
    one = record()
    names = [contender.name for contender in one.spec.contenders[:2]]
    wrong = changed(
        one.gate.operations[0],
        operation="q",
        status=GateStatus.DIVERGED,
        contenders=dict.fromkeys(names, GateStatus.DIVERGED),
        detail=detail.format(*names),
    )
    gate = changed(one.gate, operations=(wrong, *one.gate.operations[1:]))
    contradicted = changed(one, gate=gate)
    folder = sealed_run(tmp_path, contradicted) if over else written(tmp_path, changed(contradicted, end=None))
    with serving(tmp_path) as served:
        page = html.unescape(served.ask("/").text)
    assert folder.name in page
    assert ("not ended" in page) is not over
    assert f"<strong>{said.format(*names)}</strong>" in page
