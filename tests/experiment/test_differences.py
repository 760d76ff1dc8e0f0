"""What differs besides the contender: what is declared counts, what follows from it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support.experiment_records import manifest, record
from weigh._version import __version__
from weigh.experiment import record as records
from weigh.experiment import resume
from weigh.experiment.report.layouts import described_layout
from weigh.experiment.results.data import differences
from weigh.experiment.results.gaps import unconfigured
from weigh.experiment.verify import findings as owed
from weigh.model.contender import Contender
from weigh.model.data.storage import Place
from weigh.model.errors import EvidenceFault
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from weigh.experiment.record import Record

PLAIN = LayoutSpec(row_group_rows=122_880)


def laid(spec: LayoutSpec, writer: str = "duckdb 2.0.0") -> Any:
    """The rows of everybody in that layout."""
    return msgspec.structs.replace(manifest(), layout=spec, writer=writer)


def compared(spec: LayoutSpec, writer: str = "duckdb 2.0.0", settings: dict[str, Any] | None = None) -> Record:
    """A baseline on the default layout, and another contender on this one."""
    made = record(contenders=("base", "other"), starts=1)
    other = Contender(name="other", engine="duckdb", layout="other", settings=settings or {})
    asked = msgspec.structs.replace(made.spec, contenders=(made.spec.contenders[0], other), layouts={"other": spec})
    environment = made.environment
    assert environment is not None
    reads = tuple(
        msgspec.structs.replace(one, settings=settings or {}) if one.name == "other" else one
        for one in environment.contenders
    )
    return msgspec.structs.replace(
        made,
        spec=asked,
        manifest=laid(PLAIN),
        layouts=(records.Laid(layout="other", manifest=laid(spec, writer)),),
        environment=msgspec.structs.replace(environment, contenders=reads),
    )


def said(one: Record) -> list[tuple[str, str]]:
    found = differences.differences(one)
    return [(finding.code, finding.severity) for finding in differences.findings(one, found)]


CHANGED = msgspec.structs.replace


@pytest.mark.parametrize(
    ("spec", "writer", "whats", "codes"),
    [
        (PLAIN, "duckdb 2.0.0", [], []),
        (CHANGED(PLAIN, codec="snappy"), "duckdb 2.0.0", ["codec"], [("D1.layout", "note")]),
        (CHANGED(PLAIN, writer="pyarrow"), "pyarrow 26.0.1", ["writer"], [("D1.writer", "note")]),
        (CHANGED(PLAIN, files=20), "duckdb 2.0.0", ["files"], [("D5.files", "note")]),
        (CHANGED(PLAIN, row_group_rows=2048), "duckdb 2.0.0", ["row_group_rows"], [("D5.files", "note")]),
        (CHANGED(PLAIN, dictionary=False), "duckdb 2.0.0", ["dictionary"], [("D1.layout", "note")]),
        (
            CHANGED(PLAIN, writer="pyarrow", codec="snappy"),
            "pyarrow 26.0.1",
            ["writer", "codec"],
            [("D1.writer", "warning")],
        ),
        (
            CHANGED(PLAIN, codec="snappy", files=20),
            "duckdb 2.0.0",
            ["codec", "files"],
            [("D1.layout", "warning"), ("D5.files", "warning")],
        ),
        # Its writer follows from it, and codecs and row groups are the other format's.
        (LayoutSpec(format="vortex"), "vortex-data 0.93.0", ["format"], [("D1.layout", "note")]),
        (
            LayoutSpec(format="vortex", files=20),
            "vortex-data 0.93.0",
            ["format", "files"],
            [("D1.layout", "warning"), ("D5.files", "warning")],
        ),
        # That generator makes row groups by size, and cannot be asked for another number of rows.
        (LayoutSpec(writer="tpchgen"), "tpchgen-cli 4.0.0", ["writer"], [("D1.writer", "note")]),
    ],
)
def test_what_was_declared_counts(
    spec: LayoutSpec, writer: str, whats: list[str], codes: list[tuple[str, str]]
) -> None:
    one = compared(spec, writer)
    assert [found.what for found in differences.differences(one) if not found.follows] == whats
    assert said(one) == codes


def test_what_follows_is_read_from_the_footers() -> None:
    """The column of which the encodings make most is named; how levels are encoded says nothing."""
    one = compared(CHANGED(PLAIN, dictionary=False))
    assert not [found for found in differences.differences(one) if found.follows]
    files = []
    for file in manifest().files:
        columns = {name: {**facts, "encodings": ["PLAIN", "RLE"]} for name, facts in file.parquet["columns"].items()}
        columns[f"{file.table[0]}_column_3"]["compressed_bytes"] = 40_000 + len(file.table)
        parquet = {**file.parquet, "columns": columns, "row_groups": {"count": 2, "max_rows": 10_000}}
        files.append(CHANGED(file, parquet=parquet, bytes=file.bytes * 2))
    (other,) = one.layouts
    one = CHANGED(one, layouts=(CHANGED(other, manifest=CHANGED(other.manifest, files=tuple(files))),))
    assert [str(found) for found in differences.differences(one) if found.follows] == [
        "size: 11.7 MiB against 5.83 MiB",
        "row groups: 16 of up to 10,000 rows against 8 of up to 20,000 rows",
        "encodings of lineitem.l_column_3 and 63 more columns: PLAIN against PLAIN_DICTIONARY",
    ]


def test_with_other_settings_one_more_differs() -> None:
    files = CHANGED(PLAIN, files=20)
    assert said(compared(files)) == [("D5.files", "note")]
    assert said(compared(files, settings={"threads": 1})) == [("D5.files", "warning")]
    assert not said(compared(PLAIN, settings={"threads": 1}))


def test_another_level_is_a_level_and_another_codec_has_none() -> None:
    level = CHANGED(PLAIN, codec_level=9)
    assert [str(one) for one in differences.differences(compared(level))] == ["codec level: 9 against the writer's own"]
    other = compared(CHANGED(PLAIN, codec="snappy"))
    other = CHANGED(other, manifest=laid(level))
    assert [one.what for one in differences.differences(other)] == ["codec"]


def test_a_catalog_and_a_store_are_things_that_differ() -> None:
    one = compared(PLAIN)
    base, other = one.spec.contenders
    other = CHANGED(other, catalog="iceberg", store="s3")
    one = CHANGED(one, spec=CHANGED(one.spec, contenders=(CHANGED(base, catalog="parquet", store="file"), other)))
    assert [str(found) for found in differences.differences(one)] == [
        "catalog: iceberg against parquet",
        "store: s3 against file",
    ]


def test_who_has_loaded_a_copy_reads_no_files() -> None:
    one = compared(CHANGED(PLAIN, files=20))
    place = Place(use="copy", path="/", kind="virtio", contender="other")
    assert one.environment is not None
    one = CHANGED(one, environment=CHANGED(one.environment, storage=(place,)))
    assert not differences.differences(one)


def test_evidence_without_the_manifest_of_a_layout_makes_no_report() -> None:
    one = compared(CHANGED(PLAIN, files=20))
    assert not unconfigured(one)
    assert unconfigured(CHANGED(one, layouts=())) == "manifest of other"


def test_layouts_of_other_rows_do_not_pass() -> None:
    one = compared(CHANGED(PLAIN, files=20))
    assert not [text for text in owed.departures(one) if "layouts" in text]
    (other,) = one.layouts
    rows = CHANGED(other, manifest=CHANGED(other.manifest, digests={**other.manifest.digests, "orders": "x"}))
    (text, *_) = owed.departures(CHANGED(one, layouts=(rows,)))
    assert text == "its layouts hold different rows, and nobody measures that"


def test_an_attempt_whose_layouts_were_made_anew_is_not_gone_on_with() -> None:
    one = compared(CHANGED(PLAIN, files=20))
    assert one.manifest is not None
    (other,) = one.layouts
    now = (one.manifest, other.manifest)
    environment = CHANGED(one.environment, weigh=__version__)
    one = CHANGED(one, environment=environment)
    resume.check_same(one, (), now)
    # A kill came before the second one was written down.
    resume.check_same(CHANGED(one, layouts=()), (), now)
    with pytest.raises(EvidenceFault, match="the data files are not those it began with"):
        resume.check_same(one, (), (one.manifest, CHANGED(other.manifest, writer="duckdb 2.0.1")))


def test_a_layout_is_described_in_words() -> None:
    assert described_layout(PLAIN) == "duckdb, zstd, 1 file a table, row groups of 122,880 rows"
    said = described_layout(LayoutSpec(writer="tpchgen", files=2, sort=("a", "b"), dictionary=False))
    assert said == "tpchgen, zstd, 2 files a table, row groups of the writer's usual size, dictionary no, sort a, b"
