"""One command of weigh in a job, and what it leaves."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

from weigh.ci.outcome import STATES, Outcome, message, write
from weigh.model.text import one_line, visible
from weigh.render.markdown import text as text_markdown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_WEIGH = (sys.executable, "-m", "weigh")
_JUNIT = "junit.xml"
_FAILED = 2
"""Exit code of what gave no result."""
_ERROR = "error: "
_NO_VERDICT = 3
_OPEN = "\nExit code 3: nothing is decided, so the job fails. What would decide it stands above.\n"
_LINES = 60
"""Of a command without a report in Markdown."""


def measure(words: Sequence[str], out: Path) -> Outcome:
    """Carry out a command of weigh, its output going where ours goes, and write what it leaves.

    Args:
        words: after ``weigh``.
        out: the folder that is written.
    """
    # Where nothing can be written nothing is measured.
    out.mkdir(parents=True, exist_ok=True)
    (out / _JUNIT).unlink(missing_ok=True)
    before = {row["evidence"] for row in _runs()}
    printed, failed, code = _carried_out(words)
    made = next((row for row in _runs() if row["evidence"] not in before), None)
    if made is None:
        outcome, comment = _printed(words, printed, failed, code)
    else:
        outcome, comment = _measured(made, failed, code)
    write(out, outcome, comment)
    if made and made["kind"] == "run":
        _read("export", made["evidence"], "--format", "junit", "--out", str(out / _JUNIT))
    return outcome


def _measured(made: dict[str, Any], failed: str, code: int) -> tuple[Outcome, str]:
    """The report of what was measured; of what came to no result the error, with its remedy, below it."""
    evidence = made["evidence"]
    text = _read("report", evidence, "--markdown") or _fenced(_read("report", evidence))
    document = _json(_read("report", evidence, "--json"))
    error = _error(failed) if code == _FAILED else ""
    headline = _sentence(error) or made.get("says") or _sentence(text)
    state = STATES.get(code, "error")
    return (
        Outcome(code=code, state=state, headline=headline, message=message(document, code), evidence=evidence),
        text + (_OPEN if code == _NO_VERDICT else f"\n{_fenced(error)}\n" if error else ""),
    )


def _error(failed: str) -> str:
    """The error with which a command ended, without its messages before."""
    lines = failed.splitlines()
    begin = next((at for at in reversed(range(len(lines))) if lines[at].startswith(_ERROR)), None)
    return "" if begin is None else "\n".join(lines[begin:])


def _printed(words: Sequence[str], printed: str, failed: str, code: int) -> tuple[Outcome, str]:
    """What a command said that leaves no evidence, such as ``judge``, or one that failed before it could."""
    found = message(_document(words) if code != _FAILED else {}, code)
    headline = f"weigh {words[0]}: {_sentence(failed) if code == _FAILED else found}"
    text = f"**{text_markdown(headline)}**\n\n{_fenced(printed if printed.strip() else failed)}\n"
    return Outcome(code=code, state=STATES.get(code, "error"), headline=headline, message=found), text


def _document(words: Sequence[str]) -> dict[str, Any]:
    """The same as JSON, of a command that computes and measures nothing."""
    if words[0] != "judge":
        return {}
    done = subprocess.run([*_WEIGH, *words, "--json"], capture_output=True, text=True, check=False)
    return _json(done.stdout)


def _carried_out(words: Sequence[str]) -> tuple[str, str, int]:
    """What it printed, said on standard error, and its exit code; both are passed on while it runs."""
    with subprocess.Popen([*_WEIGH, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stderr
        collected: dict[str, list[str]] = {"out": [], "err": []}
        passed = ((process.stdout, sys.stdout, "out"), (process.stderr, sys.stderr, "err"))

        def pass_on(source: Any, sink: Any, name: str) -> None:
            for line in source:
                collected[name].append(line)
                sink.write(line)
                sink.flush()

        threads = [threading.Thread(target=pass_on, args=one) for one in passed]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    return "".join(collected["out"]), "".join(collected["err"]), process.returncode


def _runs() -> list[dict[str, Any]]:
    done = subprocess.run([*_WEIGH, "runs", "--json"], capture_output=True, text=True, check=False)
    found: list[dict[str, Any]] = _json(done.stdout).get("runs", [])
    return found


def _json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _read(*words: str) -> str:
    """What a command that reads evidence printed; empty where it refused."""
    done = subprocess.run([*_WEIGH, *words], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def _sentence(text: str) -> str:
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return one_line(first.strip("*").removeprefix(_ERROR))


def _fenced(text: str) -> str:
    lines = visible(text).replace("```", "'''").splitlines()
    more = [f"... and {len(lines) - _LINES} more lines"] if len(lines) > _LINES else []
    return "\n".join(["```", *lines[:_LINES], *more, "```"])
