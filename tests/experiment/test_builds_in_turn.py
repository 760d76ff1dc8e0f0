"""Several builds of each side: which one a block has, what is concluded, and what an auditor finds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import pytest

from weigh.engines.builds.resolution import Recipe
from weigh.experiment.config.builds import BuildTable, built_once, with_builds
from weigh.experiment.record import EnvironmentRead, Record
from weigh.experiment.results.analysis import analyse
from weigh.experiment.results.data import builds
from weigh.model.build import Build, BuildRead, Rebuild
from weigh.model.clock_coverage import StartCost
from weigh.model.contender import Contender, ContenderRead
from weigh.model.errors import UsageError
from weigh.model.sample import Outcome, Sample
from weigh.model.schedule import build_of
from weigh.model.spec import Spec
from weigh.model.verdict import Verdict, VerdictName

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SIDES = ("main", "pr")


def wheels(count: int) -> list[str]:
    """SHA-256 of as many wheels."""
    return [f"{number:064x}" for number in range(count)]


def made(times: int, blocks: int, slower: Callable[[str, int], float], same: Sequence[str] = ()) -> Record:
    """A record of an experiment over builds.

    Args:
        times: how often each side was built.
        blocks: starts.
        slower: by how much a side is slower with a build of that number, a logarithm.
        same: sides whose builds are all one wheel.
    """
    asked = {name: Build(kind="revision", content=name, command="make", builds=times) for name in SIDES}
    spec = Spec(
        workload="two",
        contenders=tuple(Contender(name=name, engine="duckdb", build=asked[name]) for name in SIDES),
        baseline="main",
    )
    found = {name: wheels(1) * times if name in same else wheels(times) for name in SIDES}
    read = {
        name: BuildRead(
            **msgspec.structs.asdict(asked[name]),
            sha256=found[name][0],
            rebuilds=tuple(
                Rebuild(
                    seed=asked[name].seed(number), file="a.whl", sha256=one, environment="e", lock=f"sha256:{one}/a.whl"
                )
                for number, one in enumerate(found[name])
            ),
        )
        for name in SIDES
    }
    samples, starts = [], []
    for block in range(blocks):
        for arm in ("main", "pr", "main#2"):
            name = arm.removesuffix("#2")
            build = build_of(spec, name, block)
            # What a start brings, so that nothing is constant.
            start = 0.001 * math.sin(7 * block + 3 * SIDES.index(name) + len(arm))
            starts.append(
                StartCost(
                    how="bind", block=block, contender=name, open_s=0, tables_s=0, cpu_s=0, build=found[name][build]
                )
            )
            samples.append(
                Sample(
                    block=block, start=len(starts), turn=0, run=1, arm=arm, contender=name, operation="q", case="",
                    outcome=Outcome.OK, wall_s=math.exp(slower(name, build) + start), build=read[name].numbers[build],
                )
            )  # fmt: skip
    contenders = tuple(
        ContenderRead(
            name=name, engine="duckdb", lineage="duckdb", version="2.0.0", build=read[name],
            lock=f"sha256:{read[name].sha256}/{read[name].file}",
        )
        for name in SIDES
    )  # fmt: skip
    contenders = tuple(
        msgspec.structs.replace(
            one,
            build=msgspec.structs.replace(read[one.name], file="a.whl"),
            lock=f"sha256:{read[one.name].sha256}/a.whl",
        )
        for one in contenders
    )
    environment = EnvironmentRead(weigh="0", command="", host={}, contenders=contenders)
    return Record(attempt=1, spec=spec, environment=environment, samples=tuple(samples), starts=tuple(starts))


def verdict(record: Record) -> Verdict:
    (found,) = analyse(record.samples, spec=record.spec).verdicts
    return found


def lucky(name: str, build: int) -> float:
    """Two revisions that are alike; their builds are up to 8 % apart, and on average nothing."""
    return (0.04 if name == "pr" else 0.02) * (build % 2 * 2 - 1)


def test_every_build_has_its_turn_and_meets_the_same_build_of_the_other_side() -> None:
    spec = made(7, 0, lucky).spec
    pairs = [tuple(build_of(spec, name, block) for name in SIDES) for block in range(28)]
    assert [set(side) for side in zip(*pairs[:7], strict=True)] == [set(range(7))] * 2
    assert pairs[:7] * 4 == pairs
    assert any(own != other for own, other in pairs), "the order is drawn for each side"
    seeds = {name: [one.seed(number) for number in range(7)] for name, one in _builds(spec).items()}
    assert len({*seeds["main"], *seeds["pr"]}) == 14


def _builds(spec: Spec) -> dict[str, Build]:
    return {one.name: one.build for one in spec.contenders if one.build is not msgspec.UNSET}


@pytest.mark.promise("the interval is over the builds")
def test_a_lucky_build_is_not_the_commits_and_a_slow_commit_is() -> None:
    """The liar is the first build alone: all starts agree that it is slower."""
    once = made(10, 30, lambda name, build: 0.04 if name == "pr" else 0.0)
    alone = msgspec.structs.replace(
        once, samples=tuple(msgspec.structs.replace(one, build=None) for one in once.samples)
    )
    assert verdict(alone).verdict is VerdictName.SLOWER
    found = verdict(made(10, 30, lucky))
    assert found.verdict is not VerdictName.SLOWER
    assert found.low and found.high and found.low < 1 < found.high
    assert found.rebuilt is not msgspec.UNSET
    assert (found.rebuilt.builds, found.starts) == (10, 30)
    assert found.rebuilt.spread and 0.03 < found.rebuilt.spread < 0.07
    slow = verdict(made(10, 30, lambda name, build: lucky(name, build) + 0.25 * (name == "pr")))
    assert slow.verdict is VerdictName.SLOWER


def test_what_is_open_asks_for_more_builds_and_not_for_more_starts() -> None:
    found = verdict(made(10, 30, lambda name, build: lucky(name, build) + 0.02 * (name == "pr")))
    assert found.verdict is VerdictName.UNRESOLVED
    assert found.starts_needed is None
    assert "builds of each side" in found.reasons[0].text


def test_what_each_start_has_of_its_own_is_not_told_from_its_build() -> None:
    found = verdict(made(10, 10, lucky)).rebuilt
    assert found is not msgspec.UNSET
    assert (found.builds, found.spread) == (10, None)


@pytest.mark.promise("Builds that are the same bytes are one build (`R3.build`)")
def test_builds_that_are_the_same_bytes_are_one() -> None:
    record = made(5, 10, lambda name, build: 0.0, same=SIDES)
    found = verdict(record)
    assert found.rebuilt is msgspec.UNSET
    said = [*builds.rebuilt(record, [found])]
    assert {(one.code, one.severity, one.contender) for one in said} == {
        ("R3.build", "warning", name) for name in SIDES
    }
    assert "its 5 builds are the same bytes" in said[0].text
    assert not [*builds.departures(record)]
    one_side = made(5, 10, lucky, same=["main"])
    alone = verdict(one_side)
    assert alone.rebuilt is not msgspec.UNSET
    assert alone.rebuilt.builds == 5


def test_too_few_different_builds_have_no_verdict() -> None:
    """Both sides have two builds, so there are at most two groups that share none."""
    record = made(6, 12, lucky)
    two = tuple(msgspec.structs.replace(one, build=(one.build or 0) % 2) for one in record.samples)
    found = verdict(msgspec.structs.replace(record, samples=two))
    assert found.verdict is VerdictName.REFUSED
    assert next(one.code for one in found.reasons) == "T10.builds"


def test_one_side_that_was_built_once_is_named() -> None:
    record = made(5, 10, lucky)
    environment = record.environment
    assert environment is not None
    main, pr = environment.contenders
    assert main.build is not msgspec.UNSET
    main = msgspec.structs.replace(main, build=msgspec.structs.replace(main.build, rebuilds=msgspec.UNSET))
    mixed = msgspec.structs.replace(record, environment=msgspec.structs.replace(environment, contenders=(main, pr)))
    (said,) = builds.rebuilt(mixed, [])
    assert (said.code, said.severity) == ("T10.one_build", "warning")
    assert "pr was built several times, and main is one build" in said.text


@pytest.mark.parametrize("lie", ["sample", "start", "seed", "packages", "missing"])
def test_another_build_than_the_seed_demands_is_found(lie: str) -> None:
    record = made(5, 10, lucky)
    assert not [*builds.departures(record)]
    environment = record.environment
    assert environment is not None
    main, pr = environment.contenders
    assert pr.build is not msgspec.UNSET
    assert pr.build.rebuilds is not msgspec.UNSET
    rebuilds = pr.build.rebuilds
    if lie == "sample":
        samples = tuple(msgspec.structs.replace(one, build=0) if one.arm == "pr" else one for one in record.samples)
        record = msgspec.structs.replace(record, samples=samples)
    elif lie == "start":
        starts = tuple(msgspec.structs.replace(one, build=wheels(1)[0]) for one in record.starts)
        record = msgspec.structs.replace(record, starts=starts)
    else:
        edited = {
            "seed": [msgspec.structs.replace(one, seed=1) for one in rebuilds],
            "packages": [msgspec.structs.replace(one, lock="") for one in rebuilds],
            "missing": rebuilds[:4],
        }[lie]
        read = msgspec.structs.replace(pr, build=msgspec.structs.replace(pr.build, rebuilds=tuple(edited)))
        record = msgspec.structs.replace(
            record, environment=msgspec.structs.replace(environment, contenders=(main, read))
        )
    assert [*builds.departures(record)]


def test_what_cannot_be_asked_for() -> None:
    for wrong in (0, 4, 101):
        with pytest.raises(UsageError, match=f"builds = {wrong}"):
            with_builds((), {"duckdb": BuildTable(command="make", builds=wrong)})
    with pytest.raises(UsageError, match="a grid has its intervals over starts"):
        built_once(made(5, 0, lucky).spec.contenders, "a grid")
    assert Recipe("", "", "").builds == 1


def test_another_number_of_builds_is_another_experiment_and_one_is_that_of_before() -> None:
    ids = {made(times, 0, lucky).spec.id for times in (5, 10)}
    assert len(ids) == 2
    assert "builds" not in Build(kind="revision", content="a").identity
