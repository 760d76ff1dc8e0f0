"""YCSB's property files: read as YCSB reads them, each property used, refused, or named as one that means nothing here.

The names and defaults are those of YCSB's ``CoreWorkload`` (core/src/main/java/site/ycsb/workloads/CoreWorkload.java).
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from weigh.load.ycsb.workload import Lengths, RequestKind, YcsbRange, YcsbRequests, YcsbWorkload
from weigh.model.errors import UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

W = TypeVar("W", bound=str)

_DEFAULTS = {
    "exponential.frac": "0.8571428571",
    "exponential.percentile": "95",
    "fieldcount": "10",
    "fieldlength": "100",
    "fieldlengthdistribution": "constant",
    "fieldnameprefix": "field",
    "hotspotdatafraction": "0.2",
    "hotspotopnfraction": "0.8",
    "insertorder": "hashed",
    "insertproportion": "0",
    "maxscanlength": "1000",
    "minfieldlength": "1",
    "minscanlength": "1",
    "readallfields": "true",
    "readmodifywriteproportion": "0",
    "readproportion": "0.95",
    "requestdistribution": "uniform",
    "scanlengthdistribution": "uniform",
    "scanproportion": "0",
    "updateproportion": "0.05",
    "writeallfields": "false",
    "zeropadding": "1",
}
"""What a workload is made of, and what YCSB takes where a file does not say."""
_NUMBERS = {"insertcount", "insertstart", "recordcount"}
PROPERTIES = "ycsb"
"""The workload of somebody's own properties."""
LETTERS = {
    f"ycsb-{letter}": YcsbWorkload(
        mix=dict.fromkeys(("read", "update", "insert", "scan", "read_modify_write"), 0.0) | mix,
        requests=YcsbRequests(kind="latest" if letter == "d" else "zipfian"),
    )
    for letter, mix in {
        "a": {"read": 0.5, "update": 0.5},
        "b": {"read": 0.95, "update": 0.05},
        "c": {"read": 1.0},
        "d": {"read": 0.95, "insert": 0.05},
        "e": {"scan": 0.95, "insert": 0.05},
        "f": {"read": 0.5, "read_modify_write": 0.5},
    }.items()
}
"""The six as what ``-p`` changes."""
_CLASS = "workload"
_CLASSES = ("coreworkload", "core")
"""Last words of the names that the core workload has: of Java's class, wherever it lies, and in go-ycsb."""
_ALIKE = 0.8
"""Likeness from which on a name is a slip of the pen, and no option of another implementation."""
_REQUESTS: tuple[RequestKind, ...] = ("exponential", "hotspot", "latest", "sequential", "uniform", "zipfian")
_LENGTHS: dict[str, tuple[Lengths, ...]] = {
    "fieldlengthdistribution": ("constant", "uniform", "zipfian"),
    "scanlengthdistribution": ("uniform", "zipfian"),
}

_MEANS = {
    "columnfamily": "the target says where the rows are",
    "core_workload_insertion_retry_interval": "a load that fails is an error here",
    "core_workload_insertion_retry_limit": "a load that fails is an error here",
    "dataintegrity": "every answer is checked here",
    "db": "--target names the server",
    "exporter": "the report and the evidence are weigh's",
    "exportfile": "--out says where the evidence goes",
    "latencytrackederrors": "errors are timed and named here anyway",
    "maxexecutiontime": "a run lasts for --duration",
    "operationcount": "a run lasts for --duration, at --rate",
    "readallfieldsbyname": "columns are always named",
    "reportlatencyforeacherror": "errors are timed and named here anyway",
    "status.interval": "progress is weigh's",
    "table": "weigh makes a table of its own, and drops none of yours",
    "target": "--rate says how many requests are due",
    "threadcount": "--connections says how many there are",
}
"""Properties that are known and mean nothing here, and what does instead."""
_MEASUREMENT = ("hdrhistogram.", "histogram.", "measurement.", "measurementtype", "status", "timeseries.")
_BINDINGS = (
    "accumulo.", "aerospike.", "as.", "azurecosmos.", "azuretablestorage.", "basicdb.", "cassandra.",
    "cloudspanner.", "couchbase.", "couchbase2.", "crail.", "db.", "debug", "dynamodb.", "elasticsearch.",
    "es.", "foundationdb.", "geode.", "google", "griddb.", "hbase.", "hbase10.", "host", "hosts", "ignite.",
    "infinispan.", "jdbc.", "kudu", "maprdb.", "maprjsondb.", "memcached.", "mongodb.", "nosqldb.",
    "orientdb.", "password", "port", "postgrenosql.", "rados.", "redis.", "rest.", "riak.", "rocksdb.",
    "s3.", "scylla.", "seaweed.", "solr.", "tablestore.", "tarantool.", "user", "voltdb.", "zookeeper.",
)  # fmt: skip
"""Beginnings of the names of properties of YCSB's bindings, each for one kind of server."""
_UNDERSTOOD = (*_DEFAULTS, *_NUMBERS, _CLASS)
"""Properties that mean something here."""
_LINE = re.compile(r"\s*([^\s=:]+)\s*(?:[=:]|\s)\s*(.*)")
_LARGEST = 1 << 20
_LONGEST_NUMBER = 20


