//! The settings of a run: the JSON that Python hands over.
//!
//! Usual values are not decided here: what a run needs is required, and left out can be only what may be absent.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;

use crate::Error;
use crate::schedule::Arrivals;

const NANO: f64 = 1e9;

/// A run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Whom to load.
    pub target: Target,
    /// With what; read by the workload of that kind.
    pub workload: serde_json::Value,
    /// When.
    pub arrivals: ArrivalSettings,
    /// Seconds of the schedule.
    pub duration_s: f64,
    /// Connections, shared evenly by the threads.
    pub connections: usize,
    /// Threads that send. SQLite is called by one thread for each connection instead.
    pub threads: usize,
    /// Requests sent and not answered yet, at most; no more than the connections.
    pub max_in_flight: usize,
    /// Seconds after which an answer is not waited for any longer.
    pub timeout_s: f64,
    /// Seconds of an interval.
    pub interval_s: f64,
    /// Whether to wait for a moment by asking the clock again and again, instead of sleeping.
    #[serde(default)]
    pub spin: bool,
    /// Which part of the load this generator offers, where several offer it together: arrivals, connections and
    /// `max_in_flight` are then of all of them, and `threads` of each.
    #[serde(default)]
    pub share: Share,
}

/// One of several generators that offer one load together.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// Its number, from 0.
    pub part: usize,
    /// How many there are.
    pub parts: usize,
}

impl Default for Share {
    fn default() -> Self {
        Self { part: 0, parts: 1 }
    }
}

impl Share {
    /// What falls to it of so many: where its own begin, and how many they are; as even as can be.
    #[must_use]
    pub fn of(self, whole: usize) -> (usize, usize) {
        let (each, rest) = (whole / self.parts, whole % self.parts);
        (each * self.part + self.part.min(rest), each + usize::from(self.part < rest))
    }

    /// Whether others offer the rest.
    #[must_use]
    pub fn is_part(self) -> bool {
        self.parts > 1
    }
}

impl Config {
    /// Reads and checks it.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`]: it is not JSON of this form, or a number is out of range.
    pub fn read(text: &str) -> Result<Self, Error> {
        let config: Self =
            serde_json::from_str(text).map_err(|error| Error::Setting(format!("the settings: {error}")))?;
        let numbers = [
            ("duration_s", config.duration_s, 1e7),
            ("timeout_s", config.timeout_s, 1e6),
            ("interval_s", config.interval_s, 1e6),
        ];
        for (name, number, most) in numbers {
            if !(1e-3..=most).contains(&number) {
                return Err(Error::Setting(format!("{name} is {number}: it must be from 0.001 to {most}")));
            }
        }
        let Share { part, parts } = config.share;
        if part >= parts {
            return Err(Error::Setting(format!("part {part} of {parts}: parts are counted from 0")));
        }
        if config.share.is_part() && config.target.kind == TargetKind::Sqlite {
            return Err(Error::Setting(
                "SQLite runs in the process of one generator: others have none of it".into(),
            ));
        }
        let threads = config.threads * parts;
        if threads == 0 || config.connections < threads {
            return Err(Error::Setting(format!(
                "{} connections for {threads} threads: each thread needs one of its own",
                config.connections
            )));
        }
        if config.max_in_flight < threads {
            return Err(Error::Setting(format!(
                "max_in_flight is {}: each of {threads} threads must be able to send",
                config.max_in_flight
            )));
        }
        config.arrivals()?.check()?;
        Ok(config)
    }

    pub(crate) fn duration(&self) -> u64 {
        nanoseconds(self.duration_s)
    }

    pub(crate) fn timeout(&self) -> u64 {
        nanoseconds(self.timeout_s)
    }

    pub(crate) fn interval(&self) -> u64 {
        nanoseconds(self.interval_s)
    }

