"""``weigh lies --run``: what it says of a lie that is committed, of one that is not, and of a twin that lies, too."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import msgspec
import pytest
from click.testing import CliRunner

from support.command import Weigh
from support.waiting import eventually
from weigh.cli.main import cli
from weigh.lies import CATALOGUE
from weigh.lies.commissions import COMMISSIONS, ELSEWHERE

if TYPE_CHECKING:
    from pathlib import Path


def test_every_lie_is_committed_or_has_a_reason() -> None:
    ids = {lie.id for lie in CATALOGUE}
    assert COMMISSIONS.keys() | ELSEWHERE.keys() == ids
    assert not COMMISSIONS.keys() & ELSEWHERE.keys()
    assert all(ELSEWHERE.values())


def test_a_lie_that_is_committed_is_caught_and_its_twin_is_not_accused(weigh: Weigh) -> None:
    run = weigh("lies", "--run", "D4", "T2", "--json")
    assert run.code == 0, run.err
    caught, left = run.json["lies"]
    assert (caught["outcome"], caught["code"], caught["twin"]) == ("caught", "D4.page", "")
    assert "was changed after it was written" in caught["said"]
    assert caught["commands"] == ["weigh data check sales.parquet --json"] * 2
    assert (left["outcome"], left["said"]) == ("not_covered", ELSEWHERE["T2"])
    assert run.json["counts"]["caught"] == 1
    (folder,) = weigh.folder.glob("lies-*")
    assert run.json["evidence"] == str(folder)
    said = json.loads((folder / "D4" / "liar" / "said.json").read_text())
    assert {one["code"] for one in said["findings"]} == {"D4.page"}


@pytest.mark.parametrize(
    ("liar", "twin", "said", "code"),
    [
        ("liar", "twin", "caught: D4.page", 0),
        # Nobody lies.
        ("twin", "twin", "NOT CAUGHT", 1),
        # The twin lies, too.
        ("liar", "liar", "twin: ACCUSED", 1),
    ],
)
def test_what_is_not_caught_and_who_is_accused_falsely_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, liar: str, twin: str, said: str, code: int
) -> None:
    real = COMMISSIONS["D4"]
    acts = {"liar": real.liar, "twin": real.twin}
    monkeypatch.setitem(COMMISSIONS, "D4", msgspec.structs.replace(real, liar=acts[liar], twin=acts[twin]))
    run = CliRunner().invoke(cli, ["lies", "D4", "--run", "--out", str(tmp_path / "out")])
    assert said in run.stdout
    assert run.exit_code == code
    assert ("no honest twin was accused" in run.stdout) is (said != "twin: ACCUSED")


def test_every_form_of_a_lie_must_be_caught(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = COMMISSIONS["D4"]
    harmless = msgspec.structs.replace(real, liar=real.twin)
    for form, text in ((real, "caught: D4.page"), (harmless, "NOT CAUGHT")):
        monkeypatch.setitem(COMMISSIONS, "D4", msgspec.structs.replace(real, forms=(form,)))
        run = CliRunner().invoke(cli, ["lies", "D4", "--run", "--out", str(tmp_path / text[:3])])
        assert text in run.stdout


def test_a_command_that_fails_shows_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = COMMISSIONS["D4"]
    broken = msgspec.structs.replace(real.liar, steps=("data check absent.parquet --json",))
    monkeypatch.setitem(COMMISSIONS, "D4", msgspec.structs.replace(real, liar=broken))
    run = CliRunner().invoke(cli, ["lies", "D4", "--run", "--out", str(tmp_path / "out")])
    assert run.exit_code == 1
    assert "could not be determined" in run.stdout
    assert "absent.parquet" in run.stdout


def test_what_cannot_be_committed_here_is_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    needy = msgspec.structs.replace(COMMISSIONS["D4"], needs=lambda: "it needs another machine")
    monkeypatch.setitem(COMMISSIONS, "D4", needy)
    run = CliRunner().invoke(cli, ["lies", "D4", "--run", "--out", str(tmp_path / "out")])
    assert run.exit_code == 3
    assert "it needs another machine" in run.stdout
    assert "Not committed: D4" in run.stdout


def test_the_liars_are_no_engines_of_a_normal_run(tmp_path: Path) -> None:
    # A process of its own: the one that forks has found the liars.
    weigh = Weigh(tmp_path, forked=False)
    listed = weigh("engines", PYTHONPATH="").out
    assert "duckdb" in listed
    assert "liar" not in listed
    asked = weigh("gate", "--contender", "liar?lie=cache", "--contender", "duckdb", PYTHONPATH="")
    assert asked.code == 2
    assert "there is no engine 'liar'" in asked.err


def test_mistakes_have_remedies(weigh: Weigh) -> None:
    unknown = weigh("lies", "--run", "A99")
    assert unknown.code == 2
    assert "there is no lie 'A99'" in unknown.err
    (weigh.folder / "there").mkdir()
    again = weigh("lies", "--run", "D4", "--out", "there")
    assert again.code == 2
    assert "name a new folder with --out" in again.err
    assert weigh("lies", "D4", "--out", "elsewhere").code == 2


@pytest.mark.long
def test_an_interruption_says_what_was_done(weigh: Weigh) -> None:
    process = weigh.start("lies", "--run", "T5", "A1", "A3")
    eventually(lambda: list(weigh.folder.glob("lies-*/A1/liar/commands.txt")))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Ended after 1 of 3 lies." in out
    assert "caught: T5" in out


@pytest.mark.long
@pytest.mark.promise("`weigh lies --run` commits each of them on your machine")
def test_every_lie_that_can_be_committed_here_is_caught(weigh: Weigh) -> None:
    run = weigh("lies", "--run", "--json", timeout=3_600)
    told = [one for one in run.json["lies"] if one["outcome"] in ("missed", "accused", "failed")]
    assert not told, told
    assert run.code == 0
    assert run.json["counts"]["caught"] > 30


def test_nothing_that_was_committed_is_no_count_of_lies(tmp_path: Path) -> None:
    run = CliRunner().invoke(cli, ["lies", "T2", "--run", "--out", str(tmp_path / "out")])
    assert run.exit_code == 3
    assert "No lie was committed." in run.output
    assert "0 of 0" not in run.output
