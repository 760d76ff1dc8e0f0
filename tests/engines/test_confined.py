"""Questions of others: what gets by the look at their text, the kernel and the engine refuse. An own question may."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
import pytest

from support.worker_processes import files, prepared, rows
from weigh.engines.exchange import WorkerEnded
from weigh_worker import confinement

if TYPE_CHECKING:
    from weigh.engines.loaded import Tables

READS = {
    "duckdb": "SELECT content FROM read_text('{secret}')",
    "chdb": "SELECT * FROM file('{secret}', LineAsString)",
    "polars": "SELECT * FROM read_csv('{secret}')",
    "datafusion": "CREATE EXTERNAL TABLE x STORED AS CSV LOCATION '{secret}'",
    "postgres": "SELECT pg_read_file('{secret}')",
}
WRITES = {
    "duckdb": "COPY (SELECT 1 AS one) TO '{out}'",
    "chdb": "SELECT 1 AS one INTO OUTFILE '{out}' FORMAT CSV",
    "datafusion": "COPY (SELECT 1 AS one) TO '{out}' STORED AS CSV",
    "sqlite": "SELECT 1 AS one; ATTACH DATABASE '{out}' AS other; SELECT 1 AS one",
}
OTHERS = {
    "duckdb": "INSTALL spatial FROM community",
    # It would try ten times, for a minute in all.
    "chdb": "SELECT * FROM url('http://127.0.0.1:9/x', LineAsString) SETTINGS http_max_tries = 1",
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """A table in a folder of the user's."""
    return files(tmp_path_factory.mktemp("data"), "t", pa.table({"n": list(range(100))}))


def ask(contender: str, table: Tables, sql: str, *, own: bool = False) -> str:
    """The answer as text, or the engine's refusal; what is no question of its own has the files of the table alone."""
    one = prepared(contender)
    given = tuple(path for paths in table.paths.values() for path in paths)
    if not own:
        one = msgspec.structs.replace(one, readable=tuple(map(Path, given)))
    with one.start(table) as worker:
        # It answers over its table either way.
        assert rows(worker, "SELECT count(*) AS c FROM t WHERE n > 9") == [(90,)]
        try:
            return str(rows(worker, sql))
        except WorkerEnded as ended:
            return f"refused: {ended.detail}"


@pytest.mark.parametrize("contender", READS)
def test_no_other_file_is_read(contender: str, table: Tables, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("word\nsesame-7731\n")
    for folder in (tmp_path, *tmp_path.parents[:3]):
        with contextlib.suppress(PermissionError):
            folder.chmod(folder.stat().st_mode | 0o055)
    said = ask(contender, table, READS[contender].format(secret=secret))
    assert said.startswith("refused")
    assert "sesame-7731" not in said


@pytest.mark.parametrize("contender", [one for one in READS if one != "datafusion"])
def test_an_own_question_reads_what_its_user_can(contender: str, table: Tables, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("word\nsesame-7731\n")
    for folder in (tmp_path, *tmp_path.parents[:3]):
        with contextlib.suppress(PermissionError):
            folder.chmod(folder.stat().st_mode | 0o055)
    assert "sesame-7731" in ask(contender, table, READS[contender].format(secret=secret), own=True)


@pytest.mark.parametrize("contender", WRITES)
def test_nothing_is_written(contender: str, table: Tables, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    ask(contender, table, WRITES[contender].format(out=out))
    assert not out.exists()


@pytest.mark.parametrize("contender", [one for one in WRITES if one != "sqlite"])
def test_an_own_statement_would_write_it(contender: str, table: Tables, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    ask(contender, table, WRITES[contender].format(out=out), own=True)
    assert out.exists()


@pytest.mark.parametrize("contender", OTHERS)
def test_no_host_is_reached(contender: str, table: Tables) -> None:
    assert ask(contender, table, OTHERS[contender]).startswith("refused")


@pytest.mark.skipif(not confinement.possible(), reason="this kernel has no Landlock")
def test_what_the_kernel_refuses(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret").write_text("sesame")
    (inside / "link").symlink_to(outside / "secret")
    code = f"""
import os, socket, sys
sys.path.insert(0, {str(confinement.__file__.rpartition("/weigh_worker")[0])!r})
from weigh_worker import confinement
policy = confinement.Policy((sys.prefix, sys.base_prefix), ({str(inside)!r},))
assert confinement.confine(policy) == ["files", "network"]
def refused(do):
    try:
        do()
    except OSError:
        return True
tried = [
    lambda: open({str(outside / "secret")!r}),
    lambda: open({str(inside / "link")!r}),
    lambda: open("/proc/self/root" + {str(outside / "secret")!r}),
    lambda: open({str(outside / "new")!r}, "w"),
    lambda: os.mkdir({str(outside / "folder")!r}),
    lambda: os.unlink({str(outside / "secret")!r}),
    lambda: os.rename({str(outside / "secret")!r}, {str(inside / "taken")!r}),
    lambda: os.listdir({str(outside)!r}),
    lambda: open("/etc/passwd"),
    lambda: open(f"/proc/{{os.getppid()}}/environ").read(),
    lambda: socket.socket(socket.AF_INET),
    lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM),
]
print([number for number, one in enumerate(tried) if not refused(one)])
open({str(inside / "new")!r}, "w").write("x")
print(os.system("cat {outside / "secret"} 2>/dev/null") != 0)
"""
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:2] == ["[]", "True"], done.stdout + done.stderr
    assert (inside / "new").read_text() == "x"
    assert (outside / "secret").read_text() == "sesame"
