"""The forms that are read, and which of them a file has."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.audit.formats import (
    benchbase,
    benchbox,
    clickbench,
    go_tpc,
    go_ycsb,
    hammerdb,
    k6,
    memtier,
    pgbench,
    redis_benchmark,
    sysbench,
    tpc_c,
    tproc_h,
    weigh_export,
    weigh_json,
    wrk,
    ycsb,
    ycsb_cpp,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.audit.published import Published
    from weigh.audit.text import Text


class Form(NamedTuple):
    """A form of published results."""

    name: str
    recognises: Callable[[Text], bool]
    read: Callable[[Text], list[Published]]


FORMS = tuple(
    Form(one.NAME, one.recognises, one.read)
    for one in (
        benchbox,
        clickbench,
        benchbase,
        k6,
        go_tpc,
        ycsb,
        go_ycsb,
        ycsb_cpp,
        hammerdb,
        tproc_h,
        sysbench,
        pgbench,
        memtier,
        redis_benchmark,
        wrk,
        tpc_c,
        weigh_json,
        weigh_export,
    )
)


def read(text: Text) -> list[Published]:
    """What a file shows; nothing where it has none of the forms. A page of text may have results of several tools."""
    found: list[Published] = []
    for form in FORMS:
        if form.recognises(text):
            found += map(_with_times, form.read(text))
            if text.json is not None:
                break
    return found


def _with_times(one: Published) -> Published:
    """Without times of what never ended: tools print what their counters begin with, such as the largest number."""
    timed = tuple(latency for latency in one.latencies if latency.count != 0)
    if len(timed) == len(one.latencies):
        return one
    lacks = one.lacks if timed else {**one.lacks, "L1": "no request was answered: it has no times"}
    return msgspec.structs.replace(one, latencies=timed, lacks=lacks)
