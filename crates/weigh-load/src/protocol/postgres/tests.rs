//! A session against the bytes of a server, cut wherever they can be cut.

use super::*;
use crate::error::ScriptLine;

/// The longest message that the sessions take.
const LONGEST: usize = 1 << 16;

/// A message of the server.
fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap();
    [&[tag], &length.to_be_bytes()[..], body].concat()
}

fn ready(status: u8) -> Vec<u8> {
    message(b'Z', &[status])
}

fn row(values: &[Option<&str>]) -> Vec<u8> {
    let mut body = u16::try_from(values.len()).unwrap().to_be_bytes().to_vec();
    for value in values {
        let length = value.map_or(-1, |value| i32::try_from(value.len()).unwrap());
        body.extend(length.to_be_bytes());
        body.extend(value.unwrap_or_default().bytes());
    }
    message(b'D', &body)
}

fn columns(names: &[&str]) -> Vec<u8> {
    let mut body = u16::try_from(names.len()).unwrap().to_be_bytes().to_vec();
    for name in names {
        body.extend(name.bytes());
        body.extend([0; 19]);
    }
    message(b'T', &body)
}

fn error(severity: &str, code: &str, text: &str) -> Vec<u8> {
    message(b'E', format!("S{severity}\0C{code}\0M{text}\0\0").as_bytes())
}

fn statements() -> Arc<[PreparedStatement]> {
    let statement = |text: &str, line| {
        let at = Some(ScriptLine { script: "pay".to_owned(), line });
        PreparedStatement { text: text.to_owned(), types: vec![ParameterType::Integer], at }
    };
    Arc::from([statement("SELECT a, b FROM t WHERE a = $1", 2), statement("UPDATE t SET b = $1", 5)])
}

