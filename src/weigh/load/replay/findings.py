"""What is to be reported of a replay alongside its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import codes
from weigh.model.units import count, percent, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.replay.results import ReplayResults
    from weigh.model.finding import Finding


def findings(found: ReplayResults | None) -> Iterator[Finding]:
    """Everything that is found."""
    if found is None:
        return
    planned = found.planned
    for one in found.late:
        yield codes.L2_BEHIND.finding(
            text=f"run {one.run}: {percent(one.behind / one.due, 2)} of the statements started late, because their "
            f"session still waited for an answer; the longest wait was {seconds(one.longest_s)}. Response times count "
            "from the recorded moment",
            remedy="a lower --speed shows what the server can follow"
            + ("; --connections N has more room" if planned.shared else ""),
        )
    if found.left_out:
        yield codes.L4_LEFT_OUT.finding(
            text=f"{found.left_out:,} of {found.left_out + planned.calls:,} statements of the trace are not replayed: "
            + "; ".join(f"{number:,} {why}" for why, number in planned.left_out.items()),
            remedy="the figures are those of the rest",
        )
    if sessions := list(_sessions(found)):
        yield codes.L4_SESSIONS.finding(
            text="; ".join(sessions), remedy="record whole sessions, and give each a connection (no --connections)"
        )
    if planned.failed:
        yield codes.L7_RECORDED.finding(
            text=f"{count(planned.failed, 'statement')} failed when they were recorded, and are sent all the same",
            remedy="expect them to fail again; --error-budget allows them",
        )


def _sessions(found: ReplayResults) -> Iterator[str]:
    planned = found.planned
    if not planned.sessions_known:
        yield "the source does not tell sessions apart: each statement is sent by itself, without transactions"
    if planned.shared:
        state = f", and {count(planned.session_state, 'statement')} (SET, PREPARE, ...) reach others"
        yield f"{count(planned.shared, 'session')} share a connection with another one" + (
            state if planned.session_state else ""
        )
    if planned.begun_inside:
        yield (
            f"{count(planned.begun_inside, 'session')} begin inside a transaction: what they sent before its end is "
            "sent by itself"
        )
    if planned.without_end:
        yield f"{count(planned.without_end, 'transaction')} have no end in the recording, and are rolled back"
