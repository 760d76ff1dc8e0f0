//! Transactions whose history shows how they were isolated: appends to a few lists that all want, writes of a few
//! registers, and reads of them, one by one and as ranges.
//!
//! What each is read as, and when each transaction began and ended, goes into a [`History`], which
//! `weigh_isolation` checks when the run is over. Lists are replaced by new ones after some appends, so that they stay
//! short, and everybody goes on wanting the same few.

mod keys;
mod plan;
mod statements;
mod worker;

use std::sync::{Arc, Mutex, PoisonError};

use weigh_isolation::History;

use crate::Error;
use crate::config::TargetKind;
use crate::workload::durability::Examiner;
use crate::workload::message::Bulk;
use crate::workload::{Source, Workload};

use keys::Keys;
use statements::Dialect;
use worker::{Account, OPERATIONS, Worker};

/// What a run is made of.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Of all draws.
    pub seed: u64,
    /// The level that every transaction asks for, as SQL names it; nothing for the server's own.
    pub level: Option<String>,
}

/// The workload, shared by the threads of a run.
#[derive(Debug)]
pub struct Isolation {
    seed: u64,
    dialect: Dialect,
    operations: Vec<String>,
    keys: Mutex<Keys>,
    recorded: Mutex<(History, Account)>,
}

impl Isolation {
    /// As the settings say, in the SQL of a kind of server.
    ///
    /// # Errors
    ///
    /// [`Error::Unfit`]: it has no transactions of several statements.
    pub fn new(settings: &Settings, kind: TargetKind) -> Result<Self, Error> {
        Ok(Self {
            seed: settings.seed,
            dialect: Dialect::of(kind, settings.level.as_deref())?,
            operations: OPERATIONS.map(str::to_owned).to_vec(),
            keys: Mutex::new(Keys::new()),
            recorded: Mutex::default(),
        })
    }

    fn join(&self, history: &History, account: &Account) {
        let mut all = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        all.0.join(history);
        all.1.add(account);
    }
}

impl Source for Arc<Isolation> {
    fn worker(&self, thread: usize) -> Box<dyn Workload> {
        Box::new(Worker::new(Arc::clone(self), thread))
    }

    fn bulk(&self, _: TargetKind) -> Option<Bulk> {
        Some(self.dialect.bulk())
    }

    fn account(&self) -> Option<serde_json::Value> {
        serde_json::to_value(&self.recorded.lock().unwrap_or_else(PoisonError::into_inner).1).ok()
    }

    fn history(&self) -> Option<History> {
        Some(std::mem::take(&mut self.recorded.lock().unwrap_or_else(PoisonError::into_inner).0))
    }

    fn examiner(&self) -> Option<Box<dyn Examiner>> {
        None
    }
}
