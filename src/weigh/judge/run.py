"""Judge: other tools' files in, verdicts where the way they were measured can carry one."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.judge import advice, reasons
from weigh.judge.design import Turn, tied
from weigh.judge.formats.inputs import read
from weigh.judge.results import File, JudgeResults
from weigh.judge.series import figures
from weigh.judge.verdicts import timings, verdicts
from weigh.model import codes
from weigh.model.errors import DataFault, UsageError, nearest
from weigh.model.rules import Rules, Typical
from weigh.model.units import count, parse_fraction
from weigh.model.verdict import Reason, Tier, TierName, VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from weigh.judge.formats.inputs import Input
    from weigh.judge.formats.registry import Reader
    from weigh.judge.series import SeriesFigure
    from weigh.model.codes.code import Fixed
    from weigh.model.finding import Finding
    from weigh.model.spec import Rule
    from weigh.model.units import Seconds
    from weigh.model.verdict import Verdict

_OF_DESIGN = tuple(one.code for one in (codes.T5, codes.T5_HOST, codes.T10_STARTS, codes.T1_SUMMARIES))
"""Codes of refusals that measuring in another way would mend."""
_UNDECIDED = (VerdictName.REFUSED, VerdictName.ERROR)


def run(
    files: Sequence[str],
    rules: Rules,
    *,
    format_: str = "",
    baseline: str = "",
    interleaved: bool = False,
    unit: str = "",
    expected: Seconds = 0.0,
    rule: Rule | None = None,
) -> JudgeResults:
    """Reads the files and judges what they hold.

    Args:
        files: ``FILE`` or ``LABEL=FILE``, the baseline's first.
        rules: margin and error rates, declared by the user.
        format_: name of the format; empty to tell by the content of each file.
        baseline: name of the contender that the others are compared with; empty for the first.
        interleaved: the user's word that the files of the contenders were made in turn.
        unit: of values whose unit the format leaves open.
        expected: as of :func:`weigh.judge.formats.inputs.read`.
        rule: whose rule gives a second opinion.

    Raises:
        DataFault: a file cannot be read, or is not what its format promises.
        UsageError: unknown format or baseline, or files of different formats.
    """
    reader, inputs = read(files, format_, unit, expected)
    turns, summaries = _turns(reader, inputs)
    contenders = list(dict.fromkeys([*(turn.contender for turn in turns), *(name for _, name in summaries)]))
    if baseline and baseline not in contenders:
        raise UsageError(f"no contender is called '{baseline}'", remedy=nearest(baseline, contenders))
    if not any(len(turn.measured.values) or turn.measured.failed for turn in turns):
        raise DataFault(
            "it holds summaries and no single measurements" if summaries else "it holds no measurement",
            where=inputs[0].path,
            remedy=f"export the raw values of {reader.tool} (docs/guide/judge.md)",
        )
    compared = len(contenders) > 1
    found = verdicts(
        turns,
        baseline or contenders[0],
        rules,
        interleaved=interleaved,
        refused={key: reasons.only_summaries(key[1]) for key in summaries},
        everywhere=_machines(inputs, turns),
        rule=rule,
    )
    with_values = [turn for turn in turns if len(turn.measured.values)]
    alone = figures(turn for turn in with_values if turn.measured.series or not compared)
    return JudgeResults(
        format=reader.name,
        tool=reader.tool,
        events=inputs[0].reading.events,
        files=tuple(_file(number, one, turns) for number, one in enumerate(inputs)),
        baseline=(baseline or contenders[0]) if compared else None,
        baseline_declared=bool(baseline),
        interleaved=interleaved,
        rules=rules,
        tier=_tier(
            found, alone, vouched=interleaved and (tied(turns) or any(turn.measured.at is None for turn in turns))
        ),
        timings=timings(turns),
        verdicts=found,
        series=alone,
        findings=tuple(_findings(inputs, turns, alone)),
        how=advice.how(reader, turns, baseline or contenders[0]) if any(_by_design(one) for one in found) else None,
        starts=reader.starts,
    )


def declared(margin: str, confidence: str) -> Rules:
    """The rules as the command line gives them.

    Raises:
        UsageError: no such margin or level can be.
    """
    smallest, level = parse_fraction(margin, "--margin"), parse_fraction(confidence, "--confidence")
    if not 0 < smallest < float("inf"):
        raise UsageError(f"a margin of {margin} cannot be", remedy="give a number above 0, e.g. 3%")
    if not 0.5 < level < 1:
        raise UsageError(f"{confidence} is not a confidence level", remedy="give a fraction such as 0.99")
    return Rules(margin=smallest, confidence=level, typical=Typical.CONTRAST, skewed=True)


def _turns(reader: Reader, inputs: Sequence[Input]) -> tuple[list[Turn], list[tuple[str, str]]]:
    """All stretches with the names of their contenders, and (operation, contender) of what is only summarised."""
    labels = [one.label for one in inputs]
    inside = any(measured.contender for one in inputs for measured in one.reading.measurements)
    if len(inputs) == 2 and len(set(labels)) == 1 and not inside and not any(one.given for one in inputs):
        # Two files whose names differ by a number only are two versions: run1.json, run2.json.
        labels = [Path(one.path).stem for one in inputs]
        labels = labels if len(set(labels)) == 2 else [one.path for one in inputs]
    commands = _commands(inputs) if reader.commands and len(set(labels)) > 1 else None
    turns, summaries = [], []
    for file, (one, label) in enumerate(zip(inputs, labels, strict=True)):
        for measured in one.reading.measurements:
            contender, operation = measured.contender or label, measured.operation
            if commands is not None:
                contender, operation = label, commands.get(measured.contender, "")
            turns.append(Turn(contender, operation, file, measured))
        for name in one.reading.summaries:
            if reader.commands:
                summaries.append((commands.get(name, ""), label) if commands is not None else ("", name))
            else:
                summaries.append((name, label))
    return turns, summaries


def _commands(inputs: Iterable[Input]) -> dict[str, str]:
    """Commands as operations, where every file is a contender of its own.

    Files with one command each hold the same operation, whatever the command is: it is what differs.
    """
    by_file = [{measured.contender for measured in one.reading.measurements} for one in inputs]
    names = {name for of_file in by_file for name in of_file}
    alone = all(len(of_file) == 1 for of_file in by_file)
    return {name: "" if alone else name for name in names}


def _machines(inputs: Sequence[Input], turns: Iterable[Turn]) -> Reason | None:
    """A reason where contenders were measured on different machines, as far as the files tell."""
    names_of: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for turn in turns:
        for key, value in inputs[turn.file].reading.machine.items():
            names_of[key][turn.contender].add(value)
    for key, of in names_of.items():
        values = list(of.values())
        if any(value != values[0] for value in values):
            return reasons.machines(key, {name: " and ".join(sorted(value)) for name, value in of.items()})
    return None


def _file(number: int, one: Input, turns: Iterable[Turn]) -> File:
    turns_of = [turn for turn in turns if turn.file == number]
    return File(
        path=one.path,
        # One that holds summaries alone has nobody's values.
        contenders=tuple(dict.fromkeys(turn.contender for turn in turns_of)) or (one.label,),
        values=sum(len(turn.measured.values) for turn in turns_of),
    )


def _by_design(verdict: Verdict) -> bool:
    return verdict.verdict is VerdictName.REFUSED and verdict.reasons[0].code in _OF_DESIGN


def _tier(found: Sequence[Verdict], alone: Sequence[SeriesFigure], *, vouched: bool) -> Tier:
    """Suggestive at most: weigh saw files, and neither answers nor a machine."""
    decided = any(one.verdict not in _UNDECIDED for one in found)
    if not decided and not (not found and any(one.mean.low is not None for one in alone)):
        refused = {reason.code: reason for one in alone if (reason := one.mean.refused)}
        return Tier(name=TierName.INADMISSIBLE, reasons=tuple(_named(found)) or tuple(refused.values()))
    doubts = [
        codes.A8.reason("weigh did not see the answers of these runs: that they are right is assumed"),
        codes.E4_UNWATCHED.reason("weigh did not watch the machine during these runs"),
    ]
    if vouched:
        doubts.append(codes.T5_ORDER.reason("that the files were made in turn is the user's word (--interleaved)"))
    doubts += {reason.code: reason for one in found for reason in one.reasons if reason.code == codes.T10.code}.values()
    if not found:
        doubts.append(codes.T10_RUN.reason("one run: an interval from inside a run does not speak for the next run"))
    return Tier(name=TierName.SUGGESTIVE, reasons=tuple(doubts))


def _named(found: Sequence[Verdict]) -> Iterator[Reason]:
    """The first reason of each code, with the row that it is of."""
    groups: dict[str, list[Verdict]] = defaultdict(list)
    for one in found:
        if one.reasons:
            groups[one.reasons[0].code].append(one)
    several = len({one.contender for one in found}) > 1
    for group in groups.values():
        first = group[0]
        place = ", ".join(part for part in (first.operation, first.contender if several else "") if part)
        more = f" (and {count(len(group) - 1, 'more row')})" if len(group) > 1 else ""
        why = first.reasons[0]
        yield msgspec.structs.replace(why, text=f"{place}: {why.text}{more}" if place else f"{why.text}{more}")


def _findings(inputs: Sequence[Input], turns: Sequence[Turn], alone: Sequence[SeriesFigure]) -> Iterator[Finding]:
    contenders = {turn.file: turn.contender for turn in turns}
    several = len(set(contenders.values())) > 1
    groups: dict[tuple[Fixed, str], list[tuple[int, str]]] = defaultdict(list)
    for number, one in enumerate(inputs):
        for code, text, remedy in one.reading.notes:
            groups[code, remedy].append((number, text))
    for (code, remedy), texts in groups.items():
        number, text = texts[0]
        yield code.finding(
            text=text + (f" (and {len(texts) - 1} more files)" if len(texts) > 1 else ""),
            remedy=remedy,
            contender=contenders.get(number) if several and len(texts) == 1 else None,
        )
    for figure in alone:
        if figure.left_out:
            yield codes.L4.finding(
                text=f"{figure.left_out:,} of {figure.left_out + figure.mean.count:,} values, the first ones, are left "
                "out: the series settles after them",
                remedy="look at the series before you quote its mean",
                contender=figure.contender if several else None,
                operation=figure.operation or None,
            )
