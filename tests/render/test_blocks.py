"""The same blocks in a terminal, on a page and in Markdown: the same words, and text of others is text."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from markupsafe import Markup

from support.html_pages import Reader, assert_codes_explained, assert_sound
from weigh.model.finding import Finding
from weigh.model.verdict import Reason, Tier, TierName, VerdictName
from weigh.render import blocks, markdown
from weigh.render.blocks import Cell, Column, Findings, Grade, Group, Interval, Lines, Page, Part, Row, Section, Table
from weigh.render.page import page
from weigh.render.screen import Screen
from weigh.render.terminal import ReportConsole, report

DRAWING = Markup('<svg aria-hidden="true"></svg>')
EVIL = "<script>alert(1)</script>"
REASON = Reason(code="E4.unwatched", text="nobody watched")
TIER = Tier(name=TierName.SUGGESTIVE, reasons=(REASON,))


def table(name: str = "new") -> Table:
    """A verdict in a group, with a column of each form."""
    columns = [
        Column("contender"), Column("starts", right=True, form="terminal"), Column("ratio", right=True),
        Column(lambda: DRAWING, form="page"), Column("99 %", right=True), Column("verdict"),
    ]  # fmt: skip
    cells = [name, "20", "1.459", lambda: DRAWING, Interval(1.41, 1.51), Cell("SLOWER", "slower")]
    return Table(columns, [Group("q1", [Row(cells)])], optional=("99 %", "starts"), grouped_by="operation")


def printed(*parts: blocks.Block | None, width: int = 80) -> str:
    """Blocks in a terminal."""
    console = ReportConsole(file=io.StringIO(), width=width, color_system=None)
    console.print(report(*parts), crop=False)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def html(*parts: blocks.Block, heading: str = "A report") -> str:
    """Blocks on a page."""
    return page(Page(command="weigh", title="t", heading=heading, head=[], blocks=parts)).decode()


def test_a_table_has_the_same_words_in_every_form() -> None:
    forms = [
        printed(table()),
        Reader(html(Section("Verdicts", [table()], "v"))).text,
        "\n".join(markdown.table(table())),
    ]
    for one in forms:
        for word in ("contender", "ratio", "99 %", "verdict", "new", "1.459", "SLOWER"):
            assert word in one
    assert ["starts" in one for one in forms] == [True, False, False]
    assert "1.41-1.51" in forms[0]
    assert "1.41–1.51" in forms[1]


def test_a_group_is_a_row_in_a_terminal_and_a_cell_on_a_page() -> None:
    lines = [line.rstrip() for line in printed(table()).splitlines()]
    assert lines[2] == "q1"
    assert lines[3].startswith("  new ")
    text = html(Section("Verdicts", [table()], "v"))
    assert '<th scope="rowgroup" rowspan="1">q1</th><th scope="row">new</th>' in text
    assert '<td class="w slower">SLOWER</td>' in text


def test_a_narrow_terminal_leaves_out_columns_and_says_which() -> None:
    narrow = printed(table("a-contender-of-a-long-name"), width=44)
    assert "(no room for 99 %" in narrow
    assert "SLOWER" in narrow
    assert "1.41-1.51" not in narrow


def test_what_is_a_pages_alone_is_not_in_a_terminal() -> None:
    both = Cell("baseline", page=Part("against itself", "small"))
    one = blocks.words(("a", "b"), [("x", both)])
    assert "baseline" in printed(one)
    assert "against itself" not in printed(one)
    assert "<td><small>against itself</small></td>" in html(Section("S", [one], "s"))
    assert printed(blocks.Plot("caption", DRAWING)).strip() == ""


def test_parts_are_listed_and_codes_are_explained() -> None:
    finding = Finding(code="E4.unwatched", severity="warning", text="it was not watched", remedy="watch it")
    text = html(Section("Verdicts", [table()], "v"), Section("Next", [Lines(["go"])], "n", listed=False), Grade(TIER),
                Findings((finding,)))  # fmt: skip
    assert_sound(text)
    assert_codes_explained(text)
    nav = text[text.index("<nav") : text.index("</nav>")]
    assert [nav.count(f"#{one}") for one in ("v", "n", "tier", "findings")] == [1, 0, 1, 1]


def test_blocks_are_an_empty_line_apart_and_what_is_absent_leaves_none() -> None:
    assert printed(Lines(["one", "two"]), None, Findings(()), Lines(["three"])) == "one\ntwo\n\nthree\n"


@pytest.mark.parametrize("text", [EVIL, "a\x1b[31mb", "x" * 3000])
def test_text_of_others_is_text(text: str) -> None:
    found = (
        Section(text, [Lines([text, (Part(text, "strong"), text)]), blocks.words((text,), [(text,)], label=text)], "s"),
        Section("Folded", [blocks.Fold(text, [blocks.Facts([(text, text)])])], "f"),
    )
    shown = html(*found, heading=text)
    assert_sound(shown)
    assert EVIL not in shown
    assert "\x1b" not in printed(*found) + shown
    assert "|" not in markdown.text("a|b").replace(r"\|", "")


def test_what_is_of_one_form_is_nowhere_else() -> None:
    lines = [Lines([one], form=one) for one in ("terminal", "page")]
    both = Section("Both", [*lines, replace(table(), form="page")], "both")
    assert printed(both) == "Both\nterminal\n"
    assert "<p>page</p>" in html(both)
    assert ">terminal<" not in html(both)


def test_names_of_groups_have_a_column_of_their_own_in_both_forms() -> None:
    columns = [Column("", whole=True), Column("time", right=True), Column("", form="terminal")]
    groups = [Group("read", [Row(["p50", "1 ms", "by 9"])], about="9 answers"), Group("scan", [], about="0 answers")]
    one = Table(columns, groups, grouped_by="operation", indent=None)
    lines = [line.split() for line in printed(one).splitlines()]
    assert lines[0] == ["operation", "time"]
    assert lines[2:] == [["read", "9", "answers"], ["p50", "1", "ms", "by", "9"], ["scan", "0", "answers"]]
    text = html(Section("Times", [one], "t"))
    assert '<th scope="rowgroup" rowspan="1">read<br><small>9 answers</small></th><th scope="row">p50</th>' in text
    assert '<tr><th scope="rowgroup" colspan="3">scan<br>' in text


def test_folds_are_listed_by_their_short_name_and_lead_to_what_explains_a_code() -> None:
    why = (Part("E4.unwatched", "explained"), " ", Part("q1", anchor="op-1"))
    facts = blocks.Facts([("who", [why, "another"])], css="facts", apart=True)
    text = html(
        blocks.Fold("All of it", [facts, blocks.Listing("SELECT -1")], "h2", anchor="f", short="All", open=True)
    )
    assert_sound(text.replace("#op-1", "#f"))
    assert_codes_explained(text)
    assert '<a href="#f">All</a></nav>' in text
    assert '<details class="part" open><summary><h2>All of it</h2></summary>\n<div id="f">' in text
    assert '<div><dt>who</dt>\n<dd><a href="#E4.unwatched"><code>E4.unwatched</code></a> <a href="#op-1">q1</a>' in text
    assert '<pre tabindex="0">SELECT -1</pre>' in text


def test_a_verdict_has_its_colour_in_a_terminal() -> None:
    console = ReportConsole(file=io.StringIO(), width=80, color_system="standard", force_terminal=True)
    console.print(report(table()))
    assert isinstance(console.file, io.StringIO)
    assert "\x1b[1;31mSLOWER" in console.file.getvalue()
    assert set(VerdictName) >= {"slower"}


def test_the_first_screen_in_both_forms() -> None:
    one = Screen(
        says=["new is SLOWER than old.", "More."], tier=TierName.SUGGESTIVE, why="Suggestive: nobody watched.",
        size="5 blocks", under=["Under a load."], notes="1 note", evidence="runs/1 a", page=True, again="weigh load a",
    )  # fmt: skip
    console = ReportConsole(file=io.StringIO(), width=118, color_system=None)
    console.print(one)
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert lines[0].startswith("  new is SLOWER than old.")
    assert lines[0].rstrip().endswith("[SUGGESTIVE]")
    assert "  1 note: weigh report 'runs/1 a' --notes" in lines
    assert "  Again:   weigh load a" in lines
    text = one.markdown("SUGGESTIVE. Under a load.", ["| a |"])
    assert text.startswith("**new is SLOWER than old.**  \nMore.  \n\nSUGGESTIVE. Under a load.\n\n| a |\n\nEvidence: ")
    assert text.endswith("Again: `weigh load a`")
