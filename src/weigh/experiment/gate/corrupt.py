"""The gate over damage (D4): one bit flipped in a copy of the data, and what each contender answers from it.

It accuses nobody: damaged files are not what the contenders are compared on. It tells who would notice.
"""

from __future__ import annotations

import random
import shutil
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh._native import hash_file
from weigh.answers import compare
from weigh.data import damage
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate.queries import QuerySession
from weigh.host import scratch
from weigh.model import codes, units
from weigh.model.errors import WeighError
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa

    from weigh.data.cache import CachedData
    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.data.data_link import DataLink
    from weigh.model.dataset import FileFacts, Manifest
    from weigh.model.finding import Finding
    from weigh.model.operation import Operation, Workload
    from weigh.model.progress import Progress

_TRIES = 8
"""Flips that are tried until somebody raises or answers otherwise: a value may not pass any filter."""
_KINDS: tuple[damage.Kind, ...] = ("dictionary", "data")
"""Of pages, in the order in which they are tried: one value of a dictionary is that of many rows."""
_MOST = 160
"""Characters of what an engine raised that are shown."""

Key = tuple[str, str, str]
"""(contender, operation, case)"""


class _Target(NamedTuple):
    """A column, and the operations that name it."""

    table: str
    column: str
    operations: tuple[Operation, ...]


class _Damaged(NamedTuple):
    """A layout with one damaged file."""

    data: CachedData
    file: FileFacts
    flip: damage.Flip


class _Reaction(NamedTuple):
    """What one contender did, by operation; what it first said when it raised."""

    raised: list[str]
    wrong: list[str]
    right: list[str]
    detail: str


def check(
    contenders: list[PreparedContender],
    workload: Workload,
    answers: Mapping[Key, pa.Table],
    layouts: Mapping[str, CachedData],
    link: DataLink,
    timeout: float,
    seed: int,
    progress: Progress,
) -> list[Finding]:
    """Ask every contender the timed cases again, over a copy with one flipped bit in a column that they name.

    Args:
        contenders: who is asked.
        workload: its operations.
        answers: the gate's answers to the given data.
        layouts: the given data by name of the layout; it is only read.
        link: where contenders see it.
        timeout: seconds for one question.
        seed: chooses page and bit.
        progress: receives messages.
    """
    progress.say("gate: asking over a copy with one flipped bit")
    chance = random.Random(seed)
    without = [_no_pages(one.name) for one in contenders if layouts[one.contender.layout].manifest.vortex]
    layouts = {name: data for name, data in layouts.items() if not data.manifest.vortex}
    contenders = [one for one in contenders if one.contender.layout in layouts]
    if not contenders:
        return without
    targets = _targets(workload, next(iter(layouts.values())).manifest)
    tries = [(one, kind) for one in targets for kind in _KINDS][:_TRIES]
    reactions: dict[str, _Reaction] = {}
    copies: dict[str, _Damaged] = {}
    for number, (target, kind) in enumerate(tries):
        place = scratch.folder("corrupt")
        # Engines that run as another user must get there.
        place.chmod(0o755)
        try:
            made = {
                name: copy
                for count, (name, data) in enumerate(layouts.items())
                if (copy := _copied(target, kind, data, place / str(count), chance))
            }
            able = [one for one in contenders if one.contender.layout in made]
            if not able:
                continue
            reactions, copies = {}, made
            with link.showing({name: copy.data for name, copy in made.items()}):
                for one in able:
                    found = _answered(one, target, answers, link, timeout, place)
                    reactions[one.name] = found
                    noticed = found.raised or found.wrong or not found.right
                    if not noticed and one is able[0] and number < len(tries) - 1:
                        # A value that no answer shows: another one is tried before all the others are asked.
                        break
        except (WeighError, OSError) as error:
            return [*without, _untried(f"such a copy could not be made: {error}")]
        finally:
            shutil.rmtree(place, ignore_errors=True)
        if any(found.raised or found.wrong for found in reactions.values()):
            break
    affected = [
        (one, reactions[one.name]) for one in contenders if one.name in reactions and any(reactions[one.name][:3])
    ]
    damages = [_finding(one, found, copies[one.contender.layout]) for one, found in affected] or [
        _untried("no operation that was answered names a column whose pages can be damaged")
    ]
    return [*without, *damages]


def _untried(why: str) -> Finding:
    return codes.D4_UNTRIED.finding(
        text=f"no bit was flipped: {why}",
        remedy="nothing is wrong; columns of lists and structures are left alone",
    )


def _no_pages(contender: str) -> Finding:
    return codes.D4_UNTRIED.finding(
        contender=contender,
        text=f"no bit was flipped for {contender}: its files are Vortex, and weigh knows the pages of Parquet alone",
        remedy="nothing is wrong; give it a layout of Parquet to have this tried",
    )


