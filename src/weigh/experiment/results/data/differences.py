"""What differs besides the contender: the form of the data that it reads, against that of the baseline (D1, D5). Pure.

One thing that differs is what is compared, and is named. Of two at once no figure says which of them it was: the result
is suggestive. What follows from a thing that was declared (encodings from the writer, row groups from the number of
files) is named too, and does not count.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh.model import codes, units
from weigh.model.spec import FORMAT_TITLES, OF_EVERY_FORMAT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from weigh.experiment.record import Record
    from weigh.model.codes.code import Graded
    from weigh.model.contender import Contender
    from weigh.model.dataset import Manifest
    from weigh.model.finding import Finding
    from weigh.model.units import Bytes

CONTENDER = "contender"
"""The engine, its version or its settings: what else differs is besides that."""
_NOTHING = (None, msgspec.UNSET)
_ASKS = {"row_group_rows": "writer", "codec_level": "codec"}
"""Keys that only some writers, or codecs, can be asked for."""
_CODES: dict[str, Graded] = {
    "store": codes.E3_STORE,
    "writer": codes.D1_WRITER,
    "files": codes.D5_FILES,
    "row_group_rows": codes.D5_FILES,
    "row groups": codes.D5_FILES,
    "catalog": codes.D2_FORMAT,
}
"""What is said of a difference, by what it is; of any other key of a layout, that the files are written otherwise."""
_NAMES_IN_FOOTERS = {"parquet-cpp-arrow": "pyarrow", "DuckDB": "duckdb"}
_IN_FOOTERS = re.compile(r"(?P<name>parquet-cpp-arrow|DuckDB) version v?(?P<version>[0-9.]+)( \(build \w+\))?")
"""How writers name themselves in the footers of their files."""
_PLACES = ("catalog", "store")
_PLAIN = {"catalog": "parquet", "store": "file"}


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One thing in which what a contender reads is not what the baseline reads.

    Attributes:
        contender: who reads it.
        what: a key of ``[layout]``, ``catalog`` or ``store``; or what was read from the files: ``size``,
            ``row groups``, ``encodings``.
        value: of the contender, in words.
        baseline: of the baseline, in words.
        follows: whether it follows from another one that was declared.
    """

    contender: str
    what: str
    value: str
    baseline: str
    follows: bool = False

    def __str__(self) -> str:
        """``codec: snappy against zstd``."""
        return f"{_spoken(self.what)}: {self.value} against {self.baseline}"


def _spoken(what: str) -> str:
    """A key in words; the names of columns in what was observed stay as they are."""
    return what if " " in what else what.replace("_", " ")


def differences(record: Record) -> tuple[Difference, ...]:
    """Of every contender against the baseline; none of one that has loaded a copy, or whose data is not recorded."""
    spec = record.spec
    base, theirs = spec.contender(spec.baseline), record.manifest
    places = (record.environment.storage or ()) if record.environment else ()
    loads = {place.contender for place in places if place.use == "copy"}
    found: list[Difference] = []
    for one in spec.contenders:
        if one.name == base.name or loads & {one.name, base.name}:
            continue
        found += _places(one, base)
        mine = record.manifest_of(one.name)
        if mine is not None and theirs is not None and mine != theirs:
            found += between(one.name, mine, theirs)
    return tuple(found)


def between(contender: str, mine: Manifest, theirs: Manifest) -> Iterator[Difference]:
    """What differs between two layouts of the same rows: what was asked for, then what their footers say.

    Args:
        contender: that reads the first.
        mine: what it reads.
        theirs: what the baseline reads.
    """
    declared = [*_declared(contender, mine, theirs)]
    yield from declared
    for one in _measured(contender, mine, theirs):
        yield msgspec.structs.replace(one, follows=bool(declared))


def _declared(contender: str, mine: Manifest, theirs: Manifest) -> Iterator[Difference]:
    formats = mine.vortex != theirs.vortex
    if formats:
        # Its writer follows from it, and so does what the other format has no word for.
        yield Difference(contender=contender, what="format", value=_format(mine), baseline=_format(theirs))
    elif _program(mine.writer) != _program(theirs.writer):
        yield Difference(contender=contender, what="writer", value=mine.writer, baseline=theirs.writer)
    if (mine.layout is None) != (theirs.layout is None):
        # Files that are read as they were found were asked for nothing: what they are stands in their footers.
        pairs = [("files", _most_files(mine), _most_files(theirs))]
        pairs += [] if formats else [("codec", _codecs(mine), _codecs(theirs))]
        yield from (
            Difference(contender=contender, what=what, value=value, baseline=baseline)
            for what, value, baseline in pairs
            if value != baseline
        )
    if mine.layout is None or theirs.layout is None:
        return
    for field in OF_EVERY_FORMAT if formats else mine.layout.__struct_fields__:
        one, other = getattr(mine.layout, field), getattr(theirs.layout, field)
        left_open = field in _ASKS and (one in _NOTHING or other in _NOTHING)
        # What one of two writers or codecs cannot be asked for follows from that one.
        if left_open and getattr(mine.layout, _ASKS[field]) != getattr(theirs.layout, _ASKS[field]):
            continue
        if one != other and field not in ("writer", "format"):
            yield Difference(contender=contender, what=field, value=words(one, field), baseline=words(other, field))


