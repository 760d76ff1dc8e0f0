//! A session against the bytes of a server, cut wherever they can be cut.

use super::login::can;
use super::packet::LONGEST_FRAME;
use super::*;
use crate::error::ScriptLine;
use crate::workload::message::ParameterType;

const LONGEST: usize = 1 << 16;
const CAN: u64 = can::PROTOCOL_41 | can::PLUGIN_AUTH | can::NO_EOF | can::SECURE_CONNECTION | can::LONG_PROOF;

fn packet(number: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_le_bytes();
    [&length[..3], &[number], payload].concat()
}

fn greeting(can: u64, plugin: &str) -> Vec<u8> {
    let bytes = can.to_le_bytes();
    let mut payload = b"\x0a10.11.19-MariaDB\0".to_vec();
    payload.extend([7, 0, 0, 0]);
    payload.extend(b"12345678\0");
    payload.extend(&bytes[..2]);
    payload.extend([45, 2, 0]);
    payload.extend(&bytes[2..4]);
    payload.push(21);
    payload.extend([0; 6]);
    payload.extend(&bytes[4..8]);
    payload.extend(b"901234567890\0");
    payload.extend(plugin.bytes());
    payload.push(0);
    packet(0, &payload)
}

fn done(number: u8, first: u8, affected: u8, status: u8) -> Vec<u8> {
    packet(number, &[first, affected, 0, status, 0, 0, 0])
}

fn refused(number: u8, error: u16, text: &str) -> Vec<u8> {
    packet(number, &[&[ERROR], &error.to_le_bytes()[..], text.as_bytes()].concat())
}

fn column(number: u8, name: &str, kind: u8, flags: u8) -> Vec<u8> {
    let mut payload = b"\x03def\0\0\0".to_vec();
    payload.push(u8::try_from(name.len()).unwrap());
    payload.extend(name.bytes());
    payload.extend([0, 12, 45, 0, 255, 0, 0, 0, kind, flags, 0, 0, 0, 0]);
    packet(number, &payload)
}

fn prepared_as(statement: u8, columns: u8, parameters: u8) -> Vec<u8> {
    packet(1, &[0, statement, 0, 0, 0, columns, 0, parameters, 0, 0, 0, 0])
}

fn statements() -> Arc<[PreparedStatement]> {
    let statement = |text: &str, types: &[ParameterType]| {
        let at = Some(ScriptLine { script: "pay".to_owned(), line: 2 });
        PreparedStatement { text: text.to_owned(), types: types.to_vec(), at }
    };
    let unknown = ParameterType::Unknown;
    Arc::from([
        statement("SELECT a, b FROM t WHERE a = $1 OR b = $1", &[unknown]),
        statement("UPDATE t SET b = b + $2 WHERE a = $1", &[unknown, ParameterType::Numeric]),
        statement("BEGIN", &[]),
    ])
}

fn login(private: bool) -> Login {
    Login { user: "ann".into(), database: Some("db".into()), password: Some("pw".into()), private }
}

