//! Responses of every kind, cut wherever they can be cut, and rubbish.

use super::*;

fn login() -> Login {
    Login {
        sql: false,
        host: "here:81".to_owned(),
        path: "/base?x=1".to_owned(),
        authorization: Some("Basic YTpi".to_owned()),
        expectations: Expectations::default(),
    }
}

fn idle() -> Session {
    let mut session = Session::begin(login());
    assert_eq!(session.advance(&mut BytesMut::new()).unwrap(), Step::Ready);
    session
}

fn asked(text: &str) -> (Session, String) {
    let (mut session, mut out) = (idle(), BytesMut::new());
    session.send(&Command::Simple(text.to_owned()), &mut out).unwrap();
    (session, String::from_utf8(out.to_vec()).unwrap())
}

fn show(session: &Session) -> String {
    match session.reply() {
        Reply::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Reply::Error { code, text } => format!("{code}: {text}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_request_goes_out_as_it_is_written() {
    assert_eq!(
        asked("GET").1,
        "GET /base?x=1 HTTP/1.1\r\nHost: here:81\r\nUser-Agent: weigh\r\nAuthorization: Basic YTpi\r\n\r\n"
    );
    assert_eq!(
        asked("POST /q\nAuthorization: mine\nX-A: b c\n\nSELECT 1\n  FROM t").1,
        "POST /q HTTP/1.1\r\nHost: here:81\r\nUser-Agent: weigh\r\nAuthorization: mine\r\nX-A: b c\r\n\
         Content-Length: 17\r\n\r\nSELECT 1\n  FROM t"
    );
    assert!(asked("PUT /q").1.contains("Content-Length: 0\r\n"));
}

#[test]
fn every_kind_of_response_is_read_wherever_it_is_cut() {
    for (request, response, shown) in [
        ("GET /", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"),
        ("GET /", "HTTP/1.1 200 OK\nContent-Length: 2\n\nab", "ab"),
        ("GET /", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", ""),
        ("GET /", "HTTP/1.1 204 No Content\r\n\r\n", ""),
        ("GET /", "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n", ""),
        ("HEAD /", "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", ""),
        ("GET /", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", "x"),
        (
            "GET /",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;ext=1\r\n0123456789\r\n0\r\n\r\n",
            "abc0123456789",
        ),
        (
            "GET /",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n1\r\nx\r\n0\r\nTrailer: a\r\nOther: b\r\n\r\n",
            "x",
        ),
        ("GET /", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "404: Not Found"),
        ("GET /", "HTTP/1.1 500 Oh\r\nContent-Length: 9\r\n\r\nno\r\nspace", "500: no space"),
        ("GET /", "HTTP/1.1 302 Found\r\nLocation: /a\r\nContent-Length: 0\r\n\r\n", "302: Found"),
        (
            "POST /",
            "HTTP/1.1 200 OK\r\nX-ClickHouse-Exception-Code: 60\r\nContent-Length: 8\r\n\r\nno table",
            "200: no table",
        ),
    ] {
        for cut in 0..=response.len() {
            let mut session = asked(request).0;
            let mut inbox = BytesMut::from(&response.as_bytes()[..cut]);
            let early = session.advance(&mut inbox).unwrap();
            inbox.extend_from_slice(&response.as_bytes()[cut..]);
            if cut < response.len() {
                assert_eq!(early, Step::Wait, "{response:?} cut at {cut}");
                assert_eq!(session.advance(&mut inbox).unwrap(), Step::Replied, "{response:?} cut at {cut}");
            } else {
                assert_eq!(early, Step::Replied);
            }
            assert_eq!((show(&session).as_str(), inbox.len()), (shown, 0), "{response:?} cut at {cut}");
        }
    }
}

#[test]
fn a_connection_is_kept_unless_the_server_says_otherwise() {
    for (head, closing) in [
        ("HTTP/1.1 200 OK\r\n", false),
        ("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n", false),
        ("HTTP/1.1 200 OK\r\nConnection: x, Close\r\n", true),
        ("HTTP/1.0 200 OK\r\n", true),
        ("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n", false),
    ] {
        let mut session = asked("GET /").0;
        let mut inbox = BytesMut::from(format!("{head}Content-Length: 0\r\n\r\n").as_bytes());
        assert_eq!(session.advance(&mut inbox).unwrap(), Step::Replied);
        assert_eq!(session.is_closing(), closing, "{head:?}");
        let again = session.send(&Command::Simple("GET /".to_owned()), &mut BytesMut::new());
        assert_eq!(again.is_err(), closing);
    }
}

#[test]
fn what_a_server_must_not_send_is_named() {
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(200));
    let long = format!("HTTP/1.1 200 OK\r\na: {}", "x".repeat(70_000));
    let chunk = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;{}", "x".repeat(5_000));
    let trailers =
        format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n{}", "a: b\r\n".repeat(20_000));
    for (bytes, words) in [
        ("+OK\r\n\r\n", "no HTTP response"),
        ("SSH-2.0-OpenSSH\r\n\r\n", "no HTTP response"),
        ("HTTP/2 200\r\n\r\n", "no HTTP response"),
        (many.as_str(), "no HTTP response"),
        (long.as_str(), "a head of more than 65536 bytes"),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "a length that is no number"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n", "a length that is no number"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "two lengths"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "comes in chunks"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "an encoding"),
        ("HTTP/1.1 200 OK\r\n\r\nbody", "does not say how long it is"),
        ("HTTP/1.1 101 Switching Protocols\r\n\r\n", "another protocol"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "a chunk without its size"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n", "longer than it says"),
        (chunk.as_str(), "the line before a chunk"),
        (trailers.as_str(), "trailers of more than"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab", "that nobody asked for"),
    ] {
        let mut session = asked("GET /").0;
        let mut inbox = BytesMut::from(bytes.as_bytes());
        let error = loop {
            match session.advance(&mut inbox) {
                Ok(Step::Replied) => {}
                Ok(step) => panic!("{step:?} of {:?}", &bytes[..bytes.len().min(80)]),
                Err(error) => break error.to_string(),
            }
        };
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_length_is_not_believed() {
    let mut session = asked("GET /").0;
    let mut inbox = BytesMut::from(&b"HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nabc"[..]);
    assert_eq!(session.advance(&mut inbox).unwrap(), Step::Wait);
    assert!(session.body.capacity() < 1 << 10);
    // A long body is counted to its end, and only its beginning kept.
    let mut session = asked("GET /").0;
    let mut inbox =
        BytesMut::from(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", 3 * KEPT).as_bytes());
    for _ in 0..3 {
        inbox.extend_from_slice(&vec![b'x'; KEPT]);
        session.advance(&mut inbox).unwrap();
        assert!(inbox.is_empty());
    }
    assert_eq!(show(&session).len(), KEPT);
}

#[test]
fn a_head_that_trickles_is_looked_at_once() {
    let mut session = asked("GET /").0;
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n{}\r\n", "a: 1234567890\r\n".repeat(100));
    let mut inbox = BytesMut::new();
    let mut last = Step::Wait;
    for byte in head.as_bytes() {
        assert_eq!(last, Step::Wait);
        inbox.extend_from_slice(&[*byte]);
        last = session.advance(&mut inbox).unwrap();
    }
    assert_eq!(last, Step::Replied);
}

#[test]
fn rubbish_is_an_error_and_never_a_panic() {
    let mut random = crate::random::Random::new(5);
    let pieces: [&[u8]; 12] = [
        b"HTTP/1.1 ",
        b"200 ",
        b"OK",
        b"\r\n",
        b"\n",
        b"\r\n\r\n",
        b"Content-Length: ",
        b"Transfer-Encoding: chunked",
        b"3",
        b"f;",
        b":",
        b"\0\xff",
    ];
    for _ in 0..20_000 {
        let mut session = asked("GET /").0;
        let mut inbox = BytesMut::new();
        for _ in 0..random.below(12) {
            let piece = pieces[usize::try_from(random.below(pieces.len() as u64)).unwrap()];
            inbox.extend_from_slice(piece);
            if session.advance(&mut inbox).is_err() {
                break;
            }
        }
    }
}

#[test]
fn a_success_that_is_not_what_was_expected_is_an_error() {
    let expecting = |texts: &[&str]| {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let mut session =
            Session::begin(Login { expectations: Expectations::read(&texts).unwrap(), ..login() });
        session.advance(&mut BytesMut::new()).unwrap();
        session.send(&Command::Simple("GET /".to_owned()), &mut BytesMut::new()).unwrap();
        session
    };
    let failed = "HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n{\"status\": \"down\"}";
    let moved = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n";
    for (expected, response, shown) in [
        (vec!["json .status=ok"], failed, "EXPECT: json .status=ok: there is \"down\""),
        (vec!["json .status=down", "contains down"], failed, "{\"status\": \"down\"}"),
        (vec!["status 200-302"], moved, ""),
        (vec!["status 200"], moved, "302: status 200: it is 302"),
        (vec!["lacks error"], moved, "302: Found"),
    ] {
        let mut session = expecting(&expected);
        assert_eq!(session.advance(&mut BytesMut::from(response)).unwrap(), Step::Replied);
        assert_eq!(show(&session), shown);
    }
}
