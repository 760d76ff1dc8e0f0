"""Systems that are measured and are no package: folders of scripts, and what weigh does not start."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.model import codes
from weigh.model.contender import COMMAND, DRIVER, URL
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from weigh.engines.engine import Engine
    from weigh.model.contender import Contender, Setting
    from weigh.model.finding import Finding

CONTENTS = "weigh.contents"
"""Setting by which an adapter is told the hash of the folder's files: with other files it is another contender."""
_LARGEST = 4 << 20
"""Bytes of a file that is hashed; of larger ones, which no script is, the size counts."""
_NOT_ITS = ("results", ".git")


def folder_settings(engine: Engine, contender: Contender) -> dict[str, Setting]:
    """The folder as an absolute path, and the hash of what is in it.

    Args:
        engine: has a ``place``.
        contender: of that engine.

    Raises:
        UsageError: it names no folder, the folder lacks something, or it is asked for what no folder has.
    """
    where = f"contender {contender.name}"
    if contender.version:
        raise UsageError(
            "a folder has no versions", where=where, remedy=f"leave @{contender.version} out: its files say what it is"
        )
    if settings := contender.engine_settings():
        raise UsageError(
            f"scripts take no settings ({', '.join(settings)})",
            where=where,
            remedy="change the scripts in a copy of it",
        )
    named = str(contender.settings.get(engine.place, ""))
    folder = Path(named).expanduser().resolve()
    if not named or not folder.is_dir():
        raise UsageError(
            f"'{named}' is no folder" if named else "it names no folder",
            where=where,
            remedy=f"write {engine.name}:FOLDER, e.g. {engine.name}:./sqlite",
        )
    paths = {name: folder / name for name in engine.executables}
    if missing := [name for name, path in paths.items() if not path.is_file()]:
        raise UsageError(
            f"{named} has no {', '.join(missing)}",
            where=where,
            remedy=f"name a folder that has {', '.join(paths)}: docs/reference/engines.md, ClickBench",
        )
    if barred := [name for name, path in paths.items() if not os.access(path, os.X_OK)]:
        raise UsageError(
            f"{named}: {', '.join(barred)} cannot be executed", where=where, remedy=f"chmod +x {' '.join(barred)}"
        )
    return {engine.place: str(folder), CONTENTS: _hash(folder, where)}


def _hash(folder: Path, where: str) -> str:
    hashed = hashlib.sha256()
    try:
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            if path.is_file() and inside.parts[0] not in _NOT_ITS:
                size = path.stat().st_size
                hashed.update(f"{inside}\0{size}\0".encode(errors="surrogateescape"))
                hashed.update(path.read_bytes() if size <= _LARGEST else b"")
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}", where=where, remedy="make it readable") from None
    return hashed.hexdigest()


def start_remedy(contender: Contender) -> str:
    """What to look at when a life does not get as far as describing itself."""
    if COMMAND in contender.settings:
        return "name a program of this folder or of PATH; for pipes and variables write sh -c '...'"
    if DRIVER in contender.settings:
        return (
            "name its packages (+PACKAGE==VERSION), the arguments that its connect has, and the password (weigh.secret)"
        )
    if contender.remote:
        return "check that its server runs there and takes this user and password (weigh.secret), and its settings"
    return "check its version and settings (weigh engines)"


def findings(engine: Engine, name: str) -> list[Finding]:
    """What cannot be known of a system that weigh does not start."""
    sessions = codes.T10_SESSIONS.finding(
        contender=name,
        text="its starts are sessions of one server that weigh did not start: what is found holds for that server, as "
        "it ran then",
        remedy="measure again after it was started anew, and on another day",
    )
    found = [sessions]
    if not engine.caches_known:
        found.append(
            codes.A9_UNKNOWN.finding(
                contender=name,
                text="whether it has a cache of results is not known: nobody has described that to weigh",
                remedy="switch its caches off where it is started; a profile would read that back",
            )
        )
    if engine.never_run:
        found.append(
            codes.X_NEVER_RUN.finding(
                contender=name,
                text=f"the profile of {engine.name} was written from documentation and never run: what fails here "
                "may be weigh's fault, and so may an answer that differs",
                remedy="report what happened, with the evidence (weigh report --bug)",
            )
        )
    return found


def unknown_place(engine: Engine, contender: Contender, place: str) -> UsageError:
    """The mistake of who writes ``ENGINE:PLACE`` of an engine that knows no places, with what is wanted instead."""
    remedy = f"write {engine.name}@VERSION for a version, {engine.name}@FOLDER for a build; clickbench:FOLDER is a "
    remedy += "folder of scripts"
    if place == "embedded":
        # It is what weigh load calls a server that weigh starts.
        remedy = f"write {engine.name}: weigh starts its server, too"
        if URL in engine.variants:
            remedy += f"; one that runs already is {engine.name}://HOST:PORT/DATABASE"
    return UsageError(
        f"'{engine.name}:{place}' is not a form of a contender", where=f"contender {contender.name}", remedy=remedy
    )


def check_named(engine: Engine, contender: Contender) -> None:
    """See whether a system that runs elsewhere, or a command, is named.

    Raises:
        UsageError: nobody says where it is, or what it is.
    """
    elsewhere = engine.statistics and {URL, DRIVER} & {*engine.variants}
    if elsewhere and not {URL, DRIVER} & contender.settings.keys():
        how = f"{engine.name}:MODULE+PIN?ARG=VALUE" if DRIVER in engine.variants else f"{engine.name}://HOST:PORT"
        raise UsageError(
            f"{engine.name} runs elsewhere, and nobody says where",
            where=f"contender {contender.name}",
            remedy=f"name it as {how} (docs/reference/systems.md)",
        )
    if engine.name == "command" and COMMAND not in contender.settings:
        raise UsageError(
            "it names no command",
            where=f"contender {contender.name}",
            remedy="give it by --command",
        )
