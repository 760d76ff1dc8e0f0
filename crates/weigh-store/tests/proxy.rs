//! The proxy between a client and a store, over sockets.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use weigh_store::{Config, Proxy};

/// The line of a request, and its headers.
type Asked = (String, HashMap<String, String>);

/// A store that knows one object, and keeps what it was asked.
struct Store {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

const OBJECT: &[u8] = b"0123456789";

impl Store {
    /// `broken`: every object ends after three bytes.
    fn start(broken: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let kept = Arc::clone(&kept);
                thread::spawn(move || serve(&stream.unwrap(), &kept, broken));
            }
        });
        Self { port, asked }
    }

    fn proxy(&self, more: &str) -> Proxy {
        let config = format!(
            r#"{{"target": {{"endpoint": "http://127.0.0.1:{}", "bucket": "b", "region": "r",
                "access_key": "THE-STORES", "secret_key": "secret"}} {more}}}"#,
            self.port
        );
        let proxy = Proxy::start(Config::read(&config).unwrap()).unwrap();
        proxy.admit("LIFE", "root/");
        proxy
    }
}

fn serve(stream: &TcpStream, kept: &Mutex<Vec<Asked>>, broken: bool) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let mut headers = HashMap::new();
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).unwrap();
            let Some((name, value)) = header.trim_end().split_once(": ") else { break };
            headers.insert(name.to_owned(), value.to_owned());
        }
        let line = line.trim_end().to_owned();
        kept.lock().unwrap().push((line.clone(), headers));
        let (status, body): (&str, Vec<u8>) = if line.contains("list-type") {
            ("200 OK", b"<ListBucketResult><Key>root/t/a</Key></ListBucketResult>".to_vec())
        } else if line.contains("/b/root/t/a") {
            ("200 OK", OBJECT.to_vec())
        } else {
            ("404 Not Found", b"<Error><Code>NoSuchKey</Code></Error>".to_vec())
        };
        let mut answer = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
        if !line.starts_with("HEAD") {
            let length = if broken && status == "200 OK" { 3 } else { body.len() };
            answer.extend(&body[..length]);
        }
        let mut stream = stream;
        stream.write_all(&answer).unwrap();
        if broken {
            return;
        }
    }
}

