"""A history in a bucket behind the protocol of S3: one object an entry, named as the file in a folder is."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.data.store.address import endpoint_variable, parsed
from weigh.data.store.target import ACCESS_KEY, AUTHORITIES, SECRET_KEY
from weigh.history.entry import SUFFIX, file_name
from weigh.history.remote.program import Reply, ask
from weigh.model.errors import EnvironmentFault, EvidenceFault, UsageError, WeighError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.data.store.target import Target

REQUIRES = ("obstore==0.12.1",)
_PROGRAM = Path(__file__).parent / "s3_program.py"
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
        keys = {
            f"{self.prefix}/{file_name(identifier)}".lstrip("/"): (identifier, text) for identifier, text in entries
        }
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
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        if target.ca:
            environment["SSL_CERT_FILE"] = target.ca
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
            environment=environment,
        )
        if reply.error is not None:
            raise self._explained(reply)
        return reply

    def _explained(self, reply: Reply) -> WeighError:
        where, at = str(self), self.target.endpoint or _AWS
        if reply.code in ("NoSuchBucket", "404"):
            return UsageError(
                f"there is no bucket '{self.target.bucket}' at {at}",
                where=where,
                remedy=f"make it, or see {endpoint_variable()}",
            )
        if reply.code in _WRONG_KEYS:
            return UsageError(
                f"{at} refuses the keys: {reply.code}",
                where=where,
                remedy=f"see {ACCESS_KEY} and {SECRET_KEY}, and whether they may list, read and write there",
            )
        if reply.code:
            return EnvironmentFault(f"{at} refuses: {reply.code}", where=where, remedy="see what the store says")
        remedy = f"start it, or see {endpoint_variable()}"
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
    return S3History(*parsed(text, "a history", environment))
