"""Blocks as one self-contained HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from weigh.model.text import one_line, visible
from weigh.model.verdict import VerdictName
from weigh.render import blocks, glossary, words
from weigh.render.html import ExplainedCodes, templates
from weigh.render.markup import filled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_TAGS = {
    "": "{}", "bold": "{}", "dim": "{}",
    "strong": "<strong>{}</strong>", "small": "<small>{}</small>", "code": "<code>{}</code>",
    "small nw": '<small class="nw">{}</small>',
}  # fmt: skip
_CELL, _CAPTION = 400, 1000
"""Characters of a cell, and of what stands with a drawing."""


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
            command=laid_out.phrase(one.command, 400),
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
    return glossary.explained(text).encode()


def _parts(every: Iterable[blocks.Block]) -> Iterator[tuple[str, str]]:
    """Anchors and titles of what the list of parts names."""
    for one in every:
        match one:
            case blocks.Section() if one.listed and one.anchor:
                yield one.anchor, one.short or str(one.title)
            case blocks.Fold() if one.short:
                yield one.anchor, one.short
            case blocks.Grade():
                yield "tier", "Tier"
            case blocks.Findings() if one.findings:
                yield "findings", "Findings"


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
            case blocks.Lines() | blocks.Table() if one.form not in ("", "page"):
                return Markup()
            case blocks.Section():
                return self._section(one)
            case blocks.Lines():
                return self._lines(one)
            case blocks.Table():
                return self._table(one)
            case blocks.Plot() if one.region:
                region = '<div class="wide" tabindex="0" role="region" aria-label="{}">{}</div>\n'
                return filled(region, visible(one.region), one.drawing)
            case blocks.Plot() if one.below:
                return Markup('<figure tabindex="0">{}<figcaption>{}</figcaption></figure>\n').format(
                    one.drawing, self.phrase(one.caption, _CAPTION)
                )
            case blocks.Plot():
                return Markup('<figure tabindex="0"><figcaption>{}</figcaption>{}</figure>\n').format(
                    self.phrase(one.caption, _CAPTION), one.drawing
                )
            case blocks.Pairs():
                return filled('<div class="pair">\n{}</div>\n', Markup().join(map(self.block, one.plots)))
            case blocks.Grade():
                return self._grade(one)
            case blocks.Findings():
                found = templates().get_template("findings.html")
                return Markup(found.render(findings=one.findings, explained=self._explained))
            case blocks.Fold():
                return self._fold(one)
            case blocks.Facts():
                facts = Markup().join(self._fact(name, value, apart=one.apart) for name, value in one.facts)
                return filled('<dl class="{}">\n{}</dl>\n', one.css, facts)
            case blocks.Listing():
                return filled('<pre tabindex="0">{}</pre>\n', visible(one.text))
            case blocks.Commands():
                return filled('<pre tabindex="0">{}</pre>\n', command(one.lines))

    def _section(self, one: blocks.Section) -> Markup:
        self._label = one.anchor
        inner = Markup().join(map(self.block, one.blocks))
        if one.article:
            about = filled('aria-label="{}"', one.label) if one.label else filled('id="{}"', one.anchor)
            title = self.phrase(one.title, 200)
            return filled("<article {}>\n<h3>{}</h3>\n{}</article>\n", about, title, inner)
        title = self.phrase(one.title, _CELL)
        if not one.anchor:
            return filled("<h3>{}</h3>\n{}", title, inner)
        return Markup('<section aria-labelledby="{0}">\n<h2 id="{0}">{1}</h2>\n{2}</section>\n').format(
            one.anchor, title, inner
        )

    def _fold(self, one: blocks.Fold) -> Markup:
        title, inner = self.phrase(one.title, _CELL), Markup().join(map(self.block, one.blocks))
        if one.tag:
            title = Markup("<{0}>{1}</{0}>").format(one.tag, title)
        if one.about:
            title += filled('<span class="about">{}</span>', self.phrase(one.about, _CELL))
        if one.anchor:
            inner = filled('<div id="{}">\n{}</div>\n', one.anchor, inner)
        css = filled(' class="{}"', one.css) if one.css else ""
        opened = " open" if one.open else ""
        return filled("<details{}{}><summary>{}</summary>\n{}</details>\n", css, opened, title, inner)

    def _grade(self, one: blocks.Grade) -> Markup:
        macros = templates().get_template("macros.html").make_module({"explained": self._explained})
        reasons = filled("{}\n", macros.codes(one.tier.reasons)) if one.tier.reasons else Markup()  # type: ignore[attr-defined]
        name, title = one.tier.name, words.tier(one.tier.name)
        if one.label is None:
            return filled('<div class="tier {}"><strong>{}</strong>{}</div>\n', name, title, reasons[:-1])
        if one.label:
            section = Markup('<section class="tier {}" aria-label="{}">\n<strong>{}</strong>\n{}</section>\n')
            return section.format(name, one.label, title, reasons)
        return Markup(
            '<section class="tier {}" aria-labelledby="tier">\n<strong id="tier">{}</strong>\n{}</section>\n'
        ).format(name, title, reasons)

    def _table(self, one: blocks.Table) -> Markup:
        used = [at for at, column in enumerate(one.columns) if column.form in ("", "page")]
        scope = Markup(' scope="col"') if one.scoped else ""
        heads = [filled("<th{}>{}</th>", scope, one.grouped_by)] if one.grouped_by else []
        for at in used:
            column = one.columns[at]
            css = filled(' class="{}"', column.css) if column.css else ""
            content = self._content(column.heading, _CELL)
            if isinstance(column.heading, str) and (means := words.TERMS.get(column.heading)):
                content = filled('<abbr title="{}">{}</abbr>', means, content)
            heads.append(filled("<th{}{}>{}</th>", scope, css, content))
        named = next((at for at in used if one.columns[at].named), used[0])
        heading = '<th scope="row"{}>{}</th>' if one.scoped is not False else "<th{}>{}</th>"
        heads_rows = {named: heading} if one.named else {}
        body = Markup()
        for group in one.groups:
            name = self._name(group, len(used) + 1) if one.grouped_by else Markup()
            rows = [self._row(row, used, heads_rows, Markup() if at else name) for at, row in enumerate(group.rows)]
            body += filled(
                "<tbody>\n{}</tbody>\n", Markup().join(rows) if rows or not name else filled("<tr>{}</tr>\n", name)
            )
        # Counted from the end: what a group is called stands before its first row alone.
        right = [f"r{len(used) - place}" for place, at in enumerate(used) if one.columns[at].right]
        css = " ".join([one.css, *right] if one.css.startswith("lines") else [one.css])
        made = Markup('<table class="{}">\n<thead><tr>{}</tr></thead>\n{}</table>').format(
            css, Markup().join(heads), body
        )
        if not one.wide:
            return made + "\n"
        named_by = f'aria-labelledby="{self._label}"'
        label = filled('aria-label="{}"', visible(one.label)) if one.label else named_by
        region = filled(' role="region" {}', Markup(label)) if one.label is not None else ""
        return filled('<div class="wide{}" tabindex="0"{}>{}</div>\n', " tall" if one.tall else "", region, made)

    def _name(self, group: blocks.Group, columns: int) -> Markup:
        """The cell before the rows of a group, or of all columns where it has none."""
        css = filled(' class="{}"', group.css) if group.css else ""
        name: blocks.Phrase = visible(group.name or group.otherwise)
        if group.anchor:
            name = blocks.Part(group.name, anchor=group.anchor)
        if group.about:
            name = (one_line(group.name, 60), Markup("<br>"), blocks.Part(group.about, "small"))
        span = f'rowspan="{len(group.rows)}"' if group.rows else f'colspan="{columns}"'
        return filled('<th scope="rowgroup" {}{}>{}</th>', Markup(span), css, self.phrase(name, _CELL))

    def _row(self, row: blocks.Row, used: list[int], tags: dict[int, str], first: Markup) -> Markup:
        about = Markup()
        if row.anchor:
            about += filled(' id="{}"', row.anchor)
        if row.css:
            about += filled(' class="{}"', row.css)
        cells = Markup().join(self._cell(row.cells[at], tags.get(at)) for at in used)
        return filled("<tr{}>{}{}</tr>\n", about, first, cells)

    def _cell(self, one: blocks.Content, heading: str | None) -> Markup:
        style = one.style if isinstance(one, blocks.Cell) else ""
        css = f"w {style}" if style in set(VerdictName) else style
        about = filled(' class="{}"', css) if css else ""
        content = self._content(one, _CELL if heading is None else 200)
        return filled("<td{}>{}</td>" if heading is None else heading, about, content)

    def _content(self, one: blocks.Content, most: int) -> Markup:
        if isinstance(one, blocks.Cell):
            one = one.text if one.page is None else one.page
        if isinstance(one, blocks.Interval):
            return Markup(words.interval(one.low, one.high, "–"))
        return one() if callable(one) else self.phrase(one, most)

    def _lines(self, one: blocks.Lines) -> Markup:
        css = filled(' class="{}"', one.css) if one.css else ""
        if not one.tag:
            return Markup().join(self.phrase(line, one.most) + "\n" for line in one.lines)
        tag = "li" if one.listed else one.tag
        made = Markup().join(
            Markup("<{0}{1}>{2}</{0}>\n").format(tag, "" if one.listed else css, self.phrase(line, one.most))
            for line in one.lines
        )
        return filled("<ul{}>\n{}</ul>\n", css, made) if one.listed else made

    def _fact(self, name: str, value: blocks.Phrase | list[blocks.Phrase], *, apart: bool) -> Markup:
        values = value if isinstance(value, list) else [value]
        found = [filled("<dd>{}</dd>", self.phrase(each, 600)) for each in values]
        term = filled("<dt>{}</dt>", one_line(name))
        if apart:
            return filled("<div>{}\n{}\n</div>\n", term, Markup("\n").join(found))
        return term + Markup().join(found) + "\n"

    def phrase(self, one: blocks.Phrase, most: int) -> Markup:
        """Words with what they are.

        Args:
            one: the words.
            most: characters of a piece.
        """
        if isinstance(one, tuple):
            return Markup().join(self._part(part, visible) for part in one)
        return self._part(one, lambda text: one_line(text, most))

    def _part(self, one: str | blocks.Part, made: Callable[[str], str]) -> Markup:
        if isinstance(one, Markup):
            return one
        if isinstance(one, str):
            return escape(made(one))
        if one.style == "explained":
            return self._explained.link(one.text)
        inner = one.text if isinstance(one.text, Markup) else made(one.text)
        text = filled(_TAGS.get(one.style) or f'<span class="{one.style}">{{}}</span>', inner)
        return filled('<a href="#{}">{}</a>', one.anchor, text) if one.anchor else text


def command(text: str) -> Markup:
    """A command line that browsers do not break behind hyphens."""
    made: Markup = templates().filters["command"](text)
    return made
