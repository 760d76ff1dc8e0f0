//! One thread's share of a run of TPC-C.

use std::collections::HashMap;
use std::sync::Arc;

use crate::random::Random;
use crate::workload::message::{Command, Parameter, PreparedStatement, Reply};
use crate::workload::units::{Unit, Units};
use crate::workload::{Next, Outcome, Pause, Workload};

use super::Tpcc;
use super::account::Account;
use super::delivery::Delivery;
use super::mix::{Deck, Kind, seconds};
use super::new_order::NewOrder;
use super::nurand::DISTRICTS;
use super::order_status::OrderStatus;
use super::payment::Payment;
use super::statements::Statement;
use super::stock_level::StockLevel;
use super::transaction::{Move, Transaction};

/// Terminals of a warehouse.
const TERMINALS: usize = 10;
/// Names of the operations, by their numbers. New-Orders that are taken back are counted apart: only those that are
/// committed make the figure of TPC-C.
pub(super) const OPERATIONS: [&str; 6] =
    ["new-order", "payment", "order-status", "delivery", "stock-level", "rollback"];
/// How often a transaction that the server gave up because of others is tried, with the same inputs.
const TRIES: u32 = 100;
/// A serialisation failure and a deadlock: nobody is to blame for them.
///
/// MySQL has the SQLSTATE of the first for a deadlock; numbers for a lock that was waited for too long, and for a row that
/// changed since it was read.
const TRY_AGAIN: [&str; 4] = ["40001", "40P01", "1205", "1020"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Opening,
    Working,
    Committing,
    RollingBack,
    /// Taking back what the server gave up.
    Resetting,
}

#[derive(Debug)]
struct Execution {
    transaction: Box<dyn Transaction>,
    operation: usize,
    home: usize,
    stage: Stage,
    tries: u32,
    /// What is to be sent yet for the statement, the next last.
    rest: Vec<Command>,
}

/// What a terminal's user will ask for when it has typed.
#[derive(Debug)]
struct Planned {
    kind: Kind,
}

#[derive(Debug)]
pub(super) struct Worker {
    shared: Arc<Tpcc>,
    random: Random,
    /// By terminal; without terminals there is one, number 0.
    decks: HashMap<usize, Deck>,
    planned: HashMap<usize, Planned>,
    /// What a terminal did last.
    last: HashMap<usize, Kind>,
    executions: Units<Execution>,
    account: Account,
}

impl Worker {
    pub(super) fn new(shared: Arc<Tpcc>, thread: usize) -> Self {
        let random = Random::stream(shared.seed, thread);
        let account = Account::new(usize::try_from(shared.warehouses).unwrap_or(0));
        Self {
            shared,
            random,
            decks: HashMap::new(),
            planned: HashMap::new(),
            last: HashMap::new(),
            executions: Units::new(),
            account,
        }
    }

    fn next_kind(&mut self, connection: usize) -> Kind {
        let place = if self.shared.terminals { connection } else { 0 };
        self.decks.entry(place).or_default().next(&mut self.random)
    }

    /// Warehouse and district of who asks: those of the terminal, or any.
    fn home(&mut self, connection: usize) -> (i64, i64) {
        if self.shared.terminals {
            let warehouse = (connection / TERMINALS) as u64 % self.shared.warehouses.cast_unsigned();
            let district = i64::try_from(connection % TERMINALS).unwrap_or(0);
            return (warehouse.cast_signed() + 1, district % DISTRICTS + 1);
        }
        (self.random.between(1, self.shared.warehouses), self.random.between(1, DISTRICTS))
    }

    fn transaction(&mut self, kind: Kind, home: (i64, i64)) -> (usize, Box<dyn Transaction>) {
        let (random, constants, warehouses) =
            (&mut self.random, self.shared.constants, self.shared.warehouses);
        match kind {
            Kind::NewOrder => {
                let order = NewOrder::draw(random, constants, home.0, warehouses);
                (if order.is_rolled_back() { 5 } else { 0 }, Box::new(order))
            }
            Kind::Payment => (1, Box::new(Payment::draw(random, constants, home.0, warehouses))),
            Kind::OrderStatus => (2, Box::new(OrderStatus::draw(random, constants, home.0))),
            Kind::Delivery => (3, Box::new(Delivery::draw(random, home.0))),
            Kind::StockLevel => (4, Box::new(StockLevel::draw(random, home.0, home.1))),
        }
    }

    fn send(&self, execution: &mut Execution, statement: Statement, values: Vec<Parameter>) -> Next {
        let mut commands = self.shared.commands(statement, values);
        commands.reverse();
        let first = commands.pop();
        execution.rest = commands;
        first.map_or_else(Next::unknown_unit, Next::Send)
    }

