"""A run that a witness was told of while it was measured, and what becomes of it when it is made anew afterwards."""

from __future__ import annotations

import shutil
import subprocess
import threading
from typing import TYPE_CHECKING, NamedTuple

import pytest

from lies.forging import forge, samples
from support.command import Weigh
from support.timestamping import authority
from weigh.evidence.anchoring.server import Witness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from lies.forging import Events

pytestmark = pytest.mark.long


class Served(NamedTuple):
    """Two attempts of one experiment, and each who was told of them, as ``--witness`` takes it."""

    runs: Path
    witnesses: dict[str, str]


WITNESSES = ("server", "git", "authority")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("witness")
    witness = Witness("127.0.0.1", 0, folder / "witness.jsonl")
    thread = threading.Thread(target=witness.serve_forever, daemon=True)
    thread.start()
    subprocess.run(["git", "init", "-q", "--bare", folder / "there.git"], check=True)
    server, git = f"http://127.0.0.1:{witness.server_address[1]}", f"git:{folder / 'there.git'}"
    weigh = Weigh(folder)
    of = ("--scale", "1K", "--operations", "eq_user,by_action", "--starts", "5", "--seed", "3")
    with authority(folder / "tsa") as stamping:
        places = (server, git, f"tsa:{stamping.address}")
        for _ in range(2):
            run = weigh(
                *("run", "--contender", "duckdb", "--contender", "other=duckdb", *of),
                *(word for place in places for word in ("--anchor", place)),
            )
            assert run.code in (0, 3), run.err
        named = (server, git, str(stamping.certificate))
        yield Served(folder / "runs", dict(zip(WITNESSES, named, strict=True)))
    witness.shutdown()
    witness.server_close()


@pytest.fixture
def weigh(served: Served, tmp_path: Path) -> Weigh:
    shutil.copytree(served.runs, tmp_path / "runs", symlinks=True)
    return Weigh(tmp_path)


def evidence(weigh: Weigh) -> list[Path]:
    """Both attempts, the first one first."""
    return sorted(one for one in (weigh.folder / "runs").iterdir() if one.is_dir() and not one.is_symlink())


def faster(events: Events) -> Events:
    """The times of one contender by 0.7."""
    for one in samples(events):
        if one["contender"] == "other" and one["wall_s"]:
            one["wall_s"] *= 0.7
    return events


def swapped(events: Events) -> Events:
    """Each contender's times are those of the other one."""
    for operation in {one["operation"] for one in samples(events)}:
        of = [one for one in samples(events) if one["operation"] == operation]
        sides = [[one for one in of if one["contender"] == name] for name in ("duckdb", "other")]
        for one, other in zip(*sides, strict=False):
            one["wall_s"], other["wall_s"] = other["wall_s"], one["wall_s"]
    return events


def without_slow(events: Events) -> Events:
    """Executions above the median are as long as it."""
    times = sorted(one["wall_s"] for one in samples(events) if one["wall_s"])
    for one in samples(events):
        if one["wall_s"]:
            one["wall_s"] = min(one["wall_s"], times[len(times) // 2])
    return events


def renumbered(events: Events) -> Events:
    """The second attempt is sold as the first."""
    for one in events:
        if one.event == "opened":
            one.body["attempt"] = 1
    return events


def undisturbed(events: Events) -> Events:
    """Nobody else used the CPU: what the sampler saw of others is nothing."""
    watched = [one.body for one in events if one.event == "watch" and "foreign" in one.body]
    assert watched
    for one in watched:
        one["foreign"] = 0
    return events


def dated(events: Events) -> Events:
    """It ended a year earlier."""
    for one in events:
        if one.event == "end":
            one.body["at"] = f"{int(one.body['at'][:4]) - 1}{one.body['at'][4:]}"
    return events


FORGERIES: list[Callable[[Events], Events]] = [faster, swapped, without_slow, renumbered, undisturbed, dated]


def without_stamps(events: Events) -> Events:
    """As if it had never been anchored, and faster."""
    return faster([one for one in events if one.event != "anchor"])


def codes_at(weigh: Weigh, folder: Path, witness: str) -> set[str | None]:
    """Codes of what a witness says against it."""
    run = weigh("verify", str(folder), "--witness", witness, "--json")
    assert run.code in (0, 1), run.err
    return {one.get("code") for one in run.json["anchors"]}


@pytest.mark.parametrize("change", FORGERIES)
def test_an_anchored_run_that_was_made_anew_is_found_by_each_witness(
    weigh: Weigh, served: Served, change: Callable[[Events], Events]
) -> None:
    newest = evidence(weigh)[-1]
    forge(newest, change)
    for name, witness in served.witnesses.items():
        assert "R9.anchor" in codes_at(weigh, newest, witness), name


def test_one_whose_stamps_were_taken_out_is_found_by_what_its_key_signed(weigh: Weigh, served: Served) -> None:
    """Each witness that keeps anchors itself; tokens lie in the evidence, and without them it was never stamped."""
    newest = evidence(weigh)[-1]
    shutil.rmtree(newest / "anchors")
    forge(newest, without_stamps)
    for name in ("server", "git"):
        assert "R9.anchor" in codes_at(weigh, newest, served.witnesses[name]), name
    run = weigh("verify", str(newest), "--witness", served.witnesses["authority"])
    assert run.code == 0, run.out
    assert "cannot be proven, and was not disproven" in " ".join(run.out.split())


def test_another_authority_accuses_nobody(weigh: Weigh, tmp_path: Path) -> None:
    with authority(tmp_path / "other") as other:
        run = weigh("verify", str(evidence(weigh)[-1]), "--witness", str(other.certificate))
    assert run.code == 2
    assert "is signed by an authority of tsa.pem" in run.err


def test_a_removed_attempt_and_a_renamed_one_are_found(weigh: Weigh, served: Served) -> None:
    first, newest = evidence(weigh)
    shutil.rmtree(first)
    for name in ("server", "git"):
        assert "T8.missing" in weigh("verify", str(newest), "--witness", served.witnesses[name]).out
    other = newest.with_name("20240101" + newest.name[8:])
    newest.rename(other)
    for witness in served.witnesses.values():
        assert "its name says 20240101" in weigh("verify", str(other), "--witness", witness).out


def test_an_honest_run_fits_each_witness(weigh: Weigh, served: Served) -> None:
    for one in evidence(weigh):
        for witness in served.witnesses.values():
            run = weigh("verify", str(one), "--witness", witness, "--json")
            assert run.code == 0, run.out
            assert [line["text"].partition(" ")[0] for line in run.json["anchors"]] == ["anchored"]


def test_a_run_that_was_not_anchored_is_called_unprovable(weigh: Weigh, served: Served) -> None:
    of = ("--scale", "1K", "--operations", "eq_user", "--starts", "5", "--out", "plain")
    assert weigh("run", "--contender", "duckdb", "--contender", "other=duckdb", *of).code in (0, 3)
    (plain,) = (one for one in (weigh.folder / "plain").iterdir() if not one.is_symlink())
    forge(plain, faster)
    for flags in ((), *(("--witness", one) for one in served.witnesses.values())):
        run = weigh("verify", str(plain), *flags)
        assert run.code == 0, run.out
        assert "cannot be proven, and was not disproven" in " ".join(run.out.split())
