"""A user's own data and queries: from ``weigh init`` to a report."""

from __future__ import annotations

import errno
import shutil
import tomllib
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.command import RAN, Run, Weigh
from support.user_data import make_data
from weigh.experiment import init
from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def own(weigh: Weigh) -> Weigh:
    make_data(weigh.folder)
    return weigh


@pytest.fixture(scope="module")
def initialised(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """What ``weigh init`` said of the user's files, and what it wrote; not to be changed."""
    weigh = Weigh(tmp_path_factory.mktemp("initialised"))
    make_data(weigh.folder)
    return weigh(*INIT)


@pytest.fixture
def begun(weigh: Weigh, initialised: Run) -> Weigh:
    """weigh in a copy of that folder."""
    shutil.copytree(initialised.folder, weigh.folder, dirs_exist_ok=True)
    return weigh


COLUMNS = '[[column]]\nname = "user_id"\nkind = "integer"\n[[column]]\nname = "total"\nkind = "decimal"\n'
INIT = ("init", "--data", "my 'data'/*.parquet", "--sql", "q.sql", "--contender", "duckdb", "--contender", "datafusion")


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)


def test_from_files_to_a_report(begun: Weigh, initialised: Run) -> None:
    assert initialised.code == 0, initialised.err
    assert "tables:  events (2 files), users (1 file)" in initialised.out
    assert "queries: by_city, top, q_3" in initialised.out
    found = begun("run", "--starts", "2", "--rounds", "1", "--runs", "1", "--json")
    assert found.code in RAN, found.err
    assert [(row["operation"], row["status"]) for row in found.json["gate"]] == [
        ("by_city", "agreed"),
        ("q_3", "agreed"),
        ("top", "agreed"),
    ]
    assert len([row for row in found.json["verdicts"] if row["metric"] == "wall_s"]) == 3
    assert found.json["experiment"]["scale"] is None
    assert begun("verify", str(found.evidence)).code == 0


def test_who_names_tables_means_them(begun: Weigh) -> None:
    path = begun.folder / "weigh.toml"
    path.write_text(path.read_text().replace('workload = "sql"\n', ""))
    assert [row["operation"] for row in begun("gate", "--json").json["gate"]] == ["by_city", "q_3", "top"]


def test_the_result_schema_is_read_off_the_answer(initialised: Run) -> None:
    by_city = tomllib.loads((initialised.folder / "queries/by_city.toml").read_text())
    assert [(one["name"], one["kind"], one["match"]) for one in by_city["column"]] == [
        ("city", "string", "exact"),
        ("events", "integer", "exact"),
        ("total", "decimal", "exact"),
        ("mean", "double", "quotient"),
        ("s", "double", "approx"),
    ]
    assert (by_city["ordered_by"], by_city["keys"]) == (["city"], ["city"])
    top = tomllib.loads((initialised.folder / "queries/top.toml").read_text())
    assert (top["ordered_by"], top["keys"], top["limit"]) == (["total", "user_id"], ["user_id"], 10)
    plain = tomllib.loads((initialised.folder / "queries/q_3.toml").read_text())
    assert "ordered_by" not in plain
    assert plain["keys"] == ["day"]


def test_an_engine_that_is_wrong_on_the_users_own_query(own: Weigh) -> None:
    assert own(*INIT[:5], "--contender", "duckdb", "--contender", "liar?lie=group").code == 0
    found = own("gate", "--json")
    assert found.code == 1
    assert {row["operation"] for row in found.json["gate"] if row["status"] == "diverged"}


