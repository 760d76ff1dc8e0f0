"""Layouts and table formats at size: who answers rightly through which, and what the form of the files costs.

The parts:

* ``gate``: netflow and TPC-H in every layout below, through every table format that an engine reads. Per layout one
  ``weigh gate``; a line for each contender says how its operations fared, then what was found about it, and the
  reproducer where one was made.
* ``files``: the same rows in one file and in twenty, hot and cold where the machine can be made cold
  (``weigh layout``): time, cores kept busy, and bytes read.
* ``objects``: the same two from a loopback store, with the requests of each.
* ``formats``: plain Parquet, Iceberg and DuckLake on the same bytes, one engine (``weigh run``).
* ``writers``: PyArrow against DuckDB as the writer, with one codec: sizes, what differs, and the time to read them.

At full size, TPC-H of scale factor 1 and netflow of 10M, the gate takes hours and each other part some ten minutes.
``WEIGH_LAYOUTS_SHORT=1`` takes at most 8 minutes in all: TPC-H 0.1 alone, 45 seconds for each measurement and six
queries in it (of cold executions two, five starts), of the gate two layouts, and it comes last. What there is no time
for is ended, and named.

Variables of the environment: ``WEIGH_LAYOUTS_NETFLOW`` rows [10M], ``WEIGH_LAYOUTS_SF`` of TPC-H [1],
``WEIGH_LAYOUTS_PARTS`` [all], ``WEIGH_LAYOUTS_WORKLOADS`` [netflow,tpch], ``WEIGH_LAYOUTS_ONLY``, names of layouts of
the gate [all], ``WEIGH_LAYOUTS_OPERATIONS`` of netflow and ``WEIGH_LAYOUTS_QUERIES`` of TPC-H [all],
``WEIGH_LAYOUTS_BUDGET`` of each measurement [5m], ``WEIGH_LAYOUTS_TEMPERATURE`` of the part files [both],
``WEIGH_LAYOUTS_TIMEOUT`` of one execution [10m], ``WEIGH_LAYOUTS_LIMIT`` seconds for all parts together [none],
``WEIGH_LAYOUTS_KEEP``, a folder for the evidence [removed]. weigh's own variables hold too.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weigh.engines import engine as engines
from weigh.engines import formats

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHORT = bool(os.environ.get("WEIGH_LAYOUTS_SHORT"))


def _flag_of(name: str, usual: str, short: str) -> str:
    return os.environ.get(f"WEIGH_LAYOUTS_{name}", short if _SHORT else usual)


_SCALES = {"netflow": _flag_of("NETFLOW", "10M", "10M"), "tpch": _flag_of("SF", "1", "0.1")}
_OPERATIONS = {
    "netflow": os.environ.get("WEIGH_LAYOUTS_OPERATIONS", ""),
    "tpch": os.environ.get("WEIGH_LAYOUTS_QUERIES", ""),
}
_PARTS = _flag_of("PARTS", "gate,files,objects,formats,writers", "files,objects,formats,writers,gate").split(",")
_WORKLOADS = _flag_of("WORKLOADS", "netflow,tpch", "tpch").split(",")
_ONLY = [name for name in _flag_of("ONLY", "", "twenty,generator").split(",") if name]
_BUDGET = _flag_of("BUDGET", "5m", "45s")
_LIMIT = float(_flag_of("LIMIT", "inf", "480"))
_TEMPERATURE = os.environ.get("WEIGH_LAYOUTS_TEMPERATURE", "both")
_TIMEOUT = os.environ.get("WEIGH_LAYOUTS_TIMEOUT", "10m")
_KEEP = os.environ.get("WEIGH_LAYOUTS_KEEP", "")

_LAYOUTS = {
    "one": {},
    "twenty": {"files": 20},
    "pyarrow": {"writer": "pyarrow", "codec": "snappy", "page_version": 2, "page_checksums": True, "page_index": True},
    "pyarrow-many": {"writer": "pyarrow", "files": 20, "row_group_rows": 20_000, "bloom_filters": True},
    "polars": {"writer": "polars", "codec": "lz4", "files": 4},
    "generator": {"writer": "tpchgen", "codec": "snappy"},
    "vortex": {"format": "vortex"},
}
"""By name the keys of ``[layout]``; what is left open is weigh's usual form, one file by DuckDB with zstd."""
_OF_TPCH = ("generator",)
"""Layouts of files as the generator of TPC-H writes them: with field ids."""
_ENGINES = ("duckdb", "duckdb@1.5.5", "chdb", "polars", "datafusion", "pyarrow")
_BEGAN = time.monotonic()
_LEAST = 15.0
"""Seconds below which nothing is begun."""
_FEW = "q1,q3,q5,q6,q12,q14"
"""Queries that are timed where there is little time."""
_FEWEST = "q1,q5"
_COLD_STARTS = 5
_FIRST = 4
"""Operations of a status that are named."""


