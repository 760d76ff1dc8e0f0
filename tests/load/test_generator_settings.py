"""The settings of the generator have one name each on both sides of the border."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from weigh.load.generator import settings

CRATE = Path(__file__).parents[2] / "crates/weigh-load/src"
STRUCTS = [
    (settings.GeneratorSettings, "config.rs", "struct Config"),
    (settings.Share, "config.rs", "struct Share"),
    (settings.ArrivalSettings, "config.rs", "struct ArrivalSettings"),
    (settings.ReplaySettings, "workload/replay/mod.rs", "struct Settings"),
    (settings.YcsbSettings, "workload/select.rs", "    Ycsb"),
    (settings.TpccSettings, "workload/select.rs", "    Tpcc"),
    (settings.ScriptSettings, "workload/select.rs", "    Script"),
    (settings.NamedScript, "workload/select.rs", "struct NamedScript"),
]


@pytest.mark.parametrize(("struct", "file", "begin"), STRUCTS, ids=lambda one: getattr(one, "__name__", None))
def test_both_sides_have_the_same_fields(struct: type[msgspec.Struct], file: str, begin: str) -> None:
    text = (CRATE / file).read_text()
    body = re.search(rf"^(?:pub )?{begin} \{{\n(.*?)^ *\}}", text, re.MULTILINE | re.DOTALL)
    assert body, begin
    names = re.findall(r"^ +(?:pub )?(\w+): ", body[1], re.MULTILINE)
    assert sorted(names) == sorted(struct.__struct_fields__)


def test_what_comes_at_no_rate_names_none() -> None:
    assert msgspec.json.encode(settings.ArrivalSettings(kind="closed")) == b'{"kind":"closed"}'
