//! A session against the bytes of a server, cut wherever they can be cut.

use bytes::{BufMut, BytesMut};

use super::frame::{put_bytes, put_string};
use super::*;
use crate::protocol::Step;

const LONGEST: usize = 1 << 16;
const INT: u16 = 0x09;
const TEXT: u16 = 0x0D;
const BOOLEAN: u16 = 0x04;

fn answer(kind: u8, write: impl FnOnce(&mut BytesMut)) -> Vec<u8> {
    let mut out = BytesMut::new();
    put_frame(&mut out, 0, kind, write);
    out[0] = 0x84;
    out.to_vec()
}

fn result(kind: i32, write: impl FnOnce(&mut BytesMut)) -> Vec<u8> {
    answer(opcode::RESULT, |out| {
        out.put_i32(kind);
        write(out);
    })
}

fn refusal(code: i32, text: &str) -> Vec<u8> {
    answer(opcode::ERROR, |out| {
        out.put_i32(code);
        put_string(out, text.as_bytes());
    })
}

fn put_columns(out: &mut BytesMut, columns: &[(&str, u16)]) {
    put_string(out, b"k");
    put_string(out, b"t");
    for (name, kind) in columns {
        put_string(out, name.as_bytes());
        out.put_u16(*kind);
    }
}

fn prepared(id: &[u8], parameters: &[(&str, u16)], columns: &[(&str, u16)]) -> Vec<u8> {
    result(4, |out| {
        put_string(out, id);
        out.put_i32(1);
        out.put_i32(i32::try_from(parameters.len()).unwrap());
        out.put_i32(1);
        out.put_u16(0);
        put_columns(out, parameters);
        out.put_i32(if columns.is_empty() { 4 } else { 1 });
        out.put_i32(i32::try_from(columns.len()).unwrap());
        if !columns.is_empty() {
            put_columns(out, columns);
        }
    })
}

/// Rows with their columns, or without.
fn rows(columns: &[(&str, u16)], known: bool, page: Option<&[u8]>, rows: &[&[Option<&[u8]>]]) -> Vec<u8> {
    result(2, |out| {
        out.put_i32(if known { 4 } else { 1 } | if page.is_some() { 2 } else { 0 });
        out.put_i32(i32::try_from(columns.len()).unwrap());
        if let Some(page) = page {
            put_bytes(out, page);
        }
        if !known {
            put_columns(out, columns);
        }
        out.put_i32(i32::try_from(rows.len()).unwrap());
        for cell in rows.iter().copied().flatten() {
            match cell {
                Some(value) => put_bytes(out, value),
                None => out.put_i32(-1),
            }
        }
    })
}

fn login() -> Login {
    let settings = [("consistency".to_owned(), "QUORUM".to_owned())].into();
    Login::new(Some("ann".into()), Some("pw".into()), Some("k".into()), &settings).unwrap()
}

fn statements() -> Arc<[PreparedStatement]> {
    let statement = |text: &str| PreparedStatement { text: text.to_owned(), types: Vec::new(), at: None };
    Arc::from([statement("SELECT a, b FROM t WHERE a = $1"), statement("UPDATE t SET b = $2 WHERE a = $1")])
}

/// Feeds bytes in two pieces; what the session says at the end, and what it wrote.
fn feed(session: &mut Session, bytes: &[u8], cut: usize) -> (Result<Step, Error>, BytesMut) {
    let mut out = BytesMut::new();
    let mut inbox = BytesMut::from(&bytes[..cut]);
    let early = session.advance(&mut inbox, &mut out);
    if !matches!(early, Ok(Step::Wait)) {
        return (early, out);
    }
    inbox.extend_from_slice(&bytes[cut..]);
    (session.advance(&mut inbox, &mut out), out)
}

