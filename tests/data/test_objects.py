"""Datasets in an object store, used where they lie: a real store, real engines, and keys that are planted."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import distributed
import pytest

from support.command import Weigh
from weigh._native import StoreClient
from weigh.data.store.loopback import LoopbackStore
from weigh.engines import environment
from weigh.engines.prepared import cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Run
    from weigh.data.store.target import Target

PLACE = "s3://weigh/some/nf"
SQL = ("duckdb@1.5.5", "chdb", "datafusion")
READERS = (*SQL, "polars", "pyarrow")


@pytest.fixture(scope="module")
def store() -> Iterator[Target]:
    """A store with a dataset of two parts."""
    with LoopbackStore(lambda needed: environment.ensure(needed, cache_folder()).python) as made:
        yield made.target


def keys(store: Target) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL": store.endpoint,
        "AWS_ACCESS_KEY_ID": store.access_key,
        "AWS_SECRET_ACCESS_KEY": store.secret_key,
    }


@pytest.fixture(scope="module")
def made(store: Target, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the dataset was made from, in the store too."""
    return by_parts(store, tmp_path_factory.mktemp("made"), "some/nf", "netflow", "--scale", "20K")


def by_parts(store: Target, folder: Path, prefix: str, *named: str) -> Path:
    """A dataset of two parts, made in a folder and put below a prefix of the store."""
    layout = ("--writer", "pyarrow", "--codec", "snappy", "--quiet")
    # Its workers are threads of this process.
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, protocol="tcp", host="127.0.0.1"
    ) as cluster:
        on = str(cluster.scheduler_address).replace("tcp://", "dask://")
        run = Weigh(folder)("data", "make", *named, "--files", "2", *layout, "--on", on, "--to", "there")
    assert run.code == 0, run.err
    client, there = StoreClient(store.encoded()), folder / "there"
    for path in there.rglob("*"):
        if path.is_file():
            client.put(path, f"{prefix}/{path.relative_to(there)}")
    return there


def asked(weigh: Weigh, store: Target, *flags: str, place: str = PLACE, command: str = "gate") -> Run:
    return weigh(command, "--data", place, *flags, "--quiet", **keys(store))


def test_what_cannot_read_objects_is_named_and_what_changed_is_found(store: Target, made: Path, tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    for flags, why in (
        (("--contender", "sqlite"), "sqlite loads its tables from files, and the data are objects of a store"),
        (("--contender", "duckdb@2.0.0"), "write duckdb@1.5.5"),
        (("--contender", "duckdb@1.5.5?store=tmpfs"), "leave out store=tmpfs"),
        (("--contender", "duckdb@1.5.5", "--scale", "1K"), "leave out --scale"),
        (("--contender", "duckdb@1.5.5", "--corrupt"), "leave out --corrupt"),
    ):
        refused = asked(weigh, store, *flags)
        assert (refused.code, why in refused.err) == (2, True), refused.err
    nothing = asked(weigh, store, "--contender", "duckdb@1.5.5", place="s3://weigh/nothing")
    assert (nothing.code, "there is no manifest" in nothing.err) == (2, True), nothing.err
    cold = asked(weigh, store, "--contender", "duckdb@1.5.5", "--temperature", "cold", command="run")
    assert (cold.code, "nothing that is read from it can be called cold" in cold.err) == (2, True), cold.err
    client, name = StoreClient(store.encoded()), "some/nf/events/events-000001.parquet"
    written = (made / "events" / "events-000001.parquet").read_bytes()
    for content in (written[:-1], written[:5_000] + b"changed" + written[5_007:]):
        changed = tmp_path / "changed"
        changed.write_bytes(content)
        client.put(changed, name)
        refused = asked(weigh, store, "--contender", "duckdb@1.5.5")
        assert (refused.code, "D8" in refused.err, name[8:] in refused.err) == (2, True, True), refused.err
    client.put(made / "events" / "events-000001.parquet", name)


@pytest.mark.long
def test_objects_are_read_where_they_lie(store: Target, made: Path, tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    contenders = itertools.chain.from_iterable(("--contender", one) for one in READERS)
    running = weigh.start(
        "run", "--data", PLACE, *contenders, "--operations", "by_action", "--starts", "1", "--runs", "2", "--json",
        **keys(store)
    )  # fmt: skip
    visible = ""
    while running.poll() is None:
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                visible += process.read_text(errors="replace")
            except OSError:
                continue
    out, err = running.communicate()
    assert running.returncode in (0, 3), err
    (evidence,) = (tmp_path / "runs").iterdir()
    run = weigh("report", str(evidence), "--json")
    assert {(one["status"], tuple(one["contenders"])) for one in run.json["gate"]} == {("agreed", READERS)}
    (used,) = run.json["objects"]["stores"]
    assert (used["spec"]["prefix"], used["spec"]["placed"], used["server"]) == ("some/nf", True, "")
    assert all(one["bytes"] > 0 for one in run.json["objects"]["requests"])
    # It was asked on other rows too, and nothing of them stays.
    assert not any(finding["code"] == "A12.unseen" for finding in run.json["findings"])
    left = names_there(store)
    assert left == {str(path.relative_to(made)) for path in made.rglob("*") if path.is_file()}
    verified = weigh("verify", str(evidence))
    assert verified.code == 0, verified.out
    written = "".join(
        path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file() and not path.is_symlink()
    )
    for secret in (store.access_key, store.secret_key):
        assert secret not in out + err + visible + written


@pytest.mark.long
def test_every_table_of_tpch_is_read_where_it_lies(store: Target, tmp_path: Path) -> None:
    """Eight tables below one prefix, each of them another one for every engine."""
    by_parts(store, tmp_path, "some/h", "tpchgen", "--scale", "0.01")
    contenders = itertools.chain.from_iterable(("--contender", one) for one in SQL)
    # Together they read all eight.
    flags = ("--operations", "q5,q9,q21,q22", "--json")
    run = asked(Weigh(tmp_path), store, *contenders, *flags, place="s3://weigh/some/h")
    assert run.code == 0, run.err + run.out[-3000:]
    gate = {one["operation"]: one for one in run.json["gate"]}
    assert len(gate) == 4 and {one["status"] for one in gate.values()} == {"agreed"}, gate
    assert all(one["contenders"] == [*SQL] for one in gate.values()), gate


def names_there(store: Target) -> set[str]:
    """Keys below the dataset's prefix."""
    import pyarrow.fs

    there = pyarrow.fs.S3FileSystem(
        access_key=store.access_key,
        secret_key=store.secret_key,
        endpoint_override=store.endpoint.removeprefix("http://"),
        scheme="http",
        region=store.region,
    )
    found = there.get_file_info(pyarrow.fs.FileSelector("weigh/some/nf", recursive=True))
    return {one.path.removeprefix("weigh/some/nf/") for one in found if one.type == pyarrow.fs.FileType.File}


def test_a_store_leaves_nothing_behind() -> None:
    with LoopbackStore(lambda needed: environment.ensure(needed, cache_folder()).python) as made:
        port = int(made.target.endpoint.rpartition(":")[2])
    assert not [*Path("/tmp").glob(f"seaweedfs-*{port + 10_000}*")]
