"""Datasets by parts: on a cluster of Dask, against the same made on one machine."""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import distributed
import msgspec
import pytest

import weigh as weigh_package
from support.command import Weigh
from support.waiting import eventually
from weigh._native import StoreClient
from weigh.cluster.connect import connect
from weigh.cluster.versions import versions
from weigh.data.netflow import MOST, generator
from weigh.data.netflow.rows import BYTES_LIMIT
from weigh.data.netflow.truth import LOW_BITS
from weigh.data.parts import manifest as manifests
from weigh.data.store.loopback import LoopbackStore
from weigh.engines import environment
from weigh.engines.prepared import cache_folder
from weigh.model.dataset import DatasetName, FileFacts, Manifest
from weigh.model.errors import EnvironmentFault, UsageError
from weigh.model.progress import Silence

if TYPE_CHECKING:
    from collections.abc import Iterator

IGNORED = shutil.ignore_patterns("__pycache__")
PLAIN = ("--writer", "pyarrow", "--codec", "snappy", "--quiet")


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """Of Dask, in this process: its workers are threads, and everything between them goes over sockets."""
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        dashboard_address="127.0.0.1:0",
        protocol="tcp",
        host="127.0.0.1",
    ) as cluster:
        yield str(cluster.scheduler_address).replace("tcp://", "dask://")


