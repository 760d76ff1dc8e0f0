"""Where anchors go: a witness by HTTP, a git remote, an authority that stamps times (RFC 3161)."""

from __future__ import annotations

import datetime
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

import msgspec

from weigh.evidence import files
from weigh.evidence.anchoring import log
from weigh.evidence.anchoring.anchor import Anchor, Stamped, checked
from weigh.model.errors import EnvironmentFault, UsageError, refusal
from weigh.model.text import one_line, without_passwords

_PATIENCE = 10.0
"""Seconds that a run waits for a witness."""
_ANSWER = 64 << 20
_TOKENS = "anchors"
_TIME = re.compile(r"^Time stamp: (\w{3}) +(\d+) (\d+:\d+:\d+)(\.\d+)? (\d{4})", re.MULTILINE)
_FORMS = "write https://HOST:PORT, git:REPOSITORY, or tsa:https://HOST for an authority of RFC 3161"


class Place(Protocol):
    """Where anchors go."""

    def send(self, anchor: Anchor, folder: Path) -> Stamped:
        """Send an anchor.

        Args:
            anchor: of the journal.
            folder: of the evidence, for what comes back.

        Raises:
            EnvironmentFault: it was not taken.
        """

    def read(self, experiment: str) -> list[Anchor]:
        """What is kept there of an experiment.

        Raises:
            EnvironmentFault: it cannot be reached.
            EvidenceFault: what is there is no log of a witness.
        """


def place(text: str) -> Place:
    """The place that a user names.

    Raises:
        UsageError: it is none.
    """
    if without_passwords(text) != text:
        raise UsageError(
            "the address of a witness holds a password", remedy="leave it out: it would be in the evidence"
        )
    _check_port(text.removeprefix("tsa:"))
    if text.startswith(("http://", "https://")):
        return Server(text.rstrip("/"))
    if text.startswith("git:"):
        return Git(text.removeprefix("git:"))
    if text.startswith("tsa:http"):
        return Authority(text.removeprefix("tsa:"))
    if Path(text).is_file():
        return Written(Path(text))
    raise UsageError(f"'{text}' is no witness", remedy=_FORMS)


def _check_port(text: str) -> None:
    """A port that is none is refused at once: later it would be a witness that does not answer."""
    try:
        good = not text.startswith(("http://", "https://")) or urlsplit(text).port != 0
    except ValueError:
        good = False
    if not good:
        raise UsageError("the port of a witness is a number from 1 to 65535", where=text, remedy=_FORMS)


