"""The spec and the record of several servers under one load."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec
import pytest

from support import load_records
from weigh.evidence.journal import Journal
from weigh.evidence.sealing import End
from weigh.load import record as load_record
from weigh.load.comparison import record as records
from weigh.load.comparison.spec import LoadComparisonSpec, LoadContender
from weigh.model.errors import EvidenceFault

if TYPE_CHECKING:
    from pathlib import Path

LOAD = load_records.spec(20, target="", connections=(4, 16), loops=("open", "closed"))
SPEC = LoadComparisonSpec(
    load=LOAD,
    contenders=(
        LoadContender(name="old", target="valkey:embedded"),
        LoadContender(name="a/b & c", target="sqlite:./x y.db"),
    ),
    baseline="old",
    blocks=40,
)


def test_every_arm_has_a_turn_with_every_kind_of_run_in_each_block() -> None:
    order = SPEC.order
    assert [one.name for one in SPEC.arms] == ["old", "a/b & c", "old#2"]
    assert [one.target for one in SPEC.arms] == ["valkey:embedded", "sqlite:./x y.db", "valkey:embedded"]
    for block in range(1, 41):
        own = [one for one in order if one.block == block]
        assert sorted(one.arm for one in own) == sorted(one.name for one in SPEC.arms)
        for turn in own:
            assert sorted(turn.kinds) == [(4, "closed"), (4, "open"), (16, "closed"), (16, "open")]


def test_the_order_is_random_and_that_of_the_seed() -> None:
    first = Counter(turn.arm for turn in SPEC.order[::3])
    assert set(first) == {one.name for one in SPEC.arms}
    assert max(first.values()) < 30
    assert len({turn.kinds for turn in SPEC.order}) > 12
    assert SPEC.order == msgspec.structs.replace(SPEC).order
    other = msgspec.structs.replace(SPEC, load=msgspec.structs.replace(LOAD, seed=43))
    assert other.order != SPEC.order
    assert other.id != SPEC.id


def test_folders_of_arms_are_plain_and_different() -> None:
    folders = [one.folder for one in SPEC.arms]
    assert folders == ["1-old", "2-a-b-c", "3-old-2"]


def written(folder: Path, spec: LoadComparisonSpec) -> None:
    """A comparison that ended after it opened its loads."""
    own = Journal(folder)
    own.append(records.OPENED, records.LoadComparisonOpened(attempt=1, spec=spec))
    own.append("environment", records.LoadComparisonEnvironment(weigh="0", command="weigh load", host={"cpu": "some"}))
    own.append("block", records.BlockBegun(block=1, arms=("old#2", "old", "a/b & c")))
    own.append("end", End(how="stopped", reason="interrupted"))
    own.close()
    for arm in spec.arms[:2]:
        place = records.folder_of(folder, arm)
        place.mkdir(parents=True)
        load = Journal(place)
        load.append(load_record.OPENED, load_record.LoadOpened(attempt=1, spec=spec.load_of(arm)))
        load.close()


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    written(tmp_path, SPEC)
    assert records.is_load_comparison(tmp_path)
    assert not load_record.is_load(tmp_path)
    assert records.read_spec(tmp_path) == SPEC
    found = records.read(tmp_path)
    assert found.spec == SPEC
    assert found.host == {"cpu": "some"}
    assert found.blocks[0].arms == ("old#2", "old", "a/b & c")
    assert [*found.loads] == ["old", "a/b & c"]
    assert found.loads["old"].spec.repeats == SPEC.blocks
    assert found.end is not None
    assert found.end.how == "stopped"


def test_a_load_that_was_not_asked_for_is_refused(tmp_path: Path) -> None:
    written(tmp_path, SPEC)
    arm = SPEC.arms[1]
    journal = records.folder_of(tmp_path, arm) / "journal.jsonl"
    journal.unlink()
    other = Journal(journal.parent)
    other.append(load_record.OPENED, load_record.LoadOpened(attempt=1, spec=SPEC.load_of(SPEC.arms[0])))
    other.close()
    with pytest.raises(EvidenceFault, match="not the one that was asked for"):
        records.read(tmp_path)


def test_two_contenders_of_one_name_are_no_comparison(tmp_path: Path) -> None:
    twice = msgspec.structs.replace(SPEC, contenders=(SPEC.contenders[0], SPEC.contenders[0]))
    own = Journal(tmp_path)
    own.append(records.OPENED, records.LoadComparisonOpened(attempt=1, spec=twice))
    own.close()
    with pytest.raises(EvidenceFault, match="no different names"):
        records.read(tmp_path)
