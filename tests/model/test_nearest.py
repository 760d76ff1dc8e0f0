"""What a misspelt word is taken for."""

from __future__ import annotations

import pytest

from weigh.model.errors import nearest


@pytest.mark.parametrize(
    ("word", "known", "hint"),
    [
        ("suites", ["lies", "run"], "known: lies, run"),
        ("benchmark", ["compare"], "known: compare"),
        ("repotr", ["report", "export"], "did you mean 'report'?"),
        ("uckdb", ["duckdb", "chdb"], "did you mean 'duckdb'?"),
        ("Duckdb", ["duckdb"], "did you mean 'duckdb'?"),
    ],
)
def test_what_is_suggested_begins_alike_or_is_nearly_the_same(word: str, known: list[str], hint: str) -> None:
    assert nearest(word, known) == hint
