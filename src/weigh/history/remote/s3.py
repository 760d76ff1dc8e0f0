"""A history in a bucket behind the protocol of S3: one object an entry, named as the file in a folder is."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from weigh.data.store.target import ACCESS_KEY, AUTHORITIES, SECRET_KEY, of_spec
from weigh.history.entry import SUFFIX, file_name
from weigh.history.remote.program import Reply, ask
from weigh.model.data.store import StoreSpec
from weigh.model.errors import EnvironmentFault, EvidenceFault, UsageError, WeighError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.data.store.target import Target

REQUIRES = ("obstore==0.12.1",)
ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
_PROGRAM = Path(__file__).parent / "s3_program.py"
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = re.compile(r"[\w!*'().=+@,:-]+(/[\w!*'().=+@,:-]+)*")
_WRONG_KEYS = {
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "AccessDenied",
    "InvalidToken",
    "ExpiredToken",
    "401",
    "403",
}
_AWS = "AWS"


@dataclass(frozen=True, slots=True)
class S3History:
    """A history below a prefix of a bucket.

    Attributes:
        target: how the store is reached.
        prefix: what all keys begin with, without a slash at the end; empty for none.
    """

    target: Target = field(repr=False)
    prefix: str

    def __str__(self) -> str:
        """Without keys."""
        return f"s3://{self.target.bucket}{f'/{self.prefix}' if self.prefix else ''}"

    def add(self, entries: Sequence[tuple[str, str]]) -> list[str]:
        """Keep entries, each an id and its JSON.

        Returns:
            Ids of those that were not there.

        Raises:
            UsageError: there is no such bucket, or the keys do not open it.
            EnvironmentFault: nobody answers, or it cannot be written.
        """
        keys = {f"{self.prefix}/{file_name(own)}".lstrip("/"): (own, text) for own, text in entries}
        if not keys:
            return []
        reply = self._ask([(key, text) for key, (_, text) in keys.items()])
        return [keys[key][0] for key in reply.added]

    def read(self) -> list[tuple[str, str]]:
        """Keys of all entries with their JSON.

        Raises:
            EvidenceFault: it has no history.
            UsageError, EnvironmentFault: as ``add``.
        """
        found = self._ask(()).entries
        if not found:
            raise EvidenceFault(
                "there is no history", where=str(self), remedy="weigh history add EVIDENCE --to s3://... makes one"
            )
        return found

    def _ask(self, entries: Sequence[tuple[str, str]]) -> Reply:
        target = self.target
        config = {
            "region": target.region,
            "access_key_id": target.access_key,
            "secret_access_key": target.secret_key,
            "session_token": target.token,
            "endpoint": target.endpoint,
        }
        # Nothing but what is asked for decides where it goes.
        own = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        if target.ca:
            own["SSL_CERT_FILE"] = target.ca
        reply = ask(
            _PROGRAM,
            REQUIRES,
            {
                "config": {name: value for name, value in config.items() if value},
                "bucket": target.bucket,
                "prefix": self.prefix,
                "suffix": SUFFIX,
                "add": entries,
            },
            where=str(self),
            silent="the store did not answer in time, or not as S3 does",
            environment=own,
        )
        if reply.error is not None:
            raise self._explained(reply)
        return reply

    def _explained(self, reply: Reply) -> WeighError:
        where, at = str(self), self.target.endpoint or _AWS
        if reply.code in ("NoSuchBucket", "404"):
            return UsageError(
                f"there is no bucket '{self.target.bucket}' at {at}", where=where, remedy=f"make it, or see {_named()}"
            )
        if reply.code in _WRONG_KEYS:
            return UsageError(
                f"{at} refuses the keys: {reply.code}",
                where=where,
                remedy=f"see {ACCESS_KEY} and {SECRET_KEY}, and whether they may list, read and write there",
            )
        if reply.code:
            return EnvironmentFault(f"{at} refuses: {reply.code}", where=where, remedy="see what the store says")
        remedy = f"start it, or see {_named()}"
        reason = reply.error
        if reply.error == "certificate":
            reason = "its certificate is not to be trusted"
            remedy = f"name the authority that signed it: {AUTHORITIES}=FILE"
        return EnvironmentFault(f"{at} cannot be reached: {reason}", where=where, remedy=remedy)


def history(text: str, environment: Mapping[str, str] = os.environ) -> S3History:
    """The history of ``s3://BUCKET/PREFIX``; endpoint, region and keys are those of the environment.

    Raises:
        UsageError: it is no such URL, or the environment has no keys. The text of the error has none either.
    """
    url = urlsplit(text)
    if "@" in url.netloc or url.query or url.fragment:
        raise UsageError(
            "keys, endpoint and region are no part of the URL of a history in S3",
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
        raise UsageError(f"{_named()} is no URL", remedy="write http://HOST:PORT or https://HOST")
    spec = StoreSpec(endpoint=endpoint, bucket=url.netloc, region=_first(REGIONS, environment) or "us-east-1")
    return S3History(of_spec(f"s3://{url.netloc}", spec, environment), prefix)


def _first(names: tuple[str, ...], environment: Mapping[str, str]) -> str:
    return next((environment[name] for name in names if environment.get(name)), "")


def _named() -> str:
    """The variable that names the endpoint."""
    return next((name for name in ENDPOINTS if os.environ.get(name)), ENDPOINTS[-1])
