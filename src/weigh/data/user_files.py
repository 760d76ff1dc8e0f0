"""A user's own files: found, named by their content, and described; they are read where they lie."""

from __future__ import annotations

import functools
import glob
import importlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh._version import __version__
from weigh.data.cache import CachedData
from weigh.data.ground_truth import Truth
from weigh.data.layout import file_facts
from weigh.evidence import whole
from weigh.host import scratch
from weigh.model.dataset import USER_FILES, Conversion, DatasetName, FileFacts, Manifest
from weigh.model.errors import UsageError
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

PARQUET = "Parquet"
FORMATS = {
    ".parquet": PARQUET, ".pq": PARQUET, ".csv": "CSV", ".tsv": "CSV", ".json": "JSON", ".jsonl": "JSON",
    ".ndjson": "JSON", ".arrow": "Arrow", ".arrows": "Arrow", ".feather": "Arrow", ".ipc": "Arrow",
    ".duckdb": "DuckDB", ".ddb": "DuckDB", ".db": "DuckDB",
}  # fmt: skip
"""What can be read, by the end of a file's name. What is not Parquet is converted."""
TABLE_FOLDERS = {"Delta": "_delta_log/*.json", "Iceberg": "metadata/*.metadata.json"}
"""What lies in a folder that is a table, and whose files are those that its log names."""
_TAKEN = "name files of Parquet, CSV, JSON, Arrow, Feather or DuckDB, or a table of Iceberg or Delta"
_PACKED = (".gz", ".zst")
"""Texts may be compressed."""
_NUMBERED = re.compile(r"[-_.]?(part)?[-_.]?\d+$", re.IGNORECASE)
_PATTERN = frozenset("*?[")
_UNFIT = re.compile(r"\W+")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_USER = re.compile(r"(?<=://)[^/]*@")

Tables = dict[str, list[Path]]


def find(patterns: Mapping[str, Sequence[str]], root: Path) -> Tables:
    """The files of every table.

    Args:
        patterns: paths and glob patterns by table, relative to ``root``.
        root: a folder.

    Raises:
        UsageError: a pattern matches nothing.
    """
    return {table: sorted({path for one in given for path in matches(one, root)}) for table, given in patterns.items()}


def form(file: Path) -> str:
    """What a file is, by the end of its name: a value of :data:`FORMATS`; of a folder, a key of :data:`TABLE_FOLDERS`.

    Raises:
        UsageError: it is none of these.
    """
    if file.is_dir() and (table := _table_folder(file)):
        return table
    packed = file.suffix.lower() in _PACKED
    suffix = Path(file.stem if packed else file.name).suffix.lower()
    found = FORMATS.get(suffix)
    if found is None or (packed and found not in ("CSV", "JSON")):
        raise UsageError(f"'{file.suffix}' is no form that is taken", where=str(file), remedy=_TAKEN)
    return found


def _stem(file: Path) -> str:
    if file.is_dir():
        return file.name
    return Path(file.stem).stem if file.suffix.lower() in _PACKED else file.stem


def _table_folder(path: Path) -> str:
    """The form of a folder that is a table; empty for any other."""
    return next((form for form, log in TABLE_FOLDERS.items() if next(path.glob(log), None)), "")


def _known(file: Path) -> bool:
    if file.is_dir():
        return bool(_table_folder(file))
    name = file.name.lower().removesuffix(".gz").removesuffix(".zst")
    return file.is_file() and any(name.endswith(suffix) for suffix in FORMATS)


