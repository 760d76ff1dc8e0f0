"""Which files a suite may have read: those of its folder, and how much text all of them may come to.

A suite is a folder that somebody else wrote. A path in it that is absolute, climbs out or follows a link out of the
folder would put a file of the reader's into the evidence; templates that fill one another would fill the memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import units
from weigh.model.errors import UsageError
from weigh.model.text import one_line, unreadable

if TYPE_CHECKING:
    from pathlib import Path

LARGEST = 2 << 20
"""Bytes of a file of questions. What takes SQL apart is Python, and needs some 10 seconds for each million of them."""
_EXPANDED = 4 << 20
"""Characters that one file may come to once its templates, includes and substitutions are filled in."""
_SUITE = 128 << 20
"""Characters of all questions of a suite."""
_FILES = 64
"""Files that one may name, and those again."""
_TREE = "benchmark"
"""Folder of DuckDB's sources: files in it are named from the folder around it."""
_SOURCES = ("extension",)
"""Folders alongside it whose files are named so too."""
_TEXTS = (".sql", ".csv", ".in", ".benchmark")


class SuiteFolder:
    """The folder of a suite.

    Args:
        folder: as it was named.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._real = folder.resolve()
        tree = next((one for one in (self._real, *self._real.parents) if one.name == _TREE), None)
        self._sources = tree.parent if tree else None
        self._left = _SUITE

    def text(self, file: Path) -> str:
        """The text of a file that is the suite's own.

        Raises:
            UsageError: it leads out of the folder, is too large, or cannot be read; ``what`` is a clause about it.
        """
        real = self.check(file)
        try:
            if not real.is_file():
                raise UsageError(f"{_short(file.name)} is no file", where=str(file))
            if real.stat().st_size > LARGEST:
                raise too_large(file)
            # With or without the mark that some editors write before the text.
            return real.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(unreadable(error), where=str(file), remedy="give text in UTF-8") from None

    def check(self, file: Path) -> Path:
        """Where a file really is; raises as ``text`` where that is outside."""
        try:
            real = file.resolve()
        except (OSError, RuntimeError):
            raise UsageError(f"{_short(file.name)} is a link that leads nowhere", where=str(file)) from None
        if not self._within(real):
            raise UsageError(f"{_short(file.name)} leads out of the suite's folder: not read", where=str(file))
        return real

    def named(self, file: Path, name: str) -> Path:
        """The file that another one names: next to it, in the suite's folder, or in the tree of DuckDB's sources.

        Raises:
            UsageError: it is not there, or not in the suite's folder.
        """
        if "\0" in name or name.startswith(("/", "~")):
            raise UsageError(
                f"it names {_short(name)}, and a suite reads no file outside of its folder", where=str(file)
            )
        roots = [file.parent, self._real, *([self._sources] if self._sources else [])]
        out = False
        for root in roots:
            found = root / name
            try:
                there = found.is_file()
            except OSError:
                there = False
            if there and self._within(found.resolve()):
                return found
            out = out or there or not self._within(found.resolve())
        if out and ".." in name.split("/"):
            raise UsageError(
                f"it names {_short(name)}, and a suite reads no file outside of its folder", where=str(file)
            )
        if out:
            raise UsageError(
                f"the file {_short(name)} that it names is not there, or leads out of the suite's folder",
                where=str(file),
                remedy="add it",
            )
        raise UsageError(f"the file {_short(name)} that it names is not there", where=str(file), remedy="add it")

    def take(self, length: int) -> bool:
        """Whether so many further characters of questions have room in the suite."""
        self._left -= length
        return self._left >= 0

    def _within(self, real: Path) -> bool:
        if real.is_relative_to(self._real):
            return True
        if self._sources is None:
            return False
        if real.is_relative_to(self._sources / _TREE):
            return True
        return real.suffix in _TEXTS and any(real.is_relative_to(self._sources / one) for one in _SOURCES)


class Budget:
    """How much one file may come to: its templates, includes and substitutions, all of them."""

    def __init__(self) -> None:
        self._characters = _EXPANDED
        self._files = _FILES

    def take(self, characters: int) -> None:
        """Count characters that are about to be made.

        Raises:
            UsageError: there are too many; ``what`` is a clause about the file.
        """
        self._characters -= characters
        if self._characters < 0:
            raise UsageError(
                f"its templates, includes and substitutions come to more than {units.size(_EXPANDED)}",
                remedy="keep a long list of values in a table",
            )

    def file(self) -> None:
        """Count a file that is about to be read; raises as ``take``."""
        self._files -= 1
        if self._files < 0:
            raise UsageError(f"it names more than {_FILES} files", remedy="write them as one")


def too_large(file: Path) -> UsageError:
    """The refusal of a file beyond :data:`LARGEST`; ``what`` is a clause about it."""
    return UsageError(
        f"its file is larger than {units.size(LARGEST)}, and the text of a question is taken apart word by word: keep "
        "a long list of values in a table, and ask for those in it",
        where=str(file),
    )


def _short(name: str) -> str:
    return one_line(name, 80)
