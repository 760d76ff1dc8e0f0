//! The link between the load and its server, which can be cut and made slow: a partition and a long way as they are met
//! in a network, without a network.
//!
//! Two threads carry each connection, one each way. While the link is cut nothing passes and nothing is closed: bytes
//! and ends wait, as TCP keeps them until a network is whole again. Who connects meanwhile gets no answer.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{sleep, spawn};
use std::time::Duration;

use crate::Error;
use crate::config::Target;
use crate::event_loop::socket::Address;

const BUFFER: usize = 1 << 18;

/// A link that listens until it is dropped.
pub struct Link {
    state: Arc<State>,
    place: Place,
}

/// Where a link listens.
#[derive(Clone, Debug)]
pub enum Place {
    /// A port of the loopback.
    Port(u16),
    /// The path of a Unix socket.
    Path(PathBuf),
}

struct State {
    cut: Mutex<bool>,
    mended: Condvar,
    /// Nanoseconds that everything takes longer, each way.
    delay: AtomicU64,
    ended: AtomicBool,
    open: Mutex<HashMap<u64, Stream>>,
}

impl Link {
    /// Listens, and carries what comes to a target; the server behind a Unix socket gets another one in `folder`, of the
    /// same name.
    ///
    /// # Errors
    ///
    /// The server is not found, or nobody may listen there.
    pub fn open(target: &Target, folder: &Path) -> Result<Self, Error> {
        let address = Address::find(target)?;
        let state = Arc::new(State {
            cut: Mutex::new(false),
            mended: Condvar::new(),
            delay: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            open: Mutex::new(HashMap::new()),
        });
        let failed = |error: io::Error| Error::unreachable("a link of weigh's own", error);
        let (listener, place) = match &address {
            Address::Network(_) => {
                let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(failed)?;
                let port = listener.local_addr().map_err(failed)?.port();
                (Listener::Network(listener), Place::Port(port))
            }
            Address::Local(path) => {
                let own = folder.join(path.file_name().unwrap_or(path.as_os_str()));
                let listener = UnixListener::bind(&own).map_err(failed)?;
                (Listener::Local(listener), Place::Path(own))
            }
        };
        let shared = Arc::clone(&state);
        spawn(move || accept(&listener, &address, &shared));
        Ok(Self { state, place })
    }

    /// Where it listens.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Lets nothing pass, or everything again.
    pub fn cut(&self, cut: bool) {
        *lock(&self.state.cut) = cut;
        self.state.mended.notify_all();
    }

