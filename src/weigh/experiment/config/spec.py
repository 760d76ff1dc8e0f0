"""weigh.toml and the flags, made into a spec. Every mistake is named with its place and its nearest right word."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import msgspec

from weigh import workloads
from weigh.data.generator import dataset_scale
from weigh.experiment.config.user_data import OwnFiles
from weigh.model.contender import Contender, Setting, check_pin, check_url, parse_contender
from weigh.model.errors import UsageError, nearest
from weigh.model.resources import parse_cpus
from weigh.model.spec import FULL_STARTS, MOST_STARTS, LayoutSpec, Rule, Rules, Spec, Temperature
from weigh.model.storage import KINDS, Kind
from weigh.model.units import parse_duration, parse_fraction, parse_size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.model.units import Scale

DEFAULT_FILE = Path("weigh.toml")


class ExperimentTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[experiment]`` of weigh.toml."""

    name: str = ""
    workload: str = "netflow"
    scale: str | int | float | None = None
    seed: int = 42
    baseline: str | None = None
    margin: float | str = 0.03
    confidence: float | str = 0.99
    rule: Rule | None = None
    precision: float | str | None = None
    contention: float | str | None = None
    affinity: str | None = None
    memory_limit: str | int | None = None
    expect_storage: Kind | None = None
    starts: int | None = None
    runs: int = 3
    temperature: Literal["hot", "cold", "both"] = "hot"
    budget: str | None = None
    timeout: str = "120s"
    operations: list[str] = []
    on_divergence: Literal["operation", "stop"] = "operation"
    truth: bool = True
    answers: str | None = None


class ContenderTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[[contender]]`` of weigh.toml."""

    engine: str
    name: str | None = None
    version: str = ""
    pins: list[str] = []
    settings: dict[str, Setting] = {}


class SqlTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[sql]`` of weigh.toml: the user's own queries and data, relative to the file."""

    folder: str = "queries"
    tables: dict[str, str | list[str]]


class File(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """weigh.toml as a whole."""

    experiment: ExperimentTable = msgspec.field(default_factory=ExperimentTable)
    contender: list[ContenderTable] = []
    layout: LayoutSpec = msgspec.field(default_factory=LayoutSpec)
    sql: SqlTable | None = None


def schema() -> dict[str, Any]:
    """JSON Schema of weigh.toml."""
    return msgspec.json.schema(File)


def read_file(path: Path) -> File:
    """weigh.toml, checked.

    Raises:
        UsageError: it is missing, is not TOML, or has a key or value that weigh does not know.
    """
    try:
        text = path.read_text()
    except FileNotFoundError:
        raise UsageError(
            "there is no such file",
            where=str(path),
            remedy="write one (docs/reference/weigh-toml.md), or name contenders with --contender",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"it cannot be read: {error}", where=str(path), remedy="weigh.toml is UTF-8 text") from None
    try:
        plain = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"not TOML: {error}", where=str(path), remedy="see docs/reference/weigh-toml.md") from None
    _check_keys(plain, path)
    try:
        return msgspec.convert(plain, File)
    except msgspec.ValidationError as error:
        raise UsageError(_plain_words(error), where=str(path), remedy="see docs/reference/weigh-toml.md") from None


def _check_keys(plain: Mapping[str, Any], path: Path) -> None:
    """Unknown keys first: their names tell more than a type error would."""
    tables: list[tuple[str, Any, type[msgspec.Struct]]] = [("", plain, File)]
    tables.append(("experiment", plain.get("experiment", {}), ExperimentTable))
    tables.append(("layout", plain.get("layout", {}), LayoutSpec))
    tables.append(("sql", plain.get("sql", {}), SqlTable))
    contenders = plain.get("contender", [])
    if isinstance(contenders, list):
        tables += [("contender", contender, ContenderTable) for contender in contenders]
    for name, table, kind in tables:
        if not isinstance(table, dict):
            continue
        known = kind.__struct_fields__
        for key in table:
            if key not in known:
                where = f"{path}, [{name}]" if name else str(path)
                raise UsageError(f"unknown key '{key}'", where=where, remedy=nearest(key, known))


def _plain_words(error: msgspec.ValidationError) -> str:
    """Msgspec's message with the place in TOML's words: ``$.experiment.starts`` -> ``experiment.starts``."""
    text = str(error).replace("`$.", "`").replace("Object missing required field", "missing key")
    for theirs, toml in (("object", "table"), ("str", "string"), (r" \| null", ""), ("Invalid enum", "unknown")):
        text = re.sub(rf"\b{theirs}\b" if theirs.isalpha() else theirs, toml, text)
    return text


