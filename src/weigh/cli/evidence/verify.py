"""``weigh verify``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weigh.cli.evidence.path import evidence_argument, others_evidence
from weigh.cli.output import print_json, say, say_indented, say_wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    with others_evidence(evidence):
        inside = kind.inside(evidence)
    if print_sql and len(inside) > 1:
        raise UsageError(
            f"{kind.noun} has a script for each rung, and they make the same tables",
            where=str(evidence),
            remedy=kind.named_inside(evidence),
        )
    if print_sql:
        with others_evidence(evidence):
            say(kind_of(inside[0]).sql(inside[0]))
        return
    with others_evidence(evidence):
        found = kind.verify(evidence)
        counted = _counted(inside) if sql else None
        sealed = inside if kind.has_rungs else (evidence,)
        signatures = {one.resolve().name: signature.check(one, key) for one in sealed} if key else {}
        anchors = {one.resolve().name: check.check(one, witness) if witness else [check.claims(one)] for one in inside}
    alike = len({tuple(those) for those in anchors.values()}) == 1
    anchored = [*dict.fromkeys(_of(one, "" if alike else name) for name, those in anchors.items() for one in those)]
    claimed, anchored = anchored, anchored if witness else [one for one in anchored if isinstance(one, Problem)]
    version = getattr(found, "weigh", "")
    unread = not_compared(evidence, version)
    passed = found.passed and not (counted and counted.problems)
    passed = passed and not any(isinstance(one, Problem) for one in (*signatures.values(), *anchored))
    if as_json:
        document = {"schema": kind.verify_schema, "passed": passed, "verification": found, "sql": counted}
        if signatures:
            document["signature"] = signatures if kind.has_rungs else next(iter(signatures.values()))
        if anchored:
            document["anchors"] = [one if isinstance(one, Problem) else {"text": one.text} for one in anchored]
        if unread:
            document["not_compared"] = unread
        print_json(document)
    else:
        for line in kind.lines(found):
            if line is not UNKEYED:
                print_line(line)
            elif not signatures:
                print_line(Outcome(_UNCHECKED) if signature.is_signed(evidence) else line)
        if unread:
            text = (
                f"sealed by weigh {version}: its figures were computed again; its words and {', '.join(unread)} were "
            )
            print_line(Outcome(f"{text}not compared: weigh report {evidence} --html PAGE writes them anew"))
        for one in anchored or (claimed if found.passed else []):
            print_line(one)
        for name, signed in signatures.items():
            print_line(_of(signature.line(signed), name if kind.has_rungs else ""))
        if counted:
            _print_recount(counted)
    click.get_current_context().exit(int(ExitCode.OK if passed else ExitCode.FOUND))


def _counted(inside: Sequence[Path]) -> Recount:
    from weigh.kinds.table import kind_of
    from weigh.recount.recount import merged

    run = _duckdb()
    counted = {one.resolve().name: kind_of(one).recount(one, run) for one in inside}
    return merged(counted) if len(counted) > 1 else next(iter(counted.values()))


def _of(line: Problem | Outcome, rung: str) -> Problem | Outcome:
    """A line with the rung that it is about, where there are several."""
    from weigh.evidence.verification import Problem

    if not rung:
        return line
    if isinstance(line, Problem):
        return Problem(code=line.code, file=f"{rung}/{line.file}", text=line.text)
    return line._replace(text=f"{rung}: {line.text}")


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
