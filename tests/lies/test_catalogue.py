"""The catalogue lists what is tested here, and nothing else; codes are explained from the registry."""

from __future__ import annotations

import ast
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.model import codes
from weigh_liars.adapter import LIES

if TYPE_CHECKING:
    from support.command import Weigh


def test_every_lie_that_is_listed_has_its_liar_here(weigh: Weigh) -> None:
    tested = {path.stem.removeprefix("test_") for path in Path(__file__).parent.rglob("test_[A-Z]*.py")}
    assert {lie["id"] for lie in weigh("lies", "--json").json["lies"]} == tested


def test_every_liar_is_a_class_where_it_is_looked_for() -> None:
    """Read and not imported: some need an engine."""
    folder = Path(str(files("weigh_liars"))) / "adapter"
    classes: dict[str, set[str]] = {}
    for module, _, name in (one.rpartition(".") for one in LIES.values()):
        if module not in classes:
            tree = ast.parse(folder.joinpath(*module.split(".")).with_suffix(".py").read_text())
            classes[module] = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
        assert name in classes[module], (module, name)


def test_all_codes_are_listed(weigh: Weigh) -> None:
    listed = weigh("lies", "--json").json["codes"]
    assert [one["code"] for one in listed] == list(codes.REGISTRY)
    assert {one["severity"] for one in listed} == {None, "note", "warning", "error", "depends"}
    assert {one["code"] for one in listed if one["disqualifies"]} == {
        "A4.rows",
        "A5.lazy",
        "A6.prepare",
        "A6.release",
        "A9.enabled",
        "A9.detected",
        "A10.clock",
        "A10.cpu",
        "A11.between",
        "A11.peer",
        "A11.server",
        "A12.answers",
        "A12.stale",
        "D2.bytes",
        "D2.files",
        "D8.changed",
        "D9.linked",
        "E1.files",
        "E9.files",
        "E9.others",
        "E9.turn",
        "X.pooled",
    }


def test_a_code_is_explained_with_its_lie(weigh: Weigh) -> None:
    run = weigh("lies", "E4.before")
    assert run.code == 0
    for said in (
        "another job uses the machine",
        "E4.before (warning): others used the machine just before the first block",
        "docs/concept/method.md, The quiet check",
    ):
        assert said in run.out
    assert "E4.steal" not in run.out
    document = weigh("lies", "E4.before", "--json").json
    assert ([one["id"] for one in document["lies"]], [one["code"] for one in document["codes"]]) == (
        ["E4"],
        ["E4.before"],
    )


def test_a_lie_has_all_its_codes(weigh: Weigh) -> None:
    """T10 is a lie and a code of its own; T1 is not T10."""
    for lie in ("T1", "T10", "R2", "X"):
        document = weigh("lies", lie, "--json").json
        assert [one["id"] for one in document["lies"]] == ([lie] if lie != "X" else [])
        assert {one["code"] for one in document["codes"]} == {
            one.code for one in codes.REGISTRY.values() if one.family == lie
        }


def test_what_is_no_code_has_a_nearest_one(weigh: Weigh) -> None:
    run = weigh("lies", "E4.contendd")
    assert (run.code, run.out) == (2, "")
    assert "there is no lie and no code 'E4.contendd'" in run.err
    assert "did you mean 'E4.contended'?" in run.err