def matches(pattern: str, root: Path) -> list[Path]:
    """The files that a path or glob pattern names; those directly in it, if it names a folder.

    A folder that is a table of Iceberg or Delta is one of them, and none of the files in it is.

    Raises:
        UsageError: there is none, or it is an address.
    """
    if _ADDRESS.match(pattern):
        # Users, passwords and signatures of addresses are not repeated.
        address = _USER.sub("", pattern.partition("?")[0])
        raise UsageError(
            f"'{address}' is an address, and files are read where they lie on this machine",
            remedy="fetch the file and give its path: over a network every run would measure the network",
        )
    found = [Path(name) for name in glob.glob(str(root / Path(pattern).expanduser()), recursive=True)]  # noqa: PTH207
    folders = [path for path in found if path.is_dir() and not _table_folder(path)]
    files = [file for path in found for file in (filter(_known, path.iterdir()) if path in folders else [path])]
    if not files:
        missing = "nothing matches this pattern" if _PATTERN & {*pattern} else "there is no such file or folder"
        why = _foreign(found) if found else missing
        raise UsageError(why, where=str(root / Path(pattern)), remedy=_TAKEN)
    for file in files:
        # A device or a pipe would be read forever.
        if not (file.is_file() or _table_folder(file)):
            raise UsageError("this is no file", where=str(file), remedy=_TAKEN)
        form(file)
    return sorted(file.resolve() for file in files)


def _foreign(folders: Iterable[Path]) -> str:
    """What lies in folders without a file that is taken."""
    inside = sorted(path.name for folder in folders for path in folder.iterdir())
    if not inside:
        return "this folder is empty"
    others = f" and {len(inside) - 1} more" if len(inside) > 1 else ""
    return f"no file of this folder has a form that is taken: {inside[0]}{others}"


def by_name(files: Iterable[Path]) -> Tables:
    """Files grouped into tables by their names: ``events-01.parquet`` and ``events-02.parquet`` are ``events``.

    ``part-0.parquet`` is a part of the table that its folder is called by; alongside files of other names it is one of
    ``part``, a table of TPC-H.
    """
    tables: Tables = {}
    files = list(files)
    several = {file.parent for file in files if _NUMBERED.sub("", _stem(file))}
    for file in files:
        unnamed = "part" if file.parent in several and _stem(file).lower().startswith("part") else file.parent.name
        stem = _NUMBERED.sub("", _stem(file)) or unnamed
        tables.setdefault(_UNFIT.sub("_", stem).strip("_").lower() or "data", []).append(file)
    return tables


def hashes(tables: Tables, known: Mapping[Path, str] | None = None) -> dict[str, tuple[str, ...]]:
    """BLAKE3 of every file by table: what the data is, wherever it lies.

    Args:
        tables: files by table.
        known: hashes of files that need not be read again.

    Raises:
        UsageError: a file cannot be read.
    """
    from weigh._native import hash_file

    try:
        return {
            table: tuple((known or {}).get(file) or hash_file(file) for file in files)
            for table, files in tables.items()
        }
    except OSError as error:
        raise UsageError(f"a data file cannot be read: {error}", remedy="give readable Parquet files") from error


def dataset_name(content: Mapping[str, Sequence[str]]) -> DatasetName:
    """What the rows are called.

    Args:
        content: BLAKE3 of every file by table.
    """
    from weigh._native import hash_bytes

    key = hash_bytes(msgspec.json.encode(content, order="deterministic"))[:16]
    return DatasetName(generator=f"{USER_FILES}/{key}", scale=None)


def open_files(
    tables: Tables,
    cache: Path,
    seed: int,
    conversions: tuple[Conversion, ...] = (),
    *,
    known: Mapping[Path, str] | None = None,
    registered: str = "",
) -> CachedData:
    """The files as a stored dataset: a folder of links to them, of this process's own, with a manifest.

    Args:
        tables: Parquet files by table.
        cache: weigh's cache directory.
        seed: of the experiment.
        conversions: where those files come from that were converted.
        known: hashes of files that need not be read again.
        registered: the name that they are registered under; empty for none.

    Every row of a file is read once and its facts are kept by the hash of its bytes.

    Raises:
        DataFault: a file is not Parquet, or is damaged.
        UsageError: the files of a table have different columns.
    """
    content = hashes(tables, known)
    folder = scratch.folder("own")
    described: list[FileFacts] = []
    for table, files in tables.items():
        same_columns(table, files)
        (folder / table).mkdir()
        for number, (file, digest) in enumerate(zip(files, content[table], strict=True)):
            name = f"{table}/{number:04}.parquet"
            (folder / name).symlink_to(file)
            described.append(facts(file, table, name, digest, cache))
    manifest = Manifest(
        dataset=msgspec.structs.replace(dataset_name(content), seed=seed),
        layout=None,
        writer=", ".join(sorted({str(one.parquet.get("created_by") or "unknown writer") for one in described})),
        files=tuple(described),
        digests=file_facts.merged(described),
        converted=conversions or msgspec.UNSET,
    )
    return CachedData(folder, manifest, Truth({}), registered)