/// A session that is ready.
fn begun() -> Session {
    let mut out = BytesMut::new();
    let mut session = Session::begin(login(), statements(), LONGEST, &mut out);
    assert!(out.ends_with(b"\0\x01\0\x0bCQL_VERSION\0\x053.0.0"));
    let steps = [
        answer(opcode::AUTHENTICATE, |out| put_string(out, b"PasswordAuthenticator")),
        answer(opcode::AUTH_SUCCESS, |out| out.put_i32(-1)),
        result(3, |out| put_string(out, b"k")),
        prepared(b"first", &[("a", INT)], &[("a", INT), ("b", TEXT)]),
        prepared(b"second", &[("b", TEXT), ("a", INT)], &[]),
    ];
    let wanted: [&[u8]; 5] = [b"\0ann\0pw", b"USE \"k\"", b"WHERE a = ?", b"SET b = ? WHERE a = ?", b""];
    for (number, (step, wanted)) in steps.iter().zip(wanted).enumerate() {
        let (said, out) = feed(&mut session, step, step.len() / 2);
        assert_eq!(said.unwrap(), if number == 4 { Step::Ready } else { Step::Wait });
        assert!(out.windows(wanted.len().max(1)).any(|part| part == wanted) || wanted.is_empty(), "{out:?}");
    }
    session
}

fn ask(session: &mut Session, command: &Command) -> BytesMut {
    let mut out = BytesMut::new();
    session.send(command, &mut out).unwrap();
    out
}

fn select(key: i64) -> Command {
    Command::Prepared { statement: 0, values: vec![Parameter::Int(key)] }
}

#[test]
fn a_prepared_statement_says_level_values_and_time_and_its_rows_are_text_wherever_they_are_cut() {
    let cells: [&[Option<&[u8]>]; 2] = [&[Some(&[0, 0, 0, 7]), Some(b"x")], &[Some(&[255; 4]), None]];
    let bytes = rows(&[("a", INT), ("b", TEXT)], true, None, &cells);
    for cut in 0..bytes.len() {
        let mut session = begun();
        let sent = ask(&mut session, &select(7));
        // Kind, length, id, QUORUM, flags, one value of four bytes.
        assert_eq!(sent[..2], [4, 0]);
        assert_eq!(sent[4], opcode::EXECUTE);
        assert_eq!(sent[9..31], *b"\0\x05first\0\x04\x37\0\x01\0\0\0\x04\0\0\0\x07\0\0");
        let (said, _) = feed(&mut session, &bytes, cut);
        assert_eq!(said.unwrap(), Step::Replied, "cut at {cut}");
        let Reply::Rows(rows) = session.reply() else { panic!() };
        assert_eq!(rows.names(), ["a", "b"]);
        assert_eq!([rows.get(0, 0), rows.get(0, 1)], [Some(&b"7"[..]), Some(&b"x"[..])]);
        assert_eq!([rows.get(1, 0), rows.get(1, 1)], [Some(&b"-1"[..]), None]);
    }
}

#[test]
fn pages_are_one_answer() {
    let mut session = begun();
    ask(&mut session, &select(1));
    let columns = [("a", INT), ("b", TEXT)];
    let first = rows(&columns, true, Some(b"more"), &[&[Some(&[0, 0, 0, 1]), Some(b"x")]]);
    let (said, out) = feed(&mut session, &first, 3);
    assert_eq!(said.unwrap(), Step::Wait);
    // The same values, and where it goes on.
    assert!(out.windows(8).any(|part| part == b"\0\0\0\x04more"), "{out:?}");
    assert!(out.windows(8).any(|part| part == [0, 0, 0, 4, 0, 0, 0, 1]), "{out:?}");
    let last = rows(&columns, true, None, &[&[Some(&[0, 0, 0, 1]), Some(b"y")]]);
    assert_eq!(feed(&mut session, &last, 3).0.unwrap(), Step::Replied);
    let Reply::Rows(rows) = session.reply() else { panic!() };
    assert_eq!((rows.count(), rows.get(1, 1)), (2, Some(&b"y"[..])));
}

#[test]
fn a_condition_brings_its_own_columns() {
    let mut session = begun();
    let values = vec![Parameter::Int(1), Parameter::Text(b"x".into())];
    ask(&mut session, &Command::Prepared { statement: 1, values });
    let bytes =
        rows(&[("[applied]", BOOLEAN), ("a", INT)], false, None, &[&[Some(&[0]), Some(&[0, 0, 0, 9])]]);
    assert_eq!(feed(&mut session, &bytes, 20).0.unwrap(), Step::Replied);
    let Reply::Rows(rows) = session.reply() else { panic!() };
    assert_eq!(rows.names(), ["applied", "a"]);
    assert_eq!([rows.get(0, 0), rows.get(0, 1)], [Some(&b"false"[..]), Some(&b"9"[..])]);
}