    /// Has everything take so much longer, each way.
    pub fn delay(&self, delay: Duration) {
        self.state.delay.store(u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::Relaxed);
        self.cut(false);
        for stream in lock(&self.state.open).values() {
            stream.close(Shutdown::Both);
        }
        // It waits for somebody.
        match &self.place {
            Place::Port(port) => drop(TcpStream::connect(("127.0.0.1", *port))),
            Place::Path(path) => {
                drop(UnixStream::connect(path));
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

impl State {
    /// Waits until what came may pass; whether the link is there still.
    fn passes(&self) -> bool {
        let delay = self.delay.load(Ordering::Relaxed);
        if delay > 0 {
            sleep(Duration::from_nanos(delay));
        }
        let mut cut = lock(&self.cut);
        while *cut {
            cut = self.mended.wait(cut).unwrap_or_else(PoisonError::into_inner);
        }
        !self.ended.load(Ordering::Relaxed)
    }
}

fn accept(listener: &Listener, address: &Address, state: &Arc<State>) {
    for number in (0..).step_by(2) {
        let Ok(client) = listener.accept() else { return };
        if state.ended.load(Ordering::Relaxed) {
            return;
        }
        let (address, state) = (address.clone(), Arc::clone(state));
        spawn(move || {
            if !state.passes() {
                return;
            }
            // One that is not there hangs up, as it would without a link.
            let Ok(server) = Stream::connect(&address) else { return };
            let both = [(&client, &server, number), (&server, &client, number + 1)];
            for (from, to, number) in both {
                let (Ok(from), Ok(to), Ok(own)) = (from.again(), to.again(), from.again()) else { return };
                lock(&state.open).insert(number, own);
                let state = Arc::clone(&state);
                spawn(move || {
                    carry(from, to, &state);
                    lock(&state.open).remove(&number);
                });
            }
        });
    }
}

/// Carries everything one way, until it ends.
fn carry(mut from: Stream, mut to: Stream, state: &State) {
    let mut buffer = vec![0; BUFFER];
    loop {
        let count = from.read(&mut buffer).unwrap_or(0);
        if !state.passes() || count == 0 || to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    to.close(Shutdown::Write);
    from.close(Shutdown::Read);
}

enum Listener {
    Network(TcpListener),
    Local(UnixListener),
}

impl Listener {
    fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Network(one) => Stream::network(one.accept()?.0),
            Self::Local(one) => Ok(Stream::Local(one.accept()?.0)),
        }
    }
}

enum Stream {
    Network(TcpStream),
    Local(UnixStream),
}

impl Stream {
    fn network(one: TcpStream) -> io::Result<Self> {
        one.set_nodelay(true)?;
        Ok(Self::Network(one))
    }

    fn connect(address: &Address) -> io::Result<Self> {
        match address {
            Address::Network(one) => Self::network(TcpStream::connect(one)?),
            Address::Local(path) => UnixStream::connect(path).map(Self::Local),
        }
    }

    fn again(&self) -> io::Result<Self> {
        match self {
            Self::Network(one) => one.try_clone().map(Self::Network),
            Self::Local(one) => one.try_clone().map(Self::Local),
        }
    }

    fn close(&self, how: Shutdown) {
        // One that is closed already needs it no more.
        let _ = match self {
            Self::Network(one) => one.shutdown(how),
            Self::Local(one) => one.shutdown(how),
        };
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Network(one) => one.read(buffer),
            Self::Local(one) => one.read(buffer),
        }
    }

    fn write_all(&mut self, buffer: &[u8]) -> io::Result<()> {
        match self {
            Self::Network(one) => one.write_all(buffer),
            Self::Local(one) => one.write_all(buffer),
        }
    }
}

/// No thread panics while it holds one of these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Instant;

    use super::*;

    #[test]
    fn what_is_cut_passes_when_it_is_mended() {
        let folder = std::env::temp_dir().join(format!("weigh-link-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("own")).unwrap();
        let server = UnixListener::bind(folder.join("socket")).unwrap();
        spawn(move || {
            let (mut one, _) = server.accept().unwrap();
            let mut buffer = [0; 4];
            while one.read_exact(&mut buffer).is_ok() {
                one.write_all(&buffer).unwrap();
            }
        });
        let target: Target = serde_json::from_value(serde_json::json!({
            "kind": "redis", "host": null, "port": null, "socket": folder.join("socket"), "user": null,
            "password": null, "database": null, "tls": "off", "ca": null,
        }))
        .unwrap();
        let link = Link::open(&target, &folder.join("own")).unwrap();
        let Place::Path(path) = link.place() else { panic!("a Unix socket is linked by one") };
        let mut client = UnixStream::connect(path).unwrap();
        let mut answer = [0; 4];
        client.write_all(b"ping").unwrap();
        client.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"ping");

        link.cut(true);
        client.write_all(b"pong").unwrap();
        let (sender, receiver) = mpsc::channel();
        spawn(move || {
            client.read_exact(&mut answer).unwrap();
            sender.send((answer, client)).unwrap();
        });
        receiver.recv_timeout(Duration::from_millis(50)).unwrap_err();
        link.cut(false);
        let (answer, mut client) = receiver.recv().unwrap();
        assert_eq!(&answer, b"pong");

        link.delay(Duration::from_millis(20));
        let begun = Instant::now();
        let mut answer = [0; 4];
        client.write_all(b"late").unwrap();
        client.read_exact(&mut answer).unwrap();
        assert!(begun.elapsed() >= Duration::from_millis(40));
        drop(link);
        assert_eq!(client.read(&mut answer).unwrap(), 0);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