def test_what_exists_is_not_written_over(begun: Weigh) -> None:
    (begun.folder / "weigh.toml").write_text("mine")
    again = begun(*INIT)
    assert (again.code, again.out) == (2, "")
    assert "weigh.toml exists already" in again.err
    assert (begun.folder / "weigh.toml").read_text() == "mine"
    assert begun(*INIT, "--force").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--data", "nothing/*.parquet"),
            "nothing/*.parquet: nothing matches this pattern",
        ),
        (("--data", "empty"), "error: empty: this folder is empty\n  name files of Parquet"),
        (("--data", "foreign"), "error: foreign: no file of this folder has a form that is taken: a.txt and 1 more\n"),
        (("--data", "t=s3://key:secret@bucket/x.parquet"), "error: 's3://bucket/x.parquet' is an address"),
        (("--data", "q.sql"), "q.sql"),
        (("--data", "my 'data'", "--sql", "absent.sql"), "absent.sql"),
        (("--data", "my 'data'", "--sql", "bad.sql"), "query bad"),
        (("--data", "my 'data'", "--sql", "empty.sql"), "there is no statement in it"),
        (("--data", "t=my 'data'/*.parquet"), "the files of table t have different columns"),
    ],
)
def test_what_cannot_be_used_is_said(own: Weigh, arguments: tuple[str, ...], said: str) -> None:
    (own.folder / "bad.sql").write_text("SELECT no_such_column FROM events")
    (own.folder / "empty.sql").write_text("-- nothing\n")
    for name, files in {"empty": (), "foreign": ("a.txt", "b.txt")}.items():
        (own.folder / name).mkdir()
        for file in files:
            (own.folder / name / file).touch()
    refused = own("init", *arguments, "--contender", "duckdb")
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err
    assert not (own.folder / "weigh.toml").exists()


@pytest.mark.promise("chDB goes by the first file then, and hands out '' or 0 for a NULL of another one (`A4.rows`)")
def test_a_query_that_is_not_answered_is_named_and_the_others_are_written(own: Weigh) -> None:
    text = (
        "-- name: users\nSELECT count(*) AS n FROM users;\n-- name: lost\nSELECT nobody FROM users;\n"
        "-- name: text\nSELECT sum('a'::VARCHAR) FROM users;\n"
    )
    # As an editor of Windows writes it.
    (own.folder / "some.sql").write_bytes(b"\xef\xbb\xbf" + text.encode())
    made = own("init", "--data", "my 'data'/users.parquet", "--sql", "some.sql", "--contender", "duckdb")
    assert made.code == 1
    assert "query lost: duckdb cannot answer it" in made.err
    assert "query text: duckdb cannot answer it" in made.err and "Candidate functions" not in made.err
    assert sorted(path.name for path in (own.folder / "queries").iterdir()) == ["users.sql", "users.toml"]
    for path in (own.folder / "weigh.toml", *(own.folder / "queries").iterdir()):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert own("gate", "--quiet").code == 0


def test_a_query_in_the_folder_that_has_no_result_schema_is_named_where_it_says_what_is_next(own: Weigh) -> None:
    folder = own.folder / "queries"
    folder.mkdir()
    (folder / "both.sql").write_text("-- name: one\nSELECT 1 AS n;\n-- name: two\nSELECT 2 AS n;")
    run = own("init", "--data", "my 'data'/users.parquet", "--sql", "queries", "--contender", "duckdb")
    assert run.code == 0, run.err
    assert "next: take out of queries what has no result schema: queries/both.sql" in run.out
    assert "queries/both.toml" in own("gate").err
    (folder / "both.sql").rename(own.folder / "both.sql")
    (folder / "three.sql").write_text("SELECT 3 AS n")
    run = own("init", "--add", "queries/three.sql")
    assert "next: weigh gate (the answers alone)" in run.out
    assert own("gate").code == 0


def test_a_disk_that_is_full_leaves_no_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = init.whole.write

    def full(path: Path, content: bytes) -> None:
        if path.name == "b.sql":
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        real(path, content)

    monkeypatch.setattr(init.whole, "write", full)
    texts = {tmp_path / "weigh.toml": "", tmp_path / "queries" / "a.sql": "", tmp_path / "queries" / "b.sql": ""}
    with pytest.raises(EnvironmentFault, match="No space left") as raised:
        init._write(texts, force=False)
    assert raised.value.remedy == "free space there, or name another place"
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.long
def test_files_that_differ_in_what_may_be_null(weigh: Weigh) -> None:
    for number, (nullable, values) in enumerate(((False, ["a", "b"]), (True, ["c", None]))):
        schema = pa.schema([pa.field("name", pa.string(), nullable=nullable)])
        pq.write_table(pa.table([values], schema=schema), weigh.folder / f"t-{number}.parquet")
    (weigh.folder / "q.sql").write_text("SELECT count(*) AS n, count(name) AS m FROM t")
    assert weigh("init", "--data", "t-*.parquet", "--sql", "q.sql").code == 0
    contenders = ("duckdb=fork", "sqlite", "chdb", "nullable=chdb?schema_inference_make_columns_nullable=1")
    flags = [flag for one in contenders for flag in ("--contender", one)]
    found = weigh("gate", *flags, "--no-shrink", "--quiet", "--json")
    assert found.code == 1, found.err
    assert [(one["contender"], one["code"]) for one in found.json["findings"] if one["code"] == "A4.rows"] == [
        ("chdb", "A4.rows")
    ]
    loaded = weigh("gate", "--ingest", "--contender", "duckdb", "--contender", "sqlite", "--quiet", "--json")
    assert loaded.code == 0, loaded.err
    assert {row["status"] for row in loaded.json["gate"]} == {"agreed"}


@pytest.mark.promise("A `LIMIT` without `ORDER BY` has many right answers; `init` points it out (`A7.limit`)")
def test_a_limit_without_an_order_is_pointed_out(own: Weigh) -> None:
    (own.folder / "any.sql").write_text("SELECT name FROM users LIMIT 3")
    made = own("init", "--data", "my 'data'", "--sql", "any.sql", "--contender", "duckdb")
    assert made.code == 0
    assert "A7.limit any: it has LIMIT without ORDER BY" in made.out


STARS = {
    "reversed": ("SELECT * FROM users ORDER BY ID", "SELECT * FROM users ORDER BY id DESC"),
    "honest": ("SELECT * FROM users ORDER BY users.id DESC", "SELECT * FROM users ORDER BY id DESC"),
    "others": ("SELECT * FROM users ORDER BY id DESC LIMIT 5", "SELECT * FROM users ORDER BY id LIMIT 5"),
    "open": ("SELECT * FROM users ORDER BY hash(id) LIMIT 3", "SELECT * FROM users ORDER BY id LIMIT 3"),
    "unplaced": ("SELECT * FROM users ORDER BY hash(id)", "SELECT * FROM users ORDER BY id"),
}
"""Queries with a star, and what an engine of another lineage is asked instead."""


@pytest.mark.long
def test_the_order_of_a_star_is_compared_and_what_cannot_be_is_named(own: Weigh) -> None:
    (own.folder / "stars.sql").write_text(";\n".join(f"-- name: {name}\n{sql}" for name, (sql, _) in STARS.items()))
    made = own("init", "--data", "my 'data'/users.parquet", "--sql", "stars.sql", "--contender", "duckdb")
    assert made.code == 0, made.err
    assert "A7.limit open: it has LIMIT without an ORDER BY that its answer can be compared by" in made.out
    assert "A7.order unplaced: it has an ORDER BY by no column" in made.out
    for name, (_, other) in STARS.items():
        schema = own.folder / "queries" / f"{name}.toml"
        schema.write_text(f'dialect = {{ polars = "{other}" }}\n{schema.read_text()}')
    flags = ("--contender", "duckdb=fork", "--contender", "polars", "--no-shrink", "--quiet", "--json")
    found = {row["operation"]: row for row in own("gate", *flags).json["gate"]}
    assert {name: row["status"] for name, row in found.items()} == {
        "reversed": "diverged",
        "honest": "agreed",
        "others": "diverged",
        "open": "unverified",
        "unplaced": "agreed",
    }
    assert "answers differ, and LIMIT allows it" in found["open"]["detail"]


@pytest.mark.long
@pytest.mark.promise(
    "a hash of every byte is part of the experiment, so that other data is another experiment, wherever it lies."
)
def test_data_that_changed_is_another_experiment(own: Weigh) -> None:
    assert own(*INIT[:5], "--contender", "fork").code == 0
    gate = ("gate", "--operations", "top", "--json")
    first = own(*gate).json["experiment"]["id"]
    moved = own.folder / "elsewhere"
    (own.folder / "my 'data'").rename(moved)
    toml = own.folder / "weigh.toml"
    toml.write_text(toml.read_text().replace("my 'data'", "elsewhere"))
    assert own(*gate).json["experiment"]["id"] == first, "where files lie does not matter"
    pq.write_table(pq.read_table(moved / "users.parquet").slice(1), moved / "users.parquet")
    assert own(*gate).json["experiment"]["id"] != first


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda folder: (folder / "queries/top.toml").unlink(), "top.sql has no result schema alongside it"),
        (
            lambda folder: (folder / "queries/top.toml").write_text(
                'kyes = []\n[[column]]\nname="a"\nkind="integer"\n'
            ),
            "unknown field `kyes`",
        ),
        (
            lambda folder: (folder / "queries/top.toml").write_text('ordered_by = ["totl"]\n' + COLUMNS),
            "there is no column 'totl'",
        ),
        (
            lambda folder: append(folder / "weigh.toml", "[layout]\nfiles = 4\n"),
            "your own files are read as they are",
        ),
        (
            lambda folder: (folder / "q.sql").rename(folder / "queries/zz.sql"),
            "zz.sql has no result schema alongside it",
        ),
    ],
)
def test_mistakes_in_the_folder_are_named(begun: Weigh, edit: object, said: str) -> None:
    assert callable(edit)
    edit(begun.folder)
    refused = begun("gate")
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err


@pytest.mark.long
def test_trusted_answers_are_pinned_where_the_user_says_so(own: Weigh) -> None:
    assert own(*INIT[:5], "--contender", "duckdb").code == 0
    assert own("gate", "--pin", "agreed.json").code == 0
    assert own("gate", "--pin", "trusted.json", "--trust", "duckdb").code == 0
    agreed, trusted = ((own.folder / name).read_text() for name in ("agreed.json", "trusted.json"))
    assert '"by_city"' not in agreed, "one lineage alone confirms nothing"
    assert '"by_city"' in trusted
    checked = own("gate", "--answers", "trusted.json", "--json")
    assert {row["status"] for row in checked.json["gate"]} == {"agreed"}
    refused = own("gate", "--pin", "x.json", "--trust", "dukdb")
    assert (refused.code, refused.out) == (2, "")
    assert "did you mean 'duckdb'" in refused.err


def test_a_query_with_literals_is_swept(begun: Weigh) -> None:
    (begun.folder / "queries/top.sql").write_text("SELECT count(*) AS n FROM users WHERE city = {city}")
    (begun.folder / "queries/top.toml").write_text(
        '[[column]]\nname = "n"\nkind = "integer"\n'
        '[[case]]\nname = "rome"\nliterals = { city = "Rome" }\n'
        '[[case]]\nname = "absent"\nliterals = { city = "O\'Hara" }\ntimed = false\n'
        '[filter]\ntable = "users"\npredicate = "city = {city}"\n'
    )
    found = begun("gate", "--operations", "top")
    assert found.code == 0, found.err
    assert "2 questions to each contender" in found.out


@pytest.mark.long
def test_queries_are_added_and_nothing_that_is_declared_changes(weigh: Weigh) -> None:
    """One that has no value for its parameter, and one that is no question, block no other."""
    pq.write_table(pa.table({"id": [1, 2, 3]}), weigh.folder / "t.parquet")
    (weigh.folder / "first.sql").write_text("SELECT count(*) AS n FROM t")
    assert weigh("init", "--data", "t.parquet", "--sql", "first.sql", "--contender", "duckdb").code == 0
    (weigh.folder / "weigh.toml").write_text((weigh.folder / "weigh.toml").read_text() + "# mine\n")
    before = {path: path.read_bytes() for path in weigh.folder.rglob("*") if path.is_file()}
    (weigh.folder / "more.sql").write_text(
        "-- name: top\nSELECT id FROM t ORDER BY id DESC LIMIT 2;\n"
        "-- name: above\nSELECT count(*) AS n FROM t WHERE id > {low};\n"
        "-- name: none\nDELETE FROM t;\n"
    )
    run = weigh("init", "--add", "more.sql")
    assert run.code == 1
    assert "the parameter low has no value" in run.err
    assert "queries: top" in run.out
    assert {path: path.read_bytes() for path in before} == before
    assert sorted(path.name for path in (weigh.folder / "queries").iterdir()) == [
        "first.sql", "first.toml", "top.sql", "top.toml",
    ]  # fmt: skip
    again = weigh("init", "--add", "more.sql")
    assert (again.code, "the parameter low has no value" in again.err) == (1, True)
    (weigh.folder / "more.sql").write_text("-- name: top\nSELECT id FROM t ORDER BY id LIMIT 2;\n")
    other = weigh("init", "--add", "more.sql")
    assert (other.code, "top.sql exists already" in other.err) == (2, True)
    assert weigh("gate", "--json").json["gate"][1]["operation"] == "top"


def test_queries_are_added_to_own_data_alone(weigh: Weigh) -> None:
    (weigh.folder / "weigh.toml").write_text("[experiment]\nscale = '2K'\n[[contender]]\nengine = 'duckdb'\n")
    (weigh.folder / "more.sql").write_text("SELECT 1 AS n")
    run = weigh("init", "--add", "more.sql")
    assert (run.code, "which has its own questions" in run.err) == (2, True)
