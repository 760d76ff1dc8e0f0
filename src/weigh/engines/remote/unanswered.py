"""Why a system by URL did not answer: what weigh finds out itself, for each driver tells it in words of its own."""

from __future__ import annotations

import re
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from weigh.engines.remote.adapter import profile_named
from weigh.model.contender import URL
from weigh.model.errors import EngineFault
from weigh.model.sample import Outcome
from weigh.model.text import one_line
from weigh.model.units import seconds

if TYPE_CHECKING:
    from weigh.engines.exchange import WorkerEnded
    from weigh.model.contender import Contender
    from weigh.model.units import Seconds

_PATIENCE: Seconds = 5.0
"""For a connection, of which nothing is asked."""
_POSTGRES = 5432
_LATE = re.compile(r"timed?[ -]?out|deadline exceeded", re.IGNORECASE)
_PAGE = re.compile(r"<(!doctype html|html)\b.*", re.IGNORECASE | re.DOTALL)
_MARKUP = re.compile(r"<(style|script|title)\b.*?</\1>|<[^>]*>|\\n", re.IGNORECASE | re.DOTALL)
"""Tags, and what between them no browser writes on the page; drivers print a page as bytes of Python."""
_HOST = "mend the host in its URL, or let this machine's name service know it"


def unanswered(contender: Contender, engine: str, ended: WorkerEnded, waited: Seconds) -> EngineFault | None:
    """The error of a contender by URL whose server is not there or does not answer; None of others.

    Looked at when the driver has failed already, so that nothing that works is ever held up.

    Args:
        contender: as it was named.
        engine: of it.
        ended: how its life ended.
        waited: for it.
    """
    url = str(contender.settings.get(URL, ""))
    parts = urlsplit(url)
    if not parts.hostname or "," in parts.netloc:
        # Of several hosts the driver says which it tried.
        return None
    port = parts.port or (_POSTGRES if engine == "postgres" else profile_named(engine).port)
    if not port:
        return None
    place, address = f"contender {contender.name}, {url}", f"{parts.hostname}:{port}"
    try:
        with socket.create_connection((parts.hostname, port), _PATIENCE):
            if page := _PAGE.search(ended.detail):
                words = one_line(_MARKUP.sub(" ", page[0]).strip(" '"), 120)
                return EngineFault(
                    f"{address} answers with a web page, not as {engine} does: {words}",
                    where=place,
                    remedy=f"give the port of {engine} itself: another service, or a proxy before it, listens there",
                )
            if ended.outcome is not Outcome.TIMEOUT and (waited < _PATIENCE or not _LATE.search(ended.detail)):
                return None
    except socket.gaierror as error:
        return EngineFault(f"there is no host {parts.hostname} ({error.strerror})", where=place, remedy=_HOST)
    except ConnectionRefusedError:
        remedy = f"start {engine} there, or mend host and port in its URL"
        return EngineFault(f"nothing listens at {address} (connection refused)", where=place, remedy=remedy)
    except OSError as error:
        why = f"no connection within {seconds(_PATIENCE)}" if isinstance(error, TimeoutError) else error.strerror
        remedy = (
            f"see whether {engine} runs there, and what lies between: a firewall, a network that this machine lacks"
        )
        return EngineFault(f"{address} cannot be reached ({why})", where=place, remedy=remedy)
    return EngineFault(
        f"{address} takes connections and did not answer within {seconds(waited)}",
        where=place,
        remedy=f"see whether it is {engine} that listens there and whether it is at work, in its log; one that had to "
        "wake up first answers when it is asked again",
    )
