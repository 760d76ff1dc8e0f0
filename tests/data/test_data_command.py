"""``weigh data``: what files are, and what is wrong with them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from support.command import Weigh


@pytest.fixture
def made(weigh: Weigh) -> Path:
    """A dataset of 1000 rows, copied so that it may be damaged."""
    run = weigh("data", "make", "--scale", "1K", "--json")
    assert run.code == 0, run.err
    return Path(shutil.copytree(run.json["folder"], weigh.folder / "mine"))


@pytest.fixture
def parquet(made: Path) -> Path:
    (file,) = made.glob("*.parquet")
    return file


def damaged(file: Path) -> None:
    content = bytearray(file.read_bytes())
    for place in range(len(content) // 3, len(content) // 3 + 8):
        content[place] ^= 0xFF
    file.write_bytes(content)


BROKEN = {
    "missing": lambda file: file.unlink(),
    "empty": lambda file: file.write_bytes(b""),
    "text": lambda file: file.write_text("ts,user\n1,ann\n"),
    "cut": lambda file: file.write_bytes(file.read_bytes()[:-100]),
    "damaged": damaged,
}


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("command", ["digest", "describe", "diff"])
def test_a_broken_file_is_named_once(weigh: Weigh, parquet: Path, command: str, how: str) -> None:
    broken = weigh.folder / "broken.parquet"
    shutil.copy(parquet, broken)
    BROKEN[how](broken)
    run = weigh("data", command, "broken.parquet", *([str(parquet)] if command == "diff" else []))
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("error: broken.parquet: ")
    assert run.err.count("broken.parquet") == 1
    assert "undamaged Parquet files" in run.err


@pytest.mark.parametrize("how", ["missing", "empty", "cut", "damaged"])
def test_check_finds_what_was_done_to_a_dataset(weigh: Weigh, made: Path, parquet: Path, how: str) -> None:
    assert weigh("data", "check", str(made)).code == 0
    BROKEN[how](parquet)
    run = weigh("data", "check", str(made), "--json")
    assert (run.code, run.json["passed"]) == (1, False)
    assert run.codes <= {"D8.missing", "D8.size", "D8.damaged", "D8.rows"}


def test_check_wants_a_manifest(weigh: Weigh, made: Path) -> None:
    assert "there is no manifest in it" in weigh("data", "check", ".").err
    assert "there is no such file or folder" in weigh("data", "check", "nowhere").err
    (made / "manifest.json").write_text("{")
    run = weigh("data", "check", str(made))
    assert run.code == 2
    assert "the manifest cannot be read" in run.err


def test_the_same_rows_in_another_form_have_the_same_digest(weigh: Weigh, parquet: Path) -> None:
    other = weigh("data", "make", "--scale", "1K", "--writer", "pyarrow", "--codec", "snappy", "--files", "3", "--json")
    files = [str(file) for file in Path(other.json["folder"]).glob("*.parquet")]
    assert len(files) == 3
    assert weigh("data", "digest", *files).out == weigh("data", "digest", str(parquet)).out
    run = weigh("data", "diff", str(parquet), other.json["folder"], "--rows")
    assert (run.code, run.out) == (0, "the same rows\n")


def test_diff_shows_the_cell_that_was_changed(weigh: Weigh, parquet: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(parquet)
    users = table["user_name"].to_pylist()
    users[7] = "somebody else"
    changed = table.set_column(table.column_names.index("user_name"), "user_name", pa.array(users, pa.string()))
    pq.write_table(changed, weigh.folder / "changed.parquet")
    run = weigh("data", "diff", str(parquet), "changed.parquet")
    assert run.code == 1
    assert run.out.count("only in ") == 2
    assert "changed.parquet row 7: " in run.out
    assert "somebody else" in run.out
    document = weigh("data", "diff", str(parquet), "changed.parquet", "--json").json
    rows = document["tables"][0]["rows"]
    assert (document["same"], rows["only_left"], rows["only_right"]) == (False, 1, 1)


def test_an_unknown_column_is_told_from_a_broken_file(weigh: Weigh, parquet: Path) -> None:
    run = weigh("data", "digest", str(parquet), "--columns", "nope")
    assert run.code == 2
    assert '"nope"' in run.err
    assert "columns that are in every file" in run.err


@pytest.mark.parametrize("rows", ["0", "1"])
def test_hardly_any_rows_are_a_dataset(weigh: Weigh, rows: str) -> None:
    run = weigh("data", "make", "--scale", rows, "--quiet", "--json")
    assert run.code == 0
    folder = run.json["folder"]
    assert weigh("data", "check", folder).code == 0
    described = weigh("data", "describe", *map(str, Path(folder).glob("*.parquet")), "--json").json
    assert [file["rows"] for file in described["files"]] == [int(rows)]
    assert weigh("data", "describe", folder, "--json").json == described
    shown = weigh("data", "describe", folder).out
    assert f" of {rows} row{'' if rows == '1' else 's'}\n" in shown


def test_a_folder_to_describe_needs_files(weigh: Weigh) -> None:
    run = weigh("data", "describe", ".")
    assert run.code == 2
    assert run.err.startswith("error: .: there are no Parquet files in it\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["make", "netflwo"], "did you mean 'netflow'?"),
        (["make", "--scale", "-1"], "not a number of rows"),
        (["make", "--scale", "1K", "--files", "0", "--quiet"], "at least 1"),
        (["make", "--codec", "brotli"], "'brotli' is not one of"),
        (["digest"], "Missing argument"),
        (["diff", ".", "."], "there are no Parquet files in it"),
    ],
)
def test_mistakes(weigh: Weigh, arguments: list[str], said: str) -> None:
    run = weigh("data", *arguments)
    assert (run.code, run.out) == (2, "")
    assert said in run.err


def test_a_difference_in_dates_and_times_that_python_does_not_have(weigh: Weigh) -> None:
    far = pa.table({
        "day": pa.array([3_000_000], pa.int32()).cast(pa.date32()),
        "at": pa.array([1_700_000_000_123_456_789], pa.timestamp("ns")),
        "us": pa.array([253_402_300_800_000_000], pa.timestamp("us")),
        "list": pa.array([[3_000_000]], pa.list_(pa.int32())).cast(pa.list_(pa.date32())),
    })  # fmt: skip
    near = far.set_column(0, "day", pa.array([0], pa.int32()).cast(pa.date32()))
    for name, table in (("far", far), ("near", near)):
        pq.write_table(table, weigh.folder / f"{name}.parquet")
    run = weigh("data", "diff", "far.parquet", "near.parquet")
    assert run.code == 1, run.err
    assert "2023-11-14 22:13:20.123456789" in run.out
    assert "day=1970-01-01" in run.out
