"""What the server did meanwhile: in sentences, and as a part of the JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.activity.kinds import KindActivity, ServerActivity
from weigh.load.activity.words import NAMES, sentence, short
from weigh.model.text import one_line
from weigh.model.units import count, percent, seconds, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.activity.kinds import RunActive
    from weigh.load.activity.model import Kind

TITLE = "What the server did meanwhile"
_AMOUNTS: dict[Kind, tuple[str, str]] = {
    "checkpoint": ("page", "written"),
    "eviction": ("key", "evicted"),
    "delayed_sync": ("write", "delayed"),
}
_LISTED = 4
"""Names of what autovacuum worked on, and of slow commands, that are reported in words; the JSON has them all."""
_PLACES = 10_000
"""Events that the JSON places."""


def lines(one: RunActive) -> Iterator[str]:
    """The same in sentences, each on a line of its own."""
    yield "; ".join(map(_kind, one.kinds)) + "." if one.kinds else _nothing(one)
    yield from (f"{sentence(each, one.interval_s)}." for each in one.kinds if each.counted and each.hits)
    yield from _spikes(one)
    sentences = []
    if one.log_rate is not None:
        sentences.append(
            f"it wrote {size(round(one.log_rate))} a second to its log, {size(round(one.most_log_rate or 0))} at most"
        )
    if one.cores is not None:
        sentences.append(f"its processes kept {one.cores:.3g} CPUs busy, {one.most_cores or 0.0:.3g} at most")
    if one.waiting:
        sentences.append(f"sessions waited for a lock in {one.waiting:,} of {count(one.looks, 'look')}")
    if sentences:
        text = "; ".join(sentences)
        yield text[0].upper() + text[1:] + "."
    share = f", {percent(one.cpu_s / one.seconds, 2)} of one CPU" if one.seconds else ""
    yield f"Looking took {seconds(one.cpu_s)} of CPU{share}; the longest look {seconds(one.longest_look_s)}."


def _kind(one: KindActivity) -> str:
    """``3 checkpoints (1,234 pages written, 812 ms together, 401 ms the longest)``."""
    parts = []
    if one.amount is not None and one.kind in _AMOUNTS:
        noun, verb = _AMOUNTS[one.kind]
        parts.append(f"{count(one.amount, noun)} {verb}")
    if one.longest_s:
        parts.append(
            f"{'' if one.exact else 'up to '}{seconds(one.longest_s)}{' the longest' if one.events > 1 else ''}"
        )
    if one.what:
        places = [
            f"{times:,} x {one_line(what, 80)}" if times > 1 else one_line(what, 80) for what, times in one.what.items()
        ]
        more = len(places) - _LISTED
        parts.append(", ".join(places[:_LISTED]) + (f" and {more:,} more" if more > 0 else ""))
    if not one.exact:
        parts.append("each between two looks")
    return f"{one.events:,} {NAMES[one.kind][one.events != 1]}" + (f" ({'; '.join(parts)})" if parts else "")


def _nothing(one: RunActive) -> str:
    if not one.counted:
        return "Nothing could be observed of it."
    return f"Nothing of this was observed: {', '.join(short(kind) for kind in one.counted)}."


def _spikes(one: RunActive) -> Iterator[str]:
    if not one.spikes or not one.kinds:
        return
    linked = sum(bool(each) for each in one.spikes)
    yield (
        f"Of {count(len(one.spikes), 'spike')} {linked:,} began in something that is blamed; "
        f"{len(one.spikes) - linked:,} did not."
    )


def spike(one: RunActive | None, number: int) -> str:
    """What is blamed for a spike, by its place from 0; empty where nothing is."""
    kinds = one.spikes[number] if one and number < len(one.spikes) else ()
    return " and ".join(f"the server's {short(kind)} are blamed" for kind in kinds)


class ActivityKindRow(KindActivity, frozen=True, kw_only=True):
    """One kind of what the server did.

    Attributes:
        sentence: in how many of its events spikes began, in words.
    """

    sentence: str


class ActivityDocument(ServerActivity, frozen=True, kw_only=True):
    """``activity`` of a run in the JSON document."""

    kinds: tuple[ActivityKindRow, ...]


def document(one: RunActive) -> ActivityDocument:
    """What a server did in a run, as the JSON document has it: every kind with its sentence, the first places."""
    rows = (
        ActivityKindRow(**msgspec.structs.asdict(each), sentence=sentence(each, one.interval_s)) for each in one.kinds
    )
    fields = {name: getattr(one, name) for name in ServerActivity.__struct_fields__}
    return ActivityDocument(**{**fields, "kinds": tuple(rows), "places": one.places[:_PLACES]})
