"""Result schemas of a suite: each question is asked once, whatever else becomes of its suite."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pytest

from weigh.experiment.suite import user_data

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.experiment.config.user_data import UserFiles


class Asked:
    """Counts what is asked for result schemas, and interrupts after so many."""

    def __init__(self, interrupt: int = -1) -> None:
        self.times = 0
        self.interrupt = interrupt

    def say(self, text: str) -> None:
        """Not counted."""

    def step(self, done: int, total: int, what: str) -> None:
        """One more has an answer."""
        if what == "reading result schemas":
            self.times += 1
            if done == self.interrupt:
                raise KeyboardInterrupt


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    # Over rows that no other test has: what is kept is kept in the cache that they share.
    made = f"CREATE TABLE t AS SELECT range AS n, '{uuid.uuid4()}' AS word FROM range(10);\n"
    (tmp_path / "load.sql").write_text(made)
    return tmp_path


def write(
    folder: Path, name: str, values: list[int], sql: str = "SELECT n FROM t WHERE n >= {least} ORDER BY n"
) -> None:
    (folder / f"{name}.sql").write_text(f"-- param: least = {values}\n{sql};\n")


def read(folder: Path, asked: Asked, *contenders: str) -> UserFiles:
    return user_data.suite_files(folder, None, None, {"contender": contenders or ("duckdb",)}, asked)


def test_only_what_was_never_asked_is_asked(folder: Path) -> None:
    write(folder, "at_least", [1, 2, 3, 4])
    write(folder, "unknown", [1], "SELECT no_such_function(n) FROM t WHERE n >= {least}")
    first, again, grown, called = Asked(), Asked(), Asked(), Asked()
    before, after = read(folder, first), read(folder, again)
    assert (first.times, again.times) == (5, 0)
    assert after.operations == before.operations
    assert after.left_out == before.left_out
    (refused,) = after.left_out
    assert "no_such_function" in refused.why
    write(folder, "at_least", [0, 1, 2, 3, 4])
    write(folder, "other", [7], "SELECT count(*) AS c FROM t WHERE n >= {least}")
    assert len(read(folder, grown).operations) == 6
    assert grown.times == 2
    # Another name of the same contender is told, and nothing asked; nor is it of the second, which has the first's.
    named = read(folder, called, "old=duckdb", "new=duckdb")
    assert called.times == 0
    assert named.left_out[0].why.startswith("old does not answer it: ")


def test_what_was_asked_before_an_interruption_stays(folder: Path) -> None:
    write(folder, "at_least", [1, 2, 3, 4])
    with pytest.raises(KeyboardInterrupt):
        read(folder, Asked(interrupt=3))
    rest = Asked()
    assert len(read(folder, rest).operations) == 4
    assert rest.times == 1


def test_a_question_ends_at_the_declared_time_and_may_have_more_the_next_time(folder: Path) -> None:
    write(folder, "at_least", [1])
    write(folder, "long", [1], "SELECT max(hash(n + range)) AS c FROM t, range(100_000_000) WHERE n >= {least}")
    flags = {"contender": ("duckdb",), "timeout": "400ms"}
    found = user_data.suite_files(folder, None, None, flags, Asked())
    (late,) = found.left_out
    assert late.name == "long(least=1)"
    assert "does not answer it" in late.why
    (longer,) = (
        one for one in user_data.suite_files(folder, None, None, {**flags, "timeout": "60s"}, Asked()).operations[1:]
    )
    assert longer.name == "long(least=1)"
