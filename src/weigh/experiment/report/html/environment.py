"""The surroundings: machine, contenders, data and rules, as they were read, and how to do it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from weigh.experiment.report import layouts, resources
from weigh.model import units
from weigh.model.text import one_line
from weigh.model.units import count, percent
from weigh.render.blocks import (
    Column,
    Commands,
    Facts,
    Fold,
    Group,
    Lines,
    Listing,
    Part,
    Row,
    Section,
    Table,
    read_back,
    small,
)
from weigh.render.blocks import words as table
from weigh.render.machine import bound

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.experiment.record import Record
    from weigh.experiment.report.contenders import Contenders, Mark
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.contender import ContenderRead
    from weigh.model.dataset import FileFacts, Manifest
    from weigh.render.blocks import Block, Phrase

_HOST = {
    "cpu": "processor",
    "cores": "cores",
    "cores_allowed": "cores allowed",
    "memory_bytes": "memory",
    "memory_allowed_bytes": "memory allowed",
    "system": "system",
    "kernel": "kernel",
    "virtual": "virtual machine",
    "governor": "frequency governor",
    "turbo": "turbo",
    "turbo_off": "turbo switched off",
    "huge_pages": "transparent huge pages",
    "clock_source": "clock source",
    "cpu_limit": "CPU limit (cgroup)",
    "memory_limit": "memory limit (cgroup)",
    "python": "Python of weigh",
}
"""Facts of the host for people; one without a name here is shown under its own."""

UNREADABLE = "not readable"


def parts(results: ExperimentResults, contenders: Contenders, costs: Sequence[Section], evidence: str) -> list[Fold]:
    """Everything, each part folded.

    Args:
        results: of the experiment.
        contenders: everybody.
        costs: tables of what contenders had and cost.
        evidence: name of the evidence directory.
    """
    record = results.record
    data = [block for part in _layouts(record) for block in part]
    return [
        Fold("Environment", _environment(record), "h2", anchor="environment", short="Environment"),
        Fold("Contenders", _contenders(record, contenders, costs), "h2", anchor="contenders", short="Contenders"),
        Fold("Data", data or [Lines(["Not recorded: the attempt ended before."])], "h2", anchor="data", short="Data"),
        Fold("Rules, declared beforehand", [Facts(_rules(results))], "h2", anchor="rules", short="Rules"),
        Fold("Reproduce and verify", _again(record, evidence), "h2", anchor="reproduce", short="Reproduce"),
    ]


def _environment(record: Record) -> list[Block]:
    host: list[tuple[str, Phrase | list[Phrase]]] = [
        (name, Part(UNREADABLE, "muted") if value is None else value) for name, value in _host(record)
    ]
    knobs: list[tuple[str, Phrase | list[Phrase]]] = [
        (
            read.name,
            (read.value or "fine")
            if read.state == "fine"
            else (Part(str(read.state), "strong"), f": {one_line(read.value)}" if read.value else ""),
        )
        for read in record.knobs
    ]
    facts = Facts(host or [("machine", Part("not recorded", "muted"))], css="kv two")
    return [facts, *([Section("Knobs", [Facts(knobs, css="kv two")])] if knobs else [])]


def _host(record: Record) -> tuple[tuple[str, str | None], ...]:
    """Facts of the machine in order; None is what could not be read."""
    facts = dict(record.environment.host) if record.environment else {}
    for read in record.knobs:
        facts.pop(read.name, None)
    names = [name for name in _HOST if name in facts] + [name for name in facts if name not in _HOST]
    return (*((_HOST.get(name, name), _fact(name, facts[name])) for name in names), *resources.facts(record))


def _fact(name: str, value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return units.size(value) if name.endswith("_bytes") else str(value)


def _contenders(record: Record, contenders: Contenders, costs: Sequence[Section]) -> list[Block]:
    """Every contender that was read, in the order of the tables, as its running engine described itself."""
    reads = {read.name: read for read in (record.environment.contenders if record.environment else ())}
    members = [(who, reads[who.name]) for who in contenders.everybody if who.name in reads]
    rows = [
        (
            who.phrase,
            record.spec.contender(who.name).spec,
            one_line(read.says),
            read.lineage,
            Part(read.environment or "none", "code"),
        )
        for who, read in members
    ]
    headings = ("contender", "asked for", "engine says", "lineage", "environment")
    terms: list[Phrase] = [(*who.phrase, f": {one_line(read.terms, 4000)}") for who, read in members if read.terms]
    return [
        table(headings, rows, label=None),
        *costs,
        *(Section(who.phrase, list(_member(who, read, record))) for who, read in members),
        *([Section("Publication terms", [Lines(terms)])] if terms else []),
    ]


def _member(who: Mark, read: ContenderRead, record: Record) -> Iterator[Block]:
    """Settings that differ from the engine's defaults or were asked for, how many others there are, and packages."""
    wanted = record.spec.contender(who.name).engine_settings()
    rows, rest = [], 0
    for name, found in read.in_force.items():
        known: dict[str, Any] = found if isinstance(found, dict) else {"value": found}
        value, default = known.get("value"), known.get("default")
        if default is not None and value == default and name not in wanted:
            rest += 1
            continue
        title = (name, " ", Part("(asked for)", "small")) if name in wanted else name
        rows.append(Row([title, *(read_back(None if one is None else str(one)) for one in (value, default))]))
    columns = [Column(one) for one in ("setting", "in force", Markup("the engine's default"))]
    if rows:
        yield Table(columns, [Group("", rows)], css="lines st", label=None)
    else:
        yield Lines([Markup("No setting differs from the engine's defaults.")])
    if rest:
        yield small(f"{count(rest, 'other setting')} read back at the default; all are in environment.json.")
    lock = [line for line in read.lock.splitlines() if line.strip()]
    packages = Listing("\n".join(lock) or "none: no package is installed for it")
    yield Fold(f"Requirements, {count(len(lock), 'package')}", [packages], tag="", css="")


