"""What cold executions found in memory and read, on the page."""

from __future__ import annotations

import msgspec

from support import experiment_records
from support.cold_records import cooled
from support.html_pages import Reader, assert_sound, rendered
from weigh.experiment.results.results import experiment_results

LABEL = ' aria-labelledby="cold"'


def part(text: str) -> str:
    """What the part about cold executions says."""
    inside = text.split(LABEL)[1].split("</section>", maxsplit=1)[0]
    return Reader(f"<section{inside}</section>").text


def test_what_was_in_memory_and_what_was_read() -> None:
    text = rendered(cooled(experiment_records.record(contenders=experiment_records.names(2))))
    assert_sound(text)
    assert '<a href="#cold">' in text
    said = part(text)
    figures = "0 of 25,600 10.0 MiB 11.0 MiB 10.0 MiB 200 MiB/s 40 % 10 of 10"
    assert f"duckdb@1.5.5 {figures}" in said
    assert f"duckdb@2.0.0 {figures.replace('10 of 10', '20 of 20')}" in said
    assert "What the hypervisor under this virtual machine keeps in its own memory cannot be seen from here" in said
    assert "read at 400 MiB a second, and again at 500 MiB a second" in said
    assert "first" not in said, "nothing is wrong with these"
    assert "<details open>" in text.split(LABEL)[1]


def test_what_is_not_cold_is_marked() -> None:
    record = cooled(
        experiment_records.record(), lambda one: 25 if (one.contender, one.operation) == ("chdb@4.4.0", "q2") else 0
    )
    text = rendered(record)
    said = part(text)
    assert "chdb@4.4.0 25 of 25,600 10.0 MiB 11.0 MiB 9.90 MiB 200 MiB/s 40 % 0 of 10, E1.resident" in said
    assert said.count("E1.") == 1
    assert '<span class="w refused">0 of 10, <a href="#E1.resident"><code>E1.resident</code></a></span>' in text


def test_where_nothing_was_read_there_is_no_rate() -> None:
    record = cooled(experiment_records.record(operations=["q1"], contenders=experiment_records.names(2)))
    warmths = tuple(msgspec.structs.replace(one, bytes_read=0, devices={}, after=one.before) for one in record.warmths)
    said = part(rendered(msgspec.structs.replace(record, warmths=warmths)))
    assert "duckdb@1.5.5 0 of 25,600 0 B 0 B 0 of 10, E1.unread" in said
    untold = tuple(msgspec.structs.replace(one, bytes_read=None, before=None, after=None) for one in record.warmths)
    said = part(rendered(msgspec.structs.replace(record, warmths=untold)))
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
    assert len(text.split(LABEL)[1].split("</section>", maxsplit=1)[0]) < 17_000