#[test]
fn what_the_server_has_forgotten_is_prepared_once_more_and_errors_have_their_codes() {
    let mut session = begun();
    ask(&mut session, &select(3));
    let (said, out) = feed(&mut session, &refusal(0x2500, "Prepared query with ID not found"), 1);
    assert_eq!((said.unwrap(), out[4]), (Step::Wait, opcode::PREPARE));
    let again = prepared(b"third", &[("a", INT)], &[("a", INT), ("b", TEXT)]);
    let (said, out) = feed(&mut session, &again, 4);
    assert_eq!(said.unwrap(), Step::Wait);
    assert_eq!(out[9..16], *b"\0\x05third");
    assert_eq!(feed(&mut session, &refusal(0x1000, "Cannot achieve QUORUM"), 9).0.unwrap(), Step::Replied);
    assert!(matches!(session.reply(), Reply::Error { code: "1000", text: "Cannot achieve QUORUM" }));
}

#[test]
fn rows_are_loaded_each_with_a_stream_and_the_first_error_is_the_answer() {
    for refused in [false, true] {
        let mut session = begun();
        let mut out = BytesMut::new();
        session.begin_rows("INSERT INTO t (a, b) VALUES ($1, $2)", &mut out);
        let statement = prepared(b"rows", &[("a", INT), ("b", TEXT)], &[]);
        assert_eq!(feed(&mut session, &statement, 5).0.unwrap(), Step::CopyIn);
        out.clear();
        session.send_rows(b"1\tx\n2\ty\n", &mut out).unwrap();
        let second = 9 + usize::try_from(u32::from_be_bytes(out[5..9].try_into().unwrap())).unwrap();
        assert_eq!((&out[2..4], &out[second + 2..second + 4]), (&[0, 0][..], &[0, 1][..]));
        let done = if refused { refusal(0x1100, "timed out") } else { result(1, |_| {}) };
        assert_eq!(feed(&mut session, &done, 5).0.unwrap(), Step::Wait);
        let said = feed(&mut session, &result(1, |_| {}), 5).0.unwrap();
        if refused {
            assert_eq!(said, Step::Replied);
            assert!(matches!(session.reply(), Reply::Error { code: "1100", .. }));
        } else {
            assert_eq!(said, Step::CopyIn);
            session.end_rows();
            assert_eq!(feed(&mut session, &[], 0).0.unwrap(), Step::Replied);
        }
    }
}

#[test]
fn the_login_is_refused_in_words() {
    let mut out = BytesMut::new();
    let anonymous = Login { user: None, password: None, ..login() };
    let mut session = Session::begin(anonymous, statements(), LONGEST, &mut out);
    let asks = answer(opcode::AUTHENTICATE, |out| put_string(out, b"PasswordAuthenticator"));
    let error = feed(&mut session, &asks, 2).0.unwrap_err().to_string();
    assert!(error.contains("wants a user and a password"), "{error}");
    let mut session = Session::begin(login(), statements(), LONGEST, &mut out);
    feed(&mut session, &answer(opcode::READY, |_| {}), 2).0.unwrap();
    let error = feed(&mut session, &refusal(0x2200, "Keyspace 'k' does not exist"), 2).0.unwrap_err();
    assert!(error.to_string().contains("keyspace k"), "{error}");
}

#[test]
fn no_length_is_believed() {
    let long = [&[0x84, 0, 0, 0, opcode::RESULT][..], &u32::MAX.to_be_bytes()].concat();
    let many = result(2, |out| {
        out.put_slice(&[0, 0, 0, 4, 0, 0, 0, 2, 0x7F, 0xFF, 0xFF, 0xFF]);
    });
    let narrow = rows(&[("a", INT)], true, None, &[]);
    let below = result(2, |out| out.put_slice(&[0, 0, 0, 4, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]));
    let deep = result(2, |out| {
        out.put_slice(&[0, 0, 0, 1, 0, 0, 0, 1]);
        put_string(out, b"k");
        put_string(out, b"t");
        put_string(out, b"c");
        out.put_slice(&[0, 0x20].repeat(100));
    });
    // What has as many cells as it says, and none that is as long as its type.
    let short = rows(&[("a", INT), ("b", TEXT)], true, None, &[&[Some(&[0, 7]), None]]);
    let nothing = result(2, |out| out.put_slice(&[0, 0, 0, 4, 0, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF]));
    let squeezed = [&[0x84, 1][..], &result(1, |_| {})[2..]].concat();
    for bytes in [
        &long[..],
        &many,
        &narrow,
        &below,
        &deep,
        &short,
        &nothing,
        &squeezed,
        b"HTTP/1.1 400",
        b"\x83",
        b"+OK\r\n",
    ] {
        let mut session = begun();
        ask(&mut session, &select(1));
        let said = feed(&mut session, bytes, bytes.len()).0;
        assert!(matches!(said, Err(Error::Protocol(_))), "{bytes:?}: {said:?}");
    }
}

