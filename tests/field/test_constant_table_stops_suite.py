"""A table that compresses well is used; one that cannot be used leaves out its questions, and not the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from field.suites import audited, copied

if TYPE_CHECKING:
    from support.command import Weigh


def test_the_rest_of_the_suite_is_audited(weigh: Weigh) -> None:
    suite = copied("constant-table-stops-suite", weigh.folder) / "suite"
    # One table of a load that Parquet does not keep, and one that it does.
    (suite / "huge.benchmark").write_text(
        "load\nCREATE TABLE huge AS SELECT range::HUGEINT AS h FROM range(9);\n"
        "CREATE TABLE fine AS FROM range(20000);\n\nrun\nSELECT max(h) AS m FROM huge\n"
    )
    text = (suite / "huge.benchmark").read_text()
    (suite / "fine.benchmark").write_text(text.replace("max(h) AS m FROM huge", "sum(range) AS m FROM fine"))
    run, asked, left = audited(weigh, "./suite/")
    assert {"plain", "fine"} <= asked, run.out + run.err
    assert left.pop("huge") == "its table huge cannot be used: h is HUGEINT, which Parquet does not keep"
    assert "ones" in asked or left["ones"].startswith("its table ones cannot be used: ")
    assert set(left) <= {"ones"}
