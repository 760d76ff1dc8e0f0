"""The literals of netflow's sweeps: common, middling, rare, absent and edge values, chosen from the truth.

One lucky literal hides a wrong filter: chDB 26.3 is right about half of the users. The gate asks all of
these; the clock runs on one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.model.operation import Case
from weigh.model.schedule import permuted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.model.operation import Literal
    from weigh.workloads.netflow.answers import Answers

ABSENT_USERS = (
    "no.such.user",
    "ada",
    "ADA.ADLER",
    "ada.adler ",
    "svc-backup-",
    "null",
    "x" * 199,
    "ž",
    "ádá.adler",
    "ada.adle",
)
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
    "x" * 200,
)
ABSENT_ADDRESSES = ("10.0.0.0", "192.0.2.1", "10.255.255.256", "", "10.1.1", "fe80::1")
EDGE_ADDRESSES = ("::1", "2001:db8::8a2e:370:7334", "0.0.0.0", "255.255.255.255")
ABSENT_PORTS = (-1, 65_536, 1_000_000, 2_147_483_647)
EDGE_PORTS = (0, 1, 65_535, 31_337)

JOIN_PAIRS = 200_000
"""About how many pairs the timed join may find: bounded whatever the scale."""


def sweep(
    name: str,
    counts: Counter[Any],
    seed: int,
    *,
    absent: Iterable[Literal] = (),
    edges: Iterable[Literal] = (),
    each: int = 8,
) -> tuple[Case, ...]:
    """The cases of an equality filter.

    Args:
        name: of the parameter.
        counts: events by value.
        seed: of the choice.
        absent: values that might occur in none; those that do occur are left to the edges.
        edges: values asked for whether they occur or not.
        each: how many common, middling and rare values.
    """
    # The text of a value decides among equal counts, and never the order in which a cube lists them.
    ranked = sorted(filter(askable, counts), key=lambda value: (-counts[value], str(value)))
    by_text = {str(value): value for value in ranked}
    common = ranked[:each]
    rest = ranked[each:]
    few = [value for value in rest if counts[value] <= counts[ranked[-1]] + 2] if ranked else []
    rare = [by_text[text] for text in permuted(map(str, few or rest[-each:]), seed, name, "rare")][:each]
    middle = [value for value in rest if value not in set(rare)]
    middling = [by_text[text] for text in permuted(map(str, middle), seed, name, "middling")][:each]
    groups: dict[str, Sequence[Literal]] = {
        "common": common,
        "middling": middling,
        "rare": rare,
        "edge": tuple(edges),
        "absent": [value for value in absent if value not in counts],
    }
    cases: dict[Literal, Case] = {}
    for group, values in groups.items():
        for number, value in enumerate(values, 1):
            cases.setdefault(value, Case(name=f"{group}-{number}", literals={name: value}))
    return timed(cases.values())


def askable(value: Literal) -> bool:
    """Whether every engine reads the value's literal alike: a backslash is an escape in ClickHouse alone."""
    return value is not None and not (isinstance(value, str) and "\\" in value)


def timed(cases: Iterable[Case], chosen: str = "common-1") -> tuple[Case, ...]:
    """The same cases, the chosen one on the clock, or the first if there is no such."""
    cases_left = list(cases)
    which = next((case.name for case in cases_left if case.name == chosen), cases_left[0].name)
    return tuple(msgspec.structs.replace(case, timed=case.name == which) for case in cases_left)


def conjunctions(answers: Answers, seed: int) -> tuple[Case, ...]:
    """User, action and proto at once: frequent, rare and impossible combinations."""
    counts = Counter({key: events for key, events in answers.detailed_users.items() if askable(key[0])})
    by_text = {"\x1f".join(key): key for key in counts}
    frequent = [key for key, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:8]]
    drawn = [by_text[text] for text in permuted(by_text, seed, "conjunction")][:12]
    impossible = [("ada.adler", "honeypot", "sctp"), ("no.such.user", "allow", "tcp"), ("", "allow", "ggp")]
    groups = {"common": frequent, "drawn": drawn, "edge": impossible}
    cases: dict[tuple[str, ...], Case] = {}
    for group, keys in groups.items():
        for number, key in enumerate(keys, 1):
            literals: dict[str, Literal] = dict(zip(("user", "action", "proto"), key, strict=True))
            cases.setdefault(key, Case(name=f"{group}-{number}", literals=literals))
    return timed(cases.values())