    fn ask(&self, execution: &mut Execution, stage: Stage, statement: Statement) -> Next {
        execution.stage = stage;
        self.send(execution, statement, Vec::new())
    }

    fn open_anew(&self, execution: &mut Execution) -> Next {
        let opening = execution.transaction.opening();
        self.ask(execution, Stage::Opening, opening)
    }

    fn answered(&mut self, execution: &mut Execution, reply: &Reply<'_>, open: bool) -> Next {
        if let Reply::Error { code, text } = reply {
            if TRY_AGAIN.contains(code) && execution.tries < TRIES {
                self.account.retried(code);
                execution.rest.clear();
                execution.tries += 1;
                execution.transaction.restart();
                return if open {
                    self.ask(execution, Stage::Resetting, Statement::RollBack)
                } else {
                    self.open_anew(execution)
                };
            }
            self.account.unknown += 1;
            let name = OPERATIONS[execution.operation];
            return Next::Done(Outcome::Failed(format!("{name}: {text} ({code})")));
        }
        if let Some(command) = execution.rest.pop() {
            if matches!(reply, Reply::Count(0)) {
                self.account.unknown += 1;
                let name = OPERATIONS[execution.operation];
                return Next::Done(Outcome::Wrong(format!(
                    "{name}: a row that must be there was not changed"
                )));
            }
            return Next::Send(command);
        }
        let told = match execution.stage {
            Stage::Opening => None,
            Stage::Working => Some(reply),
            Stage::Resetting => return self.open_anew(execution),
            Stage::Committing | Stage::RollingBack => {
                if execution.transaction.ended() {
                    return self.open_anew(execution);
                }
                execution.transaction.count(&mut self.account);
                self.account.home[execution.home] += 1;
                return Next::Done(Outcome::Right { verified: 0 });
            }
        };
        match execution.transaction.go_on(told) {
            Ok(Move::Ask(statement, values)) => {
                execution.stage = Stage::Working;
                self.send(execution, statement, values)
            }
            Ok(Move::Commit) => self.ask(execution, Stage::Committing, Statement::Commit),
            Ok(Move::RollBack) => self.ask(execution, Stage::RollingBack, Statement::RollBack),
            Err(why) => {
                self.account.unknown += 1;
                Next::Done(Outcome::Wrong(format!("{}: {why}", OPERATIONS[execution.operation])))
            }
        }
    }
}

impl Workload for Worker {
    fn operations(&self) -> &[String] {
        &self.shared.operations
    }

    fn statements(&self) -> &[PreparedStatement] {
        &self.shared.statements
    }

    fn pause(&mut self, connection: usize) -> Option<Pause> {
        if !self.shared.terminals {
            return None;
        }
        let kind = self.next_kind(connection);
        let last = self.last.remove(&connection);
        // A run finds its terminals at work: nobody has typed for as long as all others when it begins.
        let thinking_s = last.unwrap_or(kind).think_s(&mut self.random);
        let keying_s = kind.keying_s();
        if let Some(last) = last {
            self.account.thought(last, thinking_s);
        }
        self.planned.insert(connection, Planned { kind });
        // The user of a Delivery is answered as soon as it is queued: what comes of it is not waited for.
        Some(Pause { time: seconds(thinking_s + keying_s), since_sent: last == Some(Kind::Delivery) })
    }

    fn begin(&mut self, connection: usize) -> (usize, Unit, Next) {
        let planned = self.planned.remove(&connection).map(|planned| planned.kind);
        let kind = planned.unwrap_or_else(|| self.next_kind(connection));
        if self.shared.terminals {
            self.last.insert(connection, kind);
            self.account.typed(kind, kind.keying_s());
        }
        let home = self.home(connection);
        let (operation, transaction) = self.transaction(kind, home);
        let opening = transaction.opening();
        let home = usize::try_from(home.0 - 1).unwrap_or(0);
        let mut execution =
            Execution { transaction, operation, home, stage: Stage::Opening, tries: 0, rest: Vec::new() };
        let next = self.send(&mut execution, opening, Vec::new());
        (operation, self.executions.begin(execution), next)
    }

    fn reply(&mut self, unit: &Unit, reply: &Reply<'_>, open: bool) -> Next {
        let Some(mut execution) = self.executions.take(unit) else { return Next::unknown_unit() };
        let next = self.answered(&mut execution, reply, open);
        if !matches!(next, Next::Done(_)) {
            self.executions.keep(unit, execution);
        }
        next
    }

    fn wake(&mut self, _: &Unit) -> Next {
        Next::unknown_unit()
    }

    fn lost(&mut self, unit: Unit) {
        if self.executions.take(&unit).is_some() {
            self.account.unknown += 1;
        }
    }

    fn finish(self: Box<Self>) {
        self.shared.join(&self.account);
    }
}
