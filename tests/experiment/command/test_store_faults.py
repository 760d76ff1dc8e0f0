"""A store that fails while somebody is measured on it ends in an outcome and a finding: no traceback, and no hang."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from support.store_front import StoreFront
from support.waiting import eventually, journalled
from weigh.data.store.loopback import LoopbackStore
from weigh.engines import environment
from weigh.engines.prepared import cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Run, Weigh
    from weigh.data.store.target import Target

pytestmark = pytest.mark.usefixtures("no_orphans")


@pytest.fixture(scope="module")
def store() -> Iterator[Target]:
    """A store of weigh's own that is reached by URL."""
    with LoopbackStore(lambda needed: environment.ensure(needed, cache_folder()).python) as made:
        yield made.target


def begun(weigh: Weigh, front: StoreFront, target: Target) -> tuple[Weigh, dict[str, str]]:
    """A folder whose stores are behind that door, with keys."""
    limited = f'endpoint = "http://127.0.0.1:{front.port}"\nbucket = "{target.bucket}"\nbandwidth = "100M"\n'
    (weigh.folder / "weigh.toml").write_text(f"[store.own]\n{limited}")
    return weigh, {"AWS_ACCESS_KEY_ID": target.access_key, "AWS_SECRET_ACCESS_KEY": target.secret_key}


def ended(weigh: Weigh, front: StoreFront, target: Target, *, gone: bool) -> Run:
    """A run over ``--store`` during whose first block the store fails."""
    weigh, keys = begun(weigh, front, target)
    named = ("--contender", "far=duckdb@1.5.5", "--store", "own", "--operations", "by_action")
    # Turns are short, so that many are left when the first one is written.
    flags = ("--scale", "1K", "--starts", "1", "--rounds", "60", "--runs", "3", "--timeout", "10s", "--quiet")
    running = weigh.start("run", *named, *flags, **keys)
    eventually(journalled(weigh.folder, "turn"))
    if gone:
        front.__exit__(None, None, None)
    else:
        front.cuts.set()
    out, err = running.communicate(timeout=240)
    assert "Traceback" not in err, err
    assert running.returncode in (2, 3), (out, err)
    for secret in keys.values():
        assert secret not in out + err
    (evidence,) = (weigh.folder / "runs").iterdir()
    run = weigh("report", str(evidence), "--json")
    assert {one["spec"]["bandwidth"] for one in run.json["objects"]["stores"]} == {100 << 20}
    return run


@pytest.mark.long
@pytest.mark.promise("That the store is gone is reported (`E3.gone`)")
def test_a_store_that_dies_in_a_block(weigh: Weigh, store: Target) -> None:
    with StoreFront(urlsplit(store.endpoint).port or 0) as front:
        run = ended(weigh, front, store, gone=True)
    (found,) = (one for one in run.json["findings"] if one["code"] == "E3.gone")
    assert "the store own no longer answers (no answer from http://127.0.0.1:" in found["text"]
    (evidence,) = (weigh.folder / "runs").iterdir()
    shown = " ".join(weigh("report", str(evidence)).out.split())
    assert "The store own no longer answers" in shown.partition("far failed while it was timed, on by_action")[0]
    assert weigh("verify", str(evidence)).code == 0


@pytest.mark.long
def test_objects_that_are_cut_short(weigh: Weigh, store: Target) -> None:
    with StoreFront(urlsplit(store.endpoint).port or 0) as front:
        run = ended(weigh, front, store, gone=False)
        assert "E3.gone" not in run.codes


def test_an_endpoint_that_speaks_no_tls(weigh: Weigh, store: Target) -> None:
    with StoreFront(urlsplit(store.endpoint).port or 0) as front:
        weigh, keys = begun(weigh, front, store)
        text = (weigh.folder / "weigh.toml").read_text()
        (weigh.folder / "weigh.toml").write_text(text.replace("http:", "https:"))
        run = weigh("gate", "--contender", "duckdb@1.5.5", "--store", "own", "--scale", "1K", "--quiet", **keys)
    assert (run.code, run.out) == (2, "")
    assert "it does not speak TLS there: write http://" in run.err
    assert not (weigh.folder / "runs").exists()