/// A session behind its login, and what it wrote.
fn begun(can: u64, plugin: &str, private: bool) -> Result<(Session, BytesMut), Error> {
    let mut inbox = BytesMut::from(&greeting(can, plugin)[..]);
    let greeting = Session::greeting(&login(private), &mut inbox)?.unwrap();
    let mut out = BytesMut::new();
    let session = Session::begin(login(private), &greeting, false, statements(), LONGEST, &mut out)?;
    Ok((session, out))
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

fn ready(can: u64, cut: usize) -> Session {
    let (mut session, _) = begun(can, "mysql_native_password", false).unwrap();
    let (step, out) = feed(&mut session, &done(2, OK, 0, 2), cut % 11);
    assert_eq!(step.unwrap(), Step::Wait);
    assert!(out.ends_with(b"SELECT a, b FROM t WHERE a = ? OR b = ?"));
    let first = [
        prepared_as(9, 2, 2),
        column(2, "?", 253, 0),
        column(3, "?", 253, 0),
        column(4, "a", 8, 0x20),
        column(5, "b", 246, 0),
    ]
    .concat();
    let (step, out) = feed(&mut session, &first, cut % first.len());
    assert_eq!(step.unwrap(), Step::Wait);
    assert!(out.ends_with(b"UPDATE t SET b = b + ? WHERE a = ?"));
    let second = [prepared_as(10, 0, 2), column(2, "?", 253, 0), column(3, "?", 253, 0)].concat();
    let (step, out) = feed(&mut session, &second, cut % second.len());
    assert_eq!(step.unwrap(), Step::Wait);
    assert!(out.ends_with(b"BEGIN"));
    // MySQL does not prepare it; then it is sent as text.
    let (step, _) = feed(&mut session, &refused(1, 1295, "#HY000not supported"), cut % 20);
    assert_eq!(step.unwrap(), Step::Ready);
    session
}

fn show(reply: &Reply<'_>) -> String {
    let Reply::Rows(rows) = reply else { return format!("{reply:?}") };
    let text = |row, column| rows.get(row, column).map(|cell| String::from_utf8_lossy(cell).into_owned());
    let shown: Vec<Vec<Option<String>>> =
        (0..rows.count()).map(|row| (0..rows.width(row)).map(|column| text(row, column)).collect()).collect();
    format!("{:?} {shown:?}", rows.names())
}

#[test]
fn answers_are_the_same_wherever_they_are_cut() {
    let select = Command::Prepared { statement: 0, values: vec![Parameter::Int(7)] };
    let update =
        Command::Prepared { statement: 1, values: vec![Parameter::Null, Parameter::Text(b"1.5".into())] };
    let begin = Command::Prepared { statement: 2, values: Vec::new() };
    let text = Command::Simple("SELECT 1 AS one".to_owned());
    let rows = [
        packet(1, &[2]),
        column(2, "a", 8, 0x20),
        column(3, "b", 246, 0),
        packet(4, &[&[0, 0], &u64::MAX.to_le_bytes()[..], b"\x041.50"].concat()),
        packet(5, &[0, 0b1000, 7, 0, 0, 0, 0, 0, 0, 0]),
        done(6, END, 0, 3),
    ]
    .concat();
    let one = [
        packet(1, &[1]),
        column(2, "one", 3, 0),
        packet(3, b"\x011"),
        packet(4, &[0xFB]),
        done(5, END, 0, 2),
    ];
    for (command, answer, shown, open) in [
        (
            &select,
            rows,
            "[\"a\", \"b\"] [[Some(\"18446744073709551615\"), Some(\"1.50\")], [Some(\"7\"), None]]",
            true,
        ),
        (&text, one.concat(), "[\"one\"] [[Some(\"1\")], [None]]", false),
        (&update, done(1, OK, 3, 2), "Count(3)", false),
        (&begin, done(1, OK, 0, 1), "Count(0)", true),
        // A procedure answers more than once.
        (&update, [done(1, OK, 3, 8), done(2, OK, 4, 2)].concat(), "Count(4)", false),
        (&select, refused(1, 1213, "#40001Deadlock"), "Error { code: \"40001\", text: \"Deadlock\" }", false),
        (&select, refused(1, 1205, "#HY000Late"), "Error { code: \"1205\", text: \"Late\" }", false),
    ] {
        for cut in 0..answer.len() {
            let mut session = ready(CAN, cut);
            session.send(command, &mut BytesMut::new()).unwrap();
            let (step, _) = feed(&mut session, &answer, cut);
            assert_eq!(step.unwrap(), Step::Replied, "{shown} {cut}");
            assert_eq!((show(&session.reply()).as_str(), session.in_block()), (shown, open), "{cut}");
        }
    }
}

#[test]
fn columns_that_the_server_does_not_tell_again_are_those_of_the_preparation() {
    let mut session = ready(CAN | can::REMEMBERS_COLUMNS, 3);
    session
        .send(&Command::Prepared { statement: 0, values: vec![Parameter::Int(7)] }, &mut BytesMut::new())
        .unwrap();
    let row = packet(2, &[&[0, 0], &5_u64.to_le_bytes()[..], b"\x012"].concat());
    let answer = [packet(1, &[2, 0]), row, done(3, END, 0, 2)].concat();
    assert_eq!(feed(&mut session, &answer, 0).0.unwrap(), Step::Replied);
    assert_eq!(show(&session.reply()), "[\"a\", \"b\"] [[Some(\"5\"), Some(\"2\")]]");
}

#[test]
fn parameters_stand_in_the_order_of_their_marks_and_types_are_sent_once() {
    let mut session = ready(CAN, 0);
    let update = |text: &str| Command::Prepared {
        statement: 1,
        values: vec![Parameter::Int(2), Parameter::Text(text.as_bytes().to_vec())],
    };
    let mut sent = |command: &Command| {
        let mut out = BytesMut::new();
        session.send(command, &mut out).unwrap();
        assert_eq!(feed(&mut session, &done(1, OK, 1, 2), 0).0.unwrap(), Step::Replied);
        out.to_vec()
    };
    let two = 2_i64.to_le_bytes();
    let head = [command::EXECUTE, 10, 0, 0, 0, 0, 1, 0, 0, 0, 0];
    let typed = [&head[..], &[1, 246, 0, 8, 0], b"\x031.5", &two].concat();
    assert_eq!(sent(&update("1.5")), packet(0, &typed));
    assert_eq!(sent(&update("9")), packet(0, &[&head[..], &[0], b"\x019", &two].concat()));
    let null = Command::Prepared { statement: 1, values: vec![Parameter::Null, Parameter::Null] };
    let both = [&head[..10], &[0b11, 0]].concat();
    assert_eq!(sent(&null), packet(0, &both));
}

#[test]
fn a_statement_that_is_not_kept_is_prepared_executed_and_closed() {
    let mut session = ready(CAN, 0);
    let command =
        Command::Unnamed { text: "DELETE FROM t WHERE a = $1".into(), values: vec![Some("x".into())] };
    let mut out = BytesMut::new();
    session.send(&command, &mut out).unwrap();
    assert!(out.ends_with(b"DELETE FROM t WHERE a = ?"));
    let (step, out) = feed(&mut session, &[prepared_as(11, 0, 1), column(2, "?", 253, 0)].concat(), 5);
    assert_eq!(step.unwrap(), Step::Wait);
    assert!(out.ends_with(b"\x01\xfd\0\x01x"), "{out:?}");
    let (step, out) = feed(&mut session, &done(1, OK, 2, 2), 0);
    assert_eq!((step.unwrap(), show(&session.reply()).as_str()), (Step::Replied, "Count(2)"));
    assert_eq!(out, packet(0, &[command::CLOSE, 11, 0, 0, 0])[..]);
}

#[test]
fn rows_are_sent_where_a_statement_asks_for_them_and_no_file_is_read_anywhere_else() {
    let mut session = ready(CAN, 0);
    let asked = packet(1, b"\xfb/etc/passwd");
    session
        .send(&Command::Simple("load data LOCAL INFILE 'rows' INTO TABLE t".into()), &mut BytesMut::new())
        .unwrap();
    assert_eq!(feed(&mut session, &asked, 3).0.unwrap(), Step::CopyIn);
    let mut out = BytesMut::new();
    session.send_rows(b"1\t2\n", &mut out).unwrap();
    session.end_rows(&mut out);
    assert_eq!(out, [packet(2, b"1\t2\n"), packet(3, b"")].concat()[..]);
    assert_eq!(feed(&mut session, &done(4, OK, 1, 2), 0).0.unwrap(), Step::Replied);
    session.send(&Command::Simple("SELECT 1".into()), &mut BytesMut::new()).unwrap();
    let wrong = feed(&mut session, &asked, 0).0.unwrap_err();
    assert!(wrong.to_string().contains("a file that no statement names"), "{wrong}");
}

#[test]
fn the_password_is_proven_as_the_server_asks_and_sent_only_where_nobody_listens() {
    let (_, out) = begun(CAN, "mysql_native_password", false).unwrap();
    assert!(out.windows(4).any(|part| part == b"ann\0") && !out.windows(2).any(|part| part == b"pw"));
    for (plugin, private, expected) in
        [("caching_sha2_password", true, true), ("caching_sha2_password", false, false)]
    {
        let (mut session, _) = begun(CAN, plugin, private).unwrap();
        let (step, out) = feed(&mut session, &packet(2, &[1, 4]), 0);
        assert_eq!(step.is_ok(), expected);
        assert_eq!(out[..] == packet(3, b"pw\0"), expected);
    }
    let (mut session, _) = begun(CAN, "mysql_native_password", false).unwrap();
    let switch = packet(2, b"\xfecaching_sha2_password\x0012345678901234567890\0");
    let (step, out) = feed(&mut session, &switch, 9);
    assert_eq!((step.unwrap(), out.len()), (Step::Wait, 4 + 32));
    let (step, _) = feed(&mut session, &packet(2, b"\xfedialog\x0012345678901234567890"), 0);
    let refused = step.unwrap_err();
    assert!(refused.to_string().contains("dialog") && refused.remedy().is_some(), "{refused}");
    let (step, _) = feed(&mut session, &super::tests::refused(2, 1045, "#28000Access denied for user"), 0);
    let error = step.unwrap_err();
    assert_eq!((error.code(), error.to_string().contains("pw")), ("28000", false));
}

#[test]
fn what_is_refused_before_the_run_is_named_with_its_statement() {
    let (mut session, _) = begun(CAN, "mysql_native_password", false).unwrap();
    feed(&mut session, &done(2, OK, 0, 2), 0).0.unwrap();
    let error = feed(&mut session, &refused(1, 1146, "#42S02Table 'db.t' doesn't exist"), 0).0.unwrap_err();
    assert_eq!((error.code(), error.script_line().map(|at| at.line)), ("42S02", Some(2)));
    let full = BytesMut::from(&refused(0, 1040, "Too many connections")[..]);
    let error = Session::greeting(&login(false), &mut full.clone()).unwrap_err();
    assert_eq!((error.code(), error.to_string().contains("Too many")), ("1040", true));
}

#[test]
fn a_packet_that_goes_on_in_the_next_is_one_and_one_too_long_is_refused() {
    let mut frames = Frames::default();
    let (mut out, long) = (BytesMut::new(), vec![b'x'; LONGEST_FRAME + 3]);
    frames.write(&mut out, |out| out.put_slice(&long));
    assert_eq!((out.len(), &out[..4], frames.next), (long.len() + 8, &[255, 255, 255, 0][..], 2));
    let Some(Payload::Joined(payload)) = frames.next(&mut out.clone(), 1 << 25).unwrap() else { panic!() };
    assert!(payload == long[..]);
    assert!(frames.next(&mut out, LONGEST).is_err());
}
