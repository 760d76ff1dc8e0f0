//! The workload that the settings name.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::Error;
use crate::config::{Config, TargetKind};
use crate::schedule::Schedule;

use super::Source;
use super::script::{self, Script, Scripts};
use super::ycsb::{FIELD_BYTES, FIELDS, Letter, Settings, Store, Ycsb};

/// A workload in JSON.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Named {
    Ycsb {
        letter: String,
        records: u64,
        seed: u64,
        #[serde(default)]
        ordered_index: bool,
    },
    Script {
        scripts: Vec<NamedScript>,
        seed: u64,
        #[serde(default)]
        variables: BTreeMap<String, i64>,
        prepared: bool,
        #[serde(default)]
        samples: usize,
        #[serde(default)]
        history: Option<History>,
    },
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
            Named::Ycsb { letter, records, seed, ordered_index } => {
                let store = match self.target.kind {
                    TargetKind::Postgres | TargetKind::Sqlite => Store::Sql,
                    TargetKind::Redis => Store::KeyValue { ordered_index },
                };
                let letter = Letter::named(&letter)?;
                // To count them takes as long as the schedule has moments.
                let expected_inserts = if letter == Letter::E { self.expected_inserts()? } else { 0 };
                let settings = Settings {
                    letter,
                    records,
                    fields: FIELDS,
                    field_bytes: FIELD_BYTES,
                    seed,
                    store,
                    expected_inserts,
                };
                Ok(Box::new(Ycsb::new(settings)?))
            }
            Named::Script { .. } if self.target.kind == TargetKind::Redis => {
                Err(Error::Setting("scripts are SQL, and this target is none; take a YCSB workload".into()))
            }
            Named::Script { scripts, seed, variables, prepared, samples, history } => {
                let scripts = scripts
                    .into_iter()
                    .map(|NamedScript { name, text, weight }| Script { name, text, weight })
                    .collect();
                let variables = variables.into_iter().collect();
                let settings = script::Settings {
                    scripts,
                    seed,
                    variables,
                    prepared,
                    samples,
                    history: history.map(|history| history == History::Whole),
                };
                Ok(Box::new(Scripts::new(&settings)?))
            }
        }
    }

    /// Twice the inserts that one operation in twenty makes, as YCSB reckons. How many a closed loop
    /// makes is not known before.
    fn expected_inserts(&self) -> Result<u64, Error> {
        Ok(Schedule::new(&self.arrivals()?, 0, 1, self.duration()).count() as u64 / 10)
    }
}
