"""How weigh itself reaches a store: its address, its bucket, and keys that never leave this process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.model.data.store import StoreSpec

ACCESS_KEY, SECRET_KEY, TOKEN = "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"
AUTHORITIES = "AWS_CA_BUNDLE"


class Target(NamedTuple):
    """A store, and how to get in.

    Attributes:
        endpoint: its URL.
        bucket: of all objects.
        region: that requests are signed for.
        access_key, secret_key, token: of the store; the token is that of a session, or empty.
        ca: file with the authorities that its certificate is checked against; empty for those of the machine.
    """

    endpoint: str
    bucket: str
    region: str
    access_key: str
    secret_key: str
    token: str = ""
    ca: str = ""

    def __repr__(self) -> str:
        return f"Target({self.endpoint}, {self.bucket})"

    def config(self) -> dict[str, str | None]:
        """As the native half wants it."""
        return {**self._asdict(), "ca": self.ca or None}

    def encoded(self) -> str:
        """What the native half wants, as JSON text."""
        return msgspec.json.encode(self.config()).decode()


def of_spec(name: str, spec: StoreSpec, environment: Mapping[str, str] = os.environ) -> Target:
    """A store that is reached by URL, with keys from the environment.

    Raises:
        UsageError: the environment has no keys.
    """
    missing = [key for key in (ACCESS_KEY, SECRET_KEY) if not environment.get(key)]
    if missing:
        raise UsageError(
            f"no keys: {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set",
            where=f"store {name}",
            remedy=f"export {ACCESS_KEY} and {SECRET_KEY} ({TOKEN} too where they are those of a session)",
        )
    return Target(
        endpoint=spec.endpoint,
        bucket=spec.bucket,
        region=spec.region,
        access_key=environment[ACCESS_KEY],
        secret_key=environment[SECRET_KEY],
        token=environment.get(TOKEN, ""),
        ca=environment.get(AUTHORITIES, ""),
    )
