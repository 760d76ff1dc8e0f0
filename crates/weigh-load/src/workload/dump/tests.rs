//! What pg_dump, mysqldump and people write, cut into statements.

use super::*;

/// Statements with their lines, and the rows behind them.
fn parts(text: &str) -> Vec<(usize, String, Option<String>)> {
    let dump = Dump::parse("s.sql", text, false).unwrap();
    let rows = |part: &Part| {
        let rows = part.rows.as_ref()?;
        Some(String::from_utf8(dump.chunks(rows).flat_map(|chunk| chunk.bytes).collect()).unwrap())
    };
    dump.parts.iter().map(|part| (part.line, dump.statement(part).to_owned(), rows(part))).collect()
}

fn statements(text: &str) -> Vec<String> {
    parts(text).into_iter().map(|(_, statement, _)| statement).collect()
}

#[test]
fn statements_and_rows_stay_in_their_order() {
    let text = "\\restrict x\nCREATE TABLE t (a int);\nCOPY public.t (a) FROM stdin;\n1\n;2\n\\.\n\nALTER TABLE t ADD \
                PRIMARY KEY (a); CREATE TABLE u ();\ncopy u\n  from STDIN with (format csv);\n\\.\n";
    let expected = [
        (2, "CREATE TABLE t (a int)", None),
        (3, "COPY public.t (a) FROM stdin", Some("1\n;2\n")),
        (8, "ALTER TABLE t ADD PRIMARY KEY (a)", None),
        (8, "CREATE TABLE u ()", None),
        (9, "copy u\n  from STDIN with (format csv)", Some("")),
    ]
    .map(|(line, text, rows)| (line, text.to_owned(), rows.map(str::to_owned)));
    assert_eq!(parts(text), expected);
    assert_eq!(Dump::parse("s.sql", text, false).unwrap().rows, 2);
}

#[test]
fn semicolons_end_statements_where_psql_says() {
    for one in [
        "SELECT ';', \"a;b\", E'it\\'s;', 'it''s;' /* ; /* ; */ ; */ -- ;\n, $1;",
        "DO $$ BEGIN RAISE NOTICE 'x'; END $$;",
        "DO $b$ SELECT $$;$$; $b$;",
        "CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2);",
        "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END;",
        "CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET a = 1; DELETE FROM u; END;",
    ] {
        assert_eq!(
            statements(&format!("-- first;\n\n;{one}\nSELECT 2")),
            [one.trim_end_matches(';'), "SELECT 2"]
        );
    }
    assert_eq!(statements("BEGIN; SELECT 'from stdin'; END;"), ["BEGIN", "SELECT 'from stdin'", "END"]);
    assert_eq!(statements(" -- nothing\n/* at all */ ;"), Vec::<String>::new());
}

#[test]
fn what_a_dump_says_of_its_server_is_known() {
    use crate::workload::circumstance::Circumstance::{Database, Extension, Role, Setting};
    for (statement, expected) in [
        ("ALTER TABLE app.orders OWNER TO \"shop owner\"", Some(Role)),
        ("ALTER FUNCTION f(integer, text) OWNER TO shop", Some(Role)),
        ("GRANT SELECT ON TABLE t TO reader", Some(Role)),
        ("ALTER DATABASE x OWNER TO y", Some(Database)),
        ("CREATE DATABASE x WITH TEMPLATE = template0", Some(Database)),
        ("CREATE EXTENSION IF NOT EXISTS pgcrypto WITH SCHEMA public", Some(Extension)),
        ("COMMENT ON EXTENSION pgcrypto IS 'x'", Some(Extension)),
        ("SET transaction_timeout = 0", Some(Setting)),
        ("ALTER TABLE t ADD COLUMN owner int", None),
        ("CREATE TABLE grant_of (a int)", None),
    ] {
        let dump = Dump::parse("s.sql", statement, false).unwrap();
        assert_eq!(dump.circumstance(&dump.parts[0]), expected, "{statement}");
    }
    assert!(Role.is_absent("42704") && !Role.is_absent("42601"));
}

#[test]
fn what_has_no_end_or_is_of_psql_is_named_with_its_line() {
    for (text, why) in [
        ("SELECT 1;\nCOPY t FROM stdin;\n1\n", (2, "a COPY without")),
        ("\nSELECT 'a;\n", (2, "a quote")),
        ("DO $x$ begin", (1, "a text in dollars")),
        ("/* a", (1, "a comment")),
        ("SELECT 1;\n\\i other.sql\n", (2, "a command of psql's")),
    ] {
        let (line, found) = Dump::parse("s.sql", text, false).unwrap_err();
        assert!(line == why.0 && found.starts_with(why.1), "{found}");
    }
}

#[test]
fn many_rows_are_sent_in_chunks_of_whole_lines() {
    let rows = "0123456789\n".repeat(200_000);
    let dump = Dump::parse("s.sql", &format!("COPY t FROM stdin;\n{rows}\\.\n"), false).unwrap();
    let chunks: Vec<Chunk> = dump.chunks(dump.parts[0].rows.as_ref().unwrap()).collect();
    assert!(chunks.len() == 3 && chunks.iter().all(|chunk| chunk.bytes.ends_with(b"9\n")));
    assert_eq!(chunks.iter().map(|chunk| chunk.rows).sum::<u64>(), 200_000);
    assert_eq!(chunks.into_iter().flat_map(|chunk| chunk.bytes).collect::<Vec<u8>>(), rows.as_bytes());
}