    /// The arrivals in the units of a schedule.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`]: one that this kind needs is missing.
    pub fn arrivals(&self) -> Result<Arrivals, Error> {
        let offered = &self.arrivals;
        let number = |value: Option<f64>, name| value.ok_or_else(|| missing(offered.kind, name));
        let rate = || number(offered.rate, "rate");
        Ok(match offered.kind {
            ArrivalKind::Constant => Arrivals::Constant { rate: rate()? },
            ArrivalKind::Poisson => Arrivals::Poisson {
                rate: rate()?,
                seed: offered.seed.ok_or_else(|| missing(offered.kind, "seed"))?,
            },
            ArrivalKind::Bursts => Arrivals::Bursts {
                rate: rate()?,
                peak: number(offered.peak, "peak")?,
                length: number(offered.length_s, "length_s")?,
                seed: offered.seed.ok_or_else(|| missing(offered.kind, "seed"))?,
            },
            ArrivalKind::EvenBursts => Arrivals::EvenBursts {
                rate: rate()?,
                peak: number(offered.peak, "peak")?,
                length: number(offered.length_s, "length_s")?,
            },
            ArrivalKind::Ramp => {
                Arrivals::Ramp { from: rate()?, to: number(offered.to, "to")?, over: self.duration_s }
            }
            ArrivalKind::Steps => {
                let rates = offered.rates.clone().filter(|rates| !rates.is_empty());
                let rates = rates.ok_or_else(|| missing(offered.kind, "rates"))?;
                Arrivals::Steps { rates, step: number(offered.step_s, "step_s")? }
            }
            ArrivalKind::Trace => {
                let times = offered.times_s.as_ref().ok_or_else(|| missing(offered.kind, "times_s"))?;
                if let Some(bad) = times.iter().find(|time| !(0.0..=1e7).contains(*time)) {
                    return Err(Error::Setting(format!("a trace has the time {bad}: seconds from 0 to 1e7")));
                }
                Arrivals::Trace(times.iter().map(|time| nanoseconds(*time)).collect::<Arc<[u64]>>())
            }
            ArrivalKind::Closed => Arrivals::Closed,
        })
    }
}

fn missing(kind: ArrivalKind, name: &str) -> Error {
    Error::Setting(format!("arrivals of kind {kind:?} need '{name}'"))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked ranges")]
fn nanoseconds(seconds: f64) -> u64 {
    (seconds * NANO).round() as u64
}

/// The kinds of arrivals.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum ArrivalKind {
    /// Evenly spaced.
    Constant,
    /// Independent users.
    Poisson,
    /// On and off, at random.
    Bursts,
    /// On and off, evenly.
    EvenBursts,
    /// From one rate to another.
    Ramp,
    /// Rates one after another.
    Steps,
    /// As recorded.
    Trace,
    /// Each connection sends when it was answered.
    Closed,
}

/// Arrivals in JSON; see [`Arrivals`] for what they mean and what each kind needs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrivalSettings {
    /// Which of them.
    pub kind: ArrivalKind,
    rate: Option<f64>,
    seed: Option<u64>,
    peak: Option<f64>,
    length_s: Option<f64>,
    to: Option<f64>,
    rates: Option<Vec<f64>>,
    step_s: Option<f64>,
    times_s: Option<Vec<f64>>,
}

/// The kinds of servers.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum TargetKind {
    /// Cassandra, ScyllaDB, and what speaks their protocol.
    Cql,
    /// MySQL, MariaDB, and what speaks their protocol.
    MySql,
    /// PostgreSQL, and what speaks its protocol.
    Postgres,
    /// Redis, Valkey, and what speaks their protocol.
    Redis,
    /// SQLite, which runs in this process.
    Sqlite,
    /// ClickHouse, by its interface over HTTP.
    ClickHouse,
    /// Whatever answers requests of HTTP.
    Http,
}

/// How far TLS goes.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum TlsUse {
    /// None.
    #[default]
    Off,
    /// Encrypted; the server is not checked.
    Require,
    /// Encrypted, and the server's certificate checked.
    Verify,
}