def _layouts(record: Record) -> Iterator[list[Block]]:
    """Every layout that contenders read, in their order."""
    readers: dict[str | None, list[str]] = {}
    for one in record.spec.contenders:
        readers.setdefault(record.spec.layout_name(one.name), []).append(one.name)
    for name, names in readers.items():
        if manifest := record.manifest_of(names[0]):
            found = _layout(manifest)
            yield [Section(f"Layout {name}, read by {', '.join(names)}", found)] if name else found


def _layout(manifest: Manifest) -> list[Block]:
    made = manifest.dataset
    scale = f", {units.scale(made.scale)}" if made.scale is not None else ""
    seed = f", seed {made.seed}" if made.seed is not None else ""
    reader = ", which read the rows back for their digests" if manifest.vortex else ""
    wanted = layouts.described_layout(manifest.layout) if manifest.layout else "none: the files are read as they are"
    facts: list[tuple[str, Phrase | list[Phrase]]] = [
        ("dataset", f"{made.generator}{scale}{seed}"),
        ("layout asked for", one_line(wanted, 400)),
        ("written by", f"{manifest.writer}{reader}"),
    ]
    for file in manifest.converted or ():
        notes = (part for note in file.notes or () for part in (Markup("<br>"), one_line(note, 200)))
        facts.append(("converted", (one_line(str(file), 200), *notes)))
    facts += [(f"rows of {name}", Part(digest, "code")) for name, digest in manifest.digests.items()]
    files = [Row(_file(one, manifest.writer)) for one in manifest.files]
    headings = ("file", "table", "rows", "size", "row groups", "codec", "written by")
    hashes = [(one.path, Part(one.blake3, "code"), Part(str(one.digest), "code")) for one in manifest.files]
    return [
        Facts(facts),
        Table([Column(one) for one in headings], [Group("", files)], css="lines ft", label=None),
        Fold("Hashes and digests of the files", [table(("file", "BLAKE3", "row digest"), hashes, label=None)], "", ""),
        *_stored(manifest),
    ]


def _file(facts: FileFacts, written_by: str) -> list[str]:
    parquet = facts.parquet
    groups = parquet.get("row_groups") or {}
    number, low, high = (groups.get(name) for name in ("count", "min_rows", "max_rows"))
    amount = ""
    if number is not None and low is not None and high is not None:
        amount = f"{number:,} of {low:,}" + (f" to {high:,}" if low != high else "") + " rows"
    columns = list((parquet.get("columns") or {}).values())
    writer = str(parquet.get("created_by") or ("" if parquet else written_by))
    codecs = ", ".join(sorted({str(column.get("codec")) for column in columns}))
    size = units.size(facts.bytes)
    return [facts.path, facts.table, f"{facts.rows:,}", size, amount, codecs, one_line(writer, 120)]


