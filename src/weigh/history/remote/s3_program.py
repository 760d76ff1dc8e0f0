"""Keeps entries of a history as objects, in an environment that has obstore.

What to do is JSON on standard input; what was found is JSON on standard output.
"""

from __future__ import annotations

import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

_AT_ONCE = 16
_WAIT = {"timeout": "20s", "connect_timeout": "5s"}
_RETRIES = {"max_retries": 2, "retry_timeout": timedelta(seconds=30)}
_CODE = re.compile(r"<Code>(\w+)</Code>")
_REASONS = {
    "connectionrefused": "connection refused", "connectionreset": "the connection was broken off",
    "dns error": "no such host", "certificate": "certificate", "timedout": "it did not answer in time",
    "unreachable": "no way leads there", "invalidcontenttype": "it does not speak TLS",
}  # fmt: skip
_STATUS = re.compile(r"status code: (\d+)|HTTP status \w+ \w+ \((\d+)|\b([45]\d\d) [A-Z]\w+")


def main() -> None:
    """Add or read, say."""
    request = json.loads(sys.stdin.read())
    from obstore.exceptions import BaseError
    from obstore.store import S3Store

    options = {**_WAIT, "allow_http": request["config"].get("endpoint", "").startswith("http://")}
    try:
        store = S3Store(request["bucket"], config=request["config"], client_options=options, retry_config=_RETRIES)
        reply = _add(store, request["add"]) if request["add"] else _read(store, request["prefix"], request["suffix"])
    except (BaseError, OSError, ValueError) as error:
        reply = _failed(error)
    json.dump(reply, sys.stdout)


def _add(store: Any, entries: list[tuple[str, str]]) -> dict[str, Any]:
    """The keys of those that were not there."""
    return {"added": [key for key, text in entries if _put(store, key, text)]}


def _put(store: Any, key: str, text: str) -> bool:
    import obstore
    from obstore.exceptions import AlreadyExistsError, NotSupportedError

    # Also of two jobs that add it at the same moment: only the first one writes.
    try:
        obstore.put(store, key, text.encode(), mode="create", use_multipart=False)
    except AlreadyExistsError:
        return False
    except NotSupportedError:
        # A store without conditional requests. Whoever wrote the same entry meanwhile wrote the same measurement.
        return _put_plain(store, key, text)
    return True


def _put_plain(store: Any, key: str, text: str) -> bool:
    import obstore

    try:
        obstore.head(store, key)
    except FileNotFoundError:
        obstore.put(store, key, text.encode(), use_multipart=False)
        return True
    return False


def _read(store: Any, prefix: str, suffix: str) -> dict[str, Any]:
    """All entries below a prefix, and not those of folders below it."""
    import obstore

    keys = [
        one["path"]
        for page in obstore.list(store, prefix=prefix or None)
        for one in page
        if one["path"].endswith(suffix) and "/" not in one["path"].removeprefix(prefix).strip("/")
    ]

    def read(key: str) -> tuple[str, str]:
        return key, bytes(obstore.get(store, key).bytes()).decode(errors="replace")

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return {"entries": list(pool.map(read, sorted(keys)))}


def _failed(error: Exception) -> dict[str, Any]:
    """The store's word for what went wrong, and nothing else of its answer: it may repeat a key."""
    text = str(error)
    if found := _CODE.search(text) or _STATUS.search(text):
        return {"error": "", "code": next(one for one in found.groups() if one)}
    lower = text.lower()
    return {"error": next((reason for sign, reason in _REASONS.items() if sign in lower), "nobody answers as S3 does")}


if __name__ == "__main__":
    main()