def digests(weigh: Weigh, *arguments: str, **variables: str) -> dict[str, str]:
    made = weigh("data", "make", *arguments, "--json", **variables)
    assert made.code == 0, made.err
    found: dict[str, str] = made.json["manifest"]["digests"]
    return found


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.promise("Digests, truth and files are those of the dataset that one machine makes.")
def test_parts_are_the_files_of_the_dataset_that_one_machine_makes(scheduler: str, tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    named = ("netflow", "--scale", "30K", "--files", "3", *PLAIN)
    whole = weigh("data", "make", *named, "--json").json
    parts = digests(weigh, *named, "--on", scheduler, "--to", "there")
    assert parts == whole["manifest"]["digests"]
    one, other = contents(tmp_path / whole["folder"]), contents(tmp_path / "there")
    assert {name: text for name, text in one.items() if name.startswith("truth/")} == {
        name: text for name, text in other.items() if name.startswith("truth/")
    }
    rows = (
        sorted(text for name, text in some.items() if name.endswith(".parquet") and not name.startswith("truth/"))
        for some in (one, other)
    )
    assert next(rows) == next(rows)
    # Nothing of the making is left, and the same once more finds it there.
    assert {name for name in other if not name.startswith("truth/")} == {
        "manifest.json", "events/events-000000.parquet", "events/events-000001.parquet", "events/events-000002.parquet"
    }  # fmt: skip
    again = weigh("data", "make", *named, "--on", scheduler, "--to", "there")
    assert "all there already" in again.out
    other_seed = weigh("data", "make", *named, "--seed", "1", "--on", scheduler, "--to", "there")
    assert (other_seed.code, "is there already" in other_seed.err) == (2, True)
    checked = weigh("data", "check", "there")
    assert checked.code == 0, checked.out


def test_what_was_begun_is_resumed_and_nobody_elses_is_touched(scheduler: str, tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    named = ("netflow", "--scale", "20K", "--files", "4", *PLAIN, "--on", scheduler, "--to", "there")
    expected = digests(weigh, *named)
    finished = contents(tmp_path / "there")
    # As a kill leaves it: a mark, two parts of four, one with its notes, and a file that was being written.
    from weigh.data.parts.make import Making
    from weigh.data.parts.part import make_part
    from weigh.experiment.data.dataset import interpreter
    from weigh.model.spec import LayoutSpec

    for name in ("manifest.json", *(f"events/events-{number:06}.parquet" for number in range(4))):
        (tmp_path / "there" / name).unlink()
    layout = LayoutSpec(writer="pyarrow", codec="snappy", files=4)
    making = Making(
        DatasetName(generator="netflow/1", scale=20_000, seed=42), layout, str(tmp_path / "there"), resume=False
    )
    (tmp_path / "there" / "making.json").write_bytes(making.job(0).mark)
    make_part(making.job(1), interpreter)
    make_part(making.job(2), interpreter)
    (tmp_path / "there" / "parts" / "000002.json").unlink()
    before = (tmp_path / "there" / "events/events-000001.parquet").stat()
    refused = weigh("data", "make", *named)
    assert (refused.code, "--resume" in refused.err) == (2, True)
    resumed = weigh("data", "make", *named, "--resume", "--json")
    assert (resumed.code, resumed.json["found"]) == (0, 1), resumed.err
    assert resumed.json["manifest"]["digests"] == expected
    after = (tmp_path / "there" / "events/events-000001.parquet").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert contents(tmp_path / "there") == finished
    # Killed after the manifest: the same command puts it in order.
    (tmp_path / "there" / "making.json").write_bytes(making.job(0).mark)
    (tmp_path / "there" / "parts").mkdir()
    (tmp_path / "there" / "parts" / "000003.json").write_bytes(b"{}")
    assert digests(weigh, *named) == expected
    assert contents(tmp_path / "there") == finished


def test_damaged_parts_are_found_and_made_again_alone(scheduler: str, tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    named = ("netflow", "--scale", "20K", "--files", "4", *PLAIN, "--on", scheduler, "--to", "there")
    digests(weigh, *named)
    there = tmp_path / "there"
    finished = contents(there)
    manifest = msgspec.json.decode(finished["manifest.json"])
    begun = msgspec.json.encode({name: manifest[name] for name in ("dataset", "layout")}, order="deterministic")
    (there / "events/events-000001.parquet").unlink()
    (there / "events/events-000003.parquet").write_bytes(finished["events/events-000003.parquet"][:-100])
    used = weigh("run", "--data", "there", "--contender", "duckdb")
    assert used.code == 2 and "D8.missing" in used.err and "--resume" in used.err, used.err
    refused = weigh("data", "make", *named)
    assert refused.code == 2 and "events/events-000001.parquet, events/events-000003.parquet" in refused.err, (
        refused.err
    )
    assert "--resume" in refused.err
    mended = weigh("data", "make", *named, "--resume", "--json")
    assert (mended.code, mended.json["found"], mended.json["parts"]) == (0, 2, 4), mended.err
    assert contents(there) == finished
    assert "all there already" in weigh("data", "make", *named).out
    assert weigh("data", "check", "there").code == 0
    truth = next(path for path in sorted((there / "truth").glob("*.parquet")))
    truth.write_bytes(b"PAR1")
    changed = weigh("data", "check", "there", "--json")
    assert (changed.code, changed.codes) == (1, {"D8.damaged"})
    truth.unlink()
    gone = weigh("data", "check", "there", "--on", scheduler, "--json", "--quiet")
    assert (gone.code, gone.codes) == (1, {"D8.missing"})
    truth.write_bytes(finished[f"truth/{truth.name}"])
    # Begun only, and the file that lies there is of no use: it is named, and once it is gone the same command goes on.
    (there / "manifest.json").unlink()
    (there / "making.json").write_bytes(begun)
    unfinished = weigh("run", "--data", "there", "--contender", "duckdb")
    assert unfinished.code == 2 and "not finished" in unfinished.err and "--resume" in unfinished.err, unfinished.err
    part = there / "events/events-000002.parquet"
    part.write_bytes(finished["events/events-000002.parquet"][:-100])
    broken = weigh("data", "make", *named, "--resume")
    assert broken.code == 2 and f"remove {part}" in broken.err, broken.err
    part.unlink()
    assert weigh("data", "make", *named, "--resume").code == 0
    assert contents(there) == finished


def test_mistakes_are_named(scheduler: str, tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    for arguments, words in (
        (("--on", scheduler), "--to FOLDER"),
        (("--to", "x"), "--on local:2; or leave --to out"),
        (("--resume",), "--on local:2; or leave --resume out"),
        (("--on", "spark://a:1", "--to", "x"), "local:N"),
        (("--on", scheduler, "--to", __file__), "is a file"),
        (("--on", scheduler, "--to", "gs://a/b"), "s3://BUCKET/PREFIX"),
    ):
        found = weigh("data", "make", "netflow", "--scale", "1K", "--quiet", *arguments)
        assert (found.code, words in found.err) == (2, True), found.err
    assert not (tmp_path / "x").exists()
    for data in ("NOSUCH", "./NOSUCH"):
        found = weigh("run", "--data", data, "--contender", "duckdb")
        assert (found.code, "there is no such file" in found.err) == (2, True), found.err
    with (
        pytest.raises(EnvironmentFault, match=r"no scheduler of Dask answers .*needs certificates"),
        connect("tls://[::1]:1", Silence(), wait=0.2),
    ):
        pass


def test_who_takes_a_connection_and_says_nothing_is_no_scheduler() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as deaf,
        pytest.raises(EnvironmentFault, match="is no scheduler, or did not answer within 1 s"),
        connect(f"dask://127.0.0.1:{deaf.getsockname()[1]}", Silence(), wait=1),
    ):
        pass


def test_a_worker_is_not_lost_while_a_list_of_the_client_leaves_it_out(
    scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect(scheduler, Silence()) as place:
        # Dask's client replaces what it knows of the scheduler every two seconds by a list without any worker.
        monkeypatch.setattr(distributed.Client, "scheduler_info", lambda *_, **__: {"workers": {}})
        # Longer than workers are looked after.
        parts = [place.submit(time.sleep, 1.3, worker=one) for one in place.workers()]
        assert len(parts) == 2
        assert [done.fault for done in place.gather(parts)] == [None, None]


@pytest.mark.long
def test_data_that_was_made_by_parts_is_read_again_where_it_lies(scheduler: str, tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    named = ("netflow", "--scale", "20K", *PLAIN, "--on", scheduler)
    expected = digests(weigh, *named, "--files", "2", "--to", "one")
    assert digests(weigh, *named, "--files", "3", "--to", "other") == expected
    on = ("--on", scheduler, "--quiet", "--json")
    assert weigh("data", "digest", "one", *on).json["digests"] == {str(tmp_path / "one"): expected}
    assert weigh("data", "diff", "one", "other", *on).code == 0
    described = weigh("data", "describe", "other", *on).json["files"]
    assert [file["path"] for file in described] == [f"events/events-{number:06}.parquet" for number in range(3)]
    sound = weigh("data", "check", "one", *on)
    assert (sound.code, sound.json["files"], sound.json["pages_with_checksum"]) == (0, 2, 0)
    registered = weigh("data", "register", "one/events/*.parquet", "--name", "mine", *on)
    again = weigh("data", "register", "one/events/*.parquet", "--name", "mine", "--quiet", "--json")
    assert registered.code == 0, (registered.code, registered.err, again.err)
    assert registered.json == again.json
    # Rows of another dataset in one part: the check names it, and so does the difference.
    digests(weigh, *named, "--seed", "7", "--files", "2", "--to", "third")
    (tmp_path / "one" / "events/events-000001.parquet").write_bytes(
        (tmp_path / "third" / "events/events-000001.parquet").read_bytes()
    )
    broken = weigh("data", "check", "one", *on)
    assert (broken.code, broken.codes) == (1, {"D8.rows"})
    differ = weigh("data", "diff", "one", "third", *on)
    assert differ.json["tables"] == [
        {"table": "events", "same": False, "parts": [["events/events-000000.parquet", "events/events-000000.parquet"]]}
    ]
    (tmp_path / "one" / "events/events-000000.parquet").unlink()
    missing = weigh("data", "check", "one", *on)
    assert (missing.code, missing.codes) == (1, {"D8.missing", "D8.rows"})


@pytest.mark.long
def test_a_gate_reads_the_parts_and_the_merged_truth(scheduler: str, tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    digests(weigh, "netflow", "--scale", "20K", *PLAIN, "--on", scheduler, "--files", "3", "--to", "there")
    asked = ("gate", "--data", "there", "--contender", "duckdb", "--operations", "by_action", "--quiet", "--json")
    found = weigh(*asked)
    assert found.code == 0, found.err
    contradicted = weigh(*asked, "--scale", "1K")
    assert (contradicted.code, "leave out --scale" in contradicted.err) == (2, True)
    with (tmp_path / "there" / "events/events-000002.parquet").open("r+b") as file:
        file.seek(1_000)
        file.write(b"damaged")
    refused = weigh(*asked)
    assert (refused.code, "D8" in refused.err) == (2, True), refused.err


def test_what_decides_about_bytes_is_compared() -> None:
    here = versions()
    other = msgspec.structs.replace
    assert here.difference(here) == ""
    assert here.difference(other(here, weigh="0.0.9")) == f"weigh 0.0.9, not {here.weigh}"
    assert here.difference(other(here, python="3.9")) == f"python 3.9, not {here.python}"
    assert "Python files" in here.difference(other(here, code="0"))
    assert "native module" in here.difference(other(here, native="0"))
    # On another processor it is another file by right.
    assert here.difference(other(here, native="0", processor="riscv64")) == ""


@pytest.mark.long
def test_a_worker_with_another_weigh_is_named(scheduler: str, tmp_path: Path) -> None:
    shutil.copytree(Path(weigh_package.__file__).parent, tmp_path / "older" / "weigh", ignore=IGNORED)
    (tmp_path / "older" / "weigh" / "_version.py").write_text('__version__ = "0.0.9"\n')
    address = scheduler.replace("dask://", "tcp://")
    command = [sys.executable, "-m", "dask", "worker", address, "--nthreads", "1", "--no-nanny", "--name", "older"]
    with subprocess.Popen(
        [*command, "--local-directory", str(tmp_path)], env={**os.environ, "PYTHONPATH": str(tmp_path / "older")}
    ) as worker:
        try:
            with distributed.Client(address, set_as_default=False) as client:
                client.wait_for_workers(3, 60)
            named = ("netflow", "--scale", "20K", *PLAIN, "--on", scheduler, "--to", "there")
            refused = Weigh(tmp_path)("data", "make", *named)
            assert (refused.code, "it has weigh 0.0.9, not" in refused.err, "older" in refused.err) == (2, True, True)
            assert not (tmp_path / "there").exists()
        finally:
            worker.terminate()
    with distributed.Client(address, set_as_default=False) as client:
        eventually(lambda: len(client.scheduler_info(n_workers=-1)["workers"]) == 2)


def test_netflow_ends_where_its_instants_and_sums_would() -> None:
    assert generator.parts(1_000_000) == 1
    assert generator.parts(MOST) == 27_657
    with pytest.raises(UsageError, match="microseconds"):
        generator.parts(MOST + 1)
    # The half of the largest group's durations that could overflow: each below 2^26, half of that on average.
    assert MOST * (1 << (LOW_BITS - 1)) < 1 << 63
    assert BYTES_LIMIT == 1 << 36


def test_a_manifest_of_many_files_is_read_line_by_line(tmp_path: Path) -> None:
    spool = manifests.Spool(tmp_path / "spool")
    columns = {"columns": {f"c{number}": {"codec": "ZSTD"} for number in range(13)}}
    order = list(range(2_000))
    random.Random(5).shuffle(order)
    for number in order:
        file = FileFacts(
            path=f"t-{number:06}.parquet", table="t", bytes=number, blake3="0" * 64, rows=1, digest="d", parquet=columns
        )
        spool.add(file, number, 0)
    head = Manifest(
        dataset=DatasetName(generator="g/1", scale=1), layout=None, writer="w", files=(), digests={"t": "d"}
    )
    manifests.write(head, spool.lines(), tmp_path / "manifest.json")
    spool.close()
    found = manifests.read(tmp_path / "manifest.json")
    assert [file.bytes for file in found.files] == list(range(2_000))
    assert msgspec.structs.replace(found, files=()) == head
    # It is a manifest as any other.
    plain = msgspec.json.decode((tmp_path / "manifest.json").read_bytes(), type=Manifest)
    assert plain.files[7].parquet == columns
    assert not found.files[7].parquet


@pytest.mark.promise("A manifest that was edited, and a truth of other rows, are found.")
def test_an_edited_manifest_and_another_truth_are_found(scheduler: str, tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    for place, seed in (("there", "1"), ("other", "2")):
        digests(
            weigh, "netflow", "--scale", "2K", "--files", "2", "--seed", seed, *PLAIN, "--on", scheduler, "--to", place
        )
    manifest = tmp_path / "there" / "manifest.json"
    written = manifest.read_bytes()
    asked = ("gate", "--data", "there", "--contender", "duckdb", "--operations", "by_action", "--quiet")
    for changed in (written.replace(b"000001.parquet", b"000000.parquet"), written[:-10], written.replace(b"\n", b"")):
        manifest.write_bytes(changed)
        for command in (asked, ("data", "check", "there"), ("data", "check", "there", "--on", scheduler, "--quiet")):
            refused = weigh(*command)
            assert (refused.code, "manifest" in refused.err) == (2, True), (command, refused)
    manifest.write_bytes(written)
    shutil.rmtree(tmp_path / "there" / "truth")
    shutil.copytree(tmp_path / "other" / "truth", tmp_path / "there" / "truth")
    refused = weigh(*asked)
    assert (refused.code, "the ground truth is that of other rows" in refused.err) == (2, True), refused.err
    checked = weigh("data", "check", "there", "--json")
    assert (checked.code, checked.codes) == (1, {"D8.damaged"})


@pytest.mark.long
def test_objects_are_parts_too(scheduler: str, tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    named = ("tpchgen", "--scale", "0.01", "--files", "2", *PLAIN)
    expected = digests(weigh, *named)
    with LoopbackStore(lambda requires: environment.ensure(requires, cache_folder()).python) as store:
        keys = {
            "AWS_ENDPOINT_URL": store.target.endpoint,
            "AWS_ACCESS_KEY_ID": store.target.access_key,
            "AWS_SECRET_ACCESS_KEY": store.target.secret_key,
        }
        made = digests(weigh, *named, "--on", "local:2", "--to", "s3://weigh/tpch", **keys)
        assert made == expected
        client = StoreClient(store.target.encoded())
        assert client.stat("tpch/manifest.json")
        assert client.stat("tpch/making.json") is None
        assert client.stat("tpch/parts/000000.json") is None
        checked = weigh("data", "check", "s3://weigh/tpch", "--on", "local:2", "--quiet", **keys)
        assert checked.code == 0, checked.err
