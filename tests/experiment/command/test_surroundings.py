"""No network, no room, no permission: exit 2, one sentence, and whatever was measured is kept."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Weigh

WEIGH = Path(sys.executable).with_name("weigh")
GATE = ("gate", "--contender", "fork@2.0.0", "--scale", "1K", "--operations", "by_action", "--quiet")
CLOSED = "http://127.0.0.1:9"


@pytest.mark.parametrize(
    "network",
    [{"UV_OFFLINE": "1"}, {"HTTPS_PROXY": CLOSED, "HTTP_PROXY": CLOSED, "ALL_PROXY": CLOSED, "UV_HTTP_RETRIES": "0"}],
    ids=["offline", "proxy gone"],
)
def test_no_network_and_nothing_cached(weigh: Weigh, network: dict[str, str]) -> None:
    nowhere = {"WEIGH_CACHE": str(weigh.folder / "cache"), "UV_CACHE_DIR": str(weigh.folder / "uv")}
    run = weigh(*GATE, **nowhere, **network)
    assert (run.code, run.out) == (2, "")
    assert "no environment with duckdb==2.0.0: the package index cannot be reached, and it is not cached" in run.err
    assert not (weigh.folder / "runs").exists()


@pytest.mark.promise("After that no network is needed.")
def test_no_network_is_no_matter_when_everything_is_cached(weigh: Weigh) -> None:
    assert weigh(*GATE).code == 0
    assert weigh(*GATE, UV_OFFLINE="1", HTTPS_PROXY=CLOSED, UV_CACHE_DIR=str(weigh.folder / "uv")).code == 0


def test_a_version_that_does_not_exist(weigh: Weigh) -> None:
    """Known without a network: uv refuses what is no version at all."""
    run = weigh("gate", "--contender", "duckdb@99.99.99", "--scale", "1K", "--quiet")
    assert run.code == 2
    assert "duckdb==99.99.99" in run.err


def test_a_cache_that_cannot_be_written(weigh: Weigh) -> None:
    (weigh.folder / "file").touch()
    run = weigh(*GATE, WEIGH_CACHE=str(weigh.folder / "file"))
    assert (run.code, run.out) == (2, "")
    assert "cannot write the cache" in run.err
    assert "WEIGH_CACHE" in run.err


@pytest.mark.parametrize("command", ["run", "gate"])
def test_a_cache_where_nothing_can_be_made_is_no_full_disk(weigh: Weigh, command: str) -> None:
    run = weigh(command, *GATE[1:], WEIGH_CACHE="/proc/nope")
    assert (run.code, run.out) == (2, "")
    assert "error: /proc/nope: cannot write data (No such file or directory)\n" in run.err
    assert "set WEIGH_CACHE to a folder that is" in run.err


@pytest.mark.parametrize("out", ["file", "/proc/nowhere"])
def test_evidence_that_cannot_be_written(weigh: Weigh, out: str) -> None:
    (weigh.folder / "file").touch()
    run = weigh(*GATE, "--out", out)
    assert (run.code, run.out) == (2, "")
    assert f"{out}: the evidence cannot be written" in run.err
    assert "--out" in run.err


def test_a_lock_that_cannot_be_opened(weigh: Weigh) -> None:
    run = weigh("run", *GATE[1:], WEIGH_LOCK=str(weigh.folder))
    assert run.code == 2
    assert "the measurement lock cannot be opened" in run.err


FULL_DISK = """
import json, pathlib, subprocess, sys
from support.waiting import eventually, journalled
weigh, folder = sys.argv[1], pathlib.Path.cwd()
(folder / "runs").mkdir()
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", "runs"], check=True)
arguments = ["--contender", "duckdb@2.0.0", "--scale", "1K", "--operations", "by_action,by_proto", "--quiet"]
measuring = subprocess.Popen([weigh, "run", *arguments, "--starts", "500"], stderr=subprocess.PIPE, text=True)
eventually(journalled(folder, "turn"))
try:
    with (folder / "runs" / "filler").open("wb", buffering=0) as filler:
        while filler.write(bytes(4096)) == 4096:
            pass
except OSError:
    pass
said = measuring.communicate()[1]
(evidence,) = (folder / "runs").glob("2*")
after = [subprocess.run([weigh, what, str(evidence)], capture_output=True, text=True) for what in ("report", "verify")]
print(json.dumps([measuring.returncode, said, *([done.returncode, done.stdout] for done in after)]))
"""


FULL_TEMPORARY = """
import json, os, pathlib, subprocess, sys
weigh, bundle = sys.argv[1], sys.argv[2]
temporary = pathlib.Path.cwd() / "temporary"
temporary.mkdir()
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", temporary], check=True)
environment = {**os.environ, "TMPDIR": str(temporary)}
gate = ["gate", "--contender", "duckdb@2.0.0", "--scale", "1K", "--operations", "by_action", "--quiet"]
commands = (["verify", bundle], ["reproduce", bundle], gate)
each = [subprocess.run([weigh, *words], capture_output=True, text=True, env=environment) for words in commands]
print(json.dumps([[done.returncode, done.stderr] for done in each]))
"""


def namespace() -> list[str]:
    """How to begin a command that may mount a disk of its own."""
    for command in (["unshare", "--mount"], ["unshare", "--mount", "--map-root-user"]):
        trial = [*command, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
        if shutil.which("unshare") and subprocess.run(trial, capture_output=True, check=False).returncode == 0:
            return command
    pytest.skip("this user may not mount a small disk to fill (unshare --mount)")


def test_a_full_folder_for_temporary_files_is_no_fault_of_what_was_to_be_read(weigh: Weigh) -> None:
    gate = ("gate", "--contender", "duckdb@2.0.0", "--scale", "1K", "--operations", "by_action", "--quiet")
    assert weigh(*gate).code == 0
    assert weigh("export", "latest", "--bundle", "--out", "whole.weigh").code == 0
    done = subprocess.run(
        [*namespace(), sys.executable, "-c", FULL_TEMPORARY, str(WEIGH), "whole.weigh"],
        cwd=weigh.folder,
        env=weigh.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    for code, said in json.loads(done.stdout):
        assert code == 2, said
        assert f"error: {weigh.folder}/temporary" in said
        assert "No space left on device" in said and "[Errno" not in said
        assert "set TMPDIR to a folder that you may write" in said
    assert weigh("verify", "whole.weigh").code == 0


@pytest.mark.long
@pytest.mark.promise(
    "A full disk stops the run with exit 2. The space for the seal is reserved at the beginning, and "
    "what was written is sealed."
)
def test_a_disk_that_fills_up_while_measuring(weigh: Weigh) -> None:
    done = subprocess.run(
        [*namespace(), sys.executable, "-c", FULL_DISK, str(WEIGH)],
        cwd=weigh.folder,
        env={**weigh.environment, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    code, said, report, verify = json.loads(done.stdout)
    assert code == 2, said
    assert "the evidence cannot be written: No space left on device" in said
    assert "what happened until then is kept in runs/" in said
    assert report[0] == 0
    text = " ".join(word for word in report[1].split() if word != "[SUGGESTIVE]")
    assert "Not complete: the evidence cannot be written: No space left on device." in text
    assert verify[0] == 0, verify
