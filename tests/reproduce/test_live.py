"""Bundles that are measured again for real, through the command line: the same again, arms swapped, one changed row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.command import Weigh

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.long
# What others do on this machine is not asked here: a busy one would only refuse.
ON_ANY_MACHINE = ("--contention", "10000%")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two engines of which one is far slower, on operations of the demo."""
    weigh = Weigh(tmp_path_factory.mktemp("original"))
    of = ("--scale", "100K", "--operations", "eq_user,by_action", "--starts", "5", "--seed", "3")
    run = weigh("run", "--contender", "duckdb", "--contender", "sqlite", *of, *ON_ANY_MACHINE)
    assert run.code == 0, run.err
    exported = weigh("export", "latest", "--bundle", "--out", "original.weigh")
    assert exported.code == 0
    assert "refuses" not in exported.err
    return weigh.folder / "original.weigh"


def outcomes(document: dict[str, object]) -> set[str]:
    """Those of wall time."""
    rows = document["outcomes"]
    assert isinstance(rows, list)
    return {one["outcome"] for one in rows if one["metric"] == "wall_s"}


def test_the_same_again_is_confirmed_or_left_open(tmp_path: Path, bundle: Path) -> None:
    weigh = Weigh(tmp_path)
    run = weigh("reproduce", str(bundle), "--json")
    assert run.code in (0, 3), run.err
    assert outcomes(run.json) <= {"confirmed", "not decided"}
    (folder,) = (tmp_path / "runs").glob("reproduction-*")
    assert weigh("verify", str(folder)).code == 0


def test_swapped_arms_are_contradicted(tmp_path: Path, bundle: Path) -> None:
    """Each name stands for the other engine: whoever says which is slower says the contrary."""
    weigh = Weigh(tmp_path)
    swapped = ("--contender", "duckdb=first=sqlite", "--contender", "sqlite=second=duckdb")
    run = weigh("reproduce", str(bundle), *swapped, "--json")
    assert run.code == 1, run.err
    assert "contradicted" in outcomes(run.json)
    assert "confirmed" not in outcomes(run.json)


def test_one_changed_row_stops_it(tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    (tmp_path / "sum.sql").write_text("SELECT g, sum(v) AS s FROM t GROUP BY g ORDER BY g\n")
    rows = {"g": [at % 7 for at in range(5_000)], "v": list(range(5_000))}
    pq.write_table(pa.table(rows), tmp_path / "t.parquet")
    own = ("--data", "t.parquet", "--sql", "sum.sql")
    run = weigh("run", "--contender", "duckdb", "--contender", "sqlite", *own, "--starts", "5", *ON_ANY_MACHINE)
    assert run.code in (0, 3), run.err
    weigh("export", "latest", "--bundle", "--out", "x.weigh")
    assert "which a bundle does not hold" in weigh("reproduce", "x.weigh").err
    pq.write_table(pa.table({**rows, "v": [1, *range(1, 5_000)]}), tmp_path / "t.parquet")
    changed = weigh("reproduce", "x.weigh", *own)
    assert changed.code == 2
    assert "the rows of t are not those" in changed.err
    assert not list((tmp_path / "runs").glob("reproduction-*/*/verdicts.json"))