def _format(manifest: Manifest) -> str:
    return f"{FORMAT_TITLES['vortex' if manifest.vortex else 'parquet']} by {manifest.writer}"


def _program(writer: str) -> str:
    """A writer's name and version, as weigh says it of its own and a file in its footer."""
    found = _IN_FOOTERS.match(writer)
    return f"{_NAMES_IN_FOOTERS[found['name']]} {found['version']}" if found else writer


def _most_files(manifest: Manifest) -> str:
    return f"{max((len(manifest.paths(table)) for table in manifest.tables), default=0):,}"


def _codecs(manifest: Manifest) -> str:
    """``zstd``; all of them where columns have several."""
    columns = [column for file in manifest.files for column in (file.parquet.get("columns") or {}).values()]
    return ", ".join(sorted({str(column.get("codec")).lower() for column in columns})) or "none"


def words(value: object, key: str) -> str:
    """The value of a key of a layout for people."""
    if value in _NOTHING:
        return "as generated" if key == "sort" else "the writer's own"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return ", ".join(map(str, value)) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _measured(contender: str, mine: Manifest, theirs: Manifest) -> Iterator[Difference]:
    """What the files are like, as read from their footers."""
    pairs = [("size", units.size(mine.bytes), units.size(theirs.bytes))]
    if mine.vortex or theirs.vortex:
        # Footers are Parquet's.
        pairs = [one for one in pairs if one[1] != one[2]]
        yield from (Difference(contender=contender, what=what, value=a, baseline=b) for what, a, b in pairs)
        return
    pairs.append(("row groups", _row_groups(mine), _row_groups(theirs)))
    for what, key in (("page index", "page_index"), ("page checksums", "page_checksums")):
        pairs.append((what, _whole(mine, key), _whole(theirs, key)))
    pairs.append(("Bloom filters", _filters(mine), _filters(theirs)))
    one, other = _columns(mine), _columns(theirs)
    unlike = [name for name in one if name in other and one[name].encodings != other[name].encodings]
    if unlike:
        # The one that they make most of.
        first, more = max(unlike, key=lambda name: abs(one[name].bytes - other[name].bytes)), len(unlike) - 1
        rest = f" and {units.count(more, 'more column')}" if more else ""
        pairs.append((f"encodings of {first}{rest}", str(one[first]), str(other[first])))
    for what, value, baseline in pairs:
        if value != baseline:
            yield Difference(contender=contender, what=what, value=value, baseline=baseline)


def _row_groups(manifest: Manifest) -> str:
    """``8 of up to 122,880 rows``."""
    groups: list[Mapping[str, Any]] = [file.parquet.get("row_groups") or {} for file in manifest.files]
    most = max((one.get("max_rows") or 0 for one in groups), default=0)
    return f"{sum(one.get('count') or 0 for one in groups):,} of up to {most:,} rows"


def _whole(manifest: Manifest, key: str) -> str:
    """What all files say of themselves."""
    values = {file.parquet.get(key) for file in manifest.files}
    return ", ".join(sorted({"not read" if one is None else words(one, key) for one in values}))


def _filters(manifest: Manifest) -> str:
    """``on 4 columns``."""
    columns = {
        (file.table, name)
        for file in manifest.files
        for name, facts in (file.parquet.get("columns") or {}).items()
        if facts.get("bloom_filter_bytes")
    }
    return f"on {units.count(len(columns), 'column')}" if columns else "none"


class _Column(NamedTuple):
    """Encodings and size of a column, over all files."""

    encodings: frozenset[str] = frozenset()
    bytes: Bytes = 0

    def __str__(self) -> str:
        return ", ".join(sorted(self.encodings))


def _columns(manifest: Manifest) -> dict[str, _Column]:
    """By table and column."""
    found: dict[str, _Column] = {}
    for file in manifest.files:
        for name, facts in (file.parquet.get("columns") or {}).items():
            before = found.get(f"{file.table}.{name}", _Column())
            size = before.bytes + (facts.get("compressed_bytes") or 0)
            encodings = set(facts.get("encodings") or ())
            if facts.get("physical_type") != "BOOLEAN":
                # Only some writers name the encoding of levels.
                encodings.discard("RLE")
            found[f"{file.table}.{name}"] = _Column(before.encodings | encodings, size)
    return found


