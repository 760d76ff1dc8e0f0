"""ClickBench's systems as contenders: what a folder must have, how its scripts are called, and what they print."""

from __future__ import annotations

import io
import subprocess
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from support import clickbench_systems as systems
from weigh.answers import printed
from weigh.engines import engine as engines
from weigh.model.contender import parse_contender
from weigh_worker import Failed

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run, Weigh

_CONTENDERS = ("--contender", "duckdb", "--operations", "kinds", "--quiet", "--json")


def gate(weigh: Weigh, *specs: str, flags: tuple[str, ...] = ()) -> Run:
    named = [word for spec in specs for word in ("--contender", spec)]
    return weigh("gate", *named, *_CONTENDERS, *flags)


adapter = systems.adapter()


@pytest.mark.long
def test_one_that_hangs_and_one_that_fails_are_errors_of_their_own(weigh: Weigh) -> None:
    systems.make_experiment(weigh.folder)
    specs = [systems.system(weigh.folder, name) for name in ("", "hangs", "fails")]
    run = gate(weigh, *specs, flags=("--timeout", "8s"))
    told = {name: (row["status"], row["detail"]) for row in run.json["gate"] for name in row["contenders"]}
    assert {name: status for name, (status, _) in told.items()} == {
        "duckdb": "agreed",
        "honest": "agreed",
        "hangs": "error",
        "fails": "error",
    }
    assert "hangs: timeout" in told["hangs"][1]
    assert "./query ended with exit code 3; it printed: out of luck" in told["fails"][1]


def test_a_folder_speaks_the_dialect_that_its_settings_name() -> None:
    plain = parse_contender("clickbench:./somewhere")
    asked = parse_contender("clickbench:./somewhere?weigh.dialect=clickhouse")
    assert (engines.of(plain).dialect, engines.of(asked).dialect) == ("", "clickhouse")


def test_what_a_folder_lacks_is_said_before_anything_is_made(weigh: Weigh) -> None:
    systems.make_experiment(weigh.folder)
    spec = systems.system(weigh.folder)
    (weigh.folder / "honest" / "load").unlink()
    (weigh.folder / "honest" / "query").chmod(0o644)
    for given, words, remedy in (
        (spec, "./honest has no load", "name a folder that has start, check, stop, load, query, data-size"),
        ("clickbench:./nothing", "'./nothing' is no folder", "write clickbench:FOLDER"),
        ("clickbench", "it names no folder", "write clickbench:FOLDER"),
        ("clickbench:./honest?weigh.dialect=sqlit", "no engine speaks the dialect 'sqlit'", "did you mean 'sqlite'?"),
        ("clickbench:./honest?threads=2", "scripts take no settings (threads)", "change the scripts"),
        ("duckdb:./honest", "'duckdb:./honest' is not a form of a contender", "clickbench:FOLDER"),
    ):
        refused = gate(weigh, given)
        assert refused.code == 2
        assert f"contender {given.partition('=clickbench')[0]}" in refused.err
        assert words in refused.err
        assert remedy in refused.err
    (weigh.folder / "honest" / "load").write_text("#!/bin/sh\n")
    (weigh.folder / "honest" / "load").chmod(0o755)
    assert "chmod +x query" in gate(weigh, spec).err
    assert not (weigh.folder / "runs").exists()