#[test]
fn values_are_printed_as_cqls_own_shell_does() {
    // Kind, the bytes, and what they are.
    let table: [(&[u16], &[u8], &str); 17] = [
        (&[0x02], &[255; 8], "-1"),
        (&[0x03], &[1, 0xAB], "0x01ab"),
        (&[0x04], &[1], "true"),
        (&[0x06], &[0, 0, 0, 2, 0xFF, 0x7B], "-1.33"),
        (&[0x07], &1.5_f64.to_be_bytes(), "1.5"),
        (&[0x08], &0.1_f32.to_be_bytes(), "0.1"),
        (&[0x0B], &1_700_000_000_123_i64.to_be_bytes(), "2023-11-14 22:13:20.123+0000"),
        (&[0x0C], &[0x11; 16], "11111111-1111-1111-1111-111111111111"),
        (&[0x0E], &[0x01, 0x00], "256"),
        (&[0x10], &[127, 0, 0, 2], "127.0.0.2"),
        (&[0x11], &(0x8000_0000_u32 + 19_675).to_be_bytes(), "2023-11-14"),
        (&[0x12], &3_661_000_000_001_i64.to_be_bytes(), "01:01:01.000000001"),
        (&[0x13], &[0, 5], "5"),
        (&[0x14], &[0xFB], "-5"),
        (&[0x20, INT], &[0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 1, 255, 255, 255, 255], "[1, null]"),
        (&[0x22, TEXT], b"\0\0\0\x01\0\0\0\x03it'", "{'it'''}"),
        (&[0x21, TEXT, INT], b"\0\0\0\x01\0\0\0\x01a\0\0\0\x04\0\0\0\x09", "{'a': 9}"),
    ];
    for (kinds, bytes, wanted) in table {
        let mut session = begun();
        ask(&mut session, &Command::Simple("SELECT c FROM t".into()));
        let answer = result(2, |out| {
            out.put_slice(&[0, 0, 0, 1, 0, 0, 0, 1]);
            put_string(out, b"k");
            put_string(out, b"t");
            put_string(out, b"c");
            for kind in kinds {
                out.put_u16(*kind);
            }
            out.put_i32(1);
            put_bytes(out, bytes);
        });
        assert_eq!(feed(&mut session, &answer, 30).0.unwrap(), Step::Replied);
        let Reply::Rows(rows) = session.reply() else { panic!() };
        assert_eq!(rows.get(0, 0).map(String::from_utf8_lossy).as_deref(), Some(wanted));
    }
}

#[test]
fn values_of_scripts_become_the_types_of_the_server() {
    let put = |text: &str, kind: &Type| -> Result<Vec<u8>, Error> {
        let mut out = BytesMut::new();
        values::put(&Parameter::Text(text.into()), kind, &mut out)?;
        Ok(out[4..].to_vec())
    };
    assert_eq!(put("-2", &Type::Bigint).unwrap(), (-2_i64).to_be_bytes());
    assert_eq!(put("7.0", &Type::Int).unwrap(), 7_i32.to_be_bytes());
    assert_eq!(put("300", &Type::Varint).unwrap(), [1, 44]);
    assert_eq!(put("-1.33", &Type::Decimal).unwrap(), [0, 0, 0, 2, 0xFF, 0x7B]);
    assert_eq!(put("::1", &Type::Inet).unwrap().len(), 16);
    assert_eq!(put("0x0a", &Type::Bytes).unwrap(), [10]);
    for (text, kind) in
        [("x", Type::Int), ("3000000000", Type::Int), ("1.5", Type::Bigint), ("maybe", Type::Boolean)]
    {
        assert!(put(text, &kind).is_err(), "{text}");
    }
    assert!(put("[1]", &Type::List(Box::new(Type::Int))).is_err());
}