def run() -> Iterator[str]:
    """Part after part."""
    made = {"gate": _gates, "files": _files, "objects": _objects, "formats": _formats, "writers": _writers}
    began = time.monotonic()
    for part in _PARTS:
        for workload in _WORKLOADS:
            yield from made[part](workload)
    yield f"layouts: {time.monotonic() - began:.0f} s"


def _contenders() -> list[str]:
    """Every engine over the files themselves, and through every table format that this version of it reads."""
    found = []
    for spec in _ENGINES:
        name, _, version = spec.partition("@")
        engine = engines.load(name)
        kinds = [
            one.format for one in engine.catalogs if not one.versions or (version or engine.tested) in one.versions
        ]
        found += [spec, *(f"{spec}?catalog={kind}" for kind in kinds)]
    return found


def _gates(workload: str) -> Iterator[str]:
    for name, keys in _LAYOUTS.items():
        if (_ONLY and name not in _ONLY) or (workload != "tpch" and name in _OF_TPCH):
            continue
        able = formats.able("vortex") if keys.get("format") == "vortex" else None
        layouts_of = {
            # Who does not read the format is asked over Parquet, to compare with.
            contender: contender
            if able is not None and contender not in able
            else f"{contender}{'&' if '?' in contender else '?'}layout={name}"
            for contender in _contenders()
        }
        flags = ["--timeout", _TIMEOUT, *(word for one in layouts_of.values() for word in ("--contender", one))]
        began = time.monotonic()
        document, output = _document("gate", workload, flags, {name: keys})
        place = f"{workload} {_SCALES[workload]}, layout {name}"
        if document is None:
            yield f"{place}: NOT MADE: {output}"
            continue
        took = f"{time.monotonic() - began:.0f} s"
        yield f"{place}: {len(document['statuses'])} operations, {len(layouts_of)} contenders, {took}"
        if able is not None:
            yield f"  of these {', '.join(able)} over the layout, the others over Parquet"
        for layout, contender in layouts_of.items():
            yield f"  {layout:32} {_fared(document, contender)}"
            yield from _found(document, contender)


def _found(document: dict[str, Any], contender: str) -> Iterator[str]:
    """The first finding of each kind, and how many more there are."""
    kinds: dict[str, list[dict[str, Any]]] = {}
    for one in document["findings"]:
        if one["contender"] == contender and (one["severity"] == "error" or one["code"] == "A1.reproducer"):
            kinds.setdefault(one["code"], []).append(one)
    for code, found in kinds.items():
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        place = f" {found[0]['operation']}" if found[0]["operation"] else ""
        yield f"    {code}{place}: {found[0]['text']}{more}"


def _fared(document: dict[str, Any], contender: str) -> str:
    """``agreed 21; unsupported 1 (q13)``."""
    named: dict[str, list[str]] = {}
    for one in document["statuses"]:
        named.setdefault(one["contenders"].get(contender, "not asked"), []).append(one["operation"])
    counts = Counter({status: len(operations) for status, operations in named.items()})
    return "; ".join(_counted(status, named[status]) for status, _ in counts.most_common())


