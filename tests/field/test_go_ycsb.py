"""field/go-ycsb: property files of other implementations run, and what is theirs alone is named without its value."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from support.command import RAN

if TYPE_CHECKING:
    from support.command import Weigh

MINE = Path(__file__).parent / "go-ycsb" / "mine"
SHORT = ("--target", "valkey:embedded", "--rate", "100", "--duration", "1s", "--connections", "4", "--quiet", "--json")


def test_core_is_the_core_workload_and_other_options_are_named(weigh: Weigh) -> None:
    own = "\nverbose=1\ntikv.pd=10.0.0.7:2379\nvendor_token = hunter2\nbatch.size=8\ndropdata=true\n"
    (weigh.folder / "mine").write_text(MINE.read_text() + own)
    run = weigh("load", "-P", "mine", "-p", "vendor.key=swordfish", *SHORT)
    assert run.code in RAN, run.err
    assert "X.ignored" in run.codes
    (said,) = (one["text"] for one in run.json["findings"] if one["code"] == "X.ignored")
    for name in ("threadcount", "verbose", "tikv.pd", "vendor_token", "batch.size", "dropdata", "vendor.key"):
        assert name in said
    everything = (
        run.out + run.err + "".join(one.read_text(errors="replace") for one in run.evidence.iterdir() if one.is_file())
    )
    for value in ("10.0.0.7", "hunter2", "swordfish"):
        assert value not in everything


def test_a_misspelt_property_is_no_option_of_others(weigh: Weigh) -> None:
    (weigh.folder / "mine").write_text("workload=core\nreadpropotion=0.5\n")
    run = weigh("load", "-P", "mine", *SHORT)
    assert run.code == 2
    assert "readproportion" in run.err
