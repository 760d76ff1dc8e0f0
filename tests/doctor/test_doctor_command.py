"""``weigh doctor``: what spoils is named, nothing is changed unasked, and everything is brought back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Weigh

POLICY = "sys/devices/system/cpu/cpufreq/policy0"
PAGES = "sys/kernel/mm/transparent_hugepage/enabled"
ASLR = Path("/proc/sys/kernel/randomize_va_space")
LAPTOP = {
    f"{POLICY}/scaling_governor": "powersave",
    f"{POLICY}/scaling_available_governors": "performance powersave",
    PAGES: "[always] madvise never",
    "proc/cpuinfo": "flags: fpu",
    "proc/loadavg": "0.00 0.00 0.00 1/99 999",
    "proc/self/status": "Cpus_allowed_list:\t0-3",
}


@pytest.fixture
def laptop(tmp_path: Path) -> dict[str, str]:
    """The environment in which weigh takes a folder for the machine."""
    root = tmp_path / "machine"
    for name, text in LAPTOP.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{text}\n")
    return {"WEIGH_ROOT": str(root)}


def files(laptop: dict[str, str]) -> dict[str, str]:
    root = Path(laptop["WEIGH_ROOT"])
    return {str(path.relative_to(root)): path.read_text().strip() for path in root.rglob("*") if path.is_file()}


def test_this_machine(weigh: Weigh) -> None:
    before = ASLR.read_text()
    run = weigh("doctor", "--json", XDG_STATE_HOME=str(weigh.folder / "state"))
    knobs = {knob["name"]: knob for knob in run.json["knobs"]}
    assert run.json["schema"] == "weigh/doctor/1"
    assert len(knobs) == 21
    assert {knob["state"] for knob in knobs.values()} <= {"fine", "spoils", "cannot see"}
    assert run.code == int(any(knob["state"] == "spoils" for knob in knobs.values()))
    assert (run.json["set"], run.json["restorable"]) == ([], None)
    assert ASLR.read_text() == before
    assert not (weigh.folder / "state").exists()


@pytest.mark.promise("It changes nothing unless asked.")
def test_what_spoils_is_named_with_its_remedy(weigh: Weigh, laptop: dict[str, str]) -> None:
    run = weigh("doctor", **laptop)
    assert run.code == 1
    said = " ".join(run.out.split())
    assert "governor spoils powersave" in said
    assert "cpupower frequency-set -g performance" in said
    assert "2 spoil; weigh doctor --tune would set 2 of them" in said
    assert files(laptop) == LAPTOP


def test_set_and_restored(weigh: Weigh, laptop: dict[str, str]) -> None:
    tuned = weigh("doctor", "--tune", "--yes", "--json", **laptop)
    assert tuned.code == 0, tuned.err
    assert {change["knob"] for change in tuned.json["set"]} == {"governor", "huge_pages"}
    assert tuned.json["restorable"]["settings"]["governor"] == {f"/{POLICY}/scaling_governor": "powersave"}
    assert files(laptop)[f"{POLICY}/scaling_governor"] == "performance"
    assert "2 places set by weigh since" in weigh("doctor", **laptop).out
    again = weigh("doctor", "--tune", "--yes", **laptop)
    assert "nothing that spoils can be set" in again.err
    restored = weigh("doctor", "--restore", **laptop)
    assert restored.code == 0
    assert "2 places as before" in restored.out
    # A file takes the word; the kernel would show it in brackets among the others.
    assert files(laptop) == {**LAPTOP, PAGES: "always"}


def test_nobody_said_yes(weigh: Weigh, laptop: dict[str, str]) -> None:
    run = weigh("doctor", "--tune", **laptop)
    assert run.code == 2
    assert "governor: " in run.err
    assert files(laptop) == LAPTOP


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--restore",), "there is nothing to restore"),
        (("--tune", "--restore"), "--tune and --restore cannot go together"),
        (("--effect", "govenor"), "there is no knob 'govenor'"),
        (("--effect", "load"), "the knob 'load' cannot be set\n"),
        (("--yes",), "--yes goes with --tune"),
        (("storag",), "there is no command 'storag'; did you mean 'storage'?"),
        (("--effect", "governor", "storage"), "--effect and storage cannot go together"),
    ],
)
def test_usage(weigh: Weigh, laptop: dict[str, str], arguments: tuple[str, ...], said: str) -> None:
    run = weigh("doctor", *arguments, **laptop)
    assert (run.code, run.out) == (2, "")
    assert said in run.err


@pytest.mark.promise("Nothing is set while a measurement is going on")
def test_not_while_somebody_measures(weigh: Weigh, laptop: dict[str, str]) -> None:
    holder = (
        "import sys, time\nfrom weigh.host.lock import measuring\n"
        "with measuring('a run'):\n    print('held', flush=True)\n    time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holder], stdout=subprocess.PIPE, text=True, env=weigh.environment
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        run = weigh("doctor", "--tune", "--yes", **laptop)
        child.kill()
    assert run.code == 2
    assert "a measurement is already going on this machine" in run.err
    assert files(laptop) == LAPTOP


@pytest.mark.long
def test_the_effect_of_a_knob(weigh: Weigh, laptop: dict[str, str]) -> None:
    run = weigh("doctor", "--effect", "governor", "--blocks", "3", "--json", **laptop)
    assert run.code == 0, run.err
    assert [one["kernel"] for one in run.json["kernels"]] == ["sustained", "short", "memory"]
    for one in run.json["kernels"]:
        assert one["calm"]["low"] <= one["calm"]["value"] <= one["calm"]["high"]
        assert one["cv_ratio"]["value"] == pytest.approx(one["restless"]["value"] / one["calm"]["value"])
    assert files(laptop) == LAPTOP


@pytest.mark.long
def test_the_effect_is_undone_when_it_is_interrupted(weigh: Weigh, laptop: dict[str, str]) -> None:
    measuring = weigh.start("doctor", "--effect", "governor", **laptop)
    while files(laptop)[f"{POLICY}/scaling_governor"] != "performance":
        assert measuring.poll() is None
        time.sleep(0.02)
    measuring.send_signal(signal.SIGINT)
    measuring.communicate(timeout=120)
    assert measuring.returncode == 130
    assert files(laptop) == LAPTOP


@pytest.mark.long
def test_the_kernel_itself_is_brought_back_after_a_kill(weigh: Weigh) -> None:
    """For seconds, on a setting that disturbs nobody."""
    if not os.access(ASLR, os.W_OK):
        pytest.skip("this user may not set the layout of addresses (root, outside a container)")
    state = {"XDG_STATE_HOME": str(weigh.folder / "state")}
    before = ASLR.read_text()
    tuning = None
    try:
        ASLR.write_text("1\n")
        tuning = weigh.start("doctor", "--tune", "--yes", **state)
        while ASLR.read_text().strip() != "2":
            assert tuning.poll() is None or ASLR.read_text().strip() == "2"
            time.sleep(0.005)
        tuning.kill()
        tuning.communicate()
        restored = weigh("doctor", "--restore", "--json", **state)
        assert restored.code == 0, restored.err
        assert "aslr" in {change["knob"] for change in restored.json["restored"]}
        assert ASLR.read_text().strip() == "1"
    finally:
        if tuning:
            tuning.kill()
            tuning.communicate()
        # Whatever else it set; exit 2 where nothing is left.
        weigh("doctor", "--restore", **state)
        ASLR.write_text(before)
