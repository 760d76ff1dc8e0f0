"""The report as a page: text from outside is text, whoever wrote it."""

from __future__ import annotations

import re

from support import experiment_records
from support.hostile_records import HOSTILE, hostile
from support.html_pages import Reader, assert_sound, rendered
from weigh.model.sample import Outcome


def test_hostile_text_is_text_wherever_it_comes_from() -> None:
    record = hostile(experiment_records.record())
    record = experiment_records.with_outcome(record, Outcome.CRASH, HOSTILE, f"{HOSTILE}2", detail=HOSTILE)
    text = rendered(record)
    assert_sound(text)
    assert "<script" not in text
    assert "onerror='" not in text
    assert "{{7*7}}" in text, "what looks like a template is not one"
    assert "\x1b" not in text
    assert "\\x1b[31m" in text
    assert Reader(text).text.count(HOSTILE) > 60


def test_text_that_reverses_or_hides_what_stands_around_it_is_shown_as_an_escape() -> None:
    name = "duckdb?x=\u202egnp.exe\u200b"
    record = experiment_records.record(contenders=(name, "b"))
    text = rendered(record)
    assert "\\u202egnp.exe\\u200b" in text
    assert not re.search("[\u202e\u200b]", text)
