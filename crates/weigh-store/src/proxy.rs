//! The proxy: a listener on loopback, a thread for every connection.

use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crate::config::Config;
use crate::life::Life;
use crate::pace::Pace;
use crate::shared::{Shared, lock};
use crate::stream::Address;
use crate::tally::Tally;
use crate::{Error, authority, connection};

const STACK: usize = 256 << 10;

/// Stands between engines and a store until it is stopped or dropped.
pub struct Proxy {
    shared: Arc<Shared>,
    port: u16,
    authority: Option<String>,
    accepting: Mutex<Option<JoinHandle<()>>>,
}

impl Proxy {
    /// Listens on a free port of loopback.
    ///
    /// # Errors
    ///
    /// [`Error::Endpoint`], [`Error::Tls`]: the store's address or its authorities cannot be used.
    /// [`Error::System`]: no port or no thread is to be had.
    pub fn start(config: Config) -> Result<Self, Error> {
        let address = Address::new(&config.target.endpoint, config.target.ca.as_deref())?;
        let (tls, authority) = if config.tls { Some(authority::make()?).unzip() } else { (None, None) };
        let system = |doing| move |reason| Error::System { doing, reason };
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(system("listening on loopback"))?;
        let port = listener.local_addr().map_err(system("listening on loopback"))?.port();
        let shared = Arc::new(Shared {
            target: config.target,
            address,
            latency: Duration::from_secs_f64(config.latency),
            pace: config.bandwidth.map(Pace::new),
            tls,
            withdrawn: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            lives: Mutex::default(),
            open: Mutex::default(),
        });
        let theirs = Arc::clone(&shared);
        let accepting = Builder::new()
            .name("weigh-store".to_owned())
            .spawn(move || accept(&theirs, &listener))
            .map_err(system("starting a thread"))?;
        Ok(Self { shared, port, authority, accepting: Mutex::new(Some(accepting)) })
    }

    /// Where engines find it.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// PEM of the authority that signed its certificate; nothing without TLS.
    #[must_use]
    pub fn authority(&self) -> Option<&str> {
        self.authority.as_deref()
    }

    /// Knows a life by its access key from now on; its keys are those of the store behind `root`.
    pub fn admit(&self, access_key: &str, root: &str) {
        lock(&self.shared.lives).insert(access_key.to_owned(), Arc::new(Life::new(root.to_owned())));
    }

    /// From now on the same keys lead to what lies behind another root.
    pub fn point(&self, access_key: &str, root: &str) {
        if let Some(life) = self.shared.life(access_key) {
            life.point(root);
        }
    }

    /// Knows it no more.
    pub fn dismiss(&self, access_key: &str) {
        lock(&self.shared.lives).remove(access_key);
    }

    /// What a life asked for since this was last asked; nothing of one that is not known.
    #[must_use]
    pub fn take(&self, access_key: &str) -> Option<Tally> {
        self.shared.life(access_key).map(|life| life.take())
    }

    /// Whether every object is as if it were not there.
    pub fn withdraw(&self, withdrawn: bool) {
        self.shared.withdrawn.store(withdrawn, Ordering::SeqCst);
    }

    /// Ends every connection, and listens no more.
    pub fn stop(&self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Whatever its fate: it wakes the listener.
        let woken = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        for stream in lock(&self.shared.open).values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        if let Some(accepting) = lock(&self.accepting).take() {
            let _ = accepting.join();
        }
        drop(woken);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stop();
    }
}

fn accept(shared: &Arc<Shared>, listener: &TcpListener) {
    weigh_host::block_signals();
    for number in 0.. {
        let accepted = listener.accept();
        if shared.stopped.load(Ordering::SeqCst) {
            return;
        }
        let Ok((stream, _)) = accepted else {
            // Out of file descriptors, most likely: those who are there must be able to end.
            std::thread::sleep(Duration::from_millis(10));
            continue;
        };
        let Ok(kept) = stream.try_clone() else { continue };
        lock(&shared.open).insert(number, kept);
        let theirs = Arc::clone(shared);
        let spawned = Builder::new().name("weigh-store".to_owned()).stack_size(STACK).spawn(move || {
            connection::serve(&theirs, stream);
            lock(&theirs.open).remove(&number);
        });
        if spawned.is_err() {
            lock(&shared.open).remove(&number);
        }
    }
}
