//! The workload that the settings name.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;

use crate::Error;
use crate::config::{Config, TargetKind};
use crate::schedule::Schedule;

use super::Source;
use super::isolation::{Isolation, Settings as IsolationSettings};
use super::replay::{self, Recording};
use super::script::{self, Language, Script, Scripts};
use super::tpcc::{Nurand, Settings as TpccSettings, Tpcc};
use super::ycsb::{CoreWorkload, Letter, Requests, Settings, Store, Ycsb};

/// A workload in JSON.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Named {
    Ycsb {
        core: Core,
        records: u64,
        seed: u64,
        #[serde(default)]
        ordered_index: bool,
    },
    Tpcc {
        warehouses: u32,
        seed: u64,
        nurand: Nurand,
        #[serde(default)]
        terminals: bool,
    },
    Isolation {
        seed: u64,
        #[serde(default)]
        level: Option<String>,
    },
    Script {
        scripts: Vec<NamedScript>,
        seed: u64,
        #[serde(default)]
        variables: BTreeMap<String, script::Defined>,
        prepared: bool,
        #[serde(default)]
        samples: usize,
        #[serde(default)]
        history: Option<History>,
        #[serde(default)]
        prepare: Option<PathBuf>,
    },
    Replay(replay::Settings),
}

/// A workload of YCSB: a letter, or its parts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Core {
    Letter(String),
    Parts(CoreWorkload),
}

impl CoreWorkload {
    /// Reads one from JSON: the letter of one of the six, or its parts.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`]: it is neither.
    pub fn read(text: &str) -> Result<Self, Error> {
        let core: Core = serde_json::from_str(text).map_err(|error| Error::Setting(error.to_string()))?;
        core.workload()
    }
}

impl Core {
    fn workload(self) -> Result<CoreWorkload, Error> {
        match self {
            Self::Letter(name) => Letter::named(&name).map(CoreWorkload::from),
            Self::Parts(parts) => Ok(parts),
        }
    }
}

/// What is kept of the transactions of the built-in scripts.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum History {
    /// All; everything in their tables is of this run.
    Whole,
    /// All; others may have written to the tables before.
    Part,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedScript {
    name: String,
    text: Option<String>,
    weight: u32,
}

impl Config {
    /// Makes the workload.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`]: it is none that there is, or a setting of it cannot be.
    pub fn source(&self) -> Result<Box<dyn Source>, Error> {
        let named: Named = serde_json::from_value(self.workload.clone())
            .map_err(|error| Error::Setting(format!("the workload: {error}")))?;
        match named {
            Named::Ycsb { core, records, seed, ordered_index } => {
                let store = match self.target.kind {
                    TargetKind::MySql | TargetKind::Postgres | TargetKind::Sqlite => Store::Sql,
                    TargetKind::Cql => Store::Cql,
                    TargetKind::Redis => Store::KeyValue { ordered_index },
                    TargetKind::ClickHouse => {
                        return Err(Error::Unfit {
                            message: "YCSB changes single rows, and ClickHouse changes them later, in the background",
                            remedy: "take scripts of your own statements",
                        });
                    }
                    TargetKind::Http => {
                        return Err(Error::Setting(
                            "YCSB needs a store with rows; a server of HTTP is asked by scripts of requests, or by get"
                                .into(),
                        ));
                    }
                };
                let core = core.workload()?;
                if self.target.cluster && core.scans() {
                    return Err(Error::Unfit {
                        message: "YCSB's scans (workload E) go over one sorted set of all keys, which in a cluster lies \
                                  on one node, and its rows on all",
                        remedy: "take ycsb-a, b, c, d or f, or the URL of a server that is in no cluster",
                    });
                }
                let expected_inserts = self.expected_inserts(&core)?;
                let share = self.share;
                Ok(Box::new(Ycsb::new(Settings { core, records, seed, store, expected_inserts, share })?))
            }
            Named::Replay(_) if self.target.cluster => Err(Error::Unfit {
                message: "a recording of one server's connections cannot be replayed against a cluster",
                remedy: "take redis:// or valkey:// with the URL of a server that is in no cluster",
            }),
            Named::Replay(settings) => Ok(Box::new(Arc::new(Recording::read(settings, self.duration())?))),
            Named::Tpcc { .. } if !matches!(self.target.kind, TargetKind::Postgres | TargetKind::MySql) => {
                Err(Error::Unfit {
                    message: "TPC-C needs PostgreSQL, MySQL or MariaDB",
                    remedy: "take postgres:embedded, mariadb:embedded@FOLDER, or a URL of one",
                })
            }
            Named::Tpcc { warehouses, seed, nurand, terminals } => {
                let settings = TpccSettings { warehouses, seed, terminals, nurand, kind: self.target.kind };
                Ok(Box::new(Arc::new(Tpcc::new(&settings))))
            }
            Named::Isolation { seed, level } => {
                Ok(Box::new(Arc::new(Isolation::new(&IsolationSettings { seed, level }, self.target.kind)?)))
            }
            Named::Script { scripts, .. }
                if self.target.kind == TargetKind::Cql && scripts.iter().any(|one| one.text.is_none()) =>
            {
                Err(Error::Unfit {
                    message: "the built-in scripts are transactions of SQL, and CQL has none that span statements",
                    remedy: "take a YCSB workload, or a FILE.sql of your own in CQL",
                })
            }
            Named::Script { scripts, .. }
                if matches!(
                    self.target.kind,
                    TargetKind::ClickHouse | TargetKind::Http | TargetKind::Redis
                ) && scripts.iter().any(|script| script.text.is_none()) =>
            {
                Err(Error::Unfit {
                    message: "the built-in scripts are SQL for tables of pgbench, and this target takes none",
                    remedy: "take scripts of your own; key-value stores have YCSB workloads too",
                })
            }
            Named::Script { scripts, seed, variables, prepared, samples, history, prepare } => {
                let scripts = scripts
                    .into_iter()
                    .map(|NamedScript { name, text, weight }| Script { name, text, weight })
                    .collect();
                let variables = variables.into_iter().collect();
                // What prepares a statement there came after the versions that this speaks to.
                let prepared = prepared && self.target.kind != TargetKind::ClickHouse;
                let language = match self.target.kind {
                    TargetKind::Http => Language::Http,
                    TargetKind::Redis => Language::Resp { cluster: self.target.cluster },
                    _ => Language::Sql,
                };
                let settings = script::Settings {
                    scripts,
                    seed,
                    variables,
                    language,
                    prepared,
                    samples,
                    history: history.map(|history| history == History::Whole),
                    prepare,
                };
                Ok(Box::new(Scripts::new(&settings)?))
            }
        }
    }

    /// Twice the inserts that come, as YCSB reckons, where keys are drawn from them too. How many a closed loop makes is
    /// not known before.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share of fewer than 2^53 requests"
    )]
    fn expected_inserts(&self, core: &CoreWorkload) -> Result<u64, Error> {
        if core.mix.insert <= 0.0 || core.requests != Requests::Zipfian {
            return Ok(0);
        }
        // To count them takes as long as the schedule has moments.
        let due = Schedule::new(&self.arrivals()?, 0, 1, self.duration()).count();
        Ok((2.0 * core.inserts() * due as f64) as u64)
    }
}
