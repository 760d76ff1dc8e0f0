//! TPC-C's five transactions (revision 5.11, clauses 2.4 to 2.8 and 5.2) on PostgreSQL and MySQL.
//!
//! With terminals each connection is one of the ten of a warehouse, whose user types and thinks; otherwise
//! transactions come when they are due, of any warehouse.

mod account;
mod delivery;
mod mix;
mod mysql;
mod new_order;
mod nurand;
mod order_status;
mod payment;
mod population;
mod statements;
mod stock_level;
mod transaction;
mod worker;

use std::sync::{Arc, Mutex, PoisonError};

use crate::config::TargetKind;
use crate::workload::durability::Examiner;
use crate::workload::message::{Bulk, Command, Parameter, PreparedStatement};
use crate::workload::{Source, Workload};

use account::Account;
pub use nurand::{Constants, Nurand};
use statements::Statement;
use worker::{OPERATIONS, Worker};

/// What stands before the name of every table: their schema.
pub(crate) const PREFIX: &str = "weigh_tpcc.";

/// What a run of TPC-C is made of.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many there are.
    pub warehouses: u32,
    /// Of all draws.
    pub seed: u64,
    /// Whether each connection is a terminal with a user.
    pub terminals: bool,
    /// The constants of the draws that are not uniform.
    pub nurand: Nurand,
    /// What kind of server it is for.
    pub kind: TargetKind,
}

/// TPC-C, shared by the threads of a run.
#[derive(Debug)]
pub struct Tpcc {
    warehouses: i64,
    seed: u64,
    terminals: bool,
    /// Whether the server speaks MySQL's SQL, and not PostgreSQL's.
    mysql: bool,
    constants: Constants,
    operations: Vec<String>,
    statements: Vec<PreparedStatement>,
    account: Mutex<Account>,
    population: population::Settings,
}

impl Tpcc {
    /// As the settings say.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let mysql = settings.kind == TargetKind::MySql;
        Self {
            mysql,
            warehouses: i64::from(settings.warehouses.max(1)),
            seed: settings.seed,
            terminals: settings.terminals,
            constants: settings.nurand.of_run(),
            operations: OPERATIONS.map(str::to_owned).to_vec(),
            statements: if mysql { mysql::prepared(PREFIX) } else { statements::prepared(PREFIX) },
            account: Mutex::new(Account::new(settings.warehouses.max(1) as usize)),
            population: population::Settings {
                warehouses: u64::from(settings.warehouses.max(1)),
                seed: settings.seed,
                c_load: settings.nurand.load,
            },
        }
    }

    /// What is sent for a statement, in order; the answer to the last is the statement's.
    fn commands(&self, statement: Statement, values: Vec<Parameter>) -> Vec<Command> {
        if self.mysql {
            mysql::commands(statement, values)
        } else {
            vec![Command::Prepared { statement: statement as usize, values }]
        }
    }

    fn join(&self, account: &Account) {
        self.account.lock().unwrap_or_else(PoisonError::into_inner).add(account);
    }
}

impl Source for Arc<Tpcc> {
    fn worker(&self, thread: usize) -> Box<dyn Workload> {
        Box::new(Worker::new(Arc::clone(self), thread))
    }

    fn bulk(&self, kind: TargetKind) -> Option<Bulk> {
        Some(population::bulk(&self.population, kind == TargetKind::MySql))
    }

    fn account(&self) -> Option<serde_json::Value> {
        serde_json::to_value(&*self.account.lock().unwrap_or_else(PoisonError::into_inner)).ok()
    }

    fn examiner(&self) -> Option<Box<dyn Examiner>> {
        None
    }
}
