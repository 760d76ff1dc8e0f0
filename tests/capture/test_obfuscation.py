"""``weigh capture --obfuscate``: nothing of the source is in the folder, and the copy of the data answers alike."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from support import obfuscated_shop as shop
from support.command import Weigh
from support.leaks import leaked, strings
from weigh.capture.templates import template
from weigh.capture.trace import Trace
from weigh.engines import environment
from weigh.engines.postgres import PSYCOPG
from weigh.engines.prepared import cache_folder
from weigh.load.target.registry import target

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run

KEY = bytes(range(32)).hex()
CLIENT = """
import json, sys
import psycopg

asked = json.load(sys.stdin)
rows = []
with psycopg.connect(**asked["connect"], autocommit=True) as connection:
    for text in asked["sql"]:
        head, _, rest = text.partition(" FROM stdin;\\n")
        copied, _, _ = rest.partition("\\\\.")
        create, _, copy = head.partition(";\\n")
        connection.execute(create)
        with connection.cursor().copy(copy + " FROM stdin") as stream:
            stream.write(copied)
    for calls in asked["calls"]:
        rows.append([])
        for text, bound in calls:
            # Values have no type of their own, as in the log.
            found = psycopg.RawCursor(connection).execute(text, bound)
            rows[-1].append(found.rowcount)
