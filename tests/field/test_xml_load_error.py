"""What chDB refuses of the statements that make tables leaves out its questions, with chDB's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from field.suites import audited, copied

if TYPE_CHECKING:
    from support.command import Weigh

REFUSED = {
    "syntax": "CREATE TABLE t (d Date) ENGINE = MergeTree ORDR BY d",
    "outside": "CREATE TABLE t ENGINE = Memory AS SELECT * FROM file('{secret}', LineAsString)",
    "engine": "CREATE TABLE t (l String) ENGINE = File(LineAsString, '{secret}')",
    "host": "CREATE TABLE t ENGINE = Memory AS SELECT * FROM url('http://127.0.0.1:9/', LineAsString)",
    "out": "INSERT INTO FUNCTION file('{out}', CSV, 'a Int8') SELECT 1",
}


def test_one_load_that_fails_leaves_out_itself(weigh: Weigh) -> None:
    suite = copied("xml-load-error", weigh.folder) / "suite"
    secret, out = weigh.folder / "secret.txt", weigh.folder / "out.csv"
    secret.write_text("sesame-7731\n")
    for name, statement in REFUSED.items():
        text = statement.format(secret=secret, out=out)
        (suite / f"{name}.xml").write_text(
            f"<test><create_query>{text}</create_query><query>SELECT count() FROM t</query></test>"
        )
    (suite / "asks.xml").write_text(
        "<test><settings><max_threads>1</max_threads><max_block_size>1000</max_block_size></settings>"
        "<create_query>CREATE TABLE n ENGINE = Memory AS SELECT number AS x FROM numbers(1000)</create_query>"
        f"<query>SELECT * FROM file('{secret}', LineAsString)</query>"
        f"<query>SELECT x FROM n INTO OUTFILE '{out}' FORMAT CSV</query>"
        "<query>SELECT sum(x) FROM n FORMAT Null SETTINGS max_threads = 2</query></test>"
    )
    run, asked, left = audited(weigh, "./suite/", "chdb")
    assert asked == {"good.0", "asks.2"}, run.out + run.err
    assert "visits_of_somewhere" in left["needs_other.0"]
    assert left["needs_other.0"].startswith("its tables cannot be made: chDB")
    assert "Syntax error" in left["syntax.0"]
    for name in ("outside", "engine", "host", "out"):
        assert "its load calls " in left[name] and "not allowed in suites (" in left[name], left
    assert left["asks.0"].startswith("it calls file('") or "reads a file of its own" in left["asks.0"]
    assert "writes a file" in left["asks.1"]
    assert not out.exists()
    assert "sesame" not in run.out + run.err
