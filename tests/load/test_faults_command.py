"""weigh load against servers that are there already: TLS, who may log in, what goes wrong, and a server that dies."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.command import RAN, Run, Weigh
from support.tls_proxy import Front, certificates
from weigh._native import Load, LoadError
from weigh.engines.prepared import cache_folder
from weigh.load.generator_errors import read
from weigh.load.target.registry import target
from weigh.load.target.server_folder import as_account
from weigh.load.target.valkey.target import _DURABLE
from weigh.load.verify import verify
from weigh.model.errors import EngineFault

if TYPE_CHECKING:
    from collections.abc import Iterator

SHORT = ("--rate", "50", "--duration", "1s", "--connections", "2", "--quiet")
ROLES = """
DO $body$ BEGIN
  CREATE TABLE weigh_ycsb (a int);
  EXECUTE 'CREATE ROLE ann LOGIN PASSWORD ''right''';
  EXECUTE 'CREATE ROLE reader LOGIN';
  EXECUTE format('COPY (SELECT unnest(ARRAY[''local all ann scram-sha-256'', ''local all all trust''])) TO %L',
                 current_setting('hba_file'));
  PERFORM pg_reload_conf();
END $body$;
"""
HELD = "DO $body$ BEGIN LOCK TABLE weigh_ycsb; PERFORM pg_sleep(60); END $body$;"


def said(connect: dict[str, Any], text: str) -> Load:
    """A statement that is being executed."""
    load = Load(json.dumps({
        "target": connect,
        "workload": {
            "kind": "script", "scripts": [{"name": "said", "text": text, "weight": 1}], "seed": 0, "prepared": False
        },
        "arrivals": {"kind": "trace", "times_s": [0]},
        "duration_s": 0.1, "connections": 1, "threads": 1, "max_in_flight": 1, "timeout_s": 60, "interval_s": 1.0,
    }))  # fmt: skip
    load.start()
    return load


def records(connect: dict[str, Any]) -> Load:
    """A few records, read for a moment."""
    return Load(json.dumps({
        "target": connect,
        "workload": {"kind": "ycsb", "core": "C", "records": 10, "seed": 0}, "arrivals": {"kind": "closed"},
        "duration_s": 0.1, "connections": 1, "threads": 1, "max_in_flight": 1, "timeout_s": 9, "interval_s": 1.0,
    }))  # fmt: skip


@pytest.fixture(scope="module")
def postgres() -> Iterator[dict[str, Any]]:
    """A server on a socket, where ann needs a password and reader may create nothing."""
    with target("postgres:embedded").reach(cache_folder(), 20) as reached:
        load = said(reached.connect, ROLES)
        load.finish()
        [interval] = json.loads(load.poll())
        assert not interval["operations"][0]["errors"]
        yield reached.connect


def url(connect: dict[str, Any], user: str = "weigh") -> str:
    return f"postgres://{user}@/postgres?host={connect['socket']}"


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The authority's certificate, and the server's with its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificates, is not installed")
    return certificates(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def front(postgres: dict[str, Any], signed: tuple[Path, Path]) -> Iterator[Front]:
    with Front(Path(postgres["socket"], ".s.PGSQL.5432"), signed[1]) as listening:
        yield listening


def reached(text: str) -> str:
    """The TLS of a target that the generator reaches as well as weigh does."""
    with target(text).reach(cache_folder(), 2) as found:
        said(found.connect, "SELECT 1;").finish()
        assert found.read.tls == found.connect["tls"]
        return str(found.read.tls)


@pytest.mark.parametrize(
    ("mode", "tls"), [("require", "require"), ("prefer", "require"), ("allow", "off"), ("verify-full", "verify")]
)
def test_tls_is_what_the_url_asks_for(front: Front, signed: tuple[Path, Path], mode: str, tls: str) -> None:
    root = f"&sslrootcert={signed[0]}" if mode == "verify-full" else ""
    assert reached(f"postgres://weigh@localhost:{front.port}/postgres?sslmode={mode}{root}") == tls


@pytest.mark.promise(
    "encrypted, and the certificate is for that host, from an authority in `sslrootcert=FILE`, or in "
    "`~/.postgresql/root.crt` where none is named"
)
def test_a_certificate_for_another_name_is_refused(front: Front, signed: tuple[Path, Path]) -> None:
    asked = f"sslmode=verify-full&sslrootcert={signed[0]}"
    with pytest.raises(EngineFault, match=r"127\.0\.0\.1"):
        reached(f"postgres://weigh@127.0.0.1:{front.port}/postgres?{asked}")
    connect = {"kind": "postgres", "host": "127.0.0.1", "port": front.port, "user": "weigh", "database": "postgres"}
    with pytest.raises(LoadError, match="certificate not valid for name"):
        said({**connect, "tls": "verify", "ca": str(signed[0])}, "SELECT 1;")


@pytest.mark.promise(
    "encrypted, and the certificate is for that host, from an authority in `sslrootcert=FILE`, or in "
    "`~/.postgresql/root.crt` where none is named"
)
def test_a_certificate_of_a_stranger_is_refused(front: Front, tmp_path: Path) -> None:
    stranger, _ = certificates(tmp_path)
    with pytest.raises(EngineFault, match="certificate"):
        reached(f"postgres://weigh@localhost:{front.port}/postgres?sslmode=verify-full&sslrootcert={stranger}")


def test_a_server_without_tls_is_not_asked_in_clear_instead(postgres: dict[str, Any]) -> None:
    with Front(Path(postgres["socket"], ".s.PGSQL.5432")) as clear:
        text = f"postgres://weigh@localhost:{clear.port}/postgres"
        assert reached(f"{text}?sslmode=prefer") == "off"
        with pytest.raises(EngineFault, match="SSL"):
            reached(f"{text}?sslmode=require")


def test_valkey_over_tls_checks_the_name(signed: tuple[Path, Path]) -> None:
    with (
        target("valkey:embedded").reach(cache_folder(), 2) as server,
        Front(Path(server.connect["socket"]), signed[1], asked=False) as front,
    ):
        for host, known in (("localhost", True), ("127.0.0.1", False)):
            text = f"rediss://{host}:{front.port}?sslrootcert={signed[0]}"
            if not known:
                with pytest.raises(EngineFault, match=r"127\.0\.0\.1"):
                    target(text).reach(cache_folder(), 2).__enter__()
                continue
            with target(text).reach(cache_folder(), 2) as found:
                load = records(found.connect)
                assert load.load()["rows"] == 10
                load.start()
                assert json.loads(load.finish())["verified_reads"] > 0
                assert found.read.tls == "verify"


def test_a_wrong_password_is_never_shown(postgres: dict[str, Any]) -> None:
    with pytest.raises(EngineFault, match="password authentication failed") as error:
        reached(url(postgres, "ann:wr0ng-one"))
    assert "password" in error.value.remedy
    assert "wr0ng-one" not in str(error.value) + error.value.remedy


def test_who_may_not_write_is_told_what_was_refused(postgres: dict[str, Any]) -> None:
    with pytest.raises(LoadError, match="must be owner of table weigh_ycsb") as error:
        records({**postgres, "user": "reader"}).load()
    assert "take another user" in read(error.value).remedy


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory, postgres: dict[str, Any]) -> Run:
    """A trace that is longer than the run, by a script that fails where a statement was prepared."""
    weigh = Weigh(tmp_path_factory.mktemp("replayed"))
    (weigh.folder / "plain.sql").write_text("SELECT 1 / (count(*) = 0)::int FROM pg_prepared_statements;\n")
    (weigh.folder / "trace").write_text("".join(f"{at / 20}\n" for at in range(101)))
    flags = ("--arrivals", "trace:trace", "--duration", "1s", "--protocol", "simple", "--connections", "2", "--json")
    return weigh("load", "plain.sql", "--target", url(postgres), *flags, "--quiet")


def test_what_the_server_refuses_of_a_script_is_named_by_its_line(weigh: Weigh, postgres: dict[str, Any]) -> None:
    (weigh.folder / "look.sql").write_text("SELECT 1;\n\nSELECT *\n  FROM nowhere\n WHERE a = :a;\n")
    run = weigh("load", "look.sql", "--define", "a=1", "--target", url(postgres), *SHORT)
    assert run.code == 2
    assert "script look, line 3: preparing 'SELECT * FROM nowhere WHERE a = $1'" in run.err
    assert "create the table" in run.err


def test_simple_is_text_each_time_and_said(replayed: Run) -> None:
    assert replayed.code in RAN, replayed.err
    assert replayed.json["load"]["query_mode"] == "simple"
    assert replayed.json["operations"][0]["errors"] == {}
    assert "statements sent as text" in (replayed.evidence / "report.txt").read_text()
    assert not verify(replayed.evidence).problems


def test_what_is_cut_from_a_trace_is_said(replayed: Run) -> None:
    assert replayed.json["runs"][0]["requests"]["scheduled"] == 20
    (found,) = (one for one in replayed.json["findings"] if one["code"] == "L4.trace")
    assert "81 of its 101 requests" in found["text"]
    assert found["remedy"] == "--duration 6s holds all of it"


@pytest.mark.long
def test_an_interrupt_is_seen_while_the_server_is_silent_over_the_data(weigh: Weigh, postgres: dict[str, Any]) -> None:
    held = said(postgres, HELD)
    process = weigh.start("load", "ycsb-b", "--target", url(postgres), *SHORT)
    try:
        for _ in range(400):
            if list(weigh.folder.glob("runs/*/journal.jsonl")):
                break
            time.sleep(0.05)
        # It asks for the table, which somebody holds for a minute.
        time.sleep(0.5)
        assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=30)
    finally:
        held.stop()
        held.finish()
    assert process.returncode == 130
    assert "interrupted" in error


@pytest.mark.long
@pytest.mark.promise("Connections are opened again as soon as it is back, and counted (`L7.reconnects`).")
def test_a_server_that_dies_and_comes_back_has_kept_what_it_acknowledged(weigh: Weigh) -> None:
    with target("valkey:embedded").reach(cache_folder(), 4) as server:
        socket = server.connect["socket"]
        flags = ("--records", "200", "--rate", "200", "--duration", "2s", "--connections", "4", "--json", "--quiet")
        process = weigh.start("load", "ycsb-a", "--target", f"redis:///?host={socket}", *flags)
        _until_measured(weigh, process)
        again = _killed(Path(socket))
        try:
            out, error = process.communicate(timeout=60)
        finally:
            again.kill()
            again.wait()
    assert process.returncode in RAN, error
    made = json.loads(out)
    codes = {one["code"] for one in made["findings"]}
    assert "L7.reconnects" in codes
    assert not {"L6.wrong", "L6.missing"} & codes
    assert made["runs"][0]["reconnects"] == 4
    assert 0 < made["runs"][0]["longest_reconnect_s"] <= made["runs"][0]["reconnect_s"]
    # What was on its way when the server died; it may have been nothing.
    assert all("connection lost" in text for text in made["operations"][0]["errors"])
    asked = made["runs"][0]["requests"]
    assert asked["scheduled"] == asked["sent"] + asked["unsent"] == 400


def _until_measured(weigh: Weigh, process: subprocess.Popen[str]) -> None:
    for _ in range(600):
        if any('"event":"interval"' in path.read_text() for path in weigh.folder.glob("runs/*/journal.jsonl")):
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    raise AssertionError("it never began")


def _killed(socket: Path) -> subprocess.Popen[bytes]:
    """Kill the server of a socket without a warning, and start it again, as durable as before, on what it left."""
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (place / "comm").read_text().startswith("valkey") and (place / "cwd").readlink() == socket.parent:
                break
    else:
        raise AssertionError("there is no such server")
    owner, program = place.stat(), (place / "exe").readlink()
    os.kill(int(place.name), signal.SIGKILL)
    time.sleep(0.3)
    options = {"port": "0", "unixsocket": str(socket), "dir": str(socket.parent), **_DURABLE}
    return subprocess.Popen(
        [str(program), *(word for name, value in options.items() for word in (f"--{name}", value))],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **as_account((owner.st_uid, owner.st_gid) if os.geteuid() == 0 else None),
    )
