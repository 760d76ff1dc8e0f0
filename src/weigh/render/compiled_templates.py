"""Templates as Jinja has compiled them, kept as Python keeps its modules: compiling those of one page takes a second.

They lie where the bytecode of a module alongside the template would lie (``__pycache__``, or below
``PYTHONPYCACHEPREFIX``), and are not written where Python may not write bytecode. A folder that cannot be written to
costs time and nothing else.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from contextlib import suppress
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
from jinja2 import BytecodeCache

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from jinja2.bccache import Bucket

_DIGEST = hashlib.sha256().digest_size


class CompiledTemplates(BytecodeCache):
    """Each template in a file of its own, with a digest of everything that it was made from.

    Args:
        makers: modules whose functions templates call: of a constant they are called while it is compiled.
    """

    def __init__(self, makers: Iterable[ModuleType]) -> None:
        states = [(path, path.stat().st_mtime_ns, path.stat().st_size) for path in sorted(map(_source, makers))]
        self._made = hashlib.sha256(f"{jinja2.__version__} {MAGIC_NUMBER!r} {states}".encode())

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """Where the compiled template lies; a module of the template's name lies elsewhere."""
        return cache_from_source(f"{filename or name}.py")

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take what is kept; nothing where it was made from something else, or is not whole."""
        with suppress(OSError):
            retained = Path(bucket.key).read_bytes()
            if retained[:_DIGEST] == self._digest(bucket, retained[_DIGEST:]):
                bucket.code = marshal.loads(retained[_DIGEST:])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled, in one step: others read it meanwhile, or write the same."""
        if sys.dont_write_bytecode or bucket.code is None:
            return
        path = Path(bucket.key)
        code = marshal.dumps(bucket.code)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            half = path.with_name(f"{path.name}.{os.getpid()}")
            file = half.open("xb")
            try:
                with file:
                    file.write(self._digest(bucket, code) + code)
                half.replace(path)
            except BaseException:
                half.unlink(missing_ok=True)
                raise

    def _digest(self, bucket: Bucket, code: bytes) -> bytes:
        found = self._made.copy()
        found.update(bucket.checksum.encode())
        found.update(code)
        return found.digest()


def _source(module: ModuleType) -> Path:
    return Path(str(module.__file__))
