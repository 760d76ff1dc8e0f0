"""Wrong answers, and answers that cost something else than what is timed: one engine, and one that lies."""

from __future__ import annotations

from weigh.lies.commission import Act, Commission
from weigh.lies.commissions.words import ONCE, SMALL, TWO, contenders

_PACE = "ms=40&burn=20"
_THRICE = "--starts 1 --rounds 3 --runs 1"
"""As many turns as weigh wants before it accuses anybody by CPU seconds."""


def _gate(liar: str, twin: str, flags: str) -> Act:
    named = contenders(duckdb="duckdb", twin=f"liar?lie={twin}", liar=f"liar?lie={liar}")
    return Act(steps=(f"gate {named} {flags} {SMALL} --no-shrink",))


def _run(liar: str, twin: str, flags: str, scale: str = SMALL, often: str = ONCE) -> Act:
    named = contenders(duckdb="duckdb", twin=f"liar?lie={twin}", liar=f"liar?lie={liar}")
    return Act(steps=(f"run {named} {flags} {often} {scale} --no-shrink",))


_ALONE = f"gate --contender duckdb --operations eq_action,by_action {SMALL}"

COMMISSIONS = {
    "A1": Commission(liar=_gate("group", "none", "--operations by_action"), code="DIVERGED", of="liar"),
    "A2": Commission(
        liar=_gate("rounding&by=1e-6", "rounding&by=2.3e-16", "--operations duration_by_proto"),
        code="DIVERGED",
        of="liar",
    ),
    "A3": Commission(liar=_gate("late", "none", "--operations by_action"), code="DIVERGED", of="liar"),
    "A4": Commission(liar=_gate("fewer-rows", "copy", "--operations eq_action"), code="A4.rows", of="liar"),
    "A5": Commission(
        liar=_gate("lazy-in-memory", "slow-conversion", "--operations distinct,by_action"), code="A5.lazy", of="liar"
    ),
    "A6": Commission(
        liar=_run("early", "planner", "--operations distinct", "--scale 400K --quiet --json", _THRICE),
        code="A6.prepare",
        of="liar",
    ),
    "A7": Commission(liar=_gate("wrong-forms", "other-forms", "--workload shapes"), code="DIVERGED", of="liar"),
    "A8": Commission(
        liar=Act(steps=(f"{_ALONE} --no-truth",)),
        code="UNVERIFIED",
        twin=Act(steps=(f"{_ALONE} --truth",)),
        twin_text="AGREED",
    ),
    "A9": Commission(
        liar=_gate("cache", "compiles&ms=120", "--operations by_action,distinct"), code="A9.detected", of="liar"
    ),
    "A10": Commission(
        liar=_run(f"wire&edit=tenth&{_PACE}", f"pace&{_PACE}", TWO, often="--starts 5 --rounds 1 --runs 2"),
        code="A10.clock",
        of="liar",
    ),
    "A11": Commission(
        liar=_run("child", "helper", "--operations by_action", often=_THRICE), code="A11.processes", of="liar"
    ),
    "A14": Commission(liar=_gate("odd-values", "odd-forms", "--operations by_action"), code="A4.rows", of="liar"),
    "A12": Commission(
        liar=_gate("old-rows&diary={folder}/rows", "copy", "--operations by_action"), code="A12.answers", of="liar"
    ),
    "A13": Commission(liar=_gate("silent", "none", "--operations by_action"), code="A13.none", of="liar"),
}