json.dump(rows, sys.stdout)
"""


@pytest.fixture(scope="session")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("key") / "key"
    path.write_text(KEY)
    path.chmod(0o600)
    return path


class Shop:
    """The shop, as it was and as a copy.

    Args:
        folder: empty.
        weigh: the command.
        key: its file.
        more: flags of the copy.
    """

    def __init__(self, folder: Path, weigh: Weigh, key: Path, *more: str) -> None:
        self.tables = shop.tables()
        data = folder / "data"
        data.mkdir()
        for name, table in self.tables.items():
            pq.write_table(table, data / f"{name}.parquet")
        self.made = weigh("data", "obfuscate", str(data), "--out", str(folder / "copy"), "--key-file", str(key), *more)
        assert self.made.code == 0, self.made.err
        self.copies = {path.stem: pq.read_table(path) for path in (folder / "copy").glob("*.parquet")}
        self.calls = shop.calls(self.tables)
        log = folder / "shop-server.json"
        log.write_text("".join(shop.log(self.calls)))
        self.out = folder / "cap"
        self.run = weigh(
            "capture", str(log), "--out", str(self.out), "--obfuscate", "--key-file", str(key),
            "--data", str(folder / "copy"),
        )  # fmt: skip
        assert self.run.code == 0, self.run.err

    def sent(self) -> list[tuple[str, tuple[str | None, ...]]]:
        """The calls of the trace."""
        with Trace(self.out / "trace.parquet") as trace:
            return [trace.header.statements[one.statement].sent(one.parameters) for one in trace.calls()]

    def replaceable(self) -> list[shop.Said]:
        """The calls of the log that are in the trace."""
        return [one for one in self.calls if not one[0].startswith("SET ") and "U&" not in one[0]]


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory, key: Path) -> Shop:
    folder = tmp_path_factory.mktemp("there")
    return Shop(folder, Weigh(folder), key)


@pytest.fixture(scope="module")
def with_ids(tmp_path_factory: pytest.TempPathFactory, key: Path) -> Shop:
    folder = tmp_path_factory.mktemp("with_ids")
    return Shop(folder, Weigh(folder), key, "--ids", "*_id")


def written(folder: Path) -> list[str]:
    """All that is in a folder, of Parquet also what is compressed."""
    texts = []
    for path in sorted(folder.rglob("*")):
        texts.append(path.name)
        if path.is_file():
            texts.append(path.read_bytes().decode("latin-1"))
            texts.append(path.read_bytes().decode(errors="replace"))
        if path.suffix == ".parquet":
            texts.append(str(pq.read_table(path).to_pylist()))
            texts.append(str(pq.read_metadata(path).metadata))
    return texts


@pytest.mark.promise("No name and no text of five characters or more of the source is in the folder")
def test_nothing_of_the_source_is_in_the_folder(there: Shop) -> None:
    texts = [text for text, _ in there.calls] + [one for _, bound in there.calls for one in bound]
    quoted = {one for text in texts for one in re.findall(r"'([^']*)'", text)}
    data = {one for table in there.tables.values() for one in strings(table)}
    dates = {str(one) for table in there.tables.values() for name in ("member_since", "placed_at")
             if name in table.schema.names for one in table[name].to_pylist()}  # fmt: skip
    inside = {*shop.NAMES, *quoted, *data, *dates, *(one for _, bound in there.calls for one in bound), KEY,
              "2026-11-02", "6727a3c1", "40917", *shop.FIRST, *shop.LAST, "neighbour"}  # fmt: skip
    inside -= {"45 days"}
    numbers = {one for one in inside if re.fullmatch(r"[\d.]+", one)}
    numbers |= {one for text in texts for one in re.findall(r"\b\d[\d.]*\b", text)}
    outside = written(there.out)
    assert not leaked(inside - numbers, [*outside, there.run.out.replace(str(there.out), ""), there.run.err])
    # A number may stand within a longer one by chance; by itself none of five digits and more does.
    alone = {one for text in outside for one in re.findall(r"(?<![\d.])\d[\d.]*(?![\d.])", text)}
    assert not {one for one in numbers if len(one.replace(".", "")) >= 5} & alone


@pytest.mark.promise("What cannot be replaced is left out, and counted.")
def test_what_cannot_be_replaced_is_left_out_and_counted(there: Shop) -> None:
    found = json.loads((there.out / "capture.json").read_text())
    lost = len(there.calls) - len(there.replaceable())
    assert lost == 20
    assert {one["reason"]: one["number"] for one in found["left_out"]} == {"unreplaceable": lost}
    assert f"{lost} calls have a name or a value that could not be replaced" in there.run.out
    assert found["calls"] == len(there.calls)
    assert (found["begun"], found["files"]) == (None, [])
    assert found["obfuscation"] == json.loads((there.out.parent / "copy" / "obfuscation.json").read_text())["key"]
    assert len(there.sent()) == len(there.replaceable())


@pytest.mark.long
@pytest.mark.promise("An obfuscated copy of the data answers an obfuscated workload with as many rows as the original")
@pytest.mark.parametrize("which", ["there", "with_ids"])
def test_the_copy_answers_with_as_many_rows(which: str, request: pytest.FixtureRequest) -> None:
    there: Shop = request.getfixturevalue(which)
    with target("postgres:embedded").reach(cache_folder(), 1) as server:
        asked = {
            "connect": {"host": server.connect["socket"], "user": server.connect["user"], "dbname": "postgres"},
            "sql": [shop.sql({name: table}) for one in (there.tables, there.copies) for name, table in one.items()],
            "calls": [there.replaceable(), there.sent()],
        }
        run = subprocess.run(
            [str(environment.ensure([*PSYCOPG], cache_folder()).python), "-c", CLIENT],
            input=json.dumps(asked).encode(),
            capture_output=True,
            check=False,
        )
    assert run.returncode == 0, run.stderr.decode()[-2000:]
    was, now = json.loads(run.stdout)
    different = [
        (text, one, other) for (text, _), one, other in zip(there.sent(), was, now, strict=True) if one != other
    ]
    assert not different
    assert sum(one > 1 for one in was) > 20
    assert 0 in was


def test_the_same_of_totals_monitor_and_a_slow_log(weigh: Weigh, tmp_path: Path, key: Path) -> None:
    def captured(name: str, text: str) -> tuple[Run, str]:
        (tmp_path / name).write_text(text)
        run = weigh("capture", str(tmp_path / name), "--out", str(tmp_path / f"{name}.out"), "--obfuscate",
                    "--key-file", str(key))  # fmt: skip
        assert run.code == 0, run.err
        return run, "\n".join(written(tmp_path / f"{name}.out"))

    run, found = captured(
        "counted-at-home.csv",
        "query,calls,total_exec_time,rows\n"
        "\"SELECT invoice FROM ledgers WHERE state = 'disputed' AND total > 77123\",9,5.0,9\n"
        "\"SELECT ghost_function(X'1FF')\",4,1.0,4\n",
    )
    assert "4 calls have a name or a value that could not be replaced" in run.out
    assert not leaked(["invoice", "ledgers", "disputed", "77123", "ghost_function", "counted-at-home"], [found])
    run, found = captured(
        "moves.txt",
        '1700000000.000001 [0 10.9.8.77:50117] "set" "basket:88123:owner" "Ottilie \\"x\\" caf\\xc3\\xa9" "EX" "600"\n'
        '1700000000.100001 [0 10.9.8.77:50117] "get" "basket:88123:owner"\n'
        '1700000000.200001 [0 10.9.8.77:50117] "eval" "return secretstuff" "0"\n',
    )
    assert "1 call has a name or a value that could not be replaced" in run.out
    assert not leaked(["basket", "88123", "owner", "Ottilie", "secretstuff", "10.9.8.77", "50117"], [found])
    with Trace(tmp_path / "moves.txt.out" / "trace.parquet") as trace:
        sent = [trace.header.statements[one.statement].words(one.parameters) for one in trace.calls()]
    assert sent[0][0] == b"SET"
    assert sent[0][3:] == (b"EX", b"600")
    assert sent[0][1] == sent[1][1]
    assert '"x"' not in sent[0][2].decode()
    assert len(sent[0][2].decode()) == len('Ottilie "x" café')
    run, found = captured(
        "slow.log",
        "# Time: 2026-11-02T10:00:00.000000Z\n# User@Host: appuser[appuser] @ client.example [10.9.8.77]  Id:     8\n"
        "# Query_time: 0.000100  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 1\nSET timestamp=1793786400;\n"
        "SELECT `full name` FROM folk WHERE town = \"Reykjavik\" AND said = 'it\\'s\\nquiet' AND id = 88123;\n",
    )
    assert not leaked(["full name", "Reykjavik", "quiet", "88123", "appuser", "example", "10.9.8.77"], [found])


def test_what_is_of_obfuscation_needs_it(weigh: Weigh, there: Shop, tmp_path: Path, key: Path) -> None:
    copy = str(there.out.parent / "copy")
    for flag, value in (("--key-file", str(key)), ("--data", copy)):
        run = weigh("capture", str(tmp_path / "log"), "--out", str(tmp_path / "out"), flag, value)
        assert (run.code, f"{flag} is of --obfuscate" in run.err) == (2, True)
        assert KEY not in run.err
    flags = ("--out", str(tmp_path / "out"), "--obfuscate", "--data")
    run = weigh("capture", str(tmp_path / "log"), *flags, copy)
    assert (run.code, "the copy is of the key" in run.err) == (2, True)
    run = weigh("capture", str(tmp_path / "log"), *flags, str(tmp_path))
    assert (run.code, "no obfuscated copy" in run.err) == (2, True)


def test_a_text_that_nearly_has_a_parameter_is_read() -> None:
    found, places = template.of_sql("SELECT a FROM t WHERE b = $1e9", "postgres")
    assert found.first == "SELECT"
    assert all(isinstance(one, str) for one in places)
