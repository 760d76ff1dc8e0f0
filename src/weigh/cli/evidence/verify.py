"""``weigh verify``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weigh.cli.evidence.path import evidence_argument, others_evidence
from weigh.cli.output import print_json, say, say_indented, say_wrapped

if TYPE_CHECKING:
    from weigh.evidence.verification import Outcome, Problem
    from weigh.recount.recount import Recount, Run

_UNCHECKED = "it is signed; --key checks by whom"


@click.command()
@evidence_argument
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.option("--sql", is_flag=True, help="Also compute the simple figures by SQL in DuckDB, a second implementation.")
@click.option("--print-sql", is_flag=True, help="Print that SQL, to be pasted into DuckDB, and verify nothing.")
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also check who signed it: a public SSH key, or a file of allowed signers.",
)
@click.option(
    "--witness",
    metavar="PLACE",
    help="Also compare its journal with what a witness kept while it ran: https://HOST:PORT, git:REPOSITORY, the log "
    "of a witness, or the certificates (.pem) of a time-stamping authority.",
)
def verify(evidence: Path, as_json: bool, sql: bool, print_sql: bool, key: Path | None, witness: str | None) -> None:
    """Recompute every hash and every printed number. Exit 1 when anything is not what it says."""
    from weigh.evidence import signature
    from weigh.evidence.anchoring import check
    from weigh.evidence.verification import UNKEYED, Outcome, Problem, not_compared
    from weigh.kinds.table import kind_of
    from weigh.model.errors import ExitCode, UsageError

    if print_sql and (sql or as_json or key or witness):
        raise UsageError("--print-sql verifies nothing", remedy="ask for it alone")
    with others_evidence(evidence):
        kind = kind_of(evidence)
    if key and kind.has_rungs:
        raise UsageError(
            "a ladder has no seal of its own", where=str(evidence), remedy="check the evidence of each rung"
        )
    if witness and kind.file != "journal.jsonl":
        raise UsageError(
            f"{kind.noun} has no journal of its own", where=str(evidence), remedy="check the evidence inside of it"
        )
    if kind.not_recounted and (sql or print_sql):
        raise UsageError(kind.not_recounted.what, where=str(evidence), remedy=kind.not_recounted.remedy)
    if print_sql:
        with others_evidence(evidence):
            say(kind.sql(evidence))
        return
    with others_evidence(evidence):
        found = kind.verify(evidence)
        counted = kind.recount(evidence, _duckdb()) if sql else None
        signed = signature.check(evidence, key) if key else None
        anchored = check.check(evidence, witness) if witness else []
        claimed = [check.claims(evidence)] if kind.file == "journal.jsonl" and not witness else []
        anchored += [one for one in claimed if isinstance(one, Problem)]
    version = getattr(found, "weigh", "")
    unread = not_compared(evidence, version)
    passed = found.passed and not (counted and counted.problems) and not isinstance(signed, Problem)
    passed = passed and not any(isinstance(one, Problem) for one in anchored)
    if as_json:
        document = {"schema": kind.verify_schema, "passed": passed, "verification": found}
        if signed:
            document["signature"] = signed
        if anchored:
            document["anchors"] = [one if isinstance(one, Problem) else {"text": one.text} for one in anchored]
        if unread:
            document["not_compared"] = unread
        print_json(document if kind.not_recounted else {**document, "sql": counted})
    else:
        for line in kind.lines(found):
            if line is not UNKEYED:
                print_line(line)
            elif signed is None:
                print_line(Outcome(_UNCHECKED) if signature.is_signed(evidence) else line)
        if unread:
            text = (
                f"sealed by weigh {version}: its figures were computed again; its words and {', '.join(unread)} were "
            )
            print_line(Outcome(f"{text}not compared: weigh report {evidence} --html PAGE writes them anew"))
        for one in anchored or (claimed if found.passed else []):
            print_line(one)
        if signed:
            print_line(signature.line(signed))
        if counted:
            _print_recount(counted)
    click.get_current_context().exit(int(ExitCode.OK if passed else ExitCode.FOUND))


def _duckdb() -> Run:
    from weigh.engines.duckdb_sql import DuckDB
    from weigh.engines.prepared import cache_folder

    return DuckDB(cache_folder())


def _print_recount(counted: Recount) -> None:
    from weigh.engines.duckdb_sql import NAME
    from weigh.model.text import one_line
    from weigh.model.units import count

    for problem in counted.problems:
        print_line(problem)
    figures = count(sum(counted.compared.values()), "figure")
    kinds = ", ".join(f"{name} {number}" for name, number in counted.compared.items())
    if counted.problems:
        problems = count(len(counted.problems), "problem")
        say_wrapped(f"SQL in {NAME} DISAGREES: {problems} in {figures}", fg="red", bold=True)
    else:
        say_wrapped(f"SQL in {NAME} agrees: {figures}, greatest relative difference {counted.difference:.1g} ({kinds})")
    for one in counted.skipped:
        say_wrapped(one_line(f"not compared: {one.what}: {one.why}", 4000))


def print_line(line: Problem | Outcome) -> None:
    """A problem, or what came of it."""
    from weigh.evidence.verification import Problem
    from weigh.model.text import one_line

    if isinstance(line, Problem):
        say(f"{line.code} ", fg="red", bold=True, nl=False)
        say_indented(one_line(f"{line.file}: {line.text}"), begun=len(line.code) + 1)
    else:
        say_wrapped(one_line(line.text), fg=None if line.passed else "red", bold=not line.passed)