def facts(file: Path, table: str, name: str, blake3: str, cache: Path) -> FileFacts:
    """What a Parquet file is, read once for each content by each build of weigh's reader.

    Another build may read other values of a type than the one before it: an answer that is compared with facts of an
    older one would accuse whoever is right.

    Args:
        file: the file.
        table: whose rows it holds.
        name: what the facts call it.
        blake3: hash of its bytes.
        cache: weigh's cache directory.

    Raises:
        DataFault: it is not Parquet, or is damaged.
    """
    stored = _stored_facts(blake3, cache)
    try:
        known = msgspec.json.decode(stored.read_bytes(), type=FileFacts)
    except (OSError, msgspec.DecodeError):
        known = None
    if known is None or not file_facts.comparable(known.digest):
        known = file_facts.file_facts(file, table, name)
        keep_facts(known, cache)
    return msgspec.structs.replace(known, table=table, path=name)


def keep_facts(known: FileFacts, cache: Path) -> None:
    """Keep what a file is, as somebody with the same build of weigh read it."""
    stored = _stored_facts(known.blake3, cache)
    stored.parent.mkdir(parents=True, exist_ok=True)
    whole.write(stored, msgspec.json.encode(known))


def _stored_facts(blake3: str, cache: Path) -> Path:
    return cache / "data" / "files" / "facts" / _reader() / f"{blake3}.json"


@functools.cache
def _reader() -> str:
    """The build of weigh that reads files, as a name."""
    native = importlib.import_module("weigh._native")
    return f"{__version__}-{native.hash_file(native.__file__)[:16]}"


def same_columns(table: str, files: Sequence[Path]) -> None:
    """Refuse files of one table that have different columns.

    Whether a column may be NULL is no difference: some writers look whether one is (DuckDB 2.0.0).

    Raises:
        DataFault: one is not Parquet, or is damaged.
        UsageError: they do.
    """
    import pyarrow as pa

    from weigh.data.layout import parquet_reading

    first: dict[str, pa.DataType] | None = None
    for file in files:
        try:
            schema = parquet_reading.schema(file)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise parquet_reading.fault(file, error) from error
        columns = {field.name: plain_type(field.type) for field in schema}
        if first is not None and list(columns.items()) != list(first.items()):
            raise UsageError(
                f"the files of table {table} have different columns: {files[0].name} and {file.name}"
                f" ({_different(first, columns)})",
                remedy="give each kind of file a table of its own under [sql.tables]",
            )
        first = columns


def plain_type(kind: pa.DataType) -> pa.DataType:
    """The type, every value of which may be NULL, and whose texts and lists have offsets of any width in memory."""
    import pyarrow as pa

    if pa.types.is_large_string(kind):
        return pa.string()
    if pa.types.is_large_binary(kind):
        return pa.binary()
    if pa.types.is_map(kind):
        return pa.map_(plain_type(kind.key_type), plain_type(kind.item_type))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(plain_type(kind.value_type))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(plain_type(kind.value_type), kind.list_size)
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, plain_type(field.type)) for field in kind])
    return kind


def _different(first: Mapping[str, pa.DataType], other: Mapping[str, pa.DataType]) -> str:
    for name in [*first, *other]:
        one, two = first.get(name), other.get(name)
        if one != two:
            return f"{one_line(name)} is {one or 'missing'} and {two or 'missing'}"
    return "in another order"