def make_spec(file: File | None, flags: Mapping[str, Any], own: OwnFiles | None = None) -> Spec:
    """The spec that a weigh.toml and flags ask for; a flag wins over the file.

    Args:
        file: weigh.toml, if there is one.
        flags: values of the command line by name; None where a flag was not given.
        own: the user's own data and queries, for the workload ``sql``.

    Raises:
        UsageError: they contradict themselves, or ask for something that does not exist.
    """
    table = (file or File()).experiment

    def pick(name: str) -> Any:
        given = flags.get(name)
        return getattr(table, name) if given is None else given

    contenders = _contenders(file, flags.get("contender") or ())
    baseline = pick("baseline")
    rules = Rules(
        margin=_positive("margin", _fraction(pick("margin"))),
        confidence=_level("confidence", _fraction(pick("confidence"))),
    )
    budget = pick("budget")
    precision = _precision(pick("precision"), contenders)
    return Spec(
        name=table.name,
        workload=pick("workload"),
        scale=_scale(pick("workload"), pick("scale"), own),
        seed=_seed(pick("seed")),
        contenders=contenders,
        baseline=_baseline(baseline, contenders, "" if flags.get("baseline") else "[experiment] of weigh.toml"),
        baseline_declared=baseline is not None,
        starts=_starts(pick("starts"), precision),
        runs=_at_least("runs", pick("runs"), 1),
        temperature=_temperature(pick("temperature"), precision),
        budget=None if budget is None else parse_duration(budget),
        timeout=_positive("timeout", parse_duration(pick("timeout"))),
        operations=tuple(pick("operations") or ()),
        on_divergence=table.on_divergence,
        truth=bool(pick("truth")),
        answers=_hash_of(pick("answers")),
        layout=_layout((file or File()).layout, own),
        own=own.content() if own else None,
        rules=rules,
        rule=_rule(pick("rule")),
        precision=precision,
        contention=_contention(pick("contention")),
        affinity=_affinity(pick("affinity")),
        memory_limit=_memory_limit(pick("memory_limit")),
        expect_storage=_storage(pick("expect_storage")),
    )


def _contenders(file: File | None, given: tuple[str, ...]) -> tuple[Contender, ...]:
    named = {}
    for table in file.contender if file else []:
        contender = _from_table(table)
        if contender.name in named:
            raise _twice(contender.name)
        named[contender.name] = contender
    chosen = [named.get(text) or parse_contender(text) for text in given] if given else list(named.values())
    if not chosen:
        raise UsageError("no contender is named", remedy="add --contender duckdb, or [[contender]] in weigh.toml")
    for name, count in Counter(contender.name for contender in chosen).items():
        if count > 1:
            raise _twice(name)
        if "#" in name or not name.isprintable():
            raise UsageError(f"'{name}' cannot be a contender's name", remedy="leave out # and what cannot be printed")
    return tuple(chosen)


def _from_table(table: ContenderTable) -> Contender:
    for pin in [*table.pins, *([f"{table.engine}=={table.version}"] if table.version else [])]:
        check_pin(pin)
    check_url(table.settings)
    contender = Contender(
        name=table.name or "",
        engine=table.engine,
        version=table.version,
        pins=tuple(table.pins),
        settings=table.settings,
    )
    return contender if contender.name else msgspec.structs.replace(contender, name=contender.spec)


def _twice(name: str) -> UsageError:
    return UsageError(
        f"two contenders are called '{name}'",
        remedy="give one of them a name of its own: NAME=ENGINE@VERSION",
    )


def _baseline(name: str | None, contenders: tuple[Contender, ...], where: str) -> str:
    names = [contender.name for contender in contenders]
    if name is None:
        return names[0]
    if name not in names:
        raise UsageError(f"the baseline '{name}' is not a contender", where=where, remedy=nearest(name, names))
    return name


def _temperature(text: str, precision: float | msgspec.UnsetType) -> Temperature:
    known = get_args(Temperature)
    if text not in known:
        raise UsageError(f"there is no temperature '{text}'", remedy=nearest(text, known))
    if text != "hot" and precision is not msgspec.UNSET:
        raise UsageError(
            f"a precision is that of hot times, and the temperature is '{text}'",
            remedy="say how many --starts instead, or measure hot and cold in two experiments",
        )
    return cast("Temperature", text)


def _rule(text: str | None) -> Rule | msgspec.UnsetType:
    """Left out where it was not asked for: the ids of other experiments stay as they are."""
    if text is None:
        return msgspec.UNSET
    known = get_args(Rule)
    if text not in known:
        raise UsageError(f"there is no rule '{text}'", remedy=nearest(text, known))
    return cast("Rule", text)


def _layout(layout: LayoutSpec, own: OwnFiles | None) -> LayoutSpec:
    if own and layout != LayoutSpec():
        raise UsageError("your own files are read as they are: no layout applies", remedy="leave out [layout]")
    _at_least("layout.files", layout.files, 1)
    if layout.row_group_rows is not None:
        _at_least("layout.row_group_rows", layout.row_group_rows, 1)
    return layout