def _counted(status: str, operations: list[str]) -> str:
    more = ", ..." if len(operations) > _FIRST else ""
    which = "" if status == "agreed" else f" ({', '.join(operations[:_FIRST])}{more})"
    return f"{status} {len(operations)}{which}"


def _files(workload: str) -> Iterator[str]:
    for temperature in ("hot", "cold") if _TEMPERATURE == "both" else (_TEMPERATURE,):
        flags = ["--files", "1,20", "--contender", "duckdb", "--temperature", temperature]
        # Cold starts take long: what a budget is too small for is not begun.
        few = _SHORT and temperature != "hot"
        flags += ["--starts", str(_COLD_STARTS)] if few else ["--budget", _BUDGET]
        document, output = _document("layout", workload, flags, {}, _FEWEST if few and workload == "tpch" else "")
        place = f"{workload} {_SCALES[workload]}, one file against twenty, {temperature}"
        if document is None:
            yield f"{place}: NOT MADE: {output}"
            continue
        yield f"{place}: {_tier(document)}"
        yield from (f"  {line}" for line in document["grid"]["says"])
        for cell in document["grid"]["cells"]:
            busy = f", {cell['parallelism']:.2f} cores busy" if cell["parallelism"] else ""
            read = f", {cell['bytes_read']:,.0f} bytes read" if cell["bytes_read"] else ""
            took = f"{cell['wall_s']:.3f} s" if cell["wall_s"] else "no time of every operation"
            size = f"{cell['files']} files, {cell['bytes']:,} bytes"
            yield f"  {cell['contender']}, {cell['temperature']}: {size}, {took}{busy}{read}"


def _objects(workload: str) -> Iterator[str]:
    named = [f"{name}={_LAKES}?layout={name}&store=s3" for name in ("one", "twenty")]
    flags = [word for one in named for word in ("--contender", one)]
    layouts = {name: _LAYOUTS[name] for name in ("one", "twenty")}
    document, output = _document("run", workload, [*flags, "--budget", _BUDGET, "--margin", "5%"], layouts)
    place = f"{workload} {_SCALES[workload]}, one file against twenty from a loopback store, margin 5 %"
    if document is None:
        yield f"{place}: NOT MADE: {output}"
        return
    yield f"{place}: {_tier(document)}"
    yield _ratios(document, "twenty")
    for name in ("one", "twenty"):
        rows = [one for one in document["objects"]["requests"] if one["contender"] == name]
        gets, size = (sum(one[key] for one in rows) for key in ("gets", "bytes"))
        at_once = max((one["parallel"] for one in rows), default=0)
        waiting = sum(one["waiting_s"] for one in rows)
        yield (
            f"  {name}: {gets:,.0f} requests and {size:,.0f} bytes for one execution of each operation, "
            f"up to {at_once:.1f} at once, {waiting:.3f} s with one under way"
        )


def _writers(workload: str) -> Iterator[str]:
    flags = ["--writer", "duckdb,pyarrow", "--codec", "zstd", "--contender", "duckdb", "--budget", _BUDGET]
    document, output = _document("layout", workload, flags, {})
    place = f"{workload} {_SCALES[workload]}, PyArrow against DuckDB as the writer, zstd"
    if document is None:
        yield f"{place}: NOT MADE: {output}"
        return
    yield f"{place}: {_tier(document)}"
    yield from (f"  {line}" for line in document["grid"]["says"])
    sizes = [cell["bytes"] for cell in document["grid"]["cells"] if cell["bytes"]]
    for cell in document["grid"]["cells"]:
        took = f"{cell['wall_s']:.3f} s" if cell["wall_s"] else "no time of every operation"
        yield f"  {cell['contender']}: {cell['bytes']:,} bytes, {took}"
    yield f"  the larger has {max(sizes) / min(sizes):.2f} times the bytes of the smaller"
    yield from (f"  {one['what']}: {one['value']} against {one['baseline']}" for one in document["differences"])


