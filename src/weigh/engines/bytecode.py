"""What a life imports of weigh and of its adapter, compiled by weigh: once, and not at the start of every life.

A life gets a copy of its own. Nothing that it writes there is read by another life, or by weigh.
"""

from __future__ import annotations

import functools
import marshal
from importlib.machinery import SourceFileLoader
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import weigh_worker
from weigh_worker.compiled import ADAPTER

_HEADER = MAGIC_NUMBER + bytes(12)
"""Of a file of bytecode without a source (importlib): neither its time nor its hash is compared with anything."""
_State = tuple[tuple[str, int, int], ...]


def put(adapter: Path, lib: Path) -> Path:
    """Write what one life imports.

    Args:
        adapter: its adapter module.
        lib: folder of the life, from which it imports; the package ``weigh_worker`` is made in it, and only that
            becomes importable, not what happens to be installed alongside it.

    Returns:
        The file with the adapter's modules, for ``open``.
    """
    package = lib / weigh_worker.__name__
    package.mkdir(parents=True)
    for name, code in _worker().items():
        (package / f"{name}.pyc").write_bytes(_HEADER + code)
    module = lib / "adapter"
    files = sorted(adapter.parent.glob("*.py")) if adapter.name == "__init__.py" else [adapter]
    module.write_bytes(_adapter(adapter, _state(files)))
    return module


@functools.cache
def _worker() -> dict[str, bytes]:
    """Bytecode of the worker's modules."""
    found = {}
    for file in sorted(Path(weigh_worker.__path__[0]).glob("*.py")):
        name = f"{weigh_worker.__name__}.{file.stem}"
        found[file.stem] = marshal.dumps(SourceFileLoader(name, str(file)).get_code(name))
    return found


def _state(files: list[Path]) -> _State:
    """By which a file that was changed meanwhile is known; one that cannot be read is left to the life to complain."""
    found = []
    for file in files:
        try:
            status = file.stat()
        except OSError:
            continue
        found.append((str(file), status.st_mtime_ns, status.st_size))
    return tuple(found)


@functools.cache
def _adapter(adapter: Path, state: _State) -> bytes:
    """Source and bytecode of the adapter's modules by name; what cannot be compiled fails where it is imported."""
    found = {}
    for path, *_ in state:
        name = ADAPTER if path == str(adapter) else f"{ADAPTER}.{Path(path).stem}"
        try:
            code = SourceFileLoader(name, path).get_code(name)
        except (OSError, SyntaxError, ValueError):
            continue
        found[name] = (path, marshal.dumps(code))
    return marshal.dumps(found)