def own_files(file: File | None, path: Path | None, flags: Mapping[str, Any]) -> OwnFiles | None:
    """The user's own data and queries, where the workload is ``sql``.

    Args:
        file: weigh.toml, if there is one.
        path: where it lies.
        flags: values of the command line by name.

    Raises:
        UsageError: they are not named, or are not there.
    """
    if (flags.get("workload") or (file or File()).experiment.workload) != "sql":
        return None
    if file is None or path is None or file.sql is None:
        raise UsageError(
            "the workload 'sql' needs [sql] in weigh.toml: which tables, and which folder of queries",
            remedy="let weigh init write it: weigh init --data FILES --sql FILES",
        )
    if not file.sql.tables:
        raise UsageError("it names no table", where=f"{path}, [sql.tables]", remedy='write NAME = "FILES.parquet"')
    patterns = {name: [given] if isinstance(given, str) else given for name, given in file.sql.tables.items()}
    return OwnFiles.found(patterns, file.sql.folder, path.parent)


def answers_path(file: File | None, flags: Mapping[str, Any]) -> Path | None:
    """Where the pinned answers are, if any were named."""
    named = flags.get("answers") or (file or File()).experiment.answers
    return Path(named) if named else None


def _hash_of(answers: str | Path | None) -> str:
    """What is in the file belongs to the spec; where it lies does not."""
    if answers is None:
        return ""
    from weigh._native import DigestError, hash_file

    try:
        return hash_file(answers)
    except (DigestError, OSError) as error:
        raise UsageError(
            f"no pinned answers: {error}", where=str(answers), remedy="pin answers with: weigh gate --pin FILE"
        ) from None


def _seed(value: int) -> int:
    if not 0 <= value < 1 << 63:
        raise UsageError(f"seed = {value} is out of range", remedy="give a number from 0 to 2^63 - 1")
    return value


def _scale(workload: str, wanted: str | float | None, own: OwnFiles | None) -> Scale | None:
    """A scale in the unit of the workload's data; a user's own files are as large as they are."""
    if own is None:
        return dataset_scale(workloads.load(workload).dataset, wanted)
    if wanted is not None:
        raise UsageError(f"scale = {wanted}: your own files have no scale", remedy="leave it out")
    return None


def _precision(value: float | str | None, contenders: tuple[Contender, ...]) -> float | msgspec.UnsetType:
    """Left out where it was not asked for: the ids of other experiments stay as they are."""
    if value is None:
        return msgspec.UNSET
    if len(contenders) < 2:
        raise UsageError("a precision is that of a ratio, and there is one contender", remedy="name another contender")
    return _positive("precision", _fraction(value))


def _contention(value: float | str | None) -> float | msgspec.UnsetType:
    """Left out where it was not asked for: the ids of other experiments stay as they are."""
    return msgspec.UNSET if value is None else _positive("contention", _fraction(value))


def _affinity(value: str | None) -> tuple[int, ...] | msgspec.UnsetType:
    return msgspec.UNSET if value is None else parse_cpus(value)


def _memory_limit(value: str | int | None) -> int | msgspec.UnsetType:
    return msgspec.UNSET if value is None else parse_size(str(value))


def _storage(value: str | None) -> Kind | msgspec.UnsetType:
    if value is None:
        return msgspec.UNSET
    if value not in KINDS:
        raise UsageError(f"there is no storage '{value}'", remedy=nearest(value, KINDS))
    return cast("Kind", value)


def _starts(value: int | None, precision: float | msgspec.UnsetType) -> int:
    if precision is msgspec.UNSET:
        return _at_least("starts", FULL_STARTS if value is None else value, 1)
    if value is not None and value < FULL_STARTS:
        raise UsageError(
            f"starts = {value} is too small with a precision",
            remedy=f"at least {FULL_STARTS}: below that a narrow interval is as likely luck",
        )
    return MOST_STARTS if value is None else value


def _fraction(value: float | str) -> float:
    return parse_fraction(value) if isinstance(value, str) else float(value)


def _at_least(name: str, value: int, least: int) -> int:
    if value < least:
        raise UsageError(f"{name} = {value} is too small", remedy=f"at least {least}")
    return value


def _positive(name: str, value: float) -> float:
    if not 0 < value < float("inf"):
        raise UsageError(f"{name} = {value:g} is not positive", remedy="give a number above 0")
    return value


def _level(name: str, value: float) -> float:
    if not 0.5 < value < 1:
        raise UsageError(f"{name} = {value:g} is not a confidence level", remedy="give a fraction such as 0.99")
    return value
