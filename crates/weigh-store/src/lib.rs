//! Object stores with the protocol of S3.
//!
//! * [`Client`]: makes a bucket, puts objects, and reads them back as a BLAKE3 hash.
//! * [`Proxy`]: stands between engines and a store. It counts requests, bytes and how many requests were under way at
//!   the same moment, apart for each life of an engine; it can add latency, limit the bandwidth, and speak TLS.
//!
//! # Whose keys
//!
//! An engine signs its requests with keys that were made up for one of its lives; the proxy knows the life by the
//! access key, and signs what it passes on with the keys of the store. So no engine ever has those, and a request
//! reaches the store with the host that the store expects, which is a part of every signature. Only GET and HEAD are
//! passed on: nothing that is measured can change or remove an object.
//!
//! # What a life sees
//!
//! Every life has a root: the key `a/b` that it asks for is the key `ROOTa/b` in the store, and in listings the root is
//! taken off again. So the same path can lead to other objects in the next life.

mod authority;
mod client;
mod config;
mod connection;
mod error;
mod http;
mod life;
mod pace;
mod proxy;
mod shared;
mod sign;
mod stream;
mod tally;
mod uri;

pub use client::Client;
pub use config::{Config, Target};
pub use error::Error;
pub use proxy::Proxy;
pub use tally::Tally;
