"""What a report is made of. A kind makes blocks of its results; a terminal and a page lay out the same objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from weigh.model.text import one_line

if TYPE_CHECKING:
    from markupsafe import Markup

    from weigh.model.finding import Finding
    from weigh.model.verdict import Tier


_TITLE = 160
"""Characters of the title of a window."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a sentence.

    Attributes:
        text: as it is read.
        style: ``strong``, ``small``, ``code``, a class of the page, or the name of a verdict; ``bold`` and ``dim`` are
            a terminal's alone; ``explained`` is a code that a page explains at its end.
        anchor: of the part of the page that it leads to.
    """

    text: str
    style: str = ""
    anchor: str = ""


Phrase: TypeAlias = str | Part | tuple[str | Part, ...]
"""Markup, which is a str, is for pages alone."""
Drawing: TypeAlias = Callable[[], "Markup"]
"""Drawn where it is put on a page, and nowhere else."""
Form: TypeAlias = Literal["", "terminal", "page", "markdown"]
"""Where alone there is room for a column, a table or sentences; empty for everywhere."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The ends of an interval of a ratio; empty where there is none."""

    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that is more than its text.

    Attributes:
        text: as it is read.
        style: of all of it, as of :class:`Part`.
        page: what a page and Markdown have room for instead.
    """

    text: Phrase | Interval
    style: str = ""
    page: Phrase | None = None


Content: TypeAlias = Phrase | Interval | Cell | Drawing
Cells: TypeAlias = Sequence[Content]


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        heading: in words, or an axis.
        right: whether its cells are numbers.
        whole: whether no line breaks its cells; None for those of numbers.
        least: characters that it is given at least.
        form: where alone it is.
        css: class of its heading.
        named: whether its cells name their rows; without any, those of the first column do.
        share: of the room of a terminal that is left, where its cells are long.
    """

    heading: Phrase | Cell | Drawing
    right: bool = False
    whole: bool | None = None
    least: int | None = None
    form: Form = ""
    css: str = ""
    named: bool = False
    share: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row.

    Attributes:
        cells: one a column.
        css: its class.
        anchor: what leads to it.
    """

    cells: Cells
    css: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of one name.

    Attributes:
        name: in a terminal a row of its own; on a page it stands before its rows.
        rows: on a page, a group without any has its name alone.
        otherwise: what a page says where there is no name.
        css: class of the name.
        about: more of the group: in the last column of a terminal, below the name on a page.
        anchor: of the part of the page that the name leads to.
    """

    name: str
    rows: Sequence[Row]
    otherwise: str = ""
    css: str = ""
    about: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        columns: of every row.
        groups: its rows; one without a name where they are not grouped.
        optional: headings of columns that a narrow terminal leaves out, the first one first.
        grouped_by: heading of the names of the groups on a page; without one they are no column there.
        css: its class.
        label: what its region is called for those who do not see it; None for no name, empty for that of its section.
        wide: whether it scrolls by itself where a page is narrow.
        tall: whether it scrolls by itself where it is long.
        indent: characters that a terminal moves the rows of a named group to the right; None where the names have a
            column of their own there too.
        form: where alone it is.
        named: whether a cell of each row is its heading on a page.
        scoped: whether headings say of what they are; a simple table of thousands of rows is smaller without. None
            where those of rows alone do.
    """

    columns: Sequence[Column]
    groups: Sequence[Group]
    optional: Sequence[str] = ()
    grouped_by: str = ""
    css: str = "lines"
    label: str | None = ""
    wide: bool = True
    tall: bool = False
    indent: int | None = 2
    form: Form = ""
    named: bool = True
    scoped: bool | None = True


@dataclass(frozen=True, slots=True)
class Lines:
    """Sentences, one below the other.

    Attributes:
        lines: each a sentence or a few.
        style: of all in a terminal.
        css: class of each paragraph, or of the list.
        listed: whether a page has them as a list.
        tag: of each on a page, where it is no paragraph.
        indent: characters that a terminal moves them to the right.
        most: characters of each.
        form: where alone they are.
    """

    lines: Sequence[Phrase]
    style: str = ""
    css: str = ""
    listed: bool = False
    tag: str = "p"
    indent: int = 0
    most: int = 2000
    form: Form = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing with what it shows.

    Attributes:
        caption: in words.
        drawing: of a page.
        region: what it is called for those who do not see it, where it scrolls by itself and has no caption.
        below: whether the caption stands below the drawing.
    """

    caption: Phrase
    drawing: Markup
    region: str = ""
    below: bool = False


