//! Replies of every kind, cut wherever they can be cut, and rubbish.

use super::*;

/// The longest reply that the sessions take.
const LONGEST: usize = 1 << 20;

fn idle() -> Session {
    let login = Login { user: None, password: None, database: None };
    let mut session = Session::begin(login, LONGEST, &mut BytesMut::new());
    let mut inbox = BytesMut::from(&b"%1\r\n+proto\r\n:3\r\n"[..]);
    assert_eq!(session.advance(&mut inbox, &mut BytesMut::new()).unwrap(), Step::Ready);
    session
}

/// What the reply to one command looks like, fed in two pieces cut at `cut`.
fn shown_reply(bytes: &[u8], cut: usize, commands: usize) -> String {
    let mut session = idle();
    let word = vec![b"GET".to_vec()];
    let command = if commands == 1 { Command::Keyed(word) } else { Command::Batch(vec![word; commands]) };
    session.send(&command, &mut BytesMut::new()).unwrap();
    let mut inbox = BytesMut::new();
    let mut out = BytesMut::new();
    inbox.extend_from_slice(&bytes[..cut]);
    let early = session.advance(&mut inbox, &mut out).unwrap();
    inbox.extend_from_slice(&bytes[cut..]);
    if cut == bytes.len() {
        assert_eq!(early, Step::Replied);
    } else {
        assert_eq!(early, Step::Wait, "{cut}");
        assert_eq!(session.advance(&mut inbox, &mut out).unwrap(), Step::Replied, "{cut}");
    }
    assert!(inbox.is_empty());
    show(&session.reply())
}

fn show(reply: &Reply<'_>) -> String {
    let Reply::Rows(rows) = reply else { return format!("{reply:?}") };
    let text = |row, column| rows.get(row, column).map(|cell| String::from_utf8_lossy(cell).into_owned());
    let shown: Vec<Vec<Option<String>>> =
        (0..rows.count()).map(|row| (0..rows.width(row)).map(|column| text(row, column)).collect()).collect();
    format!("{shown:?}")
}

