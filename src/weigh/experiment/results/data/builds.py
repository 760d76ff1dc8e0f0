"""Builds that no index has: whether two contenders are one, and whether what was installed is what was asked for (R3).

A job that builds one side and forgets the other, or checks out the wrong branch, compares a build with itself: green,
whatever the change does. Several builds of a revision that are the same bytes are one: the command ignores its seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.model import codes
from weigh.model.build import SHORT
from weigh.model.schedule import build_of
from weigh.model.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.experiment.record import Record
    from weigh.model.build import BuildRead
    from weigh.model.contender import Contender
    from weigh.model.finding import Finding
    from weigh.model.spec import Spec
    from weigh.model.verdict import Verdict


def findings(record: Record) -> Iterator[Finding]:
    """Contenders that are the same build as the baseline, and differ from it in nothing else."""
    built = _builds(record)
    base = record.spec.contender(record.spec.baseline)
    for one in record.spec.contenders:
        if one.name == base.name or _else(one) != _else(base):
            continue
        mine, theirs = built.get(one.name), built.get(base.name)
        if mine is None or theirs is None or mine.sha256 != theirs.sha256:
            continue
        if "installation" in (mine.kind, theirs.kind) and mine.content != theirs.content:
            continue
        if mine.content == theirs.content or "wheel" in (mine.kind, theirs.kind):
            yield codes.R3_BUILD.finding(
                "warning",
                contender=one.name,
                text=f"it is the same build as {base.name} ({_what(mine)}): no change between them was measured",
                remedy="name the two builds that are to be compared",
            )
        else:
            yield codes.R3_BUILD.finding(
                "note",
                contender=one.name,
                text=f"it was built from other sources than {base.name}, and the wheels are the same bytes "
                f"({_what(mine)}): the change reaches no program",
                remedy="nothing is wrong",
            )


def rebuilt(record: Record, verdicts: Sequence[Verdict]) -> Iterator[Finding]:
    """Of several builds of one revision: whether they differ, and how far another one moves the times.

    Args:
        record: of the latest attempt.
        verdicts: of wall time.
    """
    built = _builds(record)
    for name, one in built.items():
        different = len(set(one.numbers))
        if not one.numbers or different == len(one.numbers):
            continue
        same = "are the same bytes" if different == 1 else f"are only {different} different ones"
        yield codes.R3_BUILD.finding(
            "warning",
            contender=name,
            text=f"its {len(one.numbers)} builds {same} ({_what(one)}): the command ignores $WEIGH_BUILD_SEED"
            + (", so they are one build" if different == 1 else ""),
            remedy="let the command shuffle by it, for example the order of what is linked",
        )
    yield from _one_sided(record.spec, built)
    for name in built:
        over = [one for one in verdicts if one.contender == name and one.rebuilt is not msgspec.UNSET]
        if over:
            yield _moved(name, record.spec.baseline, over)


def _one_sided(spec: Spec, built: dict[str, BuildRead]) -> Iterator[Finding]:
    """Contenders that were built otherwise often than the baseline."""
    often = {one.name: bool(built[one.name].numbers) if one.name in built else False for one in spec.contenders}
    for name, several in often.items():
        if several != often[spec.baseline]:
            few = spec.baseline if several else name
            many = name if several else spec.baseline
            yield codes.T10_ONE_BUILD.finding(
                contender=name,
                text=f"{many} was built several times, and {few} is one build: how its code happens to be laid out "
                "counts as its speed",
                remedy="compare two revisions, which are both built several times",
            )


def _moved(name: str, baseline: str, over: Sequence[Verdict]) -> Finding:
    pairs = max(one.rebuilt.builds for one in over if one.rebuilt is not msgspec.UNSET)
    spreads = {
        one.operation: one.rebuilt.spread
        for one in over
        if one.rebuilt is not msgspec.UNSET and one.rebuilt.spread is not None
    }
    if spreads:
        ordered = sorted(spreads.values())
        worst = max(spreads, key=lambda operation: spreads[operation])
        sentence = (
            f"another pair of builds moves the ratio by {percent(ordered[len(ordered) // 2])} (standard deviation"
        )
        sentence += f"; most on {worst}: {percent(ordered[-1])})" if len(spreads) > 1 else ")"
    else:
        sentence = "each had one start, so what another build moves is part of what the starts scatter"
    return codes.T10_REBUILT.finding(
        contender=name,
        text=f"measured over {pairs} pairs of builds of {name} and {baseline}: {sentence}",
        remedy="nothing is wrong: the intervals are over the builds",
    )


def _what(build: BuildRead) -> str:
    return f"sha256 {build.sha256[:SHORT]}"


def _else(one: Contender) -> tuple[object, ...]:
    """What else could differ."""
    return one.engine, one.pins, one.settings, one.data


def _builds(record: Record) -> dict[str, BuildRead]:
    reads = record.environment.contenders if record.environment else ()
    return {one.name: one.build for one in reads if one.build is not msgspec.UNSET}


def departures(record: Record) -> Iterator[str]:
    """Builds that are not those of the spec, or not those of the packages."""
    if record.environment is None:
        return
    built = _builds(record)
    locks = {one.name: one.lock for one in record.environment.contenders}
    for one in record.spec.contenders:
        read = built.get(one.name)
        if one.build is msgspec.UNSET:
            if read is not None:
                yield f"{one.name} is a version of the index, and a build is recorded for it"
            continue
        if read is None:
            yield f"what was installed for the build of {one.name} is not recorded"
        elif read.identity != one.build.identity or (one.build.kind == "wheel" and read.sha256 != one.build.content):
            yield f"the build of {one.name} is not the one that the experiment is of"
        elif read.kind == "installation":
            if not read.sha256:
                yield f"the program of {one.name} is recorded without its hash"
        elif f"sha256:{read.sha256}/{read.file}" not in locks.get(one.name, ""):
            yield f"the packages of {one.name} do not hold the wheel of its build"
    yield from _other_builds(record, built)


def _other_builds(record: Record, built: dict[str, BuildRead]) -> Iterator[str]:
    """Where a contender was built several times: builds that are not those of the seed."""
    for one in record.spec.contenders:
        build, read = one.build, built.get(one.name)
        samples = [sample for sample in record.samples if sample.contender == one.name]
        if build is msgspec.UNSET or build.builds is msgspec.UNSET or read is None or not samples:
            if any(sample.build is not None for sample in samples):
                yield f"samples of {one.name} are of one of several builds, and it was built once"
            continue
        rebuilds = () if read.rebuilds is msgspec.UNSET else read.rebuilds
        if [rebuild.seed for rebuild in rebuilds] != [build.seed(number) for number in range(build.times)]:
            yield f"the {build.times} builds of {one.name} are not recorded, or have other seeds than its sources"
            continue
        for rebuild in rebuilds:
            if f"sha256:{rebuild.sha256}/{rebuild.file}" not in rebuild.lock:
                yield f"the packages of a build of {one.name} do not hold its wheel"
        for sample in samples:
            if sample.build != read.numbers[build_of(record.spec, one.name, sample.block)]:
                yield f"block {sample.block} has another build of {one.name} than the seed demands"
                break
        for start in record.starts:
            if start.contender == one.name and start.block is not None:
                due = rebuilds[build_of(record.spec, one.name, start.block)].sha256
                if start.build != due:
                    yield f"a start of {one.name} in block {start.block} is of another build than the seed demands"
                    break