@dataclass(frozen=True, slots=True)
class Pairs:
    """Plots side by side where there is room."""

    plots: Sequence[Plot]


@dataclass(frozen=True, slots=True)
class Grade:
    """What evidence is good for, with the reasons.

    Attributes:
        tier: with its reasons.
        label: of its region on a page; empty for its heading, None for no region.
    """

    tier: Tier
    label: str | None = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """Findings with their remedies, under their own heading; nothing where there is none."""

    findings: Sequence[Finding]


@dataclass(frozen=True, slots=True)
class Commands:
    """Lines for a shell."""

    lines: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Text of a page as it is: a query, names of packages."""

    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading.

    Attributes:
        title: the heading; empty for blocks that a terminal sets close to one another.
        blocks: below it.
        anchor: what leads to it on a page.
        listed: whether the list of the page's parts has it.
        article: whether it is one of several alike in a section.
        short: its name in that list, where that is not its title.
        label: of an article that nothing leads to.
    """

    title: Phrase
    blocks: Sequence[Block]
    anchor: str = ""
    listed: bool = True
    article: bool = False
    short: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that a page shows to those who open them.

    Attributes:
        title: what they open.
        blocks: below it.
        tag: of a heading; without one the title is text.
        css: its class.
        anchor: what leads to the blocks.
        short: its name in the list of the page's parts; empty where that has none.
        about: more, alongside the title.
        open: whether it begins open.
    """

    title: Phrase
    blocks: Sequence[Block]
    tag: str = "h4"
    css: str = "part"
    anchor: str = ""
    short: str = ""
    about: Phrase = ""
    open: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with values.

    Attributes:
        facts: each name with its value, or with several.
        css: of the list.
        apart: whether each name stands in a column with its values below it.
    """

    facts: Sequence[tuple[str, Phrase | list[Phrase]]]
    css: str = "kv"
    apart: bool = False


Block: TypeAlias = "Lines | Table | Plot | Pairs | Grade | Findings | Commands | Listing | Section | Fold | Facts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page.

    Attributes:
        command: what made it, above the heading.
        title: of the window.
        heading: the first sentence.
        head: lines below it.
        blocks: its parts.
        style: rules for what only it has, written by weigh.
        ground: what its drawings refer to.
        weigh: version that measured; empty where that is not said.
        date: when that ended; empty where that is not said.
        origin: what it was made from, at its foot.
        folded: whether the meanings of the codes are.
    """

    command: Phrase
    title: str
    heading: str
    head: Sequence[Block]
    blocks: Sequence[Block]
    style: str = ""
    ground: Markup | str = ""
    weigh: str = ""
    date: str = ""
    origin: Markup | str = ""
    folded: bool = True


def titled(question: str, answer: str) -> str:
    """Title of a window: what was asked, and what came out. Tabs and bookmarks have its beginning."""
    return one_line(f"{question}: {answer.rstrip('.')}", _TITLE)


def words(
    headings: Sequence[str], rows: Iterable[Cells], label: str | None = "", optional: Sequence[str] = ()
) -> Table:
    """A table of words, without groups."""
    groups = [Group("", [Row(cells) for cells in rows])]
    return Table([Column(one) for one in headings], groups, optional, label=label)


def small(text: str) -> Lines:
    """How to read what stands above it."""
    return Lines([Part(text, "small")], most=4000)


def read_back(value: str | None) -> Phrase:
    """A setting as its engine says it; what it does not say, and what is empty, in words."""
    if value is None:
        return Part("not told", "muted")
    return one_line(value, 200) if value else Part("empty", "muted")