def read(path: Path) -> dict[str, str]:
    """The properties of a file, as Java has them: ``name=value`` on a line, ``#`` or ``!`` before a comment.

    Raises:
        UsageError: it cannot be read, or a line of it is no property.
    """
    complaint = ""
    try:
        if not path.is_file():
            complaint = "it is no file" if path.exists() else "No such file or directory"
        elif path.stat().st_size > _LARGEST:
            complaint = f"it has more than {_LARGEST} bytes"
        else:
            return _parsed(path.read_text(encoding="latin-1"), path)
    except OSError as error:
        complaint = error.strerror or str(error)
    raise UsageError(f"the property file cannot be read: {complaint}", where=str(path), remedy="name a file of YCSB's")


def _parsed(text: str, path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    # A backslash at the end of a line goes on in the next.
    joined = re.sub(r"\\\r?\n[ \t]*", "", text)
    for number, line in enumerate(map(str.strip, joined.splitlines()), 1):
        if not line or line[0] in "#!":
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise UsageError(
                "the line is no property", where=f"{path}, line {number}", remedy="write name=value, or # before it"
            )
        found[match[1]] = match[2].strip()
    return found


def overrides(given: Sequence[str]) -> dict[str, str]:
    """``-p name=value``, in order.

    Raises:
        UsageError: one of them is none.
    """
    found = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name.strip():
            # What stands there may be a password.
            raise UsageError("a -p has no name=value", remedy="write -p recordcount=100000")
        found[name.strip()] = value.strip()
    return found


class Properties(msgspec.Struct, frozen=True, kw_only=True):
    """What properties ask for.

    Attributes:
        workload: made of them.
        records: how many are loaded; None where they do not say.
    """

    workload: YcsbWorkload
    records: int | None


def requested(given: Mapping[str, str], base: YcsbWorkload | None) -> Properties:
    """What properties ask for.

    Args:
        given: by name.
        base: the workload that they change; None for YCSB's defaults.

    Raises:
        UsageError: one is unknown, or has a value that cannot be here.
    """
    ignored = tuple(sorted(name for name in given if _ignored(name)))
    for name in given:
        if name not in _UNDERSTOOD and name not in ignored:
            known = (*_DEFAULTS, *_NUMBERS, _CLASS, *_MEANS)
            raise UsageError(f"YCSB's core workload has no property '{name}'", remedy=nearest(name, known))
    if given.get(_CLASS, _CLASSES[0]).rpartition(".")[2].lower() not in _CLASSES:
        raise UsageError(
            f"the workload {given[_CLASS]} is another one, and weigh has YCSB's core workload alone",
            remedy="take a file of site.ycsb.workloads.CoreWorkload, or of go-ycsb's core",
        )
    values = {**_DEFAULTS, **(_properties(base) if base else {}), **given}
    records = _whole(values, "recordcount", 1) if "recordcount" in values else None
    for name, only in (("insertstart", 0), ("insertcount", records)):
        if name in values and (only is None or _whole(values, name, 0) != only):
            raise UsageError(
                f"{name}={values[name]} loads a part of the records, and weigh loads all of them",
                remedy=f"leave {name} out",
            )
    constant = values["fieldlengthdistribution"] == "constant"
    most = _whole(values, "fieldlength", 1)
    return Properties(
        records=records,
        workload=YcsbWorkload(
            mix={
                kind: _number(values, f"{kind.replace('_', '')}proportion", 0, 1e6)
                for kind in ("read", "update", "insert", "scan", "read_modify_write")
            },
            requests=_requests(values),
            fields=_whole(values, "fieldcount", 1),
            field_prefix=values["fieldnameprefix"],
            field_bytes=YcsbRange(
                least=most if constant else _whole(values, "minfieldlength", 1),
                most=most,
                lengths=_lengths(values, "fieldlengthdistribution"),
            ),
            read_all=_truth(values, "readallfields"),
            write_all=_truth(values, "writeallfields"),
            scan_rows=YcsbRange(
                least=_whole(values, "minscanlength", 1),
                most=_whole(values, "maxscanlength", 1),
                lengths=_lengths(values, "scanlengthdistribution"),
            ),
            hashed=_word(values, "insertorder", ("hashed", "ordered")) == "hashed",
            zero_padding=_whole(values, "zeropadding", 0),
            ignored=ignored,
        ),
    )


def wanted(workload: Sequence[str], flags: dict[str, Any]) -> Properties | None:
    """What flags ask for by properties of YCSB; None where there are none.

    Raises:
        UsageError: as of :func:`asked`, or another workload is named as well, or none.
    """
    files, single = flags["properties"], flags["property"]
    if not files and not single and list(workload) != [PROPERTIES]:
        if not workload:
            raise UsageError("no workload is named", remedy="add ycsb-b, a FILE.sql, or -P FILE of YCSB's")
        return None
    base = workload[0] if workload else PROPERTIES
    if len(workload) > 1 or base not in (*LETTERS, PROPERTIES):
        raise UsageError(
            f"-P and -p are properties of YCSB, and '{workload[-1]}' is another workload",
            remedy="leave one of them out",
        )
    if files and base in LETTERS:
        raise UsageError(f"-P says what the workload is, and {base} says it too", remedy="leave one of them out")
    given: dict[str, str] = {}
    for file in files:
        given |= read(file)
    return requested({**given, **overrides(single)}, LETTERS.get(base))


def is_secret(name: str) -> bool:
    """Whether the value of a property may be a password: of everything that YCSB itself does not know."""
    return name not in _UNDERSTOOD and name not in _MEANS and not name.startswith(_MEASUREMENT)


def means(name: str) -> str:
    """What says here what an ignored property says to YCSB."""
    if name in _MEANS:
        return _MEANS[name]
    if name.startswith(_MEASUREMENT):
        return "the report and the evidence are weigh's"
    return "--target says where the server is" if name.startswith(_BINDINGS) else "it is none of YCSB's"


def _ignored(name: str) -> bool:
    if name in _UNDERSTOOD:
        return False
    if name in _MEANS or name.startswith((*_MEASUREMENT, *_BINDINGS)):
        return True
    # An option of go-ycsb's or of somebody's fork; but a name of YCSB's own that is misspelt must not be left out.
    return not difflib.get_close_matches(name.lower(), _UNDERSTOOD, n=1, cutoff=_ALIKE)


def _properties(base: YcsbWorkload) -> dict[str, str]:
    """A workload as its properties; those of the letters, which have no more."""
    return {
        **{f"{kind.replace('_', '')}proportion": f"{share}" for kind, share in base.mix.items()},
        "requestdistribution": base.requests.kind,
        "maxscanlength": f"{base.scan_rows.most}",
    }


def _requests(values: Mapping[str, str]) -> YcsbRequests:
    kind = _word(values, "requestdistribution", _REQUESTS)
    match kind:
        case "hotspot":
            return YcsbRequests(
                kind=kind,
                data=_number(values, "hotspotdatafraction", 0, 1),
                operations=_number(values, "hotspotopnfraction", 0, 1),
            )
        case "exponential":
            return YcsbRequests(
                kind=kind,
                percentile=_number(values, "exponential.percentile", 0, 100),
                share=_number(values, "exponential.frac", 0, 1e9),
            )
        case _:
            return YcsbRequests(kind=kind)


def _lengths(values: Mapping[str, str], name: str) -> Lengths:
    if values[name] == "histogram":
        raise UsageError(
            f"{name}=histogram takes its lengths from a file, which weigh does not read", remedy="take uniform"
        )
    return _word(values, name, _LENGTHS[name])


def _word(values: Mapping[str, str], name: str, known: Sequence[W]) -> W:
    for word in known:
        if word == values[name]:
            return word
    raise UsageError(f"{name}={values[name]} is none that there is", remedy=nearest(values[name], known))


def _truth(values: Mapping[str, str], name: str) -> bool:
    value = values[name].lower()
    # To Java everything but "true" is false, a slip of the pen as well.
    if value not in ("true", "false"):
        raise UsageError(f"{name}={values[name]} is neither true nor false", remedy="write true or false")
    return value == "true"


def _whole(values: Mapping[str, str], name: str, least: int) -> int:
    value = values[name]
    if not value.isdecimal() or not value.isascii() or len(value) > _LONGEST_NUMBER or int(value) < least:
        raise UsageError(f"{name}={value} cannot be", remedy=f"give a whole number from {least} on")
    return int(value)


def _number(values: Mapping[str, str], name: str, least: float, most: float) -> float:
    try:
        value = float(values[name])
    except ValueError:
        value = float("nan")
    if not least <= value <= most:
        raise UsageError(f"{name}={values[name]} cannot be", remedy=f"give a number from {least:g} to {most:g}")
    return value
