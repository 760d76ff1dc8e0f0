"""A history in S3: a real store of this machine, through the command line."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from support.command import Weigh
from support.history_records import entry, values
from weigh._native import StoreClient
from weigh.data.store.loopback import LoopbackStore
from weigh.engines import environment
from weigh.engines.prepared import cache_folder
from weigh.history import store
from weigh.history.remote import s3
from weigh.model.errors import EvidenceFault, WeighError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.data.store.target import Target

SECRET = "geheim/geheim"
KEYS = {"AWS_ACCESS_KEY_ID": "anybody", "AWS_SECRET_ACCESS_KEY": SECRET}
OTAVA = "time,commit,q1\n" + "".join(
    f"2026-01-{1 + at:02}T00:00:00,c{at:02},{one:.6f}\n" for at, one in enumerate(values(30, 11, {15: 1.1}))
)


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    with LoopbackStore(lambda requires: environment.ensure(requires, cache_folder()).python) as started:
        yield started.target


def variables(target: Target) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL": target.endpoint,
        "AWS_ACCESS_KEY_ID": target.access_key,
        "AWS_SECRET_ACCESS_KEY": target.secret_key,
    }


@pytest.mark.long
@pytest.mark.promise("Two machines that add the same at the same moment leave it there once.")
def test_a_history_in_a_bucket_is_what_a_folder_is(target: Target, tmp_path: Path) -> None:
    own = variables(target)
    where = s3.history("s3://weigh/team/history", own)
    with pytest.raises(EvidenceFault, match="there is no history"):
        store.read_all(where)
    made = [entry(at, one) for at, one in enumerate(values(30, 3, {15: 1.2}), 1)]
    with ThreadPoolExecutor(3) as pool:
        added = list(pool.map(lambda _: store.add_all(where, made), range(3)))
    assert sum(sum(one.values()) for one in added) == 30
    store.add_all(tmp_path / "history", made)
    assert store.read_all(where) == store.read_all(tmp_path / "history")
    # Another prefix that begins alike is another history.
    store.add_all(s3.history("s3://weigh/team/history-2", own), made[:1])
    weigh = Weigh(tmp_path)
    (tmp_path / "perf.csv").write_text(OTAVA)
    added_to = weigh("history", "add", "perf.csv", "--to", "s3://weigh/team/history", **own)
    assert (added_to.code, "30 points" in added_to.out) == (0, True), added_to.err
    assert weigh("history", "add", "perf.csv", "--to", "history").code == 0
    here = weigh("history", "show", "--from", "history", "--json").json
    there = weigh("history", "show", "--from", "s3://weigh/team/history", "--json", **own)
    assert there.code == 0, there.err
    assert there.json["folder"] == "s3://weigh/team/history"
    assert {**there.json, "folder": ""} == {**here, "folder": ""}
    assert len(here["candidates"]) == 2
    for secret in (target.access_key, target.secret_key):
        assert secret not in there.out + there.err + added_to.out + added_to.err


def test_objects_are_files_of_a_folder_and_what_is_edited_is_named(target: Target, tmp_path: Path) -> None:
    own = variables(target)
    where = s3.history("s3://weigh/synced", own)
    store.add_all(where, [entry(1, 0.1), entry(2, 0.1)])
    (tmp_path / "synced").mkdir()
    kept = dict(where.read())
    for key, text in kept.items():
        (tmp_path / "synced" / key.rpartition("/")[2]).write_text(text)
    assert store.read(tmp_path / "synced") == store.read_all(where)
    (first, *_) = sorted(kept)
    edited = tmp_path / "edited.json"
    edited.write_text(kept[first].replace("a processor", "another"))
    StoreClient(target.encoded()).put(edited, first)
    found = Weigh(tmp_path)("history", "show", "--from", "s3://weigh/synced", "--json", **own)
    assert (found.code, found.json["entries"]) == (1, 1)
    (damaged,) = (one for one in found.json["findings"] if one["code"] == "R4.history")
    assert first in damaged["text"]


@pytest.mark.promise("A bucket that is not there, keys that do not open it and nobody at the endpoint are exit 2.")
@pytest.mark.parametrize(
    ("url", "changed", "said"),
    [
        ("s3://nobody/h", {}, "there is no bucket 'nobody'"),
        ("s3://weigh/h", {"AWS_SECRET_ACCESS_KEY": SECRET}, "refuses the keys: SignatureDoesNotMatch"),
        ("s3://weigh/h", {"AWS_ACCESS_KEY_ID": "anybody"}, "refuses the keys: InvalidAccessKeyId"),
        ("s3://weigh/h", {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, "cannot be reached: connection refused"),
    ],
)
def test_a_store_that_cannot_be_used_says_why(target: Target, url: str, changed: dict[str, str], said: str) -> None:
    own = {**variables(target), **changed}
    where = s3.history(url, own)
    for ask in (lambda: store.read_all(where), lambda: store.add_all(where, [entry(1, 0.1)])):
        with pytest.raises(WeighError, match=said) as raised:
            ask()
        assert raised.value.remedy
        assert own["AWS_SECRET_ACCESS_KEY"] not in f"{raised.value} {raised.value.remedy} {where!r}"


@pytest.mark.long
def test_an_endpoint_that_never_answers_is_given_up(tmp_path: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        own = {**KEYS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{silent.getsockname()[1]}"}
        refused = Weigh(tmp_path)("history", "show", "--from", "s3://weigh/h", **own)
    assert refused.code == 2
    assert "cannot be reached: it did not answer in time" in refused.err
    assert SECRET not in refused.err


def test_what_names_no_bucket_or_no_keys_is_refused_without_its_secret(tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    for url, own, said in (
        ("s3://me:geheim@bucket/h", KEYS, "no part of the URL"),
        ("s3://bucket/h?secret=geheim", KEYS, "no part of the URL"),
        ("s3://BUCKET/h", KEYS, "names no bucket"),
        ("s3://bucket/a/../c", KEYS, "names no bucket"),
        ("s3://bucket/h", {"AWS_ACCESS_KEY_ID": ""}, "no keys: AWS_ACCESS_KEY_ID"),
        ("s3://bucket/h", {**KEYS, "AWS_ENDPOINT_URL": "ftp://geheim"}, "AWS_ENDPOINT_URL is no URL"),
    ):
        refused = weigh("history", "show", "--from", url, **{"AWS_ENDPOINT_URL": "", **own})
        assert refused.code == 2, (url, refused.err)
        assert said in refused.err
        assert "geheim" not in refused.err + refused.out
