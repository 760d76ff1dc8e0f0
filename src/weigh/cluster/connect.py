"""A cluster by what ``--on`` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from weigh.cluster.place import Place
    from weigh.model.progress import Progress
    from weigh.model.units import Seconds

FORMS = "dask://HOST:PORT, tls://HOST:PORT or local:N"
"""What ``--on`` takes."""
WAIT: Seconds = 60.0
"""For the scheduler to answer, and for a first worker."""
_MOST_LOCAL = 1024


def connect(on: str, progress: Progress, *, wait: Seconds = WAIT) -> AbstractContextManager[Place]:
    """A cluster, entered when at least one worker is there and every worker is compared.

    Args:
        on: as :data:`FORMS`.
        progress: reports who joined.
        wait: seconds for the scheduler and a first worker.

    Raises:
        UsageError: ``on`` has no such form, or what carries the work is not installed.
        EnvironmentFault: nobody answers, no worker is there, or one has other versions.
    """
    address = parsed(on)
    try:
        from weigh.cluster.on_dask import DaskPlace
    except ImportError as error:
        raise UsageError(
            f"a cluster needs Dask distributed, which is not installed ({error.name})",
            where=on,
            remedy="install it here and on every worker: pip install 'weigh[cluster]'",
        ) from None
    return DaskPlace(address, progress, wait)


def parsed(on: str) -> str | int:
    """The scheduler's address in its own form, or how many processes of this machine.

    Raises:
        UsageError: it is neither.

    Example:
        >>> parsed("dask://10.0.0.1:8786"), parsed("tls://head:8786"), parsed("local:2")
        ('tcp://10.0.0.1:8786', 'tls://head:8786', 2)
    """
    scheme, colon, rest = on.partition(":")
    if scheme == "local" and rest.isdecimal() and 1 <= int(rest) <= _MOST_LOCAL:
        return int(rest)
    host, _, port = rest.removeprefix("//").rpartition(":")
    if colon and scheme in ("dask", "tls") and rest.startswith("//") and host and port.isdecimal():
        return f"{'tcp' if scheme == 'dask' else scheme}://{host}:{port}"
    raise UsageError(f"'{on}' names no cluster", where="--on", remedy=f"say {FORMS}")
