"""Questions that the gate alone asks: the ends of ranges, NULL in groups and joins, texts that are almost alike.

Their constants stand exactly on rows that are there, so that ``<`` and ``<=`` are two answers at every scale. What SQL
leaves open, or engines document otherwise, is not asked: sums beyond 64 bits (they wrap, fail or grow), NOT IN over a
set with NULL (no row by the standard, ClickHouse takes NULL out of the set), where NULL stands in an order.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.model.answer import Column, ResultSchema
from weigh.model.operation import Case, Filter, Operation
from weigh.workloads.netflow.literals import JOIN_PAIRS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weigh.model.operation import Literal
    from weigh.workloads.netflow.answers import Answers

_EVENTS = Column(name="events", kind="integer")
_ABSENT = "none"
"""No action has this name."""
_PATTERNS = (
    "ada.%", "ADA.%", "Ada.%", "SVC-Backup-%", "ádá.%", "ａda.%", "svc\u2011%", "svc_backup%", "%admin%", "%ADMIN%",
)  # fmt: skip
_MOST_USERS = 500
"""Groups of the largest answer, about."""


def operations(answers: Answers) -> tuple[Operation, ...]:
    """The questions, with constants from the truth."""
    return (
        _counting(
            "at_the_ends",
            "action = {action} AND ts >= TIMESTAMP {first} AND ts <= TIMESTAMP {last}",
            _ends(answers),
            "events from the first to the last of an outcome: all of them",
        ),
        _counting(
            "past_the_ends",
            "action = {action} AND (ts < TIMESTAMP {first} OR ts > TIMESTAMP {last})",
            _ends(answers),
            "events before the first or after the last of an outcome: none",
        ),
        _counting(
            "nameless",
            "coalesce(user_name, {text}) = ''",
            (_case("null-or-empty", text=""), _case("empty", text="-")),
            "an empty name is no NULL",
        ),
        _counting(
            "alike",
            "user_name LIKE {pattern}",
            tuple(_case(f"pattern-{at}", pattern=one, glob=_glob(one)) for at, one in enumerate(_PATTERNS, 1)),
            "names that others resemble but for case, accent, width or dash",
        ),
        Operation(
            name="users_of_action",
            sql="SELECT user_name, count(*) AS events FROM events WHERE action = {action} GROUP BY user_name",
            schema=ResultSchema(columns=(Column(name="user_name", kind="string"), _EVENTS), keys=(0,)),
            cases=tuple(_case(action, action=action) for action in _few(answers)),
            about="groups by a column with NULL, which is one group",
        ),
        Operation(
            name="unscored",
            sql=(
                "SELECT action, count(*) AS events, count(score) AS scored, sum(score) AS total_score, "
                "max(score) AS highest_score FROM events WHERE score IS NULL GROUP BY action ORDER BY action"
            ),
            schema=ResultSchema(
                columns=(
                    Column(name="action", kind="string"),
                    _EVENTS,
                    Column(name="scored", kind="integer"),
                    Column(name="total_score", kind="double"),
                    Column(name="highest_score", kind="double"),
                ),
                ordered_by=(0,),
            ),
            cases=(_case("only"),),
            about="groups whose values are all NULL: so is their sum, and it is not 0",
        ),
        Operation(
            name="same_user",
            sql=(
                "SELECT count(*) AS pairs FROM events AS a JOIN events AS b ON a.user_name = b.user_name "
                "WHERE a.action = {one} AND b.action = {other}"
            ),
            schema=ResultSchema(columns=(Column(name="pairs", kind="integer"),)),
            cases=tuple(_case(f"{one}-{other}", one=one, other=other) for one, other in _pairs(answers)),
            about="a join over a column with NULL, which joins nothing",
        ),
    )


def _counting(name: str, predicate: str, cases: tuple[Case, ...], about: str) -> Operation:
    sql = f"SELECT count(*) AS events FROM events WHERE {predicate}"
    return Operation(
        name=name,
        sql=sql,
        schema=ResultSchema(columns=(_EVENTS,)),
        cases=cases,
        filter=Filter(table="events", predicate=predicate),
        dialect=_dialects(sql),
        about=about,
    )


def _dialects(sql: str) -> dict[str, str]:
    """Texts for engines that need another.

    SQLite keeps timestamps as text, and its LIKE takes no notice of case, as its documentation says. The literal of a
    timestamp has no fractions of a second in ClickHouse.
    """
    sqlite = sql.replace("TIMESTAMP ", "").replace("LIKE {pattern}", "GLOB {glob}")
    clickhouse = re.sub(r"TIMESTAMP (\{\w+\})", r"toDateTime64(\1, 6, 'UTC')", sql)
    return {name: text for name, text in (("sqlite", sqlite), ("clickhouse", clickhouse)) if text != sql}


def _glob(pattern: str) -> str:
    return pattern.replace("%", "*").replace("_", "?")


def _case(name: str, **literals: Literal) -> Case:
    return Case(name=name, literals=dict(literals))


def _ends(answers: Answers) -> tuple[Case, ...]:
    """The first and the last instant of every outcome, to the microsecond."""
    known = answers.ends()
    absent = _case("absent", action=_ABSENT, first=answers.moment(0), last=answers.moment(1))
    return (*(_case(action, action=action, first=low, last=high) for action, (low, high) in known.items()), absent)


def _few(answers: Answers) -> Iterable[str]:
    """Outcomes with few events, the most frequent of them first, and one that nothing has."""
    few = sorted((action for action, n in answers.actions.items() if n <= _MOST_USERS), key=answers.actions.__getitem__)
    rarest = min(answers.actions, key=lambda action: (answers.actions[action], action), default=_ABSENT)
    return dict.fromkeys((*few[:-3:-1], rarest, _ABSENT))


def _pairs(answers: Answers) -> Iterable[tuple[str, str]]:
    """Outcomes whose join is bounded even if NULL joined with NULL, the largest such, and two with nothing."""
    found: list[tuple[int, str, str]] = []
    for one in answers.actions:
        for other in answers.actions:
            size = answers.pairs(one, other, nulls=True)
            if one < other and size <= JOIN_PAIRS:
                found.append((size, one, other))
    return [*((one, other) for _, one, other in sorted(found)[:-3:-1]), (_ABSENT, "allow")]
