//! What all connections of a proxy share.

use std::collections::HashMap;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustls::ServerConfig;

use crate::config::Target;
use crate::life::Life;
use crate::pace::Pace;
use crate::stream::Address;

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) target: Target,
    pub(crate) address: Address,
    pub(crate) latency: Duration,
    pub(crate) pace: Option<Pace>,
    pub(crate) tls: Option<Arc<ServerConfig>>,
    pub(crate) withdrawn: AtomicBool,
    pub(crate) stopped: AtomicBool,
    pub(crate) lives: Mutex<HashMap<String, Arc<Life>>>,
    pub(crate) open: Mutex<HashMap<u64, TcpStream>>,
}

impl Shared {
    /// The life that an access key was made up for.
    pub(crate) fn life(&self, access_key: &str) -> Option<Arc<Life>> {
        lock(&self.lives).get(access_key).cloned()
    }

    pub(crate) fn withdrawn(&self) -> bool {
        self.withdrawn.load(Ordering::SeqCst)
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
