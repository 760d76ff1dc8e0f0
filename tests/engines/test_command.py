"""Commands, from the command line."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weigh.engines.command.adapter import parts
from weigh.host import cgroup
from weigh.model.contender import parse_contender
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Weigh


def gate(weigh: Weigh, one: str, other: str, *flags: str) -> tuple[int, str]:
    run = weigh("gate", "--command", f"a={one}", "--command", f"b={other}", "--no-shrink", "--json", *flags)
    assert run.code in (0, 1), run.err
    (row,) = run.json["gate"]
    return run.code, row["status"]


@pytest.mark.long
def test_commands_that_print_the_same_agree_and_others_do_not(weigh: Weigh) -> None:
    assert gate(weigh, "printf 1", "printf 1") == (0, "agreed")
    assert gate(weigh, r"printf 'a\\r\\nb\\n'", r"printf 'a\\r\\nb\\n'") == (0, "agreed")
    assert gate(weigh, "echo '[1]'", "echo '[ 1 ]'", "--output", "json") == (0, "agreed")
    assert gate(weigh, "printf 1", "printf 2") == (1, "diverged")


def test_a_gate_that_would_compare_nothing_is_refused(weigh: Weigh) -> None:
    run = weigh("gate", "--command", "a=echo 1", "--command", "b=echo 2", "--output", "none")
    assert run.code == 2
    assert "nothing to compare" in run.err


def test_a_command_that_takes_too_much_memory_is_an_outcome_with_its_reason(weigh: Weigh) -> None:
    usable = cgroup.usable()
    if usable is None:
        pytest.skip("no control group can be made here")
    large = f"{sys.executable} -c 'bytearray(400 << 20)'"
    commands = ("--command", f"large={large}", "--command", "small=printf 1", "--memory-limit", "150M")
    run = weigh("gate", *commands, "--no-shrink", "--json")
    found = {row["status"]: str(row) for row in run.json["gate"]}
    assert found.keys() == {"error", "unverified"}, found
    assert "out_of_memory: MemoryError: the kernel ended it, when the memory that it may use was full" in found["error"]


def test_what_may_differ_is_asked_for(weigh: Weigh) -> None:
    assert gate(weigh, r"printf 'a\nb\n'", r"printf 'b\na\n'") == (1, "diverged")
    assert gate(weigh, r"printf 'a\nb\n'", r"printf 'b\na\n'", "--output", "lines") == (0, "agreed")


@pytest.mark.parametrize(
    ("output", "one", "other", "equal"),
    [
        ("exact", b"a\n", b"a", False),
        ("exact", b"a\r\n", b"a\n", False),
        ("exact", b"\xff\n", b"\xfe\n", False),
        ("lines", b"a\r\nb\n", b"b\na", True),
        ("lines", b"a\na\n", b"a\n", False),
        ("json", b'{"a": 1, "b": [1, 2]}', b'{"b":[1,2],"a":1}', True),
        ("json", b"[1, 2]", b"[2, 1]", False),
        ("json", b"[2.0, 1e3, -0.0]", b"[2, 1000, 0]", True),
        ("json", b"[9007199254740993.0]", b"[9007199254740992]", False),
        ("json", b"[2.5]", b"[2]", False),
        ("none", b"a", b"b", True),
    ],
)
def test_what_of_an_output_is_compared(output: str, one: bytes, other: bytes, equal: bool) -> None:
    assert (parts(one, output) == parts(other, output)) == equal


def test_a_command_that_fails_is_named_with_its_reason(weigh: Weigh) -> None:
    run = weigh("gate", "--command", "a=true", "--command", "b=sh -c 'echo no disk >&2; exit 3'")
    assert "b failed on command: exit code 3: no disk." in " ".join(run.out.split())


def test_a_program_that_is_not_there_is_an_error_before_anything_runs(weigh: Weigh) -> None:
    run = weigh("run", "--command", "a=true", "--command", "b=./nosuch")
    assert run.code == 2
    assert "it cannot be started: there is no program './nosuch'" in run.err


def test_a_report_of_a_command_names_it_as_the_user_did(weigh: Weigh) -> None:
    run = weigh("gate", "--command", "one=echo 1", "--command", "two=echo 2")
    bug = weigh("report", str(run.evidence), "--bug").out
    assert bug.startswith("## one: an answer that differs to command\n")
    assert "Compared with: two. Nothing tells who is right." in bug
    assert "```sql" not in bug


@pytest.mark.parametrize(
    "text", ["curl --token abc x", "API_KEY=abc ./x", "psql postgres://me:abc@h/d", "x --password=abc"]
)
def test_a_secret_in_a_command_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(UsageError, match="holds a secret") as refused:
        parse_contender(f"a=command:{text}")
    assert "abc" not in str(refused.value)


@pytest.mark.parametrize(
    "text", ["./tokenizer input.txt", "llm --max-tokens 100", "./privatise data", "cat secrets.md"]
)
def test_words_that_are_no_secret_are_no_secret(text: str) -> None:
    assert parse_contender(f"a=command:{text}").settings["weigh.command"] == text


def test_commands_and_questions_are_not_mixed(weigh: Weigh) -> None:
    run = weigh("run", "--command", "a=true", "--scale", "20K")
    assert (run.code, "--command and --scale" in run.err) == (2, True)


def test_a_command_that_prints_the_time_of_day_is_not_called_wrong(weigh: Weigh) -> None:
    run = weigh("gate", "--command", "a=date +%N", "--command", "b=date +%N", "--no-shrink")
    assert "WRONG" not in run.out
    assert "Who is right is open" in run.out
    assert "--output" in run.out


def test_a_command_that_failed_is_not_answered_with_another_comparison(weigh: Weigh) -> None:
    run = weigh("gate", "--command", "a=false", "--command", "b=echo 1")
    assert "A command that failed confirms nothing." in " ".join(run.out.split())
    assert "--output" not in run.out


def test_a_command_alone_is_told_to_bring_another(weigh: Weigh) -> None:
    run = weigh("gate", "--command", "a=echo 1")
    assert "another command (--command NAME=TEXT)" in " ".join(run.out.split())


def test_commands_of_a_file_are_witnesses_of_each_other(weigh: Weigh) -> None:
    table = '[[contender]]\nname = "{}"\nengine = "command"\nsettings = {{ "weigh.command" = "echo 1" }}\n'
    weigh.folder.joinpath("weigh.toml").write_text(
        table.format("a") + table.format("b") + '[experiment]\nworkload = "command-exact"\n'
    )
    run = weigh("gate", "--no-shrink", "--json")
    assert (run.code, run.json["gate"][0]["status"]) == (0, "agreed"), run.err


@pytest.mark.parametrize("flags", [("--workload", "netflow", "--scale", "2K"), ("--contender", "duckdb")])
def test_commands_are_compared_with_commands_alone(weigh: Weigh, flags: tuple[str, ...]) -> None:
    (weigh.folder / "weigh.toml").write_text(
        "[experiment]\nworkload = 'command-exact'\n"
        "[[contender]]\nname = 'old'\nengine = 'command'\nsettings = {'weigh.command' = 'echo 1'}\n"
    )
    run = weigh("gate", "--contender", "old", *flags)
    assert (run.code, "and the workload is" in run.err) == (2, True)


def test_nothing_stays_of_a_command_whose_weigh_is_killed(weigh: Weigh) -> None:
    """Not what the command started either, which left its session."""
    script = weigh.folder / "slow.sh"
    script.write_text("#!/bin/sh\necho $$ > pid\nexec setsid -w sleep 321\n")
    script.chmod(0o755)
    words = [sys.executable, "-m", "weigh", "run", "--command", "one=./slow.sh", "--command", "two=./slow.sh"]
    running = subprocess.Popen(words, cwd=weigh.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert within(60, (weigh.folder / "pid").exists)
        assert within(10, lambda: sleeping(weigh.folder))
    finally:
        running.kill()
        running.wait()
    assert within(20, lambda: not sleeping(weigh.folder))


def sleeping(folder: Path) -> list[str]:
    """The processes that sleep in this folder."""
    found = []
    for one in Path("/proc").iterdir():
        with suppress(OSError):
            here = one.name.isdigit() and (one / "cwd").readlink() == folder.resolve()
            if here and (one / "cmdline").read_bytes().startswith(b"sleep"):
                found.append(one.name)
    return found


def within(seconds: float, done: Callable[[], object]) -> bool:
    """Whether something comes about in that time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if done():
            return True
        time.sleep(0.05)
    return False


def test_of_what_commands_print_there_is_no_excerpt_and_no_defect(weigh: Weigh) -> None:
    run = weigh("gate", "--command", "a=printf 1", "--command", "b=printf 2", "--json", WEIGH_SHRINK="yes")
    (shrunk,) = (one["text"] for one in run.json["findings"] if one["code"] == "X.shrink")
    assert shrunk == "no reproducer: it reads no tables, of which an excerpt could be made"


def test_answers_of_an_earlier_attempt_are_called_so(weigh: Weigh) -> None:
    (weigh.folder / "b").write_text("2")
    commands = ("gate", "--command", "a=printf 1", "--command", "b=cat b", "--no-shrink")
    assert "command, all: a against b" in " ".join(weigh(*commands).out.split())
    (weigh.folder / "b").write_text("1")
    again = weigh(*commands)
    assert again.code == 1
    assert "command, all (attempt 1): a against b" in " ".join(again.out.split())
