"""What is reported of a metric for the whole session: once, whomever and however many metrics it is about."""

from __future__ import annotations

import msgspec

from support import experiment_records
from support.cold_records import cooled
from support.html_pages import Reader, rendered
from weigh.experiment.report.document import document
from weigh.experiment.report.in_words import of_session
from weigh.experiment.report.terminal import plain
from weigh.experiment.results.results import experiment_results

RECORD = experiment_records.record(operations=["q1"], contenders=experiment_records.names(4), runs=1)
NONE = {"cpu_s": None, "peak_memory": None, "bytes_read": None}
ABSENT = (
    "CPU seconds, memory at the peak and bytes read: not measured, because other processes do its work, so not judged"
)


def test_several_metrics_of_several_contenders_are_one_line() -> None:
    servers = experiment_records.names(4)[2:]
    samples = tuple(
        msgspec.structs.replace(one, **(NONE if one.contender in servers else {"bytes_read": 0}))
        for one in RECORD.samples
    )
    found = experiment_results([msgspec.structs.replace(RECORD, samples=samples)])
    assert of_session(found) == [
        ("M.missing", f"{', '.join(sorted(servers))}: {ABSENT}"),
        ("M.zero", "bytes read: zero in every execution, so not judged"),
    ]
    text = " ".join(plain(found, "e").split())
    assert text.count("M.missing") == text.count("M.zero") == 1
    assert len([one for one in document(found, "e")["metrics"] if one["code"] == "M.missing"]) == 6, "there one each"


def test_a_temperature_is_named_where_it_is_not_so_at_all_of_them() -> None:
    record = cooled(RECORD)
    cold = tuple(
        msgspec.structs.replace(one, bytes_read=0 if one.temperature == "first" else 4096) for one in record.samples
    )
    (said,) = of_session(experiment_results([msgspec.structs.replace(record, samples=cold)]))
    assert said == ("M.zero", "bytes read, first: zero in every execution, so not judged")
    still = tuple(msgspec.structs.replace(one, bytes_read=0) for one in record.samples)
    whole = msgspec.structs.replace(record, samples=still)
    assert of_session(experiment_results([whole])) == [("M.zero", "bytes read: zero in every execution, so not judged")]
    assert Reader(rendered(whole)).text.count("M.zero bytes read: zero in every execution") == 1
