"""Any system by its ADBC driver: answers arrive as Arrow. Nothing else is known of it."""

from __future__ import annotations

import importlib
import inspect
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from .dbapi import DRIVER, DbApi

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from .address import Address


class Adbc(DbApi):
    """A driver of ``adbc_driver_manager``; the contender's settings are its options."""

    name = "adbc"
    lineage = ""
    about = "any system by an ADBC driver, adbc:NAME+PACKAGE==VERSION?uri=VALUE; nothing is known of its caches"
    client = ("adbc-driver-manager==1.13.0",)

    def connect(self, address: Address, options: Mapping[str, Any]) -> Any:
        """What the driver's ``connect`` returns: what it has no argument for is an option of its database.

        Without ``autocommit`` every session would hold one transaction open to its end.
        """
        given = dict(options)
        module = str(given.pop(DRIVER))
        connect = importlib.import_module(module if "." in module else f"adbc_driver_{module}.dbapi").connect
        taken = inspect.signature(connect).parameters
        named = {name: given.pop(name) for name in tuple(given) if name in taken}
        if "autocommit" in taken or any(one.kind is one.VAR_KEYWORD for one in taken.values()):
            named.setdefault("autocommit", True)
        if address.password and not (uri := with_password(str(named.get("uri", "")), address.password)):
            given["password"] = address.password
        elif address.password:
            named["uri"] = uri
        if given and "db_kwargs" not in taken:
            raise TypeError(f"connect() of {connect.__module__} takes {', '.join(taken)}, not {', '.join(given)}")
        if given:
            named["db_kwargs"] = {name: _option(value) for name, value in given.items()}
        try:
            return connect(**named)
        except Exception as error:
            if address.password:
                error.args = (str(error).replace(quote(address.password, ""), "***").replace(address.password, "***"),)
            raise

    def fetch(self, cursor: Any) -> pa.Table:
        """Its batches, put together."""
        return cursor.fetch_arrow_table()


def with_password(uri: str, password: str) -> str:
    """The address of a user, with the password that it leaves out; empty where it names no user.

    The driver of PostgreSQL has no other place for one.
    """
    scheme, separator, rest = uri.partition("://")
    user, at, place = rest.partition("@")
    if not (separator and at and user) or set(user) & set("/?#:"):
        return ""
    return f"{scheme}://{user}:{quote(password, '')}@{place}"


def _option(value: Any) -> str:
    """Options of ADBC are text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


PROFILE = Adbc()
