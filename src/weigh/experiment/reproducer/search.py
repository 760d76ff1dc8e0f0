"""Divergences shrunk: few rows and a short query that still show what the gate found, alongside the evidence.

On fewer rows nobody knows the truth. The witness there is another engine, which agreed with it on all of them
(``suspects``). Whatever happens here, what the gate said stands.
"""

from __future__ import annotations

import shutil
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.data.layout import parquet
from weigh.engines import environment as environments
from weigh.experiment.reproducer import package, shrunk
from weigh.experiment.reproducer.candidates import Divergence, divergences, references, remote
from weigh.experiment.reproducer.pair import Clock, Contradiction, Party
from weigh.experiment.reproducer.subset import Source, size
from weigh.host import scratch
from weigh.model import codes, units
from weigh.model.errors import WeighError
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from weigh.engines.loaded import Tables
    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.data.catalog_place import CatalogPlaces
    from weigh.experiment.reproducer.candidates import Refutation
    from weigh.experiment.reproducer.reduce import Disagreement
    from weigh.model.dataset import Manifest
    from weigh.model.finding import Finding
    from weigh.model.gate import Check, Gate
    from weigh.model.operation import Workload
    from weigh.model.progress import Progress
    from weigh.model.spec import Spec
    from weigh.model.units import Seconds

CODES = (codes.A1_REPRODUCER.code, codes.X_SHRINK.code)
"""Findings of this module."""
MOST = 3
"""Reproducers of one run."""
SECONDS = 60.0
"""For each, to find it on few rows and to make it small; confirming and writing it come on top."""
_SHORTEST = 1.0
"""Seconds that a question may take when the time is nearly over."""


class SearchInput(NamedTuple):
    """What was asked of whom about what.

    Attributes:
        spec: of the experiment.
        contenders: those that took part in the gate.
        workload: its operations.
        gate: what it found.
        tables: the data that each contender reads, by its name.
        manifests: of the same.
        cache: weigh's cache directory.
        catalogs: of those who read through one.
        done: (contender, operation) pairs that were dealt with already.
        reuse: whether reproducers of the same experiment will do (:mod:`weigh.experiment.reproducer.shrunk`).
    """

    spec: Spec
    contenders: Sequence[PreparedContender]
    workload: Workload
    gate: Gate
    tables: Mapping[str, Tables]
    manifests: Mapping[str, Manifest]
    cache: Path
    catalogs: CatalogPlaces | None = None
    done: frozenset[tuple[str | None, str | None]] = frozenset()
    reuse: bool = False


