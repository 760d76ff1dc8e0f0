"""What a suite says of itself before anything is asked: what was left out, and which keys have no effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import codes
from weigh.model.units import count
from weigh.workloads import infer_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.model.finding import Finding
    from weigh.workloads.suites.question import LeftOut, Suite

_NAMES = 3
"""Names that stand in a finding; ``weigh workloads audit`` lists all."""
_REASONS = 8
"""Reasons that stand in findings of their own."""


def of(
    suite: Suite,
    left: Sequence[LeftOut],
    any_rows: Sequence[str],
    any_order: Sequence[str],
    taken: int,
    *,
    tables: Sequence[str],
    lists: str,
) -> Iterator[Finding]:
    """The findings of a suite.

    Args:
        suite: as it was read.
        left: everything that is not asked.
        any_rows: names of questions for which any rows are right.
        any_order: names of questions whose ORDER BY cannot be compared.
        taken: number of questions that are asked.
        tables: that can be asked.
        lists: what lists in full what is not taken; empty where nothing does.
    """
    yield from _left_out(left, taken, tables, lists)
    yield from _unread(suite, lists)
    if any_rows:
        yield codes.A7_LIMIT.finding(
            text=f"{count(len(any_rows), 'operation')} {'has' if len(any_rows) == 1 else 'have'} LIMIT without an "
            f"ORDER BY that the answer can be compared by ({_some(any_rows)}): any rows are a right answer, so other "
            "rows confirm nothing: unverified",
            remedy="add ORDER BY over columns that leave no ties",
        )
    if any_order:
        yield codes.A7_ORDER.finding(
            text=f"{count(len(any_order), 'operation')} {'has' if len(any_order) == 1 else 'have'} an "
            f"{infer_schema.UNCHECKED_ORDER}: {_some(any_order)}. Rows in any order agree",
            remedy="select what they are ordered by, by name",
        )


def _left_out(left: Sequence[LeftOut], taken: int, tables: Sequence[str], lists: str) -> Iterator[Finding]:
    by_reason: dict[str, list[str]] = {}
    for one in left:
        by_reason.setdefault(one.why, []).append(one.name)
    ranked = sorted(by_reason.items(), key=lambda pair: -len(pair[1]))
    groups = [(f"{_some(names)} ({why})", len(names)) for why, names in ranked[:_REASONS]]
    if ranked[_REASONS:]:
        rest = [name for _, names in ranked[_REASONS:] for name in names]
        groups.append((f"{_some(rest)} (for other reasons)", len(rest)))
    total = f"{len(left):,} of {taken + len(left):,} questions {'is' if len(left) == 1 else 'are'} not asked"
    mend = f"mend or remove what is named (the tables are {_some(tables)})"
    for text, number in groups:
        yield codes.R1_LEFT_OUT.finding(
            text=f"{total}: {text}" if len(groups) == 1 else f"{total}; {number:,} of them, {text}",
            remedy=f"{f'{lists} lists them all' if lists else mend}; the figures are about the others alone",
        )


def _unread(suite: Suite, lists: str) -> Iterator[Finding]:
    by_key: dict[tuple[str, str], list[str]] = {}
    for one in suite.unread:
        by_key.setdefault((one.key, one.why), []).append(one.file)
    unknown = [key for key, why in by_key if not why]
    known = [(key, why) for key, why in by_key if why]
    if unknown:
        files = {file for key in unknown for file in by_key[key, ""]}
        yield codes.X_SUITE_UNKNOWN.finding(
            text=f"{count(len(unknown), 'key')} of {count(len(files), 'file')} "
            f"{'is' if len(unknown) == 1 else 'are'} not understood: "
            + "; ".join(f"{key} ({_some(by_key[key, ''])})" for key in unknown[:_REASONS])
            + (f" and {len(unknown) - _REASONS:,} more" if unknown[_REASONS:] else ""),
            remedy=f"see whether one changes what is asked{f'; {lists} lists them all' if lists else ''}",
        )
    if known:
        yield codes.X_SUITE_KEYS.finding(
            text="what has no effect here: " + "; ".join(f"{key}: {why}" for key, why in known),
            remedy="nothing is wrong; where it matters to you, say it to weigh in its own words",
        )


def _some(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(names))
    more = f" and {len(names) - _NAMES:,} more" if names[_NAMES:] else ""
    return ", ".join(names[:_NAMES]) + more