def _places(one: Contender, base: Contender) -> Iterator[Difference]:
    for what in _PLACES:
        value, baseline = (getattr(of, what) or _PLAIN[what] for of in (one, base))
        if value != baseline:
            yield Difference(contender=one.name, what=what, value=value, baseline=baseline)


def _another(record: Record, name: str) -> bool:
    """Whether it is another engine than the baseline, another build of it, or has other settings."""
    contender, other = record.spec.contender(name), record.spec.contender(record.spec.baseline)
    reads = {one.name: one for one in (record.environment.contenders if record.environment else ())}
    if (one := reads.get(name)) and (base := reads.get(record.spec.baseline)):
        if (one.engine, one.version, one.settings) != (base.engine, base.version, base.settings):
            return True
        # What reads a table format, objects, or files that are no Parquet is in the environment too.
        forms = [record.spec.layout_of(each).form for each in (contender, other)]
        if (contender.catalog, contender.store, forms[0]) == (other.catalog, other.store, forms[1]):
            return one.environment != base.environment
    return (contender.engine, contender.version, contender.build, contender.pins, contender.settings) != (
        other.engine,
        other.version,
        other.build,
        other.pins,
        other.settings,
    )


def findings(record: Record, found: Sequence[Difference]) -> Iterator[Finding]:
    """Who reads another form of the data than the baseline; a warning where that is not all that differs.

    Args:
        record: of the latest attempt.
        found: what differs.
    """
    grid = record.spec.grid
    crossed = {CONTENDER, *(one.key for one in grid.factors)} if grid else frozenset[str]()
    for name in dict.fromkeys(one.contender for one in found):
        of_it = [one for one in found if one.contender == name]
        yield from of_pair(of_it, record.spec.baseline, another=_another(record, name), crossed=crossed)


def of_pair(
    found: Sequence[Difference], baseline: str, *, another: bool, crossed: Collection[str] = ()
) -> Iterator[Finding]:
    """What is to be reported of one contender.

    Args:
        found: in what its data differs.
        baseline: with whom it is compared.
        another: whether engine, build or settings differ too.
        crossed: what a grid crosses completely: its effects tell one from the other.
    """
    independent = [one for one in found if not one.follows]
    whats = [*([CONTENDER] if another else []), *(_spoken(one.what) for one in independent)]
    crossed_all = {*([CONTENDER] if another else []), *(one.what for one in independent)} <= set(crossed)
    by_code: dict[Graded, list[Difference]] = {}
    for one in independent:
        if one.what in _PLACES and one.what not in _CODES:
            continue
        by_code.setdefault(_CODES.get(one.what, codes.D1_LAYOUT), []).append(one)
    if codes.D1_WRITER in by_code:
        # One finding for how files are written.
        by_code[codes.D1_WRITER] += by_code.pop(codes.D1_LAYOUT, [])
    for code, found_differences in by_code.items():
        yield _finding(code, baseline, found_differences, found, whats, explained=crossed_all)


def _finding(
    code: Graded,
    baseline: str,
    found_differences: Sequence[Difference],
    of_it: Sequence[Difference],
    whats: Sequence[str],
    *,
    explained: bool,
) -> Finding:
    name = found_differences[0].contender
    size = next((f", {one.value} against {one.baseline}" for one in of_it if one.what == "size"), "")
    text = f"the files that it reads are not those of {baseline} ({'; '.join(map(str, found_differences))}{size})"
    if code is codes.E3_STORE:
        text = f"its data lies elsewhere than that of {baseline} ({'; '.join(map(str, found_differences))})"
    if code is codes.D2_FORMAT:
        text = f"it does not read as {baseline} does ({found_differences[0]})"
    if code is codes.D1_WRITER:
        text += ": this is a comparison of writers"
    if len(whats) == 1:
        return code.finding(
            "note", contender=name, text=text, remedy="nothing is wrong: it is the one thing that differs"
        )
    both = f"{', '.join(whats[:-1])} and {whats[-1]}"
    if explained:
        return code.finding(
            "note",
            contender=name,
            text=f"{text}; {len(whats)} things differ at once ({both}), and the grid has every combination of them",
            remedy="nothing is wrong: the effects of the grid tell one from the other",
        )
    return code.finding(
        "warning",
        contender=name,
        text=f"{text}; {len(whats)} things differ at once ({both}), and no figure tells which of them it is",
        remedy="change one thing at a time: give both contenders one layout, or both layouts to one engine",
    )
