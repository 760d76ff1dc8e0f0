"""weigh publish: a site of evidence without a server and without a script."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from golden import made
from support import sessions
from support.command import Weigh
from support.evidence_folders import (
    sealed_run,
    written_ladder,
    written_load,
    written_load_ladder,
    written_reproduction,
    written_servers,
)
from support.streams_made import written_streams
from weigh.ladder.plan import LadderPlan
from weigh.ladder.report import files as ladder_files

if TYPE_CHECKING:
    from weigh.experiment.record import Record

KINDS = ("run", "load", "load-comparison", "streams", "ladder", "load-ladder", "reproduction")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Weigh:
    """Evidence of each kind, two attempts of one experiment, and a run whose licence forbids publishing."""
    weigh = Weigh(tmp_path_factory.mktemp("publish"))
    runs = weigh.folder / "runs"
    for _ in range(2):
        sealed_run(runs, made.agreed())
    sealed_run(runs, _licensed(made.agreed()))
    written_load(runs)
    written_streams(runs)
    written_servers(runs)
    written_load_ladder(runs)
    written_reproduction(runs, sealed_run(weigh.folder / "original", made.agreed()))
    written_ladder(runs)
    run = weigh("publish", "runs", "--out", "site", "--title", "Ours")
    # One is left out; all others pass.
    assert run.code == 1
    assert "does not pass" not in run.err, run.err
    (weigh.folder / "err").write_text(run.err)
    return weigh


def _licensed(record: Record) -> Record:
    assert record.environment
    spec = sessions.changed(record.spec, seed=7)
    contenders = tuple(msgspec.structs.replace(one, terms="ask first") for one in record.environment.contenders)
    return sessions.changed(record, spec=spec, environment=sessions.changed(record.environment, contenders=contenders))


def test_every_row_has_its_bundle_and_its_command(published: Weigh) -> None:
    site = published.folder / "site"
    rows = json.loads((site / "site.json").read_text())["evidence"]
    index = (site / "index.html").read_text()
    listed = re.findall(r'<li class="row.*?</li>', index, re.DOTALL)
    assert {one["kind"] for one in rows} == set(KINDS)
    assert len(listed) == len(rows)
    for one, text in zip(rows, listed, strict=True):
        # A ladder has those of its rungs.
        bundles = [one["distribution"]] if one["distribution"] else one["hasPart"]
        assert bundles, one
        page = (site / one["url"]).read_text()
        for bundle in bundles:
            assert (site / bundle).is_file()
            assert f'href="{bundle}"' in text
            assert f'href="../{bundle}"' in page
        command = one["again"] or one["command"]
        assert command
        assert html.unescape(text).count(command) >= 1
        assert one["verify"] == "passes", one
        assert "verify passes" in text


def test_the_bundle_of_a_reproduction_is_of_what_was_measured_for_it(published: Weigh) -> None:
    site = published.folder / "site"
    (row,) = [one for one in json.loads((site / "site.json").read_text())["evidence"] if one["kind"] == "reproduction"]
    assert published("verify", str(site / row["distribution"])).code == 0
    assert row["again"] == f"weigh reproduce {Path(row['distribution']).name}"


def test_a_ladder_of_what_a_licence_speaks_of_is_left_out_and_no_row_links_to_its_bundles(tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    record = _licensed(made.agreed())
    rungs = [(1.0, sealed_run(tmp_path / "runs", record))]
    plan = LadderPlan(scales=(1.0,), experiments=(record.spec.id,), command="weigh ladder")
    ladder_files.write(tmp_path / "runs", plan, rungs)
    sealed_run(tmp_path / "runs", made.agreed())
    run = weigh("publish", "runs", "--out", "site")
    assert re.search(r"left out: \S+, ladder-\S+: R8: .*ask first", run.err), run.err
    (row,) = json.loads((tmp_path / "site/site.json").read_text())["evidence"]
    assert [path.name for path in (tmp_path / "site/bundles").iterdir()] == [Path(row["distribution"]).name]


def test_a_folded_part_that_pages_have_alike_is_written_once(published: Weigh) -> None:
    pages = {path.name: path.read_text() for path in (published.folder / "site/evidence").glob("*.html")}
    links = [found for text in pages.values() for found in re.findall(r'href="([^"#]+)#(part-[0-9a-f]+)"', text)]
    assert links
    for name, part in links:
        assert pages[name].count(f'<details id="{part}">') == 1
        assert sum(f'id="{part}"' in text for text in pages.values()) == 1


def test_every_run_says_what_verify_says(published: Weigh) -> None:
    document = json.loads((published.folder / "site" / "site.json").read_text())
    rows = {one["name"]: one for one in document["evidence"]}
    assert document["schema"] == "weigh/site/1"
    runs = [one for one in rows.values() if one["kind"] == "run" and one["distribution"]]
    assert len(runs) >= 2
    for one in runs:
        bundle = published.folder / "site" / str(one["distribution"])
        assert one["again"] == f"weigh reproduce {bundle.name}"
        if bundle.stem == one["name"]:
            # That of an earlier attempt lies in the bundle of the newest.
            assert published("verify", str(bundle)).code == (0 if one["verify"] == "passes" else 1)
        page = (published.folder / "site" / str(one["url"])).read_text()
        assert one["again"].split()[-1] in page
        assert ("verify passes" in page) is (one["verify"] == "passes")
        assert one["citation"]["seal"] in page


def test_what_a_licence_speaks_of_is_left_out(published: Weigh) -> None:
    assert re.search(r"left out: \S+: R8: .*ask first", (published.folder / "err").read_text())


def test_no_page_has_a_script_and_all_links_lead_somewhere(published: Weigh) -> None:
    site = published.folder / "site"
    pages = sorted(site.rglob("*.html"))
    assert {"index.html", "ranking.html"} <= {path.name for path in pages}
    for path in pages:
        text = path.read_text()
        assert "<script" not in text
        assert "http-equiv" in text
        for link in re.findall(r'(?:href|src)="([^"#][^"#]*)', text):
            if not link.startswith(("data:", "http")):
                assert (path.parent / link).exists(), (path, link)


def test_the_filters_are_rules_of_style(published: Weigh) -> None:
    text = (published.folder / "site" / "index.html").read_text()
    assert "body:has(#kind-1:checked) .row:not(.kind-1){display:none}" in text


def test_a_site_is_replaced_and_nothing_else_is(published: Weigh) -> None:
    (published.folder / "else").mkdir(exist_ok=True)
    (published.folder / "else" / "mine.txt").write_text("x")
    run = published("publish", "runs", "--out", "else")
    assert run.code == 2
    assert "no site of weigh's" in run.err
    assert Path(published.folder / "else" / "mine.txt").exists()


def test_bundles_in_the_folder_are_in_the_site_and_a_broken_one_is_named(published: Weigh) -> None:
    evidence = sealed_run(published.folder / "own", made.agreed())
    received = published.folder / "received"
    received.mkdir()
    exported = published("export", str(evidence), "--bundle", "--out", str(received / "theirs.weigh"))
    assert exported.code == 0, exported.err
    (received / "cut.weigh").write_bytes((received / "theirs.weigh").read_bytes()[:500])
    run = published("publish", "received", "--out", "from-bundles")
    assert run.code == 1
    assert "left out: cut.weigh: " in run.err
    (row,) = json.loads((published.folder / "from-bundles" / "site.json").read_text())["evidence"]
    assert row["name"] == evidence.name
    (received / "theirs.weigh").unlink()
    alone = published("publish", "received", "--out", "none")
    assert alone.code == 2
    assert "there is no evidence in it; cut.weigh: " in alone.err


def test_a_killed_run_is_called_so_and_counted_as_one_that_does_not_pass(tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    sessions.written(tmp_path / "runs", sessions.changed(made.agreed(), end=None))
    run = weigh("publish", "runs", "--out", "site")
    assert run.code == 1, run.err
    index = (tmp_path / "site" / "index.html").read_text()
    assert "No report yet: it was killed, or goes on." in index
    assert "1 of 1 does not pass" in index
    assert ">bundle</a>" not in index


def test_of_many_that_do_not_pass_some_are_listed_and_the_rest_counted(tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    for seed in range(7):
        record = made.agreed()
        spec = sessions.changed(record.spec, seed=seed)
        sessions.written(tmp_path / "runs", sessions.changed(record, spec=spec, end=None))
    run = weigh("publish", "runs", "--out", "site", "--quiet")
    assert run.code == 1, run.err
    assert run.err.count("does not pass verify") == 5
    assert run.err.splitlines()[-1] == "2 more do not pass verify: site/index.html filters by it"


def test_a_bundle_of_what_a_licence_speaks_of_says_so(tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    licensed = sealed_run(tmp_path, _licensed(made.agreed()))
    assert "R8.terms: publishing results of " in weigh("export", str(licensed), "--bundle").err
    free = sealed_run(tmp_path, made.agreed())
    assert "R8" not in weigh("export", str(free), "--bundle").err


def test_a_wrong_answer_is_first_in_the_list_and_on_the_site(tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    sealed_run(tmp_path / "runs", made.diverged())
    sealed_run(tmp_path / "honest", made.agreed())
    assert "     WRONG answers: " in weigh("runs", "runs").out
    assert weigh("publish", "runs", "--out", "site").code == 0
    assert "<p>WRONG answers: " in (tmp_path / "site" / "index.html").read_text()
    assert "WRONG" not in weigh("runs", "honest").out