def _stored(manifest: Manifest) -> list[Fold]:
    """How each column is stored, in the first file of every table."""
    rows = [
        Row([
            name,
            of,
            str(column.get("physical_type")),
            column.get("logical_type") or "",
            str(column.get("codec")),
            ", ".join(column.get("encodings") or []),
            units.size(column.get("compressed_bytes")),
            units.size(column.get("uncompressed_bytes")),
            units.size(column.get("bloom_filter_bytes")) if column.get("bloom_filter_bytes") else "none",
        ])
        for of, name, column in _columns(manifest)
    ]  # fmt: skip
    headings = ("column", "table", "physical", "logical", "codec", "encodings", "compressed", "uncompressed")
    columns = [Column(one) for one in (*headings, "bloom filter")]
    found = Table(columns, [Group("", rows)], css="lines ct", label=None, scoped=False)
    note = small("Of the first file of each table.")
    return [Fold("How the columns are stored", [found, note], tag="", css="")] if rows else []


def _columns(manifest: Manifest) -> tuple[tuple[str, str, dict[str, Any]], ...]:
    """(table, column, facts) of the first file of every table: how each column is stored."""
    found = []
    tables: set[str] = set()
    for facts in manifest.files:
        if facts.table not in tables:
            tables.add(facts.table)
            found += [
                (facts.table, name, dict(column)) for name, column in (facts.parquet.get("columns") or {}).items()
            ]
    return tuple(found)


def _rules(results: ExperimentResults) -> list[tuple[str, Phrase | list[Phrase]]]:
    spec, machine, headline = results.record.spec, results.machine, results.headline
    rules = spec.rules
    judged = headline.verdicts or headline.timings
    family = f" over {count(headline.family, 'comparison')}" if judged else ""
    declared = () if spec.baseline_declared else (" ", Part("(not declared: the first contender)", "small"))
    precision = f", intervals of {percent(spec.precision)} to each side" if spec.precision else ""
    starts = f"{'at most ' if spec.precision else ''}{count(spec.starts, 'fresh start')}{precision}"
    more = [
        *([count(spec.rounds, "round")] if spec.rounds else []),
        *([f"{count(spec.runs, 'timed run')} a turn"] if spec.runs else []),
        *(["as a duet"] if spec.duet else []),
        str(spec.temperature),
        f"budget {units.seconds(spec.budget)}" if spec.budget else "no budget",
        f"time-out {units.seconds(spec.timeout)}",
    ]
    pinned = ("; pinned answers ", Part(spec.answers, "code")) if spec.answers else ()
    stops = "the whole run stops" if spec.on_divergence == "stop" else "that operation is timed for nobody"
    return [
        ("smallest change that matters", percent(rules.margin)),
        ("is there a difference?", f"interval of {100 * rules.confidence:g} %"),
        ("does it matter?", f"false discoveries {percent(rules.fdr, 0)}{family}"),
        ("SAME", f"equivalence within the margin at {percent(rules.equivalence, 0)}"),
        ("refused as unstable", f"where the noise would hide a change of {percent(rules.unstable, 0)}"),
        *([("refused as contended", bound(machine.contention.bound))] if machine else []),
        ("baseline", (spec.baseline, *declared)),
        ("asked for", ", ".join([starts, *more])),
        ("answers known beforehand", ("a witness" if spec.truth else "not a witness", *pinned)),
        ("at a divergence", stops),
    ]


def _again(record: Record, evidence: str) -> list[Block]:
    environment = record.environment
    same: list[Block] = [Lines(["The same experiment"], tag="h4"), Commands(environment.command)] if environment else []
    return [
        *same,
        Lines(["Every hash and every number of this page, from the raw samples"], tag="h4"),
        Listing(f"weigh verify {evidence}"),
        Lines([(
            f"With weigh {environment.weigh}. " if environment else "",
            "All samples are in ", Part("samples.parquet", "code"), Markup(", all answers' digests in "),
            Part("gate.json", "code"),
            ". The seal has no key: it shows accidental change and careless editing.",
        )]),
    ]  # fmt: skip