def _ratios(document: dict[str, Any], contender: str) -> str:
    """``iceberg: same 9, unresolved 2, ratios 0.981 to 1.022``."""
    found = [one for one in document["verdicts"] if one["metric"] == "wall_s" and one["contender"] == contender]
    ratios = [one["ratio"] for one in found if one["ratio"]]
    counts = Counter(one["verdict"] for one in found)
    spread = f", ratios {min(ratios):.3f} to {max(ratios):.3f}" if ratios else ""
    return f"  {contender}: {', '.join(f'{name} {number}' for name, number in counts.most_common())}{spread}"


def _formats(workload: str) -> Iterator[str]:
    named = [f"plain={_LAKES}", *(f"{kind}={_LAKES}?catalog={kind}" for kind in ("iceberg", "ducklake"))]
    flags = [word for one in named for word in ("--contender", one)]
    document, output = _document("run", workload, [*flags, "--budget", _BUDGET, "--margin", "5%"], {})
    place = f"{workload} {_SCALES[workload]}, table formats on the same bytes in DuckDB, margin 5 %"
    if document is None:
        yield f"{place}: NOT MADE: {output}"
        return
    yield f"{place}: {_tier(document)}"
    yield from (_ratios(document, kind) for kind in ("iceberg", "ducklake"))
    yield from (f"  {one['contender']}: {one['text']}" for one in document["findings"] if one["code"] == "D2.same")


_LAKES = "duckdb@1.5.5"
"""For whom there are extensions."""


def _tier(document: dict[str, Any]) -> str:
    tier = document["tier"]
    return "; ".join((tier["name"].upper(), *(one["text"] for one in tier["reasons"][:2]))) if tier else "no verdict"


def _document(
    command: str, workload: str, flags: list[str], layouts: dict[str, dict[str, Any]], few: str = ""
) -> tuple[dict[str, Any] | None, str]:
    """The document that a command prints, or None and what it said on the way out."""
    weigh = Path(sys.executable).with_name("weigh")
    operations = _OPERATIONS[workload] or few
    if not operations and _SHORT and workload == "tpch" and command != "gate":
        operations = _FEW
    named = ["--operations", operations] if operations else []
    with tempfile.TemporaryDirectory() as place, nullcontext(_KEEP) if _KEEP else tempfile.TemporaryDirectory() as out:
        file = Path(place) / "weigh.toml"
        tables = (
            f"[layout.{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
            for name, keys in layouts.items()
        )
        file.write_text("\n".join(tables))
        words = [str(weigh), command, str(file), "--workload", workload, "--scale", _SCALES[workload], *named, *flags]
        left = _LIMIT - (time.monotonic() - _BEGAN)
        if left < _LEAST:
            return None, f"the {_LIMIT:.0f} s are over"
        output, complaint = _run_weigh([*words, "--out", str(out), "--json", "--quiet"], left)
        if not output:
            return None, " ".join(complaint.split())
        document = json.loads(output)
        # Of each contender: the document says who was asked.
        gate = json.loads((Path(str(out)) / document["evidence"] / "gate.json").read_text())
        return {**document, "statuses": gate["operations"]}, ""


def _run_weigh(words: list[str], seconds: float) -> tuple[str, str]:
    """What a command prints, on both ways; nothing of one that had to be ended."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            return process.communicate(timeout=None if seconds == float("inf") else seconds)
        except subprocess.TimeoutExpired:
            # As Ctrl-C does, so that what it started ends with it.
            process.send_signal(signal.SIGINT)
            process.communicate()
            return "", f"ended after {seconds:.0f} s: the {_LIMIT:.0f} s are over"
