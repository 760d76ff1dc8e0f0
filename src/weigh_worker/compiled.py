"""The adapter's modules as weigh has compiled them: a life would spend a third of its start on compiling them again."""

from __future__ import annotations

import marshal
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import CodeType, ModuleType

ADAPTER = "weigh_adapter"
"""The name under which a life imports its adapter."""


class Compiled:
    """Finds modules of the adapter before anybody looks for their sources.

    Args:
        folder: by name the path of the source and its bytecode, marshalled.
    """

    def __init__(self, folder: Path) -> None:
        self._modules: dict[str, tuple[str, bytes]] = marshal.loads(folder.read_bytes())

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What ``sys.meta_path`` asks; None where it is another's."""
        if name not in self._modules:
            return None
        path, code = self._modules[name]
        return spec_from_file_location(name, path, loader=_Loader(name, path, code))


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, code: bytes) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, _name: str) -> CodeType:
        code: CodeType = marshal.loads(self._code)
        return code
