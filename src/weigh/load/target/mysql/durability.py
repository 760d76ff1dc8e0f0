"""Settings of MySQL and MariaDB with which an acknowledged write may be lost. Pure.

Sources: MariaDB's documentation, "InnoDB System Variables" and "Replication and Binary Log System Variables"; MySQL's
reference manual, section "InnoDB Startup Options and System Variables".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FLUSH = "innodb_flush_log_at_trx_commit"
_OFF = ("0", "OFF", "FALSE")
_COMMITS = {
    "0": "a commit is acknowledged while its log is in memory: a crash of the server takes the last second",
    "2": "a commit is acknowledged when the kernel has its log: a crash of the server alone loses nothing, a loss of "
    "power or of the machine takes the last second",
}
_UNSYNCED = ("nosync", "littlesync")


def undurable(settings: Mapping[str, str]) -> list[str]:
    """What may lose an acknowledged write, each in a few words.

    Args:
        settings: in force, by their names in lower case.
    """
    found = []
    commit = settings.get(FLUSH, "")
    if commit in _COMMITS:
        found.append(f"{FLUSH} is {commit}: {_COMMITS[commit]}")
    if settings.get("innodb_doublewrite", "ON").upper() in _OFF:
        found.append("innodb_doublewrite is off: a page torn by a loss of power cannot be mended")
    if settings.get("log_bin", "OFF").upper() not in _OFF and settings.get("sync_binlog", "1") != "1":
        found.append(
            f"sync_binlog is {settings['sync_binlog']} and the binary log is on: after a loss of power the commits "
            "that it lacks are rolled back"
        )
    method = settings.get("innodb_flush_method", "").lower()
    if method in _UNSYNCED:
        found.append(f"innodb_flush_method is {method}: nothing is forced to the disk")
    return found
