"""TLS as a URL asks for it: ``sslmode`` and ``sslrootcert``, as PostgreSQL's own client library means them.

Source: PostgreSQL's documentation, "libpq - C Library", sections "Parameter Key Words" and "SSL Support". What the
generator cannot do is refused by name, so that nobody takes a load for better protected than it is.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.model.errors import UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

Mode = Literal["off", "require", "verify", "allow", "prefer"]
_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
_ENCRYPTED = ("require", "verify-full")
_UNCHECKED: dict[str, Mode] = {"disable": "off", "allow": "allow", "prefer": "prefer", "require": "require"}
_IMPLIED = ("clickhouses", "https", "rediss", "valkeys")
"""Schemes that are encrypted by their name."""
_SYSTEM = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")
"""Where Linux distributions keep the authorities that the machine trusts."""
CERTIFICATE = "name the host as its certificate does and the authority with sslrootcert=FILE; or take sslmode=require"
TRUST = "name the host as its certificate does, and let this machine trust the authority that signed it"
_OWN = "~/.postgresql/root.crt"
_FULL = "take sslmode=verify-full, which also checks that the certificate is for that host"


class Tls(msgspec.Struct, frozen=True, kw_only=True):
    """How far TLS goes.

    Attributes:
        mode: ``off``; ``require``, where whoever answers is taken; ``verify``, where the certificate and its name are
            checked; ``allow`` and ``prefer``, where the server decides between the first two.
        ca: file of authorities that ``verify`` trusts.
    """

    mode: Mode
    ca: str | None = None


def remedy(error: Exception, mode: str, certificate: str = CERTIFICATE) -> str:
    """What to do where no connection comes about.

    Args:
        error: of the connection, or of TLS on it.
        mode: that was taken, of :class:`Tls`.
        certificate: what to do about one that is not taken.
    """
    text = str(error)
    if "certificate" in text:
        return certificate
    if mode != "off" and ("handshake" in text or "SSL" in text):
        return "see whether TLS is spoken there; where it is not, take the scheme without its s, or no sslmode"
    if isinstance(error, ConnectionResetError | ConnectionAbortedError | BrokenPipeError):
        return "check the address, that it runs, and whether it wants TLS (rediss, https, sslmode=require)"
    return "check the address, and that it runs"


def from_environment(given: Mapping[str, str]) -> Mapping[str, str]:
    """Parameters of a URL of PostgreSQL, with those that libpq takes from the environment where the URL has none."""
    socket = given.get("host", "").startswith("/")
    found = dict(given)
    mode, root = os.environ.get("PGSSLMODE"), os.environ.get("PGSSLROOTCERT")
    # Over a unix socket libpq asks for no TLS, whatever is reported elsewhere.
    if mode and not socket:
        found.setdefault("sslmode", mode)
    # Where no certificate is checked libpq does not look at the authorities; the machine's own imply a check.
    checked = found.get("sslmode", "verify-full" if root == "system" else "disable").startswith(("require", "verify"))
    if root and checked and not socket:
        found.setdefault("sslrootcert", root)
    return found


def requested(scheme: str, given: Mapping[str, str], *, socket: bool) -> Tls:
    """What a URL asks for.

    Args:
        scheme: of the URL.
        given: its parameters.
        socket: whether it names a unix socket.

    Raises:
        UsageError: it contradicts itself, its certificates are missing, or the generator cannot do it.
    """
    root = given.get("sslrootcert")
    # As libpq: whoever trusts the machine's authorities means to have the server checked.
    usual = "verify-full" if scheme in _IMPLIED or root == "system" else "disable"
    mode = given.get("sslmode", usual)
    if mode not in _MODES:
        raise UsageError(f"sslmode={mode} is not known", remedy=nearest(mode, _MODES))
    if mode == "verify-ca":
        raise UsageError("the generator has no sslmode=verify-ca: it checks no certificate, or all of it", remedy=_FULL)
    if socket and mode in _ENCRYPTED:
        raise UsageError(
            f"sslmode={mode} over a unix socket: there is no TLS there",
            remedy="leave it out: nobody can listen there, or name the host",
        )
    if scheme in _IMPLIED and mode not in _ENCRYPTED:
        raise UsageError(
            f"{scheme}:// is TLS, and sslmode={mode} is not", remedy=f"write {scheme.removesuffix('s')}://"
        )
    if not scheme.startswith("postgres") and mode in ("allow", "prefer"):
        raise UsageError(
            f"sslmode={mode} asks the server whether it has TLS, and this kind of server cannot be asked",
            remedy="take sslmode=disable for none, sslmode=require for TLS",
        )
    if root is not None and mode != "verify-full":
        raise UsageError(f"sslrootcert checks a certificate, and sslmode={mode} asks for no check", remedy=_FULL)
    if mode == "verify-full":
        return Tls(mode="verify", ca=str(_authorities(root, machine=not scheme.startswith("postgres"))))
    if mode == "require" and scheme.startswith("postgres") and Path(_OWN).expanduser().exists():
        raise UsageError(
            f"there is a {_OWN}, with which sslmode=require means verify-ca, and the generator has none", remedy=_FULL
        )
    return Tls(mode=_UNCHECKED[mode])


def _authorities(root: str | None, *, machine: bool) -> Path:
    """The file of what ``sslrootcert`` names.

    Args:
        root: what it says; None where it is not there.
        machine: whether the authorities of the machine are taken where nothing is reported. libpq takes the user's own.

    Raises:
        UsageError: there is none.
    """
    if root == "system" or (root is None and machine):
        named = os.environ.get("SSL_CERT_FILE")
        found = next((Path(one) for one in ([named] if named else _SYSTEM) if Path(one).is_file()), None)
        if found is None:
            raise UsageError(
                "this machine has no list of trusted authorities" + (f" at SSL_CERT_FILE={named}" if named else ""),
                remedy="install ca-certificates, or name the server's authority with sslrootcert=FILE",
            )
        return found
    path = Path(root or _OWN).expanduser()
    if not path.is_file():
        raise UsageError(
            "there is no certificate of an authority to check the server's against",
            where=str(path) if root else _OWN,
            remedy="name its file with sslrootcert=FILE, trust the machine's authorities with sslrootcert=system, or "
            "leave the check out with sslmode=require",
        )
    return path