fn login() -> Login {
    Login::new("ann".to_owned(), "db".to_owned(), Some("pw".to_owned()))
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

fn prepared(cut: usize) -> Session {
    let mut session = Session::begin(login(), statements(), LONGEST, &mut BytesMut::new()).unwrap();
    let greeting = [
        message(b'R', &0_u32.to_be_bytes()),
        message(b'S', b"server_version\x0018.6\0"),
        message(b'K', &[0, 0, 0, 1, 0, 0, 0, 2]),
        ready(b'I'),
    ]
    .concat();
    let (step, out) = feed(&mut session, &greeting, cut % greeting.len());
    assert_eq!(step.unwrap(), Step::Wait);
    assert_eq!(String::from_utf8_lossy(&out).matches("$1").count(), 2, "both statements are parsed");
    assert!(session.is_preparing());
    let described = [
        message(b'1', &[]),
        message(b't', &[0, 1, 0, 0, 0, 23]),
        columns(&["a", "b"]),
        message(b'1', &[]),
        message(b't', &[0, 1, 0, 0, 0, 25]),
        message(b'n', &[]),
        ready(b'I'),
    ]
    .concat();
    let (step, _) = feed(&mut session, &described, cut % described.len());
    assert_eq!(step.unwrap(), Step::Ready);
    assert!(!session.is_preparing());
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
    let update = Command::Prepared { statement: 1, values: vec![Parameter::Null] };
    let text = Command::Simple("SELECT 1 AS one".to_owned());
    for (command, answer, shown, open) in [
        (
            &select,
            [
                message(b'2', &[]),
                row(&[Some("7"), None]),
                row(&[Some("8"), Some("")]),
                message(b'C', b"SELECT 2\0"),
                ready(b'I'),
            ]
            .concat(),
            r#"["a", "b"] [[Some("7"), None], [Some("8"), Some("")]]"#,
            false,
        ),
        (
            &select,
            [message(b'2', &[]), message(b'C', b"SELECT 0\0"), ready(b'T')].concat(),
            r#"["a", "b"] []"#,
            true,
        ),
        (
            &update,
            [message(b'2', &[]), message(b'C', b"UPDATE 3\0"), ready(b'I')].concat(),
            "Count(3)",
            false,
        ),
        (&text, [message(b'C', b"BEGIN\0"), ready(b'T')].concat(), "Count(0)", true),
        (
            &text,
            [columns(&["one"]), row(&[Some("1")]), message(b'C', b"SELECT 1\0"), ready(b'I')].concat(),
            r#"["one"] [[Some("1")]]"#,
            false,
        ),
        (
            &update,
            [error("ERROR", "23505", "duplicate key"), message(b'N', b"Mhint\0\0"), ready(b'E')].concat(),
            r#"Error { code: "23505", text: "duplicate key" }"#,
            true,
        ),
    ] {
        for cut in 0..answer.len() {
            let mut session = prepared(cut);
            session.send(command, &mut BytesMut::new()).unwrap();
            let (step, _) = feed(&mut session, &answer, cut);
            assert_eq!(step.unwrap(), Step::Replied, "cut at {cut}");
            assert_eq!((show(&session.reply()).as_str(), session.in_block()), (shown, open), "cut at {cut}");
        }
    }
}

#[test]
fn a_missing_table_is_found_before_the_run_and_the_statement_is_named() {
    let mut session = Session::begin(login(), statements(), LONGEST, &mut BytesMut::new()).unwrap();
    let greeting = [message(b'R', &0_u32.to_be_bytes()), ready(b'I')].concat();
    assert_eq!(feed(&mut session, &greeting, 0).0.unwrap(), Step::Wait);
    let answer = [
        message(b'1', &[]),
        message(b't', &[0, 0]),
        columns(&["a", "b"]),
        error("ERROR", "42P01", "relation \"t\" does not exist"),
    ]
    .concat();
    let (refused, _) = feed(&mut session, &answer, 0);
    let refusal = refused.unwrap_err().to_string();
    assert_eq!(
        refusal,
        "script pay, line 5: preparing 'UPDATE t SET b = $1': relation \"t\" does not exist (42P01)"
    );
}

#[test]
fn passwords_are_given_as_the_server_asks() {
    let begin = || Session::begin(login(), statements(), LONGEST, &mut BytesMut::new()).unwrap();
    let clear = message(b'R', &3_u32.to_be_bytes());
    assert_eq!(&feed(&mut begin(), &clear, 0).1[..], b"p\0\0\0\x07pw\0");
    let salted = message(b'R', &[0, 0, 0, 5, 1, 2, 3, 4]);
    let (_, out) = feed(&mut begin(), &salted, 0);
    assert!(out[5..].starts_with(b"md5") && out.len() == 5 + 35 + 1);
    let scram = message(b'R', b"\0\0\0\x0aSCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0");
    let (_, out) = feed(&mut begin(), &scram, 0);
    assert!(out[5..].starts_with(b"SCRAM-SHA-256\0"));
    let wrong = error("FATAL", "28P01", "password authentication failed for user \"ann\"");
    let refused = feed(&mut begin(), &wrong, 0).0.unwrap_err().to_string();
    assert_eq!(
        refused,
        "logging in as 'ann' to database 'db': password authentication failed for user \"ann\" (28P01)"
    );
    let nothing = Login::new("ann".to_owned(), "db".to_owned(), None);
    let mut session = Session::begin(nothing, statements(), LONGEST, &mut BytesMut::new()).unwrap();
    assert!(feed(&mut session, &clear, 0).0.unwrap_err().to_string().contains("none was given"));
}

#[test]
fn rubbish_is_an_error_and_never_a_panic() {
    let mut random = crate::random::Random::new(3);
    for _ in 0..5_000 {
        let mut session = prepared(0);
        session.send(&Command::Prepared { statement: 0, values: vec![] }, &mut BytesMut::new()).unwrap();
        let tags = b"12CDERSTZKNGntZA";
        let mut bytes = Vec::new();
        for _ in 0..random.below(4) {
            let body: Vec<u8> =
                (0..random.below(12)).map(|_| u8::try_from(random.below(4)).unwrap()).collect();
            bytes.extend(message(tags[usize::try_from(random.below(16)).unwrap()], &body));
        }
        let _ = feed(&mut session, &bytes, bytes.len() / 2);
    }
}

/// What becomes of a reply that is hostile: the words of the error.
fn refused(bytes: &[u8]) -> String {
    let mut session = prepared(0);
    session.send(&Command::Prepared { statement: 0, values: vec![] }, &mut BytesMut::new()).unwrap();
    feed(&mut session, bytes, 0).0.unwrap_err().to_string()
}

#[test]
fn a_message_that_says_it_is_long_is_refused_by_what_it_says() {
    for length in [LONGEST + 1, 0x7fff_ffff] {
        let head = [b"D".as_slice(), &u32::try_from(length).unwrap().to_be_bytes()].concat();
        let words = refused(&head);
        assert!(words.contains(&format!("the server sent a message 'D' of {length} bytes")), "{words}");
    }
    assert!(refused(b"D\xff\xff\xff\xff").contains("invalid message length"));
    assert!(refused(b"D\0\0\0\x03").contains("invalid message length"));
}

#[test]
fn descriptions_that_nobody_asked_for_are_refused() {
    assert!(refused(&message(b'n', &[])).contains("nobody asked for"));
}

#[test]
fn rows_without_end_are_counted_and_not_kept() {
    let mut session = prepared(0);
    session.send(&Command::Prepared { statement: 0, values: vec![] }, &mut BytesMut::new()).unwrap();
    let rows = row(&[Some("7"), None]).repeat(1_000);
    for _ in 0..1_000 {
        assert_eq!(feed(&mut session, &rows, 0).0.unwrap(), Step::Wait);
    }
    let end = [message(b'C', b"SELECT 1000000\0"), ready(b'I')].concat();
    assert_eq!(feed(&mut session, &end, 0).0.unwrap(), Step::Replied);
    let Reply::Rows(rows) = session.reply() else { panic!("no rows") };
    assert_eq!((rows.count(), rows.get(0, 0), rows.get(999_999, 0)), (1_000_000, Some(&b"7"[..]), None));
}
