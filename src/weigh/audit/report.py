"""The report of an audit: one set of blocks, for a terminal and as a page; and its JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh._version import __version__
from weigh.audit.experiment import toml
from weigh.audit.published import Published
from weigh.audit.rows import CatalogueRow, State
from weigh.audit.run import MOST
from weigh.model import codes, units
from weigh.model.finding import Finding
from weigh.render import blocks
from weigh.render import page as pages
from weigh.render.blocks import Cell, Column, Group, Lines, Listing, Page, Part, Row, Section, Table
from weigh.render.terminal import report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from weigh.audit.rows import Audited
    from weigh.audit.run import AuditResults

SCHEMA = "weigh/audit-results/1"
_STYLE = {State.EVIDENT: "fine", State.ABSENT: "open", State.CONTRADICTED: "bad"}
_MEANS = (
    "shown: the file has what a reader needs to judge it. not shown: it has nothing, or too little; that says nothing "
    "of what was done. contradicted: figures of the file that cannot all be true. weigh lies ID says more of a row."
)
_FIRST = 3
"""Results of a folder that a terminal shows in full."""
_IMPORTANT = ("A8", "D7", "R3", "E7", "L1", "L2", "L3", "L4", "L7", "T1", "T10", "R1")
"""Rows whose absence a terminal shows: the questions that make a figure readable."""


class AuditedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A result.

    Attributes:
        published: as its file shows it.
        rows: one a row of the catalogue of lies.
        contradictions: how many figures contradict each other.
        experiment: weigh.toml of the smallest experiment that would settle it.
    """

    published: Published
    rows: tuple[CatalogueRow, ...]
    contradictions: int
    experiment: str


_BEYOND = f"Of a folder the first {MOST:,} files were looked at, and there are more: name the folders inside"
_NAMED = 10
"""Files that are named; the JSON has them all."""


class AuditDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document but for ``schema``.

    Attributes:
        results: one a published result.
        unread: files that have none of the known forms, or cannot be read.
        beyond: whether a folder has more than 2,000 files: the others were not looked at.
        findings: one a contradiction.
        weigh: version that read them.
    """

    results: tuple[AuditedRow, ...]
    unread: tuple[str, ...]
    beyond: bool
    findings: tuple[Finding, ...]
    weigh: str


def document(found: AuditResults) -> dict[str, Any]:
    """The whole document as plain JSON."""
    made = AuditDocument(
        results=tuple(
            AuditedRow(
                published=one.published,
                rows=one.rows,
                contradictions=len(one.contradicted),
                experiment=toml(one.published),
            )
            for one in found.results
        ),
        unread=found.unread,
        beyond=found.beyond,
        findings=tuple(
            codes.R11_FIGURES.finding(
                text=f"{one.published.file}: {row.id}: {row.text}",
                remedy="ask whoever published it which of the figures is right; weigh audit --toml settles it anew",
            )
            for one in found.results
            for row in one.contradicted
        ),
        weigh=__version__,
    )
    plain = msgspec.to_builtins(made, str_keys=True)
    return {"schema": SCHEMA, **plain}


def text(found: AuditResults, *, verbose: bool = False) -> RenderableType:
    """The report for a terminal."""
    parts: list[blocks.Block] = [Lines([(Part("weigh audit", "bold"), f"  {_heading(found)}")])]
    if len(found.results) > 1:
        parts.append(_list(found))
    first = found.results if verbose else _first(found)
    for one in first:
        parts += _result(one, verbose=verbose)
    if len(first) < len(found.results):
        parts.append(Lines([f"{len(found.results) - len(first)} more: --verbose, --html PAGE or --json has them all"]))
    parts += _left_out(found)
    return report(*parts, Lines([_MEANS], style="dim"))


def _left_out(found: AuditResults) -> Iterator[blocks.Block]:
    """Which files say nothing here."""
    if found.beyond:
        yield Lines([_BEYOND], "dim")
    if found.unread:
        yield Lines(
            [f"not read: {', '.join(found.unread[:_NAMED])}{' ...' if len(found.unread) > _NAMED else ''}"], "dim"
        )


def page(found: AuditResults) -> bytes:
    """The report as one page."""
    parts: list[blocks.Block] = [Section("Results", [_list(found)], "results")]
    for at, one in enumerate(found.results):
        parts.append(
            Section(
                _title(one.published),
                [
                    Lines(list(_facts(one.published)), css="say"),
                    _rows(one.rows),
                    Lines(["The smallest experiment that would settle it:"], css="say"),
                    Listing(toml(one.published)),
                ],
                f"result-{at + 1}",
            )
        )
    return pages.page(
        Page(
            command="weigh audit",
            title="audit of published results",
            heading=_heading(found),
            head=[Lines([_MEANS], css="meta", most=800)],
            blocks=[*parts, *_left_out(found)],
            weigh=__version__,
        )
    )


def _heading(found: AuditResults) -> str:
    wrong = [one for one in found.results if one.contradicted]
    counted = units.count(len(found.results), "result")
    if not wrong:
        return f"{counted}; none contradicts itself."
    return f"{counted}; {len(wrong)} {'contradicts itself' if len(wrong) == 1 else 'contradict themselves'}."


def _first(found: AuditResults) -> tuple[Audited, ...]:
    """Those that contradict themselves come first."""
    ordered = sorted(found.results, key=lambda one: not one.contradicted)
    return tuple(ordered[:_FIRST])


def _list(found: AuditResults) -> Table:
    rows: list[list[blocks.Content]] = []
    for one in found.results:
        counts = {state: sum(row.state is state for row in one.rows) for state in State}
        wrong = Cell(str(len(one.contradicted) or ""), "bad")
        rows.append([one.published.file, one.published.form, _system(one.published), str(counts[State.EVIDENT]), wrong])
    columns = [
        Column("file"),
        Column("form"),
        Column("system"),
        Column("shown", right=True),
        Column("contradicted", right=True),
    ]
    return Table(columns, [Group("", [Row(cells) for cells in rows])], label="results")


def _result(one: Audited, *, verbose: bool) -> Iterator[blocks.Block]:
    yield Lines([Part(_title(one.published), "bold"), *_facts(one.published)])
    if verbose:
        yield _rows(one.rows)
    else:
        yield _rows([row for row in one.rows if row.state is State.CONTRADICTED or row.state is State.EVIDENT])
        missing = [row for row in one.rows if row.state is State.ABSENT]
        export = "R4" in one.published.lacks
        load = not one.published.times and (not export or bool(one.published.latencies))
        important = {name for name in _IMPORTANT if load or not name.startswith("L")} | ({"R4"} if export else set())
        named = [row for row in missing if row.id in important]
        lines: list[blocks.Phrase] = [(Part(f"{row.id:<4}", "open"), row.text) for row in named]
        rest = [row.id for row in missing if row not in named]
        yield Section("Not shown", [Lines([*lines, f"and {', '.join(rest)}"], indent=2)])
    yield Section("The smallest experiment that would settle it", [Lines(toml(one.published).splitlines(), indent=2)])


def _rows(rows: Sequence[CatalogueRow]) -> Table:
    cells = [Row([row.id, Cell(str(row.state).upper(), _STYLE[row.state]), row.text]) for row in rows]
    return Table(
        [Column("row", whole=True), Column("state", whole=True), Column("what the file says")],
        [Group("", cells)],
        label="rows of the catalogue",
    )


def _title(one: Published) -> str:
    return f"{one.file}: {one.form}, {one.benchmark or 'no benchmark named'}"


def _system(one: Published) -> str:
    return " ".join(filter(None, (one.system, one.version))) or "not named"


def _facts(one: Published) -> Iterator[str]:
    facts = [f"of {_system(one)}"]
    facts += [f"on {one.machine}"] if one.machine else []
    facts += [one.date] if one.date else []
    facts += [f"{one.rate:,.6g} a second"] if one.rate else []
    facts += [f"{one.clients:,.0f} clients"] if one.clients else []
    facts += [units.seconds(one.seconds)] if one.seconds else []
    yield "; ".join(facts)