def reproducers(scene: SearchInput, evidence: Path, progress: Progress) -> Iterator[Finding]:
    """Shrink the most telling divergences, and say where each is, or why there is none.

    Args:
        scene: what the gate left.
        evidence: the attempt's directory; a reproducer appears in it whole or not at all.
        progress: receives messages.
    """
    contenders = {one.name: one for one in scene.contenders}
    everyone = divergences(scene.gate, scene.workload, contenders)
    everyone = [one for one in everyone if (one.ready.name, one.operation.name) not in scene.done]
    for suspect in everyone[:MOST]:
        manifest = scene.manifests[suspect.ready.name]
        name = shrunk.key(scene.spec.id, scene.contenders, scene.gate, manifest, suspect) if scene.reuse else ""
        if known := shrunk.find(scene.cache, name, suspect, evidence):
            yield known
            continue
        progress.say(f"shrinking: {suspect.ready.name}, {suspect.operation.name} (at most {SECONDS:.0f} s)")
        folder = scratch.folder("shrink")
        try:
            finding = _Shrinking(scene, suspect, contenders, folder, progress).run(evidence)
            shrunk.store(scene.cache, name, evidence, finding)
            yield finding
        except WeighError as error:
            yield _none(suspect, str(error))
        except OSError as error:
            yield _none(suspect, error.strerror or str(error))
        except Exception as error:
            # A defect of weigh in here must not end the measurement.
            yield _none(suspect, f"weigh failed: {type(error).__name__}: {error}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    if everyone[MOST:]:
        rest = ", ".join(f"{one.ready.name} on {one.operation.name}" for one in everyone[MOST:])
        yield codes.X_SHRINK.finding(
            text=f"{units.count(MOST, 'divergence')} of {len(everyone)} were shrunk; not {one_line(rest, 300)}",
            remedy="choose others with --operations",
        )


class _Shrinking:
    """One suspect."""

    def __init__(
        self,
        scene: SearchInput,
        suspect: Divergence,
        contenders: Mapping[str, PreparedContender],
        folder: Path,
        progress: Progress,
    ) -> None:
        self.scene = scene
        self.folder = folder
        self.progress = progress
        # What an engine loads of excerpts is not worth keeping.
        passing = {name: msgspec.structs.replace(one, cache=folder) for name, one in contenders.items()}
        self.contenders = passing
        self.suspect = suspect._replace(ready=passing[suspect.ready.name])
        self.manifest = scene.manifests[suspect.ready.name]
        self.source = Source({} if self.manifest.vortex else scene.tables[suspect.ready.name].paths)
        self.clock = Clock(SECONDS)

    def run(self, evidence: Path) -> Finding:
        """A reproducer, or why there is none."""
        # sqlglot takes half a second to import.
        from weigh.experiment.reproducer.reduce import Reduction, forms

        if self.manifest.vortex:
            return _none(self.suspect, "its files are Vortex, and excerpts are written as Parquet")
        if remote(self.suspect.ready):
            return _none(self.suspect, "it is a server reached by URL, and no excerpts are copied to it")
        if not self.source.rows:
            return _none(self.suspect, "it reads no tables, of which an excerpt could be made")
        python = environments.ensure([parquet.DUCKDB], self.scene.cache).python
        tried = []
        for testimony in references(self.suspect, self.scene.gate, self.contenders, self.scene.cache):
            # What was found in lives that are shown one excerpt after another may be gone in new ones.
            for fresh in (False, True):
                with self._confront(testimony, python, self.clock, fresh=fresh) as pair:
                    search = Reduction(self.source, pair, self.clock, self.progress)
                    located = search.locate(testimony, forms(self.manifest))
                    if located is None:
                        tried.append(testimony.party.name + (f" ({pair.complaint})" if pair.complaint else ""))
                        break
                    check, disagreement = located
                    disagreement = search.reduce(disagreement)
                finding = self._keep(evidence, testimony, check, disagreement, python)
                if finding is not None:
                    return finding
                tried.append(f"{testimony.party.name} in new lives")
        if not tried:
            return _none(self.suspect, "no other lineage answered, and no relation of the engine with itself failed")
        return _none(self.suspect, f"on no excerpt did it differ from {one_line('; '.join(tried), 300)}")

    def _confront(self, testimony: Refutation, python: Path, clock: Clock, *, fresh: bool) -> Contradiction:
        def timeout() -> Seconds:
            return max(_SHORTEST, min(self.scene.spec.timeout, clock.left))

        accused = Party(self.suspect.ready.name, self.suspect.ready)
        return Contradiction(
            accused,
            testimony.party,
            testimony.kinds,
            self.folder,
            python,
            timeout,
            fresh=fresh,
            catalogs=self.scene.catalogs,
        )

    def _keep(
        self, evidence: Path, testimony: Refutation, check: Check, disagreement: Disagreement, python: Path
    ) -> Finding | None:
        """Confirm it with new lives, keep it and say so; None where it cannot be confirmed."""
        with self._confront(testimony, python, Clock(SECONDS), fresh=True) as pair:
            pair.put(disagreement.excerpt)
            found = pair.ask(disagreement.question)
        if found is None:
            return None
        final = self.folder / "final"
        final.mkdir()
        tables = disagreement.excerpt.write(final, python)
        one = package.Reproducer(
            ready=self.suspect.ready,
            operation=self.suspect.operation.name,
            question=disagreement.question,
            found=found,
            witness=testimony.party.name,
            story=self._story(check, disagreement),
            undecided=self.suspect.undecided,
        )
        missing = package.add_script(one, final, tables, SECONDS)
        place = package.place(evidence, one)
        package.keep(final, place)
        script = quote(str(place / package.SCRIPT))
        again = f", in one of {one.question.times} executions" if one.question.times > 1 else ""
        what = "; ".join(map(str, found.differences[:1])) + again
        size_ = f"{units.count(disagreement.excerpt.rows, 'row')} ({units.size(size(tables))})"
        undecided = "; nothing tells who is right" if self.suspect.undecided else ""
        without = f"; data and query without a script: {missing}" if missing else ""
        return codes.A1_REPRODUCER.finding(
            contender=one.ready.name,
            operation=one.operation,
            text=f"{one_line(one.question.sql, 200)}: {what} (by {one.witness}), over {size_}{undecided}{without}",
            remedy=f"ask it {place / package.QUERY} on the data alongside it" if missing else f"uv run {script}",
        )

    def _story(self, check: Check, disagreement: Disagreement) -> tuple[str, ...]:
        total = sum(self.source.rows.values())
        blame = "They differ, and nothing tells who is right:" if self.suspect.undecided else "Contradicted there by"
        cases = units.count(len(self.suspect.operation.cases), "case")
        return (
            f"Found in experiment {self.scene.spec.id}, operation {check.operation}, case {check.case}, on "
            f"{self.manifest.dataset}, written by {self.manifest.writer}.",
            f"{blame} {check.witness}, on {self.suspect.wrong} of {cases}.",
            f"Shrunk from {total:,} rows to {disagreement.excerpt.rows:,}.",
        )


def _none(suspect: Divergence, why: str) -> Finding:
    return codes.X_SHRINK.finding(
        contender=suspect.ready.name,
        operation=suspect.operation.name,
        text=f"no reproducer: {one_line(why)}",
        remedy="the divergence stands; gate.json has the differing cells",
    )