def _targets(workload: Workload, manifest: Manifest) -> list[_Target]:
    """Columns of the data that operations name, those of most operations first."""
    import sqlglot
    from sqlglot import exp

    named: dict[str, list[Operation]] = {}
    for operation in workload.operations:
        for case in operation.timed()[:1]:
            try:
                query = sqlglot.parse_one(operation.text(case), read="duckdb")
            except (sqlglot.errors.SqlglotError, RecursionError):
                continue
            for column in sorted({one.name.lower() for one in query.find_all(exp.Column)}):
                named.setdefault(column, []).append(operation)
    found = []
    for table in manifest.tables:
        file = next(one for one in manifest.files if one.table == table)
        columns = file.parquet.get("columns", {})
        found += [_Target(table, name, tuple(named[name.lower()])) for name in columns if name.lower() in named]
    return sorted(found, key=lambda one: -len(one.operations))


def _copied(
    target: _Target, kind: damage.Kind, data: CachedData, folder: Path, chance: random.Random
) -> _Damaged | None:
    """The data with one file of its own, damaged; None where the column has no page that can be."""
    folder.mkdir()
    files = [one for one in data.manifest.files if one.table == target.table and one.rows]
    if not files:
        return None
    chosen = chance.choice(files)
    for one in data.manifest.files:
        path = folder / one.path
        path.parent.mkdir(parents=True, exist_ok=True)
        if one.path == chosen.path:
            shutil.copyfile(data.folder / one.path, path)
        else:
            path.symlink_to((data.folder / one.path).resolve())
    copy = folder / chosen.path
    groups = chosen.parquet.get("row_groups", {}).get("count", 1)
    flip = damage.flip(copy, chance.randrange(max(groups, 1)), target.column, chance, kind)
    if flip is None:
        return None
    # What is loaded from it is not what was loaded from the given data.
    described = tuple(
        msgspec.structs.replace(one, blake3=hash_file(copy)) if one.path == chosen.path else one
        for one in data.manifest.files
    )
    manifest = msgspec.structs.replace(data.manifest, files=described)
    return _Damaged(data._replace(folder=folder, manifest=manifest), chosen, flip)


def _answered(
    ready: PreparedContender,
    target: _Target,
    answers: Mapping[Key, pa.Table],
    link: DataLink,
    timeout: float,
    place: Path,
) -> _Reaction:
    """What one contender makes of the damaged data; nothing of operations that it has not answered before."""
    reaction = _Reaction([], [], [], "")
    detail = ""
    # What it loads of them goes with them.
    passing = msgspec.structs.replace(ready, cache=place)
    with QuerySession(passing, link, timeout) as session:
        for operation in target.operations:
            for case in operation.timed():
                before = answers.get((ready.name, operation.name, case.name))
                if before is None:
                    continue
                try:
                    table = session.ask(operation.text(case, ready.engine.dialect)).table
                except WorkerEnded as ended:
                    reaction.raised.append(operation.name)
                    detail = detail or one_line(ended.detail, _MOST)
                else:
                    same = compare.compare(table, before, operation.schema).agrees
                    (reaction.right if same else reaction.wrong).append(operation.name)
    return reaction._replace(detail=detail)


def _finding(ready: PreparedContender, reaction: _Reaction, copy: _Damaged) -> Finding:
    file, flip = copy.file, copy.flip
    has = "which has a checksum" if flip.checksum else "which has no checksum"
    text = (
        f"in a copy of the data one bit was flipped in a {flip.kind} page of {flip.column}, {has} ({file.path}, row "
        f"group {flip.row_group}, page {flip.page}): {', '.join(_did(reaction))}"
    )
    if not flip.decodes:
        text += "; the page cannot be decoded any more, so whoever reads it must raise"
    if reaction.wrong:
        return codes.D4_WRONG.finding(contender=ready.name, text=text, remedy=_remedy(ready, flip))
    if reaction.raised:
        return codes.D4_RAISED.finding(
            contender=ready.name,
            text=f"{text}: {reaction.detail}",
            remedy="nothing to do: it did not answer from damage",
        )
    return codes.D4_RIGHT.finding(
        contender=ready.name, text=text, remedy="the page was not read, or what changed in it does not matter to them"
    )


def _did(reaction: _Reaction) -> Iterator[str]:
    for what, operations in (
        ("it answered otherwise and said nothing on", reaction.wrong),
        ("it raised on", reaction.raised),
        ("it answered as before on", reaction.right),
    ):
        if operations:
            named = dict.fromkeys(operations)
            yield f"{what} {units.count(len(named), 'operation')} ({', '.join(named)})"


def _remedy(ready: PreparedContender, flip: damage.Flip) -> str:
    if not flip.checksum:
        return "files with page checksums can be checked; weigh data probe-checksums says who writes them"
    if ready.engine.checksums:
        return f"its setting {ready.engine.checksums} has it compare page checksums"
    return "it compares no page checksums, and has no setting for it; weigh data check does"
