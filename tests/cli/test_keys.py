"""A key of weigh.toml and its flag are one declaration."""

from __future__ import annotations

from typing import Any, Literal

import click
import msgspec
import pytest

from weigh.cli.data.make import make
from weigh.cli.experiment.layout import layout
from weigh.cli.experiment.run import gate, run
from weigh.cli.judge import judge
from weigh.cli.keys import key, with_default
from weigh.cli.ladder import ladder
from weigh.cli.load.ladder import load_ladder
from weigh.cli.load.load import load
from weigh.experiment.config.file import schema
from weigh.load.spec import LoadSpec
from weigh.model.spec import CONTENTION
from weigh.model.units import parse_duration, parse_fraction, parse_rows

NO_FLAG = {"ExperimentTable": {"name", "on_divergence"}, "LoadTable": set()}
"""Keys that the command line does not have."""


def declared(table: str) -> dict[str, tuple[set[str], list[str]]]:
    """Types and choices of the keys of a table, as the JSON Schema of weigh.toml has them."""
    found = {}
    for name, one in schema()["$defs"][table]["properties"].items():
        parts = [part for part in one.get("anyOf", [one]) if part.get("type") != "null"]
        choices = [value for part in parts for value in part.get("enum", ()) if value is not None]
        found[name] = ({part.get("type", "choice") for part in parts}, choices)
    return found


def options(command: click.Command) -> dict[str, click.Option]:
    return {one.name or "": one for one in command.params if isinstance(one, click.Option)}


@pytest.mark.parametrize(
    ("command", "table"),
    [
        (run, "ExperimentTable"),
        (gate, "ExperimentTable"),
        (ladder, "ExperimentTable"),
        (judge, "ExperimentTable"),
        (load, "LoadTable"),
        (load_ladder, "LoadTable"),
    ],
    ids=["run", "gate", "ladder", "judge", "load", "ladder --load"],
)
def test_a_key_and_its_flag_have_one_type_and_the_same_choices(command: click.Command, table: str) -> None:
    keys, flags = declared(table), options(command)
    shared = keys.keys() & flags.keys()
    assert len(shared) >= 3
    for name in shared:
        types, choices = keys[name]
        flag = flags[name]
        assert flag.is_flag == (types == {"boolean"}), name
        assert (flag.type is click.INT) == (types == {"integer"}), name
        if isinstance(flag.type, click.Choice) or "|" in str(flag.metavar):
            assert sorted(getattr(flag.type, "choices", None) or str(flag.metavar).split("|")) == choices, name


@pytest.mark.parametrize(("command", "table"), [(run, "ExperimentTable"), (load, "LoadTable")])
def test_every_key_has_its_flag(command: click.Command, table: str) -> None:
    assert declared(table).keys() - {one.name for one in command.params} == NO_FLAG[table]


def test_choices_of_a_layout_are_those_of_its_key() -> None:
    keys, flags = declared("LayoutSpec"), options(make)
    for name in ("format", "writer", "codec"):
        kind = flags[name].type
        assert isinstance(kind, click.Choice)
        assert sorted(kind.choices) == keys[name][1]
    assert declared("GridTable").keys() == keys.keys() == keys.keys() & options(layout).keys() & flags.keys()


def test_defaults_that_the_flags_of_a_load_name_are_those_of_its_spec() -> None:
    named = {name: with_default(option.help or "")[1] for name, option in options(load).items()}
    usual = {field.name: field.default for field in msgspec.structs.fields(LoadSpec)}
    assert int(named["seed"]) == usual["seed"]
    assert int(named["repeats"]) == usual["repeats"]
    assert (int(named["connections"]),) == usual["connections"]
    assert parse_rows(named["records"], "records") == usual["records"]
    assert parse_duration(named["duration"]) == usual["duration_s"]
    assert parse_duration(named["timeout"]) == usual["timeout_s"]
    assert parse_fraction(named["error_budget"], "error_budget") == usual["error_budget"]
    assert parse_fraction(named["contention"], "contention") == CONTENTION


class Table(msgspec.Struct):
    """Keys of a test.

    Attributes:
        width: threads that take part, ``"2"`` or ``max``; with ``deep`` none (docs/guide/load.md). In a file alone
            also text [``"4"``; with ``deep`` none].
        deep: whether all of it is read.
        form: how it looks.
        size: bytes of it.
        names: of its parts [all].
    """

    width: int | str | None = None
    deep: bool = True
    form: Literal["flat", "tall"] = "flat"
    size: int | None = None
    names: list[str] = []


@pytest.mark.parametrize(
    ("name", "more", "text"),
    [
        ("width", {}, "Threads that take part, 2 or max; with --deep none [4; with --deep none]."),
        ("deep", {}, "Whether all of it is read [yes]."),
        ("deep", {"is_flag": True}, "Whether all of it is read."),
        ("form", {"also": ": from afar"}, "How it looks: from afar [flat]."),
        ("size", {}, "Bytes of it."),
        ("names", {"multiple": True}, "Of its parts. Repeatable [all]."),
    ],
)
def test_help_is_the_first_sentence_of_the_declaration(name: str, more: dict[str, Any], text: str) -> None:
    assert key(Table, name, **more).help == text


def test_the_flag_follows_from_the_type() -> None:
    deep, form, size = (key(Table, name) for name in ("deep", "form", "size"))
    assert (deep.opts, deep.secondary_opts, deep.default) == (["--deep"], ["--no-deep"], None)
    assert (form.metavar, form.type) == ("flat|tall", click.STRING)
    assert size.type is click.INT
    assert key(Table, "width").page == "docs/guide/load.md"
