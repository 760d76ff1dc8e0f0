"""Pages that were computed, until what they are made from changes: one of thousands of operations takes a while."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.kinds.kind import Kind

_ATTEMPT = re.compile(r"[0-9]+-[0-9a-f]{12}-[0-9]+")
_MOST = 64 << 20
"""Bytes of all pages that are kept."""

_Stamps = tuple[tuple[str, int, int, int, int], ...]


class Pages:
    """Pages of evidence. One thread at a time."""

    def __init__(self) -> None:
        self._pages: OrderedDict[Path, tuple[_Stamps, bytes]] = OrderedDict()

    def page(self, folder: Path, kind: Kind[Any, Any]) -> bytes:
        """The page of an evidence, computed anew once any file that it is made from has changed.

        Raises:
            EvidenceFault: as of :meth:`weigh.kinds.kind.Kind.html`.
        """
        if not _ATTEMPT.fullmatch(folder.name):
            # A ladder is made from other evidence too.
            return kind.html(folder)
        # Before it is computed: what changes meanwhile is observed the next time.
        stamps = _stamps(folder)
        known = self._pages.pop(folder, None)
        page = known[1] if known and known[0] == stamps else kind.html(folder)
        self._pages[folder] = stamps, page
        while sum(len(one) for _, one in self._pages.values()) > _MOST:
            self._pages.popitem(last=False)
        return page


def _stamps(folder: Path) -> _Stamps:
    """Of every file of all attempts of an experiment: they are read together."""
    experiment = folder.name.split("-")[1]
    attempts = [one for one in folder.parent.iterdir() if f"-{experiment}-" in one.name]
    found = []
    for attempt in attempts:
        for path in attempt.rglob("*"):
            about = path.lstat()
            found.append((str(path), about.st_mtime_ns, about.st_ctime_ns, about.st_size, about.st_ino))
    return tuple(sorted(found))