class Written:
    """A log that lies here, as its witness gave it away.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def send(self, anchor: Anchor, folder: Path) -> Stamped:
        """A file here proves nothing to anybody else."""
        raise UsageError("a file of this machine is no witness", where=str(self._path), remedy=_FORMS)

    def read(self, experiment: str) -> list[Anchor]:
        """As of :class:`Place`."""
        return log.read(self._path, experiment)


class Server:
    """``weigh witness serve`` on another host.

    Args:
        address: of it.
    """

    def __init__(self, address: str) -> None:
        self._address = address

    def send(self, anchor: Anchor, folder: Path) -> Stamped:
        """As of :class:`Place`."""
        body = self._exchanged(f"{self._address}/anchors", msgspec.json.encode(anchor))
        return Stamped(to=self._address, anchor=checked(files.decoded(body, Anchor)))

    def read(self, experiment: str) -> list[Anchor]:
        """As of :class:`Place`."""
        from urllib.parse import quote

        body = self._exchanged(f"{self._address}/anchors?experiment={quote(experiment)}", None)
        found = files.decoded(body, dict[str, object]).get("anchors")
        return [checked(one) for one in files.converted(found, list[Anchor])]

    def _exchanged(self, address: str, body: bytes | None) -> bytes:
        # Who reads evidence asks nobody: most commands never need it.
        import urllib.request

        request = urllib.request.Request(address, data=body, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:
                return bytes(answer.read(_ANSWER))
        except (OSError, ValueError) as error:
            raise EnvironmentFault(
                f"the witness does not answer: {_why(error)}",
                where=self._address,
                remedy="start one there: weigh witness serve",
            ) from error


class Git:
    """A repository that somebody else holds: a file of anchors an experiment, each pushed as a commit.

    Args:
        remote: of the repository, as git takes it.
    """

    def __init__(self, remote: str) -> None:
        self._remote = remote

    def send(self, anchor: Anchor, folder: Path) -> Stamped:
        """As of :class:`Place`."""
        with tempfile.TemporaryDirectory(prefix="weigh-anchor-") as made:
            clone = self._cloned(Path(made))
            path = clone / _TOKENS / f"{anchor.experiment}.jsonl"
            anchors = log.Log(path)
            stamped = anchors.add(anchor)
            anchors.close()
            _git(clone, "add", "-A")
            _git(clone, "-c", "user.name=weigh", "-c", "user.email=weigh@localhost", "commit", "-q", "-m", "anchor")
            _git(clone, "push", "-q", "origin", "HEAD")
        return Stamped(to=f"git:{self._remote}", anchor=stamped)

    def read(self, experiment: str) -> list[Anchor]:
        """As of :class:`Place`."""
        with tempfile.TemporaryDirectory(prefix="weigh-anchor-") as made:
            path = self._cloned(Path(made)) / _TOKENS / f"{experiment}.jsonl"
            return log.read(path, experiment) if files.is_regular(path) else []

    def _cloned(self, folder: Path) -> Path:
        _git(folder, "clone", "-q", "--depth", "1", "--", self._remote, "clone")
        return folder / "clone"


class Authority:
    """An authority of RFC 3161, whose tokens are kept with the evidence.

    Args:
        address: of it.
    """

    def __init__(self, address: str) -> None:
        self._address = address

    def send(self, anchor: Anchor, folder: Path) -> Stamped:
        """As of :class:`Place`."""
        import urllib.request

        query = _openssl("ts", "-query", "-digest", anchor.digest, "-sha256", "-cert")
        request = urllib.request.Request(
            self._address, data=query, headers={"Content-Type": "application/timestamp-query"}
        )
        try:
            with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:
                token = bytes(answer.read(1 << 20))
        except (OSError, ValueError) as error:
            raise EnvironmentFault(f"the authority does not answer: {_why(error)}", where=self._address) from error
        name = f"{_TOKENS}/{anchor.line}.tsr"
        (folder / _TOKENS).mkdir(exist_ok=True)
        (folder / name).write_bytes(token)
        at = granted(folder / name)
        return Stamped(to=f"tsa:{self._address}", anchor=msgspec.structs.replace(anchor, at=at), token=name)

    def read(self, experiment: str) -> list[Anchor]:
        """An authority keeps nothing: what it signed lies in the evidence."""
        raise UsageError(
            "an authority keeps no anchors: its tokens lie in the evidence",
            where=self._address,
            remedy="check them against its certificate: weigh verify EVIDENCE --witness CA.pem",
        )


def _why(error: OSError | ValueError) -> str:
    """Why nobody answered, in the words of the system."""
    reason = getattr(error, "reason", error)
    inner = reason if isinstance(reason, OSError) else error
    return one_line(refusal(inner) if isinstance(inner, OSError) else str(inner), 200)


def granted(token: Path) -> str:
    """The time in a token, as it says it, ISO 8601 in UTC.

    Raises:
        EnvironmentFault: it was not granted, or there is no ``openssl``.
    """
    text = _openssl("ts", "-reply", "-in", str(token), "-text").decode(errors="replace")
    if "Status: Granted" not in text:
        raise EnvironmentFault("the authority granted no token", where=str(token))
    return _time(text)


def _time(text: str) -> str:
    """As OpenSSL prints it, with or without parts of a second."""
    found = _TIME.search(text)
    if found is None:
        return ""
    month, day, clock, fraction, year = found.groups()
    at = datetime.datetime.strptime(f"{month} {day} {clock} {year}", "%b %d %H:%M:%S %Y")
    parts = at.replace(microsecond=int((fraction or "")[1:7].ljust(6, "0")), tzinfo=datetime.UTC)
    return parts.isoformat(timespec="milliseconds")


class StampedDigest(NamedTuple):
    """What an authority signed: a SHA-256, and when, ISO 8601 in UTC."""

    digest: str
    at: str


def stamped(token: Path, authority: Path) -> StampedDigest | None:
    """What a token is of, whatever that is; None where the authority did not sign it.

    Args:
        token: the file.
        authority: certificates that are trusted, PEM.

    Raises:
        EnvironmentFault: there is no ``openssl``.
    """
    if shutil.which("openssl") is None:
        _openssl("version")
    try:
        text = _openssl("ts", "-reply", "-in", str(token), "-text").decode(errors="replace")
        _, _, dump = text.partition("Message data:\n")
        # A dump: offset, up to 16 bytes in two halves with a dash between, and the same as text.
        rows = [line for line in dump.splitlines()[:2] if line.startswith("    0")]
        digest = "".join(re.sub(r"[^0-9a-f]", "", row.split(" - ", 1)[1][:47]) for row in rows if " - " in row)
        words = ["ts", "-verify", "-digest", digest, "-in", str(token), "-CAfile", str(authority)]
        good = b"Verification: OK" in _openssl(*words)
    except EnvironmentFault:
        return None
    return StampedDigest(digest, _time(text)) if good else None


def _openssl(*words: str) -> bytes:
    return _run("openssl", *words)


def _git(folder: Path, *words: str) -> bytes:
    return _run("git", "-C", str(folder), *words)


def _run(program: str, *words: str) -> bytes:
    path = shutil.which(program)
    if path is None:
        raise EnvironmentFault(f"{program} is not installed", remedy="install it, or name another witness")
    try:
        done = subprocess.run([path, *words], capture_output=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFault(f"{program} did not end within a minute", remedy="name another witness") from error
    if done.returncode:
        lines = (done.stderr.decode(errors="replace").strip() or f"it ended with {done.returncode}").splitlines()
        raise EnvironmentFault(f"{program}: {one_line(lines[-1], 200)}", remedy="see that it works by hand")
    return done.stdout + done.stderr
