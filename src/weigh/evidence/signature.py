"""Signatures of a seal, in OpenSSH's format: who vouches for evidence, which a seal alone does not say.

A seal has no key: whoever edits everything and seals it anew makes one as good. A signature of it can be made with the
private key alone. ``ssh-keygen`` makes and checks it (PROTOCOL.sshsig of OpenSSH): most who publish have such a key, in
an agent or on a token too, and nobody needs weigh to check one.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import msgspec

from weigh.evidence import files, whole
from weigh.evidence.seal import SEAL, SIGNATURE, read_seal
from weigh.evidence.verification import Outcome, Problem
from weigh.model import codes
from weigh.model.errors import EnvironmentFault, UsageError, refusal

NAMESPACE = "weigh-evidence"
"""What is signed: a signature of something else, such as a commit, is none of evidence."""
_KEY = "key"
"""Who signed, where a public key was given and no name."""
_LARGEST = 1 << 20
"""Bytes of a signature, or of a file of keys."""
_TIMEOUT = 60.0


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """A signature that is good.

    Attributes:
        signer: as the file of allowed signers calls him; ``key`` where a public key alone was given.
        key: kind and fingerprint of the key.
    """

    signer: str
    key: str


def sign(folder: Path, key: Path) -> Path:
    """Sign the seal.

    Args:
        folder: sealed evidence.
        key: the private key, or the public one of a key that an agent holds.

    Returns:
        The file of the signature, alongside the seal.

    Raises:
        EvidenceFault: there is no seal.
        EnvironmentFault: there is no ``ssh-keygen``.
        UsageError: the key cannot sign.
    """
    read_seal(folder)
    # The passphrase is asked for on the terminal itself.
    done = ssh_keygen("-Y", "sign", "-f", str(key.absolute()), "-n", NAMESPACE, stdin=files.content(folder / SEAL))
    if done.returncode or not done.stdout:
        raise UsageError(
            f"the key cannot sign: {_printed(done)}",
            where=str(key),
            remedy="name a private key, or the public one of a key that ssh-agent holds; ssh-keygen makes one",
        )
    signature = folder / SIGNATURE
    try:
        # A link there is somebody else's doing.
        whole.write(signature, done.stdout, follow=False)
    except OSError as error:
        raise EnvironmentFault(
            f"the signature cannot be written next to the seal: {refusal(error)}",
            where=str(signature),
            remedy="free space there; or sign a copy of the evidence where you may write",
        ) from error
    return signature


def check(folder: Path, trusted: Path) -> Signature | Problem:
    """Whether somebody who is trusted signed the seal as it is.

    Args:
        folder: sealed evidence.
        trusted: a public key, or a file of allowed signers (ssh-keygen(1)).

    Raises:
        EnvironmentFault: there is no ``ssh-keygen``.
        UsageError: there is no such file, or no key in it.
    """
    allowed = _allowed(trusted)
    try:
        signed = files.content(folder / SIGNATURE, _LARGEST)
        sealed = files.content(folder / SEAL)
    except FileNotFoundError:
        return _problem("nobody signed it: `weigh sign` makes a signature")
    except OSError as error:
        return _problem(f"the signature cannot be read: {error.strerror or error}")
    with tempfile.TemporaryDirectory() as place:
        # Copies: what is checked is what was read.
        keys, signature = Path(place, "keys"), Path(place, "signature")
        keys.write_bytes(allowed)
        signature.write_bytes(signed)
        found = ssh_keygen("-Y", "find-principals", "-f", str(keys), "-s", str(signature))
        for signer in found.stdout.decode(errors="replace").splitlines():
            done = ssh_keygen(
                "-Y", "verify", "-f", str(keys), "-I", signer, "-n", NAMESPACE, "-s", str(signature), stdin=sealed
            )
            if done.returncode == 0:
                key = done.stdout.decode(errors="replace").strip().rpartition(" with ")[2]
                return Signature(signer=signer, key=key)
    if found.returncode:
        return _problem(f"it was not signed by anybody in {trusted}")
    return _problem("the signature is of something else: the seal was changed, or made anew, after it was signed")


def line(found: Signature | Problem) -> Outcome | Problem:
    """What is reported of it."""
    if isinstance(found, Problem):
        return found
    who = "that key" if found.signer == _KEY else found.signer
    return Outcome(f"signed by {who} ({found.key})")


def is_signed(folder: Path) -> bool:
    """Whether there is a signature, good or not."""
    return files.is_regular(folder / SIGNATURE)


def _allowed(trusted: Path) -> bytes:
    """The keys as a file of allowed signers; a public key alone is whoever has it."""
    try:
        text = files.content(trusted.resolve(), _LARGEST)
    except OSError as error:
        raise UsageError(
            f"the key cannot be read: {error.strerror or error}",
            where=str(trusted),
            remedy="name a public key (~/.ssh/id_ed25519.pub) or a file of allowed signers",
        ) from error
    if b"PRIVATE KEY" in text:
        raise UsageError(
            "this is a private key", where=str(trusted), remedy="name the public one, which ends in .pub; keep this one"
        )
    lines = [one for one in text.splitlines() if one.strip() and not one.lstrip().startswith(b"#")]
    if not lines:
        raise UsageError("there is no key in it", where=str(trusted), remedy="name a public key, which ends in .pub")
    bare = all(one.split()[0].startswith((b"ssh-", b"ecdsa-", b"sk-")) for one in lines)
    return b"".join((_KEY.encode() + b" " if bare else b"") + one + b"\n" for one in lines)


def _problem(text: str) -> Problem:
    return Problem(code=codes.R9_SIGNATURE.code, file=SIGNATURE, text=text)


def ssh_keygen(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """What ``ssh-keygen`` does with these arguments.

    Raises:
        EnvironmentFault: it is not installed, or does not end.
    """
    program = shutil.which("ssh-keygen")
    if program is None:
        raise EnvironmentFault(
            "ssh-keygen is not installed, which makes and checks signatures", remedy="install OpenSSH's client"
        )
    try:
        return subprocess.run([program, *arguments], input=stdin, capture_output=True, timeout=_TIMEOUT, check=False)
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFault(
            f"ssh-keygen did not end within {_TIMEOUT:g} s", remedy="unlock the key with ssh-add first"
        ) from error


def _printed(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"ssh-keygen ended with {done.returncode}"
