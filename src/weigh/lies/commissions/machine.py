"""The machine and the server: what is cold, where data lies, who has more of it, what is durable."""

from __future__ import annotations

from weigh.lies.commission import Act, Commission
from weigh.lies.commissions.words import ONCE, SMALL, TWO, contenders

_MEMORY = f"gate --contender duckdb --store tmpfs --operations by_action {SMALL}"
_YCSB = "--records 200 --connections 4 --rate 50 --duration 1s --quiet --json"


def _unprivileged() -> str:
    from weigh.host import page_cache

    return "" if page_cache.may_drop() else "it needs the right to empty the page cache, which root has"


COMMISSIONS = {
    "E1": Commission(
        liar=Act(
            steps=(
                f"run {contenders(base='duckdb', twin='liar?lie=none', liar='liar?lie=keeps')} {TWO} "
                f"--starts 1 --temperature cold {SMALL}",
            )
        ),
        code="E1.resident",
        of="liar",
        needs=_unprivileged,
    ),
    "E2": Commission(
        liar=Act(steps=(f"{_MEMORY} --expect-storage nvme",)),
        code="E2",
        twin=Act(steps=(f"{_MEMORY} --expect-storage memory",)),
        twin_text="AGREED",
    ),
    "E6": Commission(
        liar=Act(
            steps=(
                f"run {contenders(base='liar?lie=none', twin='liar?lie=none', liar='liar?lie=extra-thread')} "
                f"--operations by_action {ONCE} {SMALL}",
            )
        ),
        code="E6.threads",
        of="liar",
    ),
    "E7": Commission(
        liar=Act(steps=(f"load ycsb-a --target sqlite:embedded?synchronous=OFF {_YCSB}",)),
        code="E7.not_durable",
        twin=Act(steps=(f"load ycsb-a --target sqlite:embedded {_YCSB}",)),
    ),
    "E8": Commission(
        liar=Act(
            steps=(
                "load ycsb-c --target valkey:embedded --records 200 --connections 1 --rate 200K --duration 1s "
                "--quiet --json",
            )
        ),
        code="L2.rate",
        twin=Act(
            steps=(
                "load ycsb-c --target valkey:embedded --records 200 --connections 1 --rate 20 --duration 1s "
                "--quiet --json",
            )
        ),
    ),
    "E9": Commission(
        liar=Act(
            steps=(
                f"run {contenders(base='liar?lie=none', twin='liar?lie=none', liar='liar?lie=renices')} "
                f"--operations by_action {ONCE} {SMALL}",
            )
        ),
        code="E9.others",
        of="liar",
    ),
}

ELSEWHERE = {
    "E3": "it needs a server of objects, which is started and filled",
    "E4": "it needs a machine that nobody else uses: where another job runs a twin would be named with reason",
    "E5": "it needs a machine whose speed can be changed",
    "E10": "it takes a cluster of Dask, which is an extra: weigh[cluster]",
}
