"""Whether a scheduler of Dask answers at an address, asked before a client is made: one that cannot join never ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import distributed
from distributed.comm import connect

if TYPE_CHECKING:
    from weigh.model.units import Seconds


def check(address: str, within: Seconds) -> None:
    """Shake hands with it.

    Args:
        address: ``tcp://HOST:PORT`` or ``tls://HOST:PORT``.
        within: how long it may take.

    Raises:
        OSError: nobody listens there, ``tls://`` has no certificates, or it is no scheduler.
    """
    arguments = distributed.Security().get_connection_args("client")
    if address.startswith("tls://") and arguments.get("ssl_context") is None:
        raise OSError("tls:// needs certificates, and none are named")

    async def shake_hands() -> None:
        # Its own limit does not end a wait for somebody who takes the connection and says nothing.
        comm = await asyncio.wait_for(connect(address, timeout=within, **arguments), within + 1)
        await comm.close()

    try:
        asyncio.run(shake_hands())
    except TimeoutError:
        raise OSError(f"who listens there is no scheduler, or did not answer within {within:g} s") from None
