"""Any system by the DB-API module that a contender names: all that is known of it is the standard (PEP 249)."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from .profile import Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .address import Address
    from .profile import Rows

DRIVER = "weigh.driver"


class DbApi(Profile):
    """A module with ``connect``; the contender's settings are its arguments."""

    name = "dbapi"
    lineage = ""
    about = (
        "any system by a DB-API module, dbapi:MODULE+PACKAGE==VERSION?ARGUMENT=VALUE; nothing is known of its caches"
    )
    by_driver = True
    caches = None
    ways = ("exists",)

    def connect(self, address: Address, options: Mapping[str, Any]) -> Any:
        """What the module's ``connect`` returns, with the password as its argument ``password``."""
        arguments = dict(options)
        module = importlib.import_module(str(arguments.pop(DRIVER)))
        if address.password:
            arguments["password"] = address.password
        return _each_by_itself(module.connect(**arguments))

    def version(self, ask: Callable[[str], Rows]) -> str:
        """What ``version()`` says, or SQLite's own function."""
        for sql in ("SELECT version()", "SELECT sqlite_version()", "SELECT @@version"):
            try:
                return str(ask(sql)[0][0]).splitlines()[0]
            except Exception:
                continue
        return "unknown"

    def unsupported(self, error: BaseException) -> bool:
        """What the standard calls an error of the statement, or a feature that there is not."""
        module = sys.modules[type(error).__module__.partition(".")[0]]
        kinds = tuple(
            kind for name in ("ProgrammingError", "NotSupportedError") if (kind := getattr(module, name, None))
        )
        return isinstance(error, kinds)

    def lost(self, error: BaseException) -> bool:
        """What the standard calls a fault of the connection."""
        return super().lost(error) or type(error).__name__ == "InterfaceError"


def _each_by_itself(connection: Any) -> Any:
    """Make every statement a transaction: in an open one some systems refuse all that follows an error."""
    if callable(switch := getattr(connection, "autocommit", None)):
        switch(True)
    elif switch is not None:
        connection.autocommit = True
    return connection


PROFILE = DbApi()
