//! What the proxy and the client are told, as JSON.

use std::fmt;
use std::path::PathBuf;

use serde::Deserialize;

use crate::Error;

/// A store, and how to get in.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// `http://HOST:PORT` or `https://HOST`.
    pub endpoint: String,
    /// The bucket.
    pub bucket: String,
    /// Region that signatures are for.
    pub region: String,
    /// Access key.
    pub access_key: String,
    /// Secret key.
    pub secret_key: String,
    /// Token of a session; empty for none.
    #[serde(default)]
    pub token: String,
    /// File with the authorities that the store's certificate is checked against; nothing for those of the machine.
    #[serde(default)]
    pub ca: Option<PathBuf>,
}

impl fmt::Debug for Target {
    /// Without the keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("endpoint", &self.endpoint)
            .field("bucket", &self.bucket)
            .finish_non_exhaustive()
    }
}

/// What the proxy is told.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where requests go.
    pub target: Target,
    /// Seconds that are added to every request and to every new connection.
    #[serde(default)]
    pub latency: f64,
    /// Bytes of answers in a second, all connections together; nothing for no limit.
    #[serde(default)]
    pub bandwidth: Option<f64>,
    /// Whether engines speak TLS with the proxy.
    #[serde(default)]
    pub tls: bool,
}

impl Target {
    /// Reads JSON.
    ///
    /// # Errors
    ///
    /// [`Error::Config`]: it is not JSON, or has other fields.
    pub fn read(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(unread)
    }
}

impl Config {
    /// Reads JSON.
    ///
    /// # Errors
    ///
    /// [`Error::Config`]: it is not JSON, has other fields, or a number that makes no sense.
    pub fn read(text: &str) -> Result<Self, Error> {
        let config: Self = serde_json::from_str(text).map_err(unread)?;
        if !(0.0..=60.0).contains(&config.latency) {
            return Err(Error::Config(format!(
                "a latency of {} s; between 0 and 60 can be had",
                config.latency
            )));
        }
        if let Some(rate) = config.bandwidth
            && !(rate >= 1000.0 && rate.is_finite())
        {
            return Err(Error::Config(format!("a bandwidth of {rate} B/s; at least 1000 can be had")));
        }
        Ok(config)
    }
}

/// Says where, and not what: a key may stand there.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn unread(error: serde_json::Error) -> Error {
    Error::Config(format!("not the configuration of a store, at column {}", error.column()))
}
