"""What the strings and small codes of netflow can be: pools of values, with the skew of each.

Everything here is part of netflow's version: changing one entry or one weight means another version.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

from weigh.data.counter_random import skewed, zipf

if TYPE_CHECKING:
    from numpy.typing import NDArray

START = datetime(2026, 1, 5, tzinfo=UTC)
"""Monday 00:00 UTC: the first instant of every dataset."""
START_US = int(START.timestamp()) * 1_000_000
DAYS = 7
HOURS = 24 * DAYS
HOUR_US = 3_600_000_000
JITTER_US = 30_000_000
"""Events arrive up to 30 s late: nearly ordered, as logs are, but no sequence that compresses away."""
MINUTES = HOURS * 60 + 1
"""Minutes an event can fall into; the last one holds the late ones."""

ACTIONS = ("allow", "deny", "drop", "reset", "alert", "throttle", "quarantine", "honeypot")
ALLOW, DENY, DROP = 0, 1, 2
HONEYPOT = 7
_CALM = (60_000, 2_600, 700, 900, 60, 400, 5, 0)
_RISKY = (30_000, 24_000, 8_000, 1_500, 1_400, 500, 60, 0)

PROTOS = ("tcp", "udp", "icmp", "gre", "sctp", "esp")

# (port, proto, risky), by falling popularity. Port None: an ephemeral port, drawn for every row.
SERVICES: tuple[tuple[int | None, str, bool], ...] = (
    (443, "tcp", False),
    (53, "udp", False),
    (None, "tcp", True),
    (80, "tcp", False),
    (443, "udp", False),
    (None, "udp", True),
    (22, "tcp", True),
    (445, "tcp", True),
    (123, "udp", False),
    (3389, "tcp", True),
    (0, "icmp", False),
    (8080, "tcp", False),
    (389, "tcp", False),
    (25, "tcp", True),
    (88, "tcp", False),
    (5432, "tcp", False),
    (514, "udp", False),
    (3306, "tcp", False),
    (8443, "tcp", False),
    (993, "tcp", False),
    (161, "udp", True),
    (636, "tcp", False),
    (1433, "tcp", True),
    (587, "tcp", False),
    (853, "tcp", False),
    (6379, "tcp", True),
    (23, "tcp", True),
    (9200, "tcp", False),
    (27017, "tcp", True),
    (1900, "udp", True),
    (5060, "udp", False),
    (5985, "tcp", True),
    (0, "gre", False),
    (179, "tcp", False),
    (2049, "tcp", False),
    (21, "tcp", True),
    (0, "esp", False),
    (11211, "udp", True),
    (3868, "sctp", False),
    (65535, "tcp", True),
)

SOURCES = 20_000
TARGETS = 6_000
_EDGE_ADDRESSES = ("::1", "2001:db8::8a2e:370:7334", "0.0.0.0", "255.255.255.255")

_FIRST = (
    "ada alan anna bela boris carla chen clara david diego elena emil erik eva fatima felix frida "
    "george greta hana hugo ines ivan jana jonas julia kai karl lara lena liam luca maria mia milan "
    "nadia nina noah olga omar paula petra rafael rosa samir sofia tariq vera yuki zoe"
)
_LAST = (
    "adler becker costa dubois evans fischer garcia hansen ito jansen kowalski larsen meyer novak "
    "okafor petrov quinn rossi silva tanaka ueda vogel weber xu young zhang"
)
_SERVICE_ACCOUNTS = ("backup", "scanner", "deploy", "monitor", "ldap", "mail", "print", "dns")

EDGE_USERS = (
    "",
    " ",
    "Admin",
    "admin ",
    "conor.o'brien",
    'robert"); --',
    "žofia.nováková",
    "李小龙",
    "🦆",
    "100%_sure",
    "NULL",
    "CORP\\svc_backup",
    "x" * 200,
)
"""Users that few rows have and that have broken parsers, comparisons and encodings before."""

NULL_USER = -1
NO_SCORE = -1
COMMON_USERS = 2_000


@cache
def users() -> tuple[str, ...]:
    """Every user name: the common ones by falling popularity, then the edge cases."""
    first, last = _FIRST.split(), _LAST.split()
    people = [
        f"{name}.{last[(place + turn) % len(last)]}" for turn in range(len(last)) for place, name in enumerate(first)
    ]
    accounts = [f"svc-{account}-{number:02}" for account in _SERVICE_ACCOUNTS for number in range(93)]
    # Interleaved, so that popular and rare ones of both kinds exist: 26 * 50 + 8 * 93 names; 2,000 serve.
    mixed = [name for pair in zip(people, accounts, strict=False) for name in pair] + people[len(accounts) :]
    return (*mixed[:COMMON_USERS], *EDGE_USERS)


@cache
def sources() -> tuple[str, ...]:
    """Every source address: hosts of 10.0.0.0/8 by falling activity, then edge cases."""
    hosts = [(rank * 7_368_787 + 1_299_709) % (1 << 24) for rank in range(SOURCES)]
    return (*(f"10.{host >> 16}.{host >> 8 & 255}.{host & 255}" for host in hosts), *_EDGE_ADDRESSES)


@cache
def targets() -> tuple[str, ...]:
    """Every destination address: a few internal servers, public hosts, then edge cases."""
    servers = [f"172.16.{rank >> 5}.{10 + (rank & 31)}" for rank in range(200)]
    hosts = [(rank * 22_801_763 + 15_485_863) % (1 << 28) for rank in range(TARGETS - len(servers))]
    public = [f"{64 + (host >> 24)}.{host >> 16 & 255}.{host >> 8 & 255}.{host & 255}" for host in hosts]
    return (*servers, *public, *_EDGE_ADDRESSES)


@cache
def user_choice() -> NDArray[np.integer]:
    """16 bits to a user: Zipf, with one row in eight that has none (``NULL_USER``)."""
    weights = zipf(COMMON_USERS, offset=12)
    table = skewed([*weights, sum(weights) // 7])
    return np.where(table == COMMON_USERS, np.int16(NULL_USER), table)


@cache
def source_choice() -> NDArray[np.integer]:
    """16 bits to a source."""
    return skewed(zipf(SOURCES, offset=20))


@cache
def target_choice() -> NDArray[np.integer]:
    """16 bits to a destination."""
    return skewed(zipf(TARGETS, offset=4))


@cache
def service_choice() -> NDArray[np.integer]:
    """16 bits to a service."""
    return skewed(zipf(len(SERVICES), offset=2), np.int8)


@cache
def action_choice() -> NDArray[np.integer]:
    """17 bits to an action: 16 random ones below the bit that says whether the service is a risky one."""
    return np.concatenate([skewed(_CALM[:HONEYPOT], np.int8), skewed(_RISKY[:HONEYPOT], np.int8)])


@cache
def magnitude_choice() -> NDArray[np.integer]:
    """16 bits to the binary magnitude of a transfer, 0 to 29: each 1/sqrt(2) as likely as the one below."""
    return skewed([isqrt(1 << (60 - magnitude)) for magnitude in range(30)], np.int64)


@cache
def score_choice() -> NDArray[np.integer]:
    """16 bits to thousandths of a score, low ones likelier; two rows in five have none (``NO_SCORE``)."""
    weights = [1_500 - thousandths for thousandths in range(1_001)]
    table = skewed([*weights, sum(weights) * 2 // 3])
    return np.where(table == len(weights), np.int16(NO_SCORE), table)


@cache
def service_ports() -> NDArray[np.int32]:
    """Port of each service; -1 where one is drawn for every row."""
    return np.array([-1 if port is None else port for port, _, _ in SERVICES], np.int32)


@cache
def service_protos() -> NDArray[np.int8]:
    """Position in ``PROTOS`` of each service."""
    return np.array([PROTOS.index(proto) for _, proto, _ in SERVICES], np.int8)


@cache
def service_risks() -> NDArray[np.int32]:
    """What to add to 16 random bits before ``action_choice``."""
    return np.array([risky << 16 for _, _, risky in SERVICES], np.int32)


# A working week: per mille of the busiest hour, from midnight.
_WORKDAY = (
    90, 70, 60, 55, 60, 90, 180, 400, 780, 960, 1000, 980,
    820, 940, 990, 970, 900, 740, 480, 330, 260, 210, 160, 120,
)  # fmt: skip
_WEEKEND = (
    80, 65, 55, 50, 50, 55, 70, 90, 120, 150, 180, 200,
    210, 210, 200, 190, 180, 175, 170, 165, 150, 130, 110, 95,
)  # fmt: skip


@cache
def hour_weights() -> tuple[int, ...]:
    """Activity in each hour of the week, Monday first."""
    return _WORKDAY * 5 + _WEEKEND * 2
