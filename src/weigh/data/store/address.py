"""Addresses of a place in a bucket: ``s3://BUCKET/PREFIX``, with endpoint, region and keys from the environment."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from weigh.data.store.target import ACCESS_KEY, SECRET_KEY, of_spec
from weigh.model.data.store import StoreSpec
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.data.store.target import Target

ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
SCHEME = "s3://"
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = re.compile(r"[\w!*'().=+@,:-]+(/[\w!*'().=+@,:-]+)*")


def parsed(text: str, what: str, environment: Mapping[str, str] = os.environ) -> tuple[Target, str]:
    """How the store is reached, and what all keys begin with, without a slash at the end; empty for nothing.

    Args:
        text: the address.
        what: lies there, for people.
        environment: with the keys.

    Raises:
        UsageError: it is no such address, or the environment has no keys. The text of the error has none either.
    """
    url = urlsplit(text)
    if "@" in url.netloc or url.query or url.fragment:
        raise UsageError(
            f"keys, endpoint and region are no part of the URL of {what} in S3",
            where=f"s3://{url.netloc.rpartition('@')[2]}{url.path}",
            remedy=f"write s3://BUCKET/PREFIX, and export {ACCESS_KEY}, {SECRET_KEY} and {ENDPOINTS[-1]}",
        )
    prefix = url.path.strip("/")
    # S3 takes any text as a key, and other programs that meet it do not.
    plain = _PREFIX.fullmatch(prefix) and not {".", ".."} & set(prefix.split("/"))
    if not _BUCKET.fullmatch(url.netloc) or (prefix and not plain):
        raise UsageError("this names no bucket and prefix", where=ascii(text), remedy="write s3://BUCKET/PREFIX")
    endpoint = _first(ENDPOINTS, environment)
    if endpoint and urlsplit(endpoint).scheme not in ("http", "https"):
        raise UsageError(f"{endpoint_variable()} is no URL", remedy="write http://HOST:PORT or https://HOST")
    spec = StoreSpec(endpoint=endpoint, bucket=url.netloc, region=_first(REGIONS, environment) or "us-east-1")
    return of_spec(f"s3://{url.netloc}", spec, environment), prefix


def endpoint_variable() -> str:
    """The variable that names the endpoint."""
    return next((name for name in ENDPOINTS if os.environ.get(name)), ENDPOINTS[-1])


def _first(names: tuple[str, ...], environment: Mapping[str, str]) -> str:
    return next((environment[name] for name in names if environment.get(name)), "")