class TestScripts:
    """Calling them."""

    @pytest.fixture
    def system(self, tmp_path: Path) -> Any:
        """A system with a process of its own, that is up while a file says so."""
        home, scratch = tmp_path / "home", tmp_path / "scratch"
        home.mkdir()
        scratch.mkdir()
        texts = {
            "start": "sleep 600 & echo $! > pid",
            "check": 'test -f pid && kill -0 "$(cat pid)"',
            "stop": 'kill "$(cat pid)"; rm pid',
            "load": "echo 5 > rows",
            "query": "sleep 600 & cat; echo chatter >&2; echo 0.25 >&2; echo goodbye >&2",
            "data-size": "wc -c < rows",
        }
        for name, text in texts.items():
            (home / name).write_text(f"#!/bin/sh\n{text}\n")
            (home / name).chmod(0o755)
        made = adapter.scripts.System(home, scratch)
        yield made
        subprocess.run(["sh", "-c", 'test -f pid && kill "$(cat pid)"'], cwd=home, check=False)

    def test_a_server_lives_from_start_to_stop(self, system: Any) -> None:
        system.start()
        system.load()
        with pytest.raises(Failed, match="it answers before it was started: stop its server"):
            system.start()
        system.stop()
        assert not (system.home / "pid").exists()

    def test_what_query_leaves_behind_does_not_hold_it(self, system: Any) -> None:
        asked = system.query("SELECT 1;\n")
        assert asked == (b"SELECT 1;\n", 0.25)

    @pytest.mark.parametrize(("script", "text", "words"), [
        ("load", "echo no space; exit 4", "./load ended with exit code 4; it printed: no space"),
        ("data-size", "echo 0", "./data-size says '0' after ./load"),
        ("data-size", "exit 1", "./data-size says ''"),
    ])  # fmt: skip
    def test_a_load_that_loads_nothing_is_no_load(self, system: Any, script: str, text: str, words: str) -> None:
        (system.home / script).write_text(f"#!/bin/sh\n{text}\n")
        system.start()
        with pytest.raises(Failed) as raised:
            system.load()
        assert words in str(raised.value)
        system.stop()

    def test_one_that_never_answers_is_given_up(self, system: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(adapter.scripts, "_START_S", 0.2)
        (system.home / "check").write_text("#!/bin/sh\necho not yet\nexit 1\n")
        with pytest.raises(Failed, match=r"\./check did not succeed within .* it printed: not yet"):
            system.start()

    def test_what_benchmark_sh_says_is_believed(self, system: Any) -> None:
        text = 'export BENCH_DURABLE="no"\nBENCH_RESTARTABLE=yes # a comment\nexec ../lib/benchmark-common.sh\n'
        (system.home / "benchmark.sh").write_text(text)
        read = adapter.scripts.System(system.home, system.home)
        assert (read.restartable, read.durable) == (True, False)


class TestPrinted:
    """Text as columns."""

    def columns(self, raw: str, name: str = "tsv", texts: frozenset[str] = frozenset()) -> dict[str, list[object]]:
        form = adapter.forms.form(name)
        stream = pa.ipc.open_stream(io.BytesIO(form.columns(raw.encode(), "", texts)))
        found: dict[str, list[object]] = stream.read_all().to_pydict()
        assert form.rows(raw.encode()) == len(next(iter(found.values())))
        return found

    def test_types_are_those_that_all_cells_can_have(self) -> None:
        found = self.columns("1\t1.5\t007\ttrue\tx\n-2\t3e5\t1\tfalse\t\\N\n")
        assert list(found.values()) == [[1, -2], [1.5, 3e5], ["007", "1"], [True, False], ["x", None]]

    def test_a_column_of_text_stays_text(self) -> None:
        assert self.columns("k,n\n1,2\n", "csv-header", frozenset({"k"})) == {"k": ["1"], "n": [2]}

    def test_quoted_cells_may_hold_anything(self) -> None:
        assert self.columns('k,n\n"a\n,""b""",1\n"",2\n', "csv-header") == {"k": ['a\n,"b"', ""], "n": [1, 2]}

    def test_two_columns_may_have_one_name(self) -> None:
        form = adapter.forms.form("csv-header")
        table = pa.ipc.open_stream(io.BytesIO(form.columns(b"n,n\n1,2\n"))).read_all()
        assert [column.to_pylist() for column in table.columns] == [[1], [2]]

    def test_without_a_header_the_query_names_the_columns(self) -> None:
        table = self.read("pipe", "1|x|2|9\n", "SELECT a + 1 AS n, t.*, 9 AS salt FROM t")
        assert table.column_names == ["n", "f1", "f2", "salt"]

    @pytest.mark.parametrize("raw", ["1|a|b\n", "1|a\n2|a|b\n"])
    def test_a_delimiter_in_a_text_is_told_and_not_guessed(self, raw: str) -> None:
        with pytest.raises(ValueError, match=r"have \./query print CSV"):
            self.read("pipe", raw, "SELECT n, s FROM t")

    def test_a_line_break_in_the_only_column_may_be_there_and_that_is_said(self) -> None:
        """Two rows, or one of two lines: nobody can tell. Of numbers and of several columns it is sure."""
        said = ("a line break in a text looks like the end of a row",)
        alone = self.read("pipe", "one\nor two\n", "SELECT s FROM t")
        assert (printed.left_open(alone), alone.num_rows) == (said, 2)
        assert not printed.left_open(self.read("pipe", "1\n2\n", "SELECT n FROM t"))
        assert not printed.left_open(self.read("pipe", "1|a\n2|b\n", "SELECT n, s FROM t"))
        assert not printed.left_open(self.read("csv", 'one\n"or\ntwo"\n', "SELECT s FROM t"))

    @staticmethod
    def read(name: str, raw: str, sql: str) -> Any:
        """What is read as an answer to a query."""
        return pa.ipc.open_stream(io.BytesIO(adapter.forms.form(name).columns(raw.encode(), sql))).read_all()

    @pytest.mark.parametrize("name", ["xml", "psql-header", ""])
    def test_an_unknown_form_is_refused(self, name: str) -> None:
        with pytest.raises(ValueError, match=r"weigh\.answer is one of auto, csv"):
            adapter.forms.form(name)