def several_users(answers: Answers, seed: int) -> tuple[Case, ...]:
    """Four users at once: common, drawn, and some that are absent or twice there."""
    users = list(filter(askable, answers.users))
    common = sorted(users, key=lambda user: (-answers.users[user], user))[:4]
    drawn = permuted(users, seed, "several")
    sets = {
        "common-1": common,
        **{f"drawn-{n + 1}": drawn[4 * n : 4 * n + 4] for n in range(5)},
        "absent-1": ABSENT_USERS[:4],
        "edge-1": ("", " ", "Admin", "admin "),
        "twice-1": (*common[:1], *common[:1], "no.such.user", "ada"),
    }
    return timed(
        Case(name=name, literals=dict(zip("abcd", [*chosen, *ABSENT_USERS][:4], strict=True)))
        for name, chosen in sets.items()
    )


def size_ranges() -> tuple[Case, ...]:
    """Ranges of bytes whose bounds are bounds of the truth's classes."""
    top = 1 << 36
    pairs = {
        "common-1": (1 << 10, 1 << 20),
        "negative": (-1, 0),
        "zero": (0, 1),
        "not-positive": (-1, 1),
        "header": (40, 80),
        "border-40": (40, 48),
        "border-48": (48, 56),
        "border-56": (56, 64),
        "large": (1 << 30, top),
        "all": (-1, top),
        "empty": (1 << 20, 1 << 20),
        "inverted": (1 << 20, 1 << 10),
        "beyond": (top, 1 << 62),
        **{f"doubling-{power}": (1 << power, 1 << power + 1) for power in range(6, 36, 3)},
        **{f"quarter-{power}": (5 << power, 6 << power) for power in range(6, 32, 5)},
    }
    return timed(Case(name=name, literals={"low": low, "high": high}) for name, (low, high) in pairs.items())


def time_windows(answers: Answers, seed: int) -> tuple[Case, ...]:
    """Windows of whole minutes: a working day, hours, single minutes, before, after and all of the data."""
    day, hour, week = 24 * 60, 60, 7 * 24 * 60
    spans = {
        "common-1": (day + 8 * hour, day + 18 * hour),
        "weekend": (5 * day, week),
        "all": (-day, week + day),
        "before": (-2 * day, -day),
        "after": (week + hour, week + day),
        "empty": (day, day),
        "first-minute": (0, 1),
        "late": (week - 1, week + 1),
        "midnight": (day - 1, day + 1),
    }
    for number, text in enumerate(permuted(map(str, range(week - hour)), seed, "window")[:12], 1):
        begin = int(text)
        spans[f"drawn-{number}"] = (begin, begin + (1, 7, hour)[number % 3])
    return timed(
        Case(name=name, literals={"begin": answers.instant(begin), "end": answers.instant(end)})
        for name, (begin, end) in spans.items()
    )


def meetings(answers: Answers) -> tuple[Case, ...]:
    """Users and windows for the join, with at most about ``JOIN_PAIRS`` pairs each."""
    watched = sorted(set(answers.truth["watched"]["user_name"]), key=lambda user: (-answers.users[user], user))
    nobody = ABSENT_USERS[:3]
    groups = {
        "common-1": [*watched, *nobody][:3],
        "rare-1": [*reversed(watched), *nobody][:3],
        "absent-1": nobody,
    }
    day, hour = 24 * 60, 60
    begin = day + 9 * hour
    cases = []
    for name, chosen in groups.items():
        users: dict[str, Literal] = dict(zip("abc", chosen, strict=True))
        for length in (5 * day, day, 8 * hour, hour, 10, 1):
            window: dict[str, Literal] = {
                "begin": answers.instant(begin),
                "end": answers.instant(begin + length),
            }
            case = Case(name=name, literals={**users, **window})
            found = answers.of("denied_and_allowed", case)
            if found is None or sum(found["pairs"].to_pylist()) <= JOIN_PAIRS:
                break
        cases.append(case)
    return timed(cases)
