"""The key of a run: made for one process of it, named in its journal, and gone when that ends.

A witness takes anchors from anybody. One is held against a journal only where it is signed by a key that the journal
names: nobody else has the key, and whoever makes a journal anew can sign no anchor of the one before it. ``ssh-keygen``
makes and checks the signatures (PROTOCOL.sshsig of OpenSSH), as those of a seal.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.evidence.signature import ssh_keygen
from weigh.model.errors import EnvironmentFault
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weigh.evidence.anchoring.anchor import Anchor

_NAMESPACE = "weigh-anchor"
"""What is signed: a signature of a seal is none of an anchor."""
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_SIGNER = "run"


class RunKey:
    """A new key, which signs until it is closed.

    Raises:
        EnvironmentFault: there is no ``ssh-keygen``.
    """

    def __init__(self) -> None:
        self._place = tempfile.TemporaryDirectory(prefix="weigh-key-")
        self._path = Path(self._place.name, "key")
        done = ssh_keygen("-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(self._path))
        if done.returncode:
            raise EnvironmentFault(
                f"no key can be made: {one_line(done.stderr.decode(errors='replace'), 200)}",
                remedy="see that ssh-keygen -t ed25519 works by hand",
            )
        self.public = self._path.with_suffix(".pub").read_text().strip()
        """The public key, as OpenSSH writes it."""

    def signed(self, anchor: Anchor) -> Anchor:
        """The anchor with its signature; raises as :class:`RunKey`."""
        done = ssh_keygen(
            "-Y", "sign", "-q", "-f", str(self._path), "-n", _NAMESPACE, stdin=anchor.signed_text.encode()
        )
        lines = done.stdout.decode(errors="replace").split()
        if done.returncode or not lines:
            raise EnvironmentFault("the key of the run cannot sign", where=str(self._path))
        body = "".join(one for one in done.stdout.decode().splitlines() if not one.startswith("-----"))
        return msgspec.structs.replace(anchor, signature=body)

    def close(self) -> None:
        """Forget it."""
        self._place.cleanup()


def is_signed(anchor: Anchor, keys: Iterable[str]) -> bool:
    """Whether an anchor is signed by one of these public keys.

    Raises:
        EnvironmentFault: there is no ``ssh-keygen``.
    """
    # A line of its own is another signer, or an option of one.
    lines = [f'{_SIGNER} namespaces="{_NAMESPACE}" {one}\n' for one in keys if one.isprintable()]
    if not anchor.signature or not lines:
        return False
    with tempfile.TemporaryDirectory(prefix="weigh-key-") as place:
        allowed, signature = Path(place, "keys"), Path(place, "signature")
        allowed.write_text("".join(lines))
        signature.write_text(f"{_BEGIN}\n{anchor.signature}\n{_END}\n")
        words = ("-f", str(allowed), "-I", _SIGNER, "-n", _NAMESPACE, "-s", str(signature))
        return ssh_keygen("-Y", "verify", *words, stdin=anchor.signed_text.encode()).returncode == 0