/// The whole answer to a request of a life.
fn ask(proxy: &Proxy, line: &str, key: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", proxy.port())).unwrap();
    let request = format!(
        "{line} HTTP/1.1\r\nHost: 127.0.0.1\r\nRange: bytes=0-9\r\nX-Amz-Date: x\r\nConnection: close\r\n\
         Authorization: AWS4-HMAC-SHA256 Credential={key}/d/r/s3/aws4_request, Signature=0\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

#[test]
fn a_request_is_signed_anew_counted_and_answered() {
    let store = Store::start(false);
    let proxy = store.proxy("");
    let answer = ask(&proxy, "GET /b/t/a", "LIFE");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\n0123456789"), "{answer}");
    let head = ask(&proxy, "HEAD /b/t/a", "LIFE");
    assert!(head.contains("content-length: 10\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    let tally = proxy.take("LIFE").unwrap();
    assert_eq!((tally.gets, tally.heads, tally.failed, tally.bytes, tally.peak), (1, 1, 0, 10, 1));
    assert_eq!(proxy.take("LIFE").unwrap().gets, 0);
    let asked = store.asked.lock().unwrap();
    let (line, headers) = &asked[0];
    assert_eq!(line, "GET /b/root/t/a HTTP/1.1");
    assert_eq!(headers["host"], format!("127.0.0.1:{}", store.port));
    assert_eq!(headers["range"], "bytes=0-9");
    assert!(headers["authorization"].contains("Credential=THE-STORES/"), "{headers:?}");
    assert!(!format!("{asked:?}").contains("LIFE"), "the engine's keys stay with the proxy");
}

#[test]
fn who_is_not_known_and_what_would_change_something_does_not_reach_the_store() {
    let store = Store::start(false);
    let proxy = store.proxy("");
    for (line, key, code) in [
        ("GET /b/t/a", "OTHER", "InvalidAccessKeyId"),
        ("PUT /b/t/a", "LIFE", "MethodNotAllowed"),
        ("DELETE /b/t/a", "LIFE", "MethodNotAllowed"),
        ("GET /other/t/a", "LIFE", "NoSuchBucket"),
    ] {
        let answer = ask(&proxy, line, key);
        assert!(answer.contains(code), "{line}: {answer}");
    }
    assert!(store.asked.lock().unwrap().is_empty());
    assert_eq!(proxy.take("LIFE").unwrap().failed, 3);
    proxy.dismiss("LIFE");
    assert!(ask(&proxy, "GET /b/t/a", "LIFE").contains("InvalidAccessKeyId"));
    assert_eq!(proxy.take("LIFE"), None);
}

#[test]
fn withdrawn_objects_are_not_there_and_come_back() {
    let store = Store::start(false);
    let proxy = store.proxy("");
    proxy.withdraw(true);
    assert!(ask(&proxy, "GET /b/t/a", "LIFE").contains("NoSuchKey"));
    proxy.withdraw(false);
    assert!(ask(&proxy, "GET /b/t/a", "LIFE").ends_with("0123456789"));
}

#[test]
fn the_same_key_leads_elsewhere_from_one_moment_to_the_next() {
    let store = Store::start(false);
    let proxy = store.proxy("");
    proxy.point("LIFE", "other/");
    assert!(ask(&proxy, "GET /b/t/a", "LIFE").contains("NoSuchKey"));
    proxy.point("LIFE", "root/");
    assert!(ask(&proxy, "GET /b/t/a", "LIFE").ends_with("0123456789"));
    let asked = &store.asked.lock().unwrap()[0].0;
    assert_eq!(asked, "GET /b/other/t/a HTTP/1.1");
}

#[test]
fn a_listing_is_one_of_the_root() {
    let store = Store::start(false);
    let proxy = store.proxy("");
    let answer = ask(&proxy, "GET /b?list-type=2&prefix=t%2F", "LIFE");
    assert!(answer.ends_with("<Key>t/a</Key></ListBucketResult>"), "{answer}");
    let asked = &store.asked.lock().unwrap()[0].0;
    assert_eq!(asked, "GET /b?list-type=2&prefix=root%2Ft%2F HTTP/1.1");
}

#[test]
fn a_dead_store_and_a_truncated_object_end_in_a_failed_request() {
    let store = Store::start(true);
    let proxy = store.proxy("");
    let answer = ask(&proxy, "GET /b/t/a", "LIFE");
    assert!(answer.contains("content-length: 10") && answer.ends_with("\r\n\r\n012"), "{answer}");
    assert_eq!(proxy.take("LIFE").unwrap().failed, 1);
    let gone = Store { port: 1, asked: Arc::default() };
    let proxy = gone.proxy("");
    let answer = ask(&proxy, "GET /b/t/a", "LIFE");
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("StoreUnreachable"), "{answer}");
    assert_eq!(proxy.take("LIFE").unwrap().failed, 1);
}

#[test]
fn latency_and_bandwidth_are_added() {
    let store = Store::start(false);
    // At least: how much longer it takes is the machine's.
    let proxy = store.proxy(r#", "latency": 0.05, "bandwidth": 1000"#);
    let began = Instant::now();
    ask(&proxy, "GET /b/t/a", "LIFE");
    assert!(began.elapsed() >= Duration::from_millis(110), "{:?}", began.elapsed());
    let tally = proxy.take("LIFE").unwrap();
    assert!(tally.request_s >= 0.06 && tally.busy_s >= 0.06, "{tally:?}");
}

#[test]
fn requests_at_the_same_moment_are_counted_as_such() {
    let store = Store::start(false);
    let proxy = store.proxy(r#", "latency": 0.3"#);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| ask(&proxy, "GET /b/t/a", "LIFE"));
        }
    });
    let tally = proxy.take("LIFE").unwrap();
    assert!(tally.gets == 4 && tally.peak > 1 && tally.request_s > tally.busy_s, "{tally:?}");
}
