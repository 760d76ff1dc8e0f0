"""What cold executions found in memory and read, on the page."""

from __future__ import annotations

import msgspec

from support import experiment_records
from support.cold_records import cooled
from support.html_pages import Reader, rendered
from weigh.experiment.results.results import experiment_results

LABEL = '<div id="cold">'


def part(text: str) -> str:
    """What the part about cold executions says."""
    inside = text.split(LABEL)[1].split("</div>\n</details>", maxsplit=1)[0]
    return Reader(f"<div>{inside}</div>").text


def test_where_nothing_was_read_there_is_no_rate() -> None:
    record = cooled(experiment_records.record(operations=["q1"], contenders=experiment_records.names(2)))
    cache_states = tuple(
        msgspec.structs.replace(one, bytes_read=0, devices={}, after=one.before) for one in record.cache_states
    )
    said = part(rendered(msgspec.structs.replace(record, cache_states=cache_states)))
    assert "duckdb@1.5.5 0 of 25,600 0 B 0 B 0 of 10, E1.unread" in said
    untold = tuple(
        msgspec.structs.replace(one, bytes_read=None, before=None, after=None) for one in record.cache_states
    )
    said = part(rendered(msgspec.structs.replace(record, cache_states=untold)))
    assert "duckdb@1.5.5 11.0 MiB 0 B 0 of 10, E1.unseen" in said
    assert "q1, first duckdb@1.5.5" in said, "those in the next life did not hold either"


def test_a_hot_page_has_no_such_part() -> None:
    assert 'id="cold"' not in rendered(experiment_records.record())


def test_a_large_experiment_is_folded_in_and_takes_a_little_of_the_page() -> None:
    """22 operations, 5 contenders: 110 accounts."""
    operations = [f"q{number}" for number in range(1, 23)]
    record = cooled(experiment_records.record(operations=operations, contenders=experiment_records.names(5), runs=1))
    assert len([one for one in experiment_results([record]).accounts if one.temperature == "cold"]) == 110
    text = rendered(record)
    assert "<details><summary>What was in memory, and what was read: 110 accounts" in text
    assert len(text.split(LABEL)[1].split("</div>\n</details>", maxsplit=1)[0]) < 17_000
