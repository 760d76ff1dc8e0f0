"""What is read: other files, other rows, damaged ones, copies."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from weigh.lies.commission import Act, Commission
from weigh.lies.commissions.words import ONCE, SMALL, contenders

if TYPE_CHECKING:
    from pathlib import Path

_LAYOUTS = """[layout.arrow]
writer = "pyarrow"
[layout.many]
files = 4
"""
_TINY = "--scale 1K --operations by_action --quiet --json"
_ROWS = 5_000


def _layouts(folder: Path) -> None:
    (folder / "weigh.toml").write_text(_LAYOUTS)


def _layout(name: str) -> Act:
    named = contenders(base="duckdb", twin="duckdb?threads=1", liar=f"duckdb?threads=1&layout={name}")
    return Act(steps=(_layouts, f"run {named} {ONCE} {_TINY}"))


def _tables(folder: Path, *, changed: bool) -> None:
    """The same rows in another order; or one cell of them changed, in the order in which they were."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw = np.random.default_rng(3)
    amounts = draw.integers(0, 1 << 40, _ROWS)
    table = pa.table({"id": np.arange(_ROWS), "amount": amounts})
    pq.write_table(table, folder / "before.parquet")
    if changed:
        amounts = amounts.copy()
        amounts[1234] += 1
        after = pa.table({"id": np.arange(_ROWS), "amount": amounts})
    else:
        after = table.take(pa.array(draw.permutation(_ROWS)))
    pq.write_table(after, folder / "after.parquet")


def _sales(folder: Path) -> None:
    """A table with checksums on its pages."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"amount": np.random.default_rng(3).integers(0, 1 << 40, _ROWS)})
    path = folder / "sales.parquet"
    pq.write_table(table, path, compression="none", use_dictionary=False, write_page_checksum=True)


def _flipped(folder: Path) -> None:
    """One bit of one amount: every engine sums it."""
    path = folder / "sales.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x40
    path.write_bytes(content)


def _data_cache(folder: Path) -> None:
    """A cache for data alone; engines are shared, they are large."""
    from weigh.engines.prepared import cache_folder

    data_cache = folder / "cache"
    data_cache.mkdir()
    for name in ("envs", "locks"):
        shared = cache_folder().absolute() / name
        shared.mkdir(parents=True, exist_ok=True)
        (data_cache / name).symlink_to(shared)


def _edited(folder: Path) -> None:
    """One row less in the file that was generated."""
    import pyarrow.parquet as pq

    (path,) = (folder / "cache").rglob("events-0000.parquet")
    pq.write_table(pq.read_table(path).slice(1), path)


_MAKE = "data make --scale 1K --quiet --json"
_ASK = f"gate --contender duckdb {_TINY}"
_CACHE = {"WEIGH_CACHE": f"{{folder}}{os.sep}cache"}
_CHECK = "data check sales.parquet --json"
_DIFF = "data diff before.parquet after.parquet --json"
_COLD = "--workload two --operations unordered --starts 1 --temperature cold"

COMMISSIONS = {
    "D1": Commission(liar=_layout("arrow"), code="D1.writer", of="liar"),
    "D2": Commission(
        liar=Act(
            steps=(
                "run "
                + contenders(
                    files="liar?lie=none", twin="liar?lie=none&catalog=delta", liar="liar?lie=commits&catalog=delta"
                )
                + f" {ONCE} {_TINY}",
            )
        ),
        code="D2.files",
        of="liar",
    ),
    "D3": Commission(
        liar=Act(steps=(lambda folder: _tables(folder, changed=True), _DIFF)),
        code="DIFFERENT",
        twin=Act(steps=(lambda folder: _tables(folder, changed=False), _DIFF)),
        twin_text="SAME",
    ),
    "D4": Commission(liar=Act(steps=(_sales, _flipped, _CHECK)), code="D4.page", twin=Act(steps=(_sales, _CHECK))),
    "D5": Commission(liar=_layout("many"), code="D5.files", of="liar"),
    "D6": Commission(
        liar=Act(
            steps=(f"run {contenders(base='duckdb', twin='liar?lie=none', liar='liar?lie=copy')} {_COLD} {SMALL}",)
        ),
        code="E1.unread",
        of="liar",
    ),
    "D8": Commission(
        liar=Act(steps=(_data_cache, _MAKE, _edited, _ASK), settings=_CACHE),
        code="D8.size",
        twin=Act(steps=(_data_cache, _MAKE, _ASK), settings=_CACHE),
        twin_text="AGREED",
    ),
    "D9": Commission(
        liar=Act(
            steps=(
                f"run {contenders(base='duckdb', twin='liar?lie=none', liar='liar?lie=in-memory')} "
                f"--operations by_action {ONCE} {SMALL}",
            )
        ),
        code="D9.copy",
        of="liar",
    ),
}

ELSEWHERE = {"D7": "its twin needs data larger than the memory of the machine"}
