"""One life of a contender at a store: the keys made up for it, and what it asked for."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from weigh.model.data.store import Requests, StoreAccess

if TYPE_CHECKING:
    from weigh._native import StoreProxy


class Life:
    """Known to the proxy until it is closed.

    Args:
        proxy: through which it reads.
        layout: name of what it reads.
        root: what the keys of its objects begin with in the store, and not for it.
        region: that requests are signed for.
        ca: file with the authority that signed the proxy's certificate; empty without TLS.
    """

    def __init__(self, proxy: StoreProxy, layout: str, root: str, region: str, ca: str = "") -> None:
        self._proxy = proxy
        self._root = root
        self.layout = layout
        self.closed = False
        # With a certificate for a name: not every client believes one for an address.
        endpoint = f"https://localhost:{proxy.port}" if ca else f"http://127.0.0.1:{proxy.port}"
        key, secret = f"WEIGH{secrets.token_hex(8).upper()}", secrets.token_urlsafe(30)
        self.access = StoreAccess(endpoint=endpoint, access_key=key, secret_key=secret, region=region, ca=ca)
        proxy.admit(key, root)

    def take(self) -> Requests | None:
        """What it asked for since this was last asked; None where the proxy is gone."""
        counted = self._proxy.take(self.access.access_key)
        return Requests(**counted) if counted is not None else None

    def point(self, root: str | None = None) -> None:
        """From now on its keys lead to what lies behind another root; None for its own."""
        self._proxy.point(self.access.access_key, self._root if root is None else root)

    def close(self) -> None:
        """Its keys open nothing any more."""
        self.closed = True
        self._proxy.dismiss(self.access.access_key)
