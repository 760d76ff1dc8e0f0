"""What ``weigh data probe-checksums`` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Group
from rich.text import Text

from weigh.doctor.checksum_probe import CODECS
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import RenderableType

    from weigh.doctor.checksum_probe import Probe, Reader, Reading, Writing

SCHEMA = "weigh/checksums/1"
_LABEL, _CELL = 40, 8
_STYLE = {"raised": "green", "wrong": "red", "right": "yellow"}


def document(found: Probe) -> dict[str, Any]:
    """The matrix as JSON."""
    return {"schema": SCHEMA, **msgspec.to_builtins(found), "verify": sorted(verifying(found))}


def report(found: Probe) -> RenderableType:
    """The matrix for a terminal."""
    parts: list[RenderableType] = [Text("Which writers give pages checksums", style="bold")]
    parts += [Text(f"  {line}") for line in _writers(found.writers)]
    writers = list(dict.fromkeys(one.writer for one in found.readings))
    for writer in writers:
        for checksums in (True, False):
            of = [one for one in found.readings if (one.writer, one.checksums) == (writer, checksums)]
            if of:
                parts += [Text(), *_matrix(_heading(writer, found, checksums=checksums), of, found.readers)]
    parts += [Text(), *_conclusion(found)]
    return Group(*parts)


def verifying(found: Probe) -> set[str]:
    """Contenders that raise on every damaged page with a checksum, and not on every one without."""
    by: dict[tuple[str, bool], list[bool]] = {}
    for one in found.readings:
        by.setdefault((one.contender, one.checksums), []).append(one.noticed == "raised")
    return {
        name for name, checksums in by if checksums and all(by[name, True]) and not all(by.get((name, False), [False]))
    }


def _writers(writers: Iterable[Writing]) -> Iterator[str]:
    for one in writers:
        settings = "".join(f", {name}={value}" for name, value in one.settings.items())
        able = [codec for codec, has in one.checksums.items() if has]
        without = [codec for codec, has in one.checksums.items() if has is False]
        unable = [codec for codec, has in one.checksums.items() if has is None]
        what = "no" if not able else "yes" if not without else f"with {', '.join(able)} only"
        lacks = f" (does not write {', '.join(unable)})" if unable else ""
        yield f"{one.engine} {one.version}{settings}: {what}{lacks}"


def _heading(writer: str, found: Probe, *, checksums: bool) -> str:
    version = next(one.version for one in found.writers if one.engine == writer)
    return f"Files by {writer} {version} with" + (" page checksums" if checksums else "out them, for comparison")


def _matrix(heading: str, readings: list[Reading], readers: Iterable[Reader]) -> Iterator[RenderableType]:
    yield Text(heading, style="bold")
    words = {
        page: {(one.contender, one.codec): one.noticed for one in readings if one.page == page}
        for page in ("data", "dictionary")
    }
    if words["data"] == words["dictionary"]:
        words = {"data or dictionary": words["data"]}
    for page, cells in words.items():
        head = f"  a bit of a {page} page"
        yield Text(head.ljust(_LABEL) + "".join(codec.ljust(_CELL) for codec in CODECS).rstrip(), style="dim")
        for reader in readers if cells else ():
            label, *more = _label(reader)
            line = Text(f"  {label}".ljust(_LABEL))
            for codec in CODECS:
                word = cells.get((reader.name, codec), "-")
                line.append(word.ljust(_CELL), style=_STYLE.get(word, ""))
            line.rstrip()
            yield line
            for setting in more:
                yield Text(f"    {setting}", style="dim")
    if any(not one.decodes for one in readings):
        broken = sorted({one.codec for one in readings if not one.decodes})
        yield Text(
            f"  {', '.join(broken)}: a checksum of its own, or no flip that can be decoded was found",
            style="dim",
        )


def _label(reader: Reader) -> list[str]:
    settings = [one_line(f"{name}={value}") for name, value in reader.settings.items()]
    return [f"{reader.engine} {reader.version}", *settings]


def _conclusion(found: Probe) -> Iterator[RenderableType]:
    verify = verifying(found)
    silent = {one.contender for one in found.readings if one.checksums and one.noticed == "wrong"}
    names = [reader.name for reader in found.readers]
    for what, which in (("compares page checksums", verify), ("answers wrongly and says nothing", silent)):
        named = [one_line(name) for name in names if name in which]
        yield Text(f"{what}: {', '.join(named) if named else 'nobody'}", style="bold")
