"""Blocks as one self-contained HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from weigh.model.text import one_line, visible
from weigh.model.verdict import VerdictName
from weigh.render import blocks, words
from weigh.render.html import ExplainedCodes, templates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_TAGS = {
    "": "{}", "bold": "{}", "dim": "{}",
    "strong": "<strong>{}</strong>", "small": "<small>{}</small>", "code": "<code>{}</code>",
}  # fmt: skip
_CELL = 400
"""Characters of a cell."""


def page(one: blocks.Page) -> bytes:
    """The whole page."""
    explained = ExplainedCodes()
    laid_out = Blocks(explained)
    # Before the template: its end explains the codes that these name.
    head, body = (Markup().join(map(laid_out.block, part)) for part in (one.head, one.blocks))
    more = {"folded": True} if one.folded else {}
    text = (
        templates()
        .get_template("page.html")
        .render(
            page=one,
            command=phrase(one.command, 400),
            style=Markup(one.style),
            ground=Markup(one.ground),
            head=head,
            body=body,
            parts=list(_parts(one.blocks)),
            explained=explained,
            environment={"weigh": one.weigh} if one.weigh else None,
            **more,
        )
    )
    return text.encode()


def _parts(every: Iterable[blocks.Block]) -> Iterator[tuple[str, str]]:
    """Anchors and titles of what the list of parts names."""
    for one in every:
        match one:
            case blocks.Section() if one.listed and one.anchor:
                yield one.anchor, one.title
            case blocks.Grade():
                yield "tier", "Tier"
            case blocks.Findings() if one.findings:
                yield "findings", "Findings"


def phrase(one: blocks.Phrase, most: int) -> Markup:
    """Words with what they are.

    Args:
        one: the words.
        most: characters of a piece.
    """
    if isinstance(one, tuple):
        return Markup().join(_part(part, visible) for part in one)
    return _part(one, lambda text: one_line(text, most))


def _part(one: str | blocks.Part, made: Callable[[str], str]) -> Markup:
    if isinstance(one, Markup):
        return one
    if isinstance(one, str):
        return escape(made(one))
    return Markup(_TAGS.get(one.style) or f'<span class="{one.style}">{{}}</span>').format(made(one.text))


class Blocks:
    """Blocks of one page.

    Args:
        explained: the codes that they name.
    """

    def __init__(self, explained: ExplainedCodes) -> None:
        self._explained = explained
        self._label = ""

    def block(self, one: blocks.Block) -> Markup:
        """A block with its line break."""
        match one:
            case blocks.Section():
                return self._section(one)
            case blocks.Lines():
                return _lines(one)
            case blocks.Table():
                return self._table(one)
            case blocks.Plot() if one.region:
                region = Markup('<div class="wide" tabindex="0" role="region" aria-label="{}">{}</div>\n')
                return region.format(visible(one.region), one.drawing)
            case blocks.Plot():
                return Markup('<figure tabindex="0"><figcaption>{}</figcaption>{}</figure>\n').format(
                    phrase(one.caption, _CELL), one.drawing
                )
            case blocks.Pairs():
                return Markup('<div class="pair">\n{}</div>\n').format(Markup().join(map(self.block, one.plots)))
            case blocks.Grade():
                return self._grade(one)
            case blocks.Findings():
                found = templates().get_template("findings.html")
                return Markup(found.render(findings=one.findings, explained=self._explained))
            case blocks.Fold():
                return Markup('<details class="part"><summary><h4>{}</h4></summary>\n{}</details>\n').format(
                    phrase(one.title, _CELL), Markup().join(map(self.block, one.blocks))
                )
            case blocks.Facts():
                facts = (Markup("<dt>{}</dt><dd>{}</dd>").format(*_fact(fact)) for fact in one.facts)
                return Markup('<dl class="kv">{}</dl>\n').format(Markup().join(facts))
            case blocks.Commands():
                return Markup('<pre tabindex="0">{}</pre>\n').format(command(one.lines))

    def _section(self, one: blocks.Section) -> Markup:
        self._label = one.anchor
        inner = Markup().join(map(self.block, one.blocks))
        if one.article:
            return Markup('<article id="{}">\n<h3>{}</h3>\n{}</article>\n').format(
                one.anchor, one_line(one.title, 200), inner
            )
        if not one.anchor:
            return Markup("<h3>{}</h3>\n{}").format(visible(one.title), inner)
        return Markup('<section aria-labelledby="{0}">\n<h2 id="{0}">{1}</h2>\n{2}</section>\n').format(
            one.anchor, visible(one.title), inner
        )

    def _grade(self, one: blocks.Grade) -> Markup:
        macros = templates().get_template("macros.html").make_module({"explained": self._explained})
        reasons = Markup("{}\n").format(macros.codes(one.tier.reasons)) if one.tier.reasons else ""  # type: ignore[attr-defined]
        return Markup(
            '<section class="tier {}" aria-labelledby="tier">\n<strong id="tier">{}</strong>\n{}</section>\n'
        ).format(one.tier.name, words.tier(one.tier.name), reasons)

    def _table(self, one: blocks.Table) -> Markup:
        used = [at for at, column in enumerate(one.columns) if column.form in ("", "page")]
        heads = [Markup('<th scope="col">{}</th>').format(one.grouped_by)] if one.grouped_by else []
        for at in used:
            column = one.columns[at]
            css = Markup(' class="{}"').format(column.css) if column.css else ""
            heads.append(Markup('<th scope="col"{}>{}</th>').format(css, _content(column.heading, _CELL)))
        named = next((at for at in used if one.columns[at].named), used[0])
        body = Markup()
        for group in one.groups:
            rows = [
                _row(row, used, named, _name(group, one.grouped_by) if at == 0 else Markup())
                for at, row in enumerate(group.rows)
            ]
            body += Markup("<tbody>\n{}</tbody>\n").format(Markup().join(rows))
        made = Markup('<table class="{}">\n<thead><tr>{}</tr></thead>\n{}</table>').format(
            one.css, Markup().join(heads), body
        )
        if not one.wide:
            return made + "\n"
        named_by = f'aria-labelledby="{self._label}"'
        label = Markup('aria-label="{}"').format(visible(one.label)) if one.label else named_by
        region = Markup(' role="region" {}').format(Markup(label)) if one.label is not None else ""
        return Markup('<div class="wide{}" tabindex="0"{}>{}</div>\n').format(" tall" if one.tall else "", region, made)


def command(text: str) -> Markup:
    """A command line that browsers do not break behind hyphens."""
    made: Markup = templates().filters["command"](text)
    return made


def _lines(one: blocks.Lines) -> Markup:
    css = Markup(' class="{}"').format(one.css) if one.css else ""
    if not one.tag:
        return Markup().join(phrase(line, one.most) + "\n" for line in one.lines)
    tag = "li" if one.listed else one.tag
    made = Markup().join(
        Markup("<{0}{1}>{2}</{0}>\n").format(tag, "" if one.listed else css, phrase(line, one.most))
        for line in one.lines
    )
    return Markup("<ul{}>\n{}</ul>\n").format(css, made) if one.listed else made


def _fact(one: tuple[str, str]) -> tuple[str, str]:
    return one_line(one[0], 60), one_line(one[1], 200)


def _name(group: blocks.Group, grouped_by: str) -> Markup:
    """The cell before the rows of a group."""
    if not grouped_by:
        return Markup()
    css = Markup(' class="{}"').format(group.css) if group.css else ""
    return Markup('<th scope="rowgroup" rowspan="{}"{}>{}</th>').format(
        len(group.rows), css, visible(group.name or group.otherwise)
    )


def _row(row: blocks.Row, used: list[int], named: int, first: Markup) -> Markup:
    about = Markup()
    if row.anchor:
        about += Markup(' id="{}"').format(row.anchor)
    if row.css:
        about += Markup(' class="{}"').format(row.css)
    cells = Markup().join(_cell(row.cells[at], named=at == named) for at in used)
    return Markup("<tr{}>{}{}</tr>\n").format(about, first, cells)


def _cell(one: blocks.Content, *, named: bool) -> Markup:
    style = one.style if isinstance(one, blocks.Cell) else ""
    css = f"w {style}" if style in set(VerdictName) else style
    about = Markup(' class="{}"').format(css) if css else ""
    content = _content(one, 200 if named else _CELL)
    return Markup('<th scope="row"{}>{}</th>' if named else "<td{}>{}</td>").format(about, content)


def _content(one: blocks.Content, most: int) -> Markup:
    if isinstance(one, blocks.Cell):
        one = one.text if one.page is None else one.page
    if isinstance(one, blocks.Interval):
        return Markup(f"{one.low:.2f}–{one.high:.2f}") if None not in (one.low, one.high) else Markup()
    return one() if callable(one) else phrase(one, most)