/// A server.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// What it speaks.
    pub kind: TargetKind,
    /// Its name or address.
    #[serde(default)]
    pub host: Option<String>,
    /// Its port; by default that of its kind.
    #[serde(default)]
    pub port: Option<u16>,
    /// The path of its Unix socket, or for PostgreSQL of the folder that holds it; comes before `host`.
    #[serde(default)]
    pub socket: Option<PathBuf>,
    /// Whom to log in as.
    #[serde(default)]
    pub user: Option<String>,
    /// With which password.
    #[serde(default)]
    pub password: Option<String>,
    /// The forms in which a text may hold the password; none of them leaves the generator in an error of the server's.
    #[serde(default)]
    pub secrets: Vec<String>,
    /// The database; for Redis its number, for CQL the keyspace.
    #[serde(default)]
    pub database: Option<String>,
    /// Of Redis: whether it is any node of a cluster, and requests go to the nodes that have their keys.
    #[serde(default)]
    pub cluster: bool,
    /// TLS.
    #[serde(default)]
    pub tls: TlsUse,
    /// A file of authorities that "verify" trusts, in PEM; by default those of the machine.
    #[serde(default)]
    pub ca: Option<PathBuf>,
    /// Of HTTP: the path of requests that name none, with their query.
    #[serde(default)]
    pub path_and_query: Option<String>,
    /// Of HTTP: what each answer must be besides a success.
    #[serde(default)]
    pub expect: Vec<String>,
    /// Of SQLite: the file of the database, which is made if it is not there.
    #[serde(default)]
    pub path: Option<PathBuf>,
    /// Of SQLite: pragmas for every connection, and `busy_timeout` in milliseconds; without it, a lock is waited for as
    /// long as the request may take. Of CQL: `consistency` and `serial_consistency`.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// Of CQL: nodes of the cluster beside `host`. Connections go to all of them in turn.
    #[serde(default)]
    pub nodes: Vec<Node>,
}

/// Where one more node of a cluster is.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Its name or address.
    pub host: String,
    /// Its port; by default that of the target.
    #[serde(default)]
    pub port: Option<u16>,
}

impl Target {
    /// The same, where every replica must answer, if there are several.
    pub(crate) fn at_every_replica(&self) -> Self {
        let mut target = self.clone();
        if self.kind == TargetKind::Cql {
            target.settings.insert("consistency".to_owned(), "ALL".to_owned());
        }
        target
    }

    /// The same server by each of its nodes alone.
    pub(crate) fn each_node(&self) -> Vec<Self> {
        let alone = Self { nodes: Vec::new(), ..self.clone() };
        let others = self.nodes.iter().map(|node| Self {
            host: Some(node.host.clone()),
            port: node.port.or(self.port),
            ..alone.clone()
        });
        std::iter::once(alone.clone()).chain(others).collect()
    }
}

impl std::fmt::Debug for Target {
    // Without the password: this may end in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} at {:?} {:?} {:?} {:?}", self.kind, self.host, self.port, self.socket, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(arrivals: &str, threads: usize) -> Result<Config, Error> {
        Config::read(&format!(
            r#"{{"target": {{"kind": "redis", "password": "secret"}}, "workload": {{}}, "arrivals": {arrivals},
                 "duration_s": 10, "connections": 4, "threads": {threads}, "max_in_flight": 4, "timeout_s": 1,
                 "interval_s": 1.0}}"#
        ))
    }

    #[test]
    fn a_whole_one_is_read_and_the_password_is_never_shown() {
        let config = config(r#"{"kind": "steps", "rates": [1, 2], "step_s": 5}"#, 2).unwrap();
        assert_eq!(config.arrivals().unwrap(), Arrivals::Steps { rates: vec![1.0, 2.0], step: 5.0 });
        assert!(!format!("{config:?}").contains("secret"));
    }

    #[test]
    fn what_cannot_be_is_named() {
        for (arrivals, threads, word) in [
            (r#"{"kind": "constant"}"#, 1, "'rate'"),
            (r#"{"kind": "ramp", "rate": 3}"#, 1, "'to'"),
            (r#"{"kind": "poisson", "rate": 3}"#, 1, "'seed'"),
            (r#"{"kind": "bursts", "rate": 3, "peak": 4}"#, 1, "'length_s'"),
            (r#"{"kind": "steps", "rates": [3]}"#, 1, "'step_s'"),
            (r#"{"kind": "constant", "rate": -3}"#, 1, "rate: -3"),
            (r#"{"kind": "constant", "rate": 3}"#, 5, "5 threads"),
            (r#"{"kind": "trace", "times_s": [-1]}"#, 1, "-1"),
            (r#"{"kind": "sometimes"}"#, 1, "sometimes"),
        ] {
            let message = config(arrivals, threads).unwrap_err().to_string();
            assert!(message.contains(word), "{message}");
        }
    }
}
