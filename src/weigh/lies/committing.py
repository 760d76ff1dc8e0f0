"""Lies committed on this machine: commands of a liar and of its twin, run as a user runs them, and what they say."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from weigh.lies.accusations import Accusation, read
from weigh.lies.commissions import COMMISSIONS, ELSEWHERE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weigh.lies.commission import Act, Commission
    from weigh.lies.lie import Lie

Outcome = Literal["caught", "missed", "accused", "failed", "not_here", "not_covered"]
"""``accused`` is the twin, falsely; ``failed``: a command did not do what it does, so nothing was shown."""
SETTINGS = {"WEIGH_SETTLE": "0s", "WEIGH_CONTENTION": "100%", "WEIGH_CALIBRATION": "no", "WEIGH_SHRINK": "no"}
"""What is committed is one lie, whoever else uses the machine meanwhile; and nobody waits for a quiet one."""
_WEIGH = (sys.executable, "-P", "-c", "import sys; sys.argv[0] = 'weigh'; from weigh.cli.main import main; main()")
_LIMIT_S = 300.0
_ENDING_S = 20.0
_LISTED = 160


class Committed(msgspec.Struct, frozen=True, kw_only=True):
    """How it went with one lie.

    Attributes:
        id: of the lie.
        lie: what is done.
        outcome: what came of it.
        code: what was reported of the liar; empty where nothing was committed.
        message: in weigh's words; or why it was not committed, or what failed.
        twin: what was reported of the twin that it must not be determined; empty for nothing.
        seconds: that it took.
        folder: where the evidence lies; empty where there is none.
        commands: what was typed, the liar's and then the twin's.
    """

    id: str
    lie: str
    outcome: Outcome
    code: str = ""
    message: str = msgspec.field(name="said", default="")
    twin: str = ""
    seconds: float = 0.0
    folder: str = ""
    commands: tuple[str, ...] = ()


class _Failed(Exception):
    """A command did not come to what it says."""


def commit(lie: Lie, folder: Path) -> Committed:
    """Commit one lie, and have its twin do the same honestly.

    Args:
        lie: the row.
        folder: where the evidence of all lies goes, one folder a lie.
    """
    commission = COMMISSIONS.get(lie.id)
    if commission is None:
        return Committed(id=lie.id, lie=lie.lie, outcome="not_covered", message=ELSEWHERE.get(lie.id, ""))
    if commission.needs and (why := commission.needs()):
        return Committed(id=lie.id, lie=lie.lie, outcome="not_here", message=why)
    began = time.monotonic()
    forms = (commission, *commission.forms)
    commands: list[str] = []
    for number, form in enumerate(forms, 1):
        place = folder / lie.id / str(number) if commission.forms else folder / lie.id
        commands += [*form.liar.commands, *(form.twin.commands if form.twin else ())]
        committed = _committed(form, place, folder)
        if committed.outcome != "caught":
            break
    return msgspec.structs.replace(
        committed,
        id=lie.id,
        lie=lie.lie,
        seconds=time.monotonic() - began,
        folder=str(folder / lie.id),
        commands=tuple(commands),
    )


def _committed(commission: Commission, place: Path, root: Path) -> Committed:
    """One form of a lie, and its twin."""
    outcome: Outcome = "caught"
    code = text = against = ""
    try:
        liar = _done(commission.liar, place / "liar", root)
        honest = _done(commission.twin, place / "twin", root) if commission.twin else liar
        who = "" if commission.twin else "twin"
        found = _first(liar, lambda one: one.code == commission.code and one.of == (commission.of or one.of))
        accused = _first(honest, lambda one: (not who or one.of == who) and (one.code in commission.accusing))
        # A contender alongside a liar is known by its name, so whatever forbids it something accuses it, too.
        accused = accused or _first(honest, lambda one: bool(who) and one.of == who and one.grave)
        honest_named = not commission.twin_text or any(one.code == commission.twin_text for one in honest)
        if found:
            code, text = found.code, found.text
        else:
            outcome, text = "missed", _instead(liar, commission)
        if accused:
            outcome, against = "accused", f"{accused.code}: {accused.text}"
        elif not honest_named and found:
            outcome, against = "failed", f"nothing says {commission.twin_text}, which is true of it"
    except _Failed as error:
        outcome, text = "failed", str(error)
    return Committed(id="", lie="", outcome=outcome, code=code, message=text, twin=against)


def _first(findings: list[Accusation], which: Callable[[Accusation], bool]) -> Accusation | None:
    return next(filter(which, findings), None)


def _instead(findings: list[Accusation], commission: Commission) -> str:
    """What was reported in the place of the code."""
    other_codes = sorted({one.code for one in findings if one.of == (commission.of or one.of)})
    return f"nothing says {commission.code}; what was reported: {', '.join(other_codes) or 'nothing'}"


def _done(act: Act, folder: Path, root: Path) -> list[Accusation]:
    """What weigh says in the end of what one side does.

    Raises:
        _Failed: a command ended as none that measures, judges or verifies ends.
    """
    from weigh_liars import plug_in

    folder.mkdir(parents=True)
    paths = (str(plug_in.written(root / "plug-in")), os.environ.get("PYTHONPATH", ""))
    python_environment = {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "NO_COLOR": "1"}
    python_environment |= {
        name: value.replace("{folder}", str(folder.absolute())) for name, value in act.settings.items()
    }
    environment = {**SETTINGS, **os.environ, **python_environment}
    findings: list[Accusation] = []
    with ExitStack() as stack:
        server = stack.enter_context(_server(act.server)) if act.server else ""
        for step in act.steps:
            if not isinstance(step, str):
                step(folder)
                continue
            typed = step.replace("{server}", server).replace("{folder}", str(folder.absolute()))
            with (folder / "commands.txt").open("a") as file:
                file.write(f"weigh {typed}\n")
            code, out, err = _run(shlex.split(typed), folder, environment)
            (folder / "said.json").write_text(out)
            if code not in (0, 1, 2, 3):
                raise _Failed(f"`weigh {typed}` ended with {code}: {err.strip()[-300:]}")
            document = _document(out)
            findings = read(document, err)
            if code == 2 and (step is not act.steps[-1] or not findings):
                raise _Failed(f"`weigh {typed}`: {err.strip()[:300]}")
    return findings


def _document(out: str) -> dict[str, Any]:
    try:
        found = json.loads(out)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _run(words: list[str], folder: Path, environment: dict[str, str]) -> tuple[int, str, str]:
    """One command in a process group of its own, so that Ctrl-C reaches it once, and through us.

    Raises:
        KeyboardInterrupt: and the command has ended before.
        _Failed: it took longer than anything here does.
    """
    with subprocess.Popen(
        [*_WEIGH, *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        process_group=0,
    ) as process:
        try:
            out, err = process.communicate(timeout=_LIMIT_S)
        except subprocess.TimeoutExpired:
            _end(process)
            raise _Failed(f"`weigh {shlex.join(words)}` took longer than {_LIMIT_S:.0f} s") from None
        except BaseException:
            _end(process)
            raise
    return process.returncode, out, err


def _end(process: subprocess.Popen[str]) -> None:
    """Interrupt it, so that it puts away what it began; kill it where it does not."""
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=_ENDING_S)
    except subprocess.TimeoutExpired:
        process.kill()


def _server(lie: str) -> Any:
    """A server that lies: an honest one of weigh's own behind a proxy; entered, it is the address."""
    from weigh.lies.server import lying

    return lying(lie)