#[test]
fn every_kind_of_reply_is_read_wherever_it_is_cut() {
    let long = format!("${}\r\n{}\r\n", 100_000, "x".repeat(100_000));
    for (bytes, commands, shown) in [
        ("+OK\r\n", 1, "Bytes([79, 75])"),
        ("$-1\r\n", 1, "Nil"),
        ("_\r\n", 1, "Nil"),
        (":42\r\n", 1, "Count(42)"),
        (":-2\r\n", 1, "Bytes([45, 50])"),
        ("#t\r\n", 1, "Count(1)"),
        (",1.5\r\n", 1, "Bytes([49, 46, 53])"),
        ("=6\r\ntxt:\r\n\r\n", 1, "Bytes([13, 10])"),
        ("-WRONGTYPE no such kind\r\n", 1, r#"Error { code: "WRONGTYPE", text: "no such kind" }"#),
        ("!7\r\nERR bad\r\n", 1, r#"Error { code: "ERR", text: "bad" }"#),
        ("*3\r\n$1\r\na\r\n$-1\r\n:7\r\n", 1, r#"[[Some("a"), None, Some("7")]]"#),
        ("*0\r\n", 1, "[[]]"),
        ("%1\r\n+k\r\n*2\r\n+v\r\n+w\r\n", 1, r#"[[Some("k"), Some("v"), Some("w")]]"#),
        (">2\r\n+invalidate\r\n*1\r\n+k\r\n:5\r\n", 1, "Count(5)"),
        ("|1\r\n+ttl\r\n:3\r\n$2\r\nab\r\n", 1, "Bytes([97, 98])"),
        ("*2\r\n|1\r\n+ttl\r\n:3\r\n+a\r\n+b\r\n", 1, r#"[[Some("a"), Some("b")]]"#),
        ("+OK\r\n*1\r\n+a\r\n$-1\r\n", 3, r#"[[Some("OK")], [Some("a")], [None]]"#),
        (":1\r\n-ERR bad\r\n", 2, r#"Error { code: "ERR", text: "bad" }"#),
    ] {
        for cut in 0..=bytes.len() {
            assert_eq!(shown_reply(bytes.as_bytes(), cut, commands), shown, "{bytes:?} cut at {cut}");
        }
    }
    assert!(shown_reply(long.as_bytes(), 50_000, 1).starts_with("Bytes([120"));
}

#[test]
fn rubbish_is_an_error_and_never_a_panic() {
    let mut random = crate::random::Random::new(5);
    for bytes in ["hello\r\n", ":x\r\n", "$3\r\nabcd\r\n", "*99999999999\r\n", "+a\rb\n"] {
        let mut session = idle();
        session.send(&Command::Keyed(vec![b"GET".to_vec()]), &mut BytesMut::new()).unwrap();
        let result = session.advance(&mut BytesMut::from(bytes.as_bytes()), &mut BytesMut::new());
        assert!(matches!(result, Err(Error::Protocol(_))), "{bytes:?}");
    }
    for _ in 0..5_000 {
        let mut session = idle();
        session.send(&Command::Batch(vec![vec![]; 2]), &mut BytesMut::new()).unwrap();
        let alphabet = b"*$+-:#_,(!=%~>|12\r\n\r\n";
        let bytes: Vec<u8> = (0..random.below(24))
            .map(|_| alphabet[usize::try_from(random.below(alphabet.len() as u64)).unwrap()])
            .collect();
        let _ = session.advance(&mut BytesMut::from(&bytes[..]), &mut BytesMut::new());
    }
}

#[test]
fn an_old_server_is_met_in_its_own_language() {
    let login = Login { user: None, password: Some("pw".to_owned()), database: Some("2".to_owned()) };
    let mut out = BytesMut::new();
    let mut session = Session::begin(login, LONGEST, &mut out);
    assert!(out.starts_with(b"*5\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$7\r\ndefault\r\n"));
    for (answer, sent) in [
        ("-ERR unknown command 'HELLO'\r\n", "*2\r\n$4\r\nAUTH\r\n$2\r\npw\r\n"),
        ("+OK\r\n", "*2\r\n$6\r\nSELECT\r\n$1\r\n2\r\n"),
    ] {
        out.clear();
        let step = session.advance(&mut BytesMut::from(answer.as_bytes()), &mut out).unwrap();
        assert_eq!((step, &out[..]), (Step::Wait, sent.as_bytes()));
    }
    let step = session.advance(&mut BytesMut::from(&b"+OK\r\n"[..]), &mut out).unwrap();
    assert_eq!(step, Step::Ready);
}

#[test]
fn a_wrong_password_is_refused_in_the_servers_words() {
    let login = Login { user: Some("ann".to_owned()), password: Some("no".to_owned()), database: None };
    let mut session = Session::begin(login, LONGEST, &mut BytesMut::new());
    let mut inbox = BytesMut::from(&b"-WRONGPASS invalid username-password pair\r\n"[..]);
    let error = session.advance(&mut inbox, &mut BytesMut::new()).unwrap_err();
    assert_eq!(error.to_string(), "logging in as 'ann': invalid username-password pair (WRONGPASS)");
}

#[test]
fn a_reply_that_says_it_is_long_is_refused_by_what_it_says() {
    let endless = format!("+{}", "x".repeat(1 << 17));
    for (bytes, words) in [
        ("$2147483647\r\n", "the server sent a string of 2147483647 bytes"),
        ("*2147483647\r\n", "the server sent a list of 6442450941 bytes"),
        (&"*65536\r\n".repeat(20), "the server sent a reply of"),
        (endless.as_str(), "a line without end"),
        ("$9999999999999999999999\r\n", "is no number"),
        ("%9223372036854775807\r\n", "the server sent a list"),
    ] {
        let mut session = idle();
        session.send(&Command::Keyed(vec![b"GET".to_vec()]), &mut BytesMut::new()).unwrap();
        let refused = session.advance(&mut BytesMut::from(bytes.as_bytes()), &mut BytesMut::new());
        let said = refused.unwrap_err().to_string();
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn a_reply_that_trickles_is_looked_at_once() {
    let mut session = idle();
    session.send(&Command::Keyed(vec![b"GET".to_vec()]), &mut BytesMut::new()).unwrap();
    let elements = 200_000;
    let bytes = format!("*{elements}\r\n{}", "_\r\n".repeat(elements));
    let mut inbox = BytesMut::new();
    let mut last = Step::Wait;
    // Read anew with each piece this would be 20,000 times 100,000 elements.
    for piece in bytes.as_bytes().chunks(30) {
        assert_eq!(last, Step::Wait);
        inbox.extend_from_slice(piece);
        last = session.advance(&mut inbox, &mut BytesMut::new()).unwrap();
    }
    assert_eq!(last, Step::Replied);
}

#[test]
fn a_command_that_is_asked_for_has_one_answer_of_two_replies() {
    for (command, bytes, expected) in [
        (Command::Keyed(vec![b"GET".to_vec()]), &b"+OK\r\n$1\r\na\r\n"[..], "Bytes([97])"),
        (Command::Keyed(vec![b"GET".to_vec()]), b"+OK\r\n$-1\r\n", "Nil"),
        (Command::Simple("GET 'a b'".to_owned()), b"+OK\r\n*1\r\n$1\r\na\r\n", r#"[[Some("a")]]"#),
        (
            Command::Keyed(vec![b"GET".to_vec()]),
            b"+OK\r\n-ERR no\r\n",
            r#"Error { code: "ERR", text: "no" }"#,
        ),
    ] {
        for cut in 0..bytes.len() {
            let (mut session, mut out, mut inbox) = (idle(), BytesMut::new(), BytesMut::new());
            session.send_asking(&command, &mut out).unwrap();
            assert!(out.starts_with(b"*1\r\n$6\r\nASKING\r\n*"), "{out:?}");
            inbox.extend_from_slice(&bytes[..cut]);
            assert_eq!(session.advance(&mut inbox, &mut out).unwrap(), Step::Wait, "{cut}");
            inbox.extend_from_slice(&bytes[cut..]);
            assert_eq!(session.advance(&mut inbox, &mut out).unwrap(), Step::Replied, "{cut}");
            assert_eq!(show(&session.reply()), expected);
        }
    }
}
