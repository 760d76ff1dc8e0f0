"""The reference pages say what the code says: their generated regions, and that nothing is missing from them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from reference import commands, json_documents, markdown, registry, structs, weigh_toml
from reference.__main__ import DOCS, PAGES, REGION, REMEDY, filled
from weigh.experiment.config.tables import ExperimentTable
from weigh.lies import CATALOGUE
from weigh.model import codes
from weigh.model.spec import BUDGET, CONTENTION, MOST_STARTS, NARROW

ROOT = Path(__file__).parents[2]
FILES = {
    "weigh/pins/1", "weigh/load-pins/1", "weigh/doctor-snapshot/1", "weigh/trace/1", "weigh/history-entry/1",
    "weigh/bundle/1", "weigh/site/1",
}  # fmt: skip
"""Schemas of files that no command prints."""


def regions(name: str) -> dict[str, str]:
    """The contents of a page's regions by name."""
    return {found[2]: found[0] for found in REGION.finditer((DOCS / name).read_text())}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_code_says(name: str) -> None:
    page = (DOCS / name).read_text()
    assert filled(page, PAGES[name]()) == page, REMEDY


@pytest.mark.parametrize("name", PAGES)
def test_every_region_has_a_generator_and_every_block_its_region(name: str) -> None:
    page = (DOCS / name).read_text()
    opened = re.findall(r"<!-- generated: (.+?) -->", page)
    assert sorted(opened) == sorted(PAGES[name]())
    assert opened == list(regions(name)), "every region ends"


def test_every_lie_and_every_code_has_its_row() -> None:
    found = registry.findings()["findings"]
    assert re.findall(r"^\| `(\S+)` \|", found, re.MULTILINE) == list(codes.REGISTRY)
    assert re.findall(r"^\| ([A-Z]\d+) \|", registry.lies()["lies"], re.MULTILINE) == [lie.id for lie in CATALOGUE]
    assert "| `E4.before` | warning | others used the machine just before the first block, or " in found
    assert "[The quiet check](../concept/method.md#the-quiet-check) |" in found
    assert "](lies.md#t8-what-counts)" in found


def test_no_flag_of_any_command_is_missing() -> None:
    page = regions("commands.md")
    seen = 0
    for name, command in commands.every():
        for option in command.params:
            if option.param_type_name != "option":
                continue
            for flag in (*option.opts, *option.secondary_opts):
                assert re.search(rf"`{flag}[ `]", page[f"flags of weigh {name}"]), f"weigh {name} {flag}"
                seen += 1
    assert seen > 100
    assert all(f"`weigh {name}" in page["commands"] for name, _ in commands.every())


def test_no_flag_is_without_a_meaning() -> None:
    bare = [f"{name} {flag.names[0]}" for name, command in commands.every() for flag in commands.flags(name, command)
            if not flag.meaning]  # fmt: skip
    assert bare == []


def test_defaults_that_a_help_text_names_are_those_of_weigh_toml() -> None:
    said = {flag.names[0][2:].replace("-", "_"): flag.default for flag in commands.flags(*named("run"))}
    for key in ("workload", "seed", "confidence", "temperature", "timeout"):
        assert said[key] == f"`{getattr(ExperimentTable(), key)}`"
    assert said["margin"] == f"`{ExperimentTable().margin:.0%}`"
    assert said["truth"] == "`yes`"
    assert ExperimentTable().truth
    assert said["contention"] == f"`{CONTENTION:.0%}`"
    assert (ExperimentTable().starts, said["starts"]) == (None, "as many as the precision needs, 100 at most")
    assert (ExperimentTable().rounds, said["rounds"]) == (None, "chosen from costs and noise")
    assert (ExperimentTable().runs, said["runs"]) == (None, "chosen from what an execution takes")
    assert (BUDGET, said["budget"]) == (5 * 60, "5m; with `--starts` none")
    page = weigh_toml.blocks()["weigh.toml [experiment]"]
    assert f'| `"{CONTENTION:.0%}"` |' in page
    assert f"| as many as the precision needs, `{MOST_STARTS}` at most |" in page
    assert f"| {NARROW} of the margin; with `starts` none |" in page


def named(words: str) -> tuple[str, Any]:
    """A command by its words."""
    return words, dict(commands.every())[words]


def test_every_schema_that_the_code_names_is_listed() -> None:
    texts = [path.read_text() for path in (ROOT / "src" / "weigh").rglob("*.py")]
    known = {schema for text in texts for schema in re.findall(r'"(weigh/(?:[a-z-]+/)?\d+)"', text)}
    assert known - FILES == set(json_documents.PRINTED)


def test_every_command_with_json_says_of_which_schema() -> None:
    for name, command in commands.every():
        for flag in commands.flags(name, command):
            if flag.names == ("--json",):
                assert "(json/" in flag.meaning, name


class Part(msgspec.Struct):
    """A part.

    Attributes:
        size: its size.
    """

    size: int


class Whole(msgspec.Struct):
    """A document.

    Attributes:
        low, high: an interval; None where there is
            none.
        parts: in ``Order``.
        kind: one of two.
        more: absent where
            there is nothing.

    It says more after its fields: nothing of that belongs to one.
    """

    low: float | None
    high: float | None
    parts: tuple[Part, ...]
    kind: Literal["a", "b"]
    more: dict[str, int] | msgspec.UnsetType


def test_fields_follow_from_a_struct() -> None:
    assert structs.rows(Whole, {}) == [
        structs.Row(("low", "high"), "number or null", "an interval; null where there is none"),
        structs.Row(("parts[]",), "list of objects", "in `Order`"),
        structs.Row(("parts[].size",), "integer", "its size"),
        structs.Row(("kind",), '`"a"` or `"b"`', "one of two"),
        structs.Row(("more",), "object: integers by name; may be absent", "absent where there is nothing"),
    ]
    linked = structs.rows(Whole, {Part: "[part](#part)"})
    assert linked[1].kind == "list of [parts](#part)"
    assert len(linked) == 4


def test_a_field_without_a_meaning_is_an_error() -> None:
    class Silent(msgspec.Struct):
        """A document.

        Attributes:
            told: told.
        """

        told: int
        untold: int

    with pytest.raises(LookupError, match="says nothing of 'untold'"):
        structs.rows(Silent, {})


def test_a_link_leads_to_a_heading() -> None:
    assert markdown.prose("warm (docs/concept/cold.md).") == "warm ([Cold, first, hot](../concept/cold.md))"
    with pytest.raises(LookupError, match="no such heading"):
        markdown.prose("warm (docs/concept/cold.md#lukewarm)")
    with pytest.raises(LookupError, match="only readers of the code"):
        markdown.prose("of :data:`CAUSES`")
