//! One thread's share of a run, and what it writes down.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde::Serialize;
use weigh_isolation::{History, Operation, Outcome as Ended};

use crate::random::Random;
use crate::workload::message::{Command, Parameter, PreparedStatement, Reply};
use crate::workload::units::{Unit, Units};
use crate::workload::{Next, Outcome, Workload};

use super::Isolation;
use super::keys::{high, is_register, within};
use super::plan::{self, Planned};
use super::statements::{APPEND, COMMIT, OPEN, RANGE, READ, ROLL_BACK, WRITE};

/// Names of the operations, by their numbers.
pub(super) const OPERATIONS: [&str; 1] = ["transaction"];
/// How often a transaction that the server gave up because of others is tried.
const TRIES: usize = 100;
/// The same where a lock of SQLite was in the way, which no server puts in order: minutes.
const TRIES_OF_LOCKS: usize = 1000;
/// How long is waited before another attempt where a lock of SQLite was in the way: up to so many of these, and up to
/// twice as many after every ten attempts, four times at most: who is unlucky among many connections is late, and has no error.
const PAUSE: Duration = Duration::from_millis(1);
const SPREAD: u64 = 20;
const SOONER: usize = 10;
const DOUBLED: usize = 4;
/// Processes of one connection: after an outcome that nobody knows it is another one, as Elle has it.
const PROCESSES: u32 = 1_000_000;

/// What becomes of the transactions beside their times.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Account {
    /// Attempts that the server gave up because of others, by its code.
    retries: BTreeMap<String, u64>,
}

impl Account {
    pub(super) fn add(&mut self, other: &Self) {
        for (code, many) in &other.retries {
            *self.retries.entry(code.clone()).or_default() += many;
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Opening(usize),
    Working,
    Committing,
    /// Taking back what failed; then once more, after so long.
    Resetting(Duration),
}

/// An attempt that is over, and when it was is not known yet.
#[derive(Debug)]
struct Over {
    outcome: Ended,
    level: Option<u8>,
    operations: Vec<Operation>,
}

#[derive(Debug)]
struct Execution {
    connection: usize,
    plan: Vec<Planned>,
    /// How many statements of it were sent.
    sent: usize,
    stage: Stage,
    level: Option<u8>,
    operations: Vec<Operation>,
    tries: usize,
}

/// What a connection has written down.
#[derive(Debug, Default)]
struct Process {
    /// Attempts of the unit that has just ended.
    over: Vec<Over>,
    /// How many of its transactions ended so that nobody knows how.
    unknown: u32,
    /// Nanoseconds since the run began at which its last transaction was over.
    last: u64,
}

#[derive(Debug)]
pub(super) struct Worker {
    shared: Arc<Isolation>,
    random: Random,
    executions: Units<Execution>,
    processes: HashMap<usize, Process>,
    history: History,
    account: Account,
}

impl Worker {
    pub(super) fn new(shared: Arc<Isolation>, thread: usize) -> Self {
        let random = Random::stream(shared.seed, thread);
        Self {
            shared,
            random,
            executions: Units::new(),
            processes: HashMap::new(),
            history: History::default(),
            account: Account::default(),
        }
    }

    /// What comes next of a transaction that goes on.
    fn go_on(&mut self, execution: &mut Execution) -> Next {
        execution.stage = Stage::Working;
        let planned = execution.plan.get(execution.sent).copied();
        execution.sent += 1;
        match planned {
            None => {
                execution.stage = Stage::Committing;
                send(COMMIT, Vec::new())
            }
            Some(Planned::Read(key)) => {
                execution.operations.push(if is_register(key) {
                    Operation::Register { key, value: None }
                } else {
                    Operation::List { key, list: None }
                });
                send(READ, vec![Parameter::Int(i64::from(key))])
            }
            Some(Planned::Range(low)) => {
                execution.operations.extend(within(low).map(|key| Operation::List { key, list: None }));
                send(RANGE, vec![Parameter::Int(i64::from(low)), Parameter::Int(i64::from(high(low)))])
            }
            Some(Planned::Write(key)) => {
                let (key, element) =
                    self.shared.keys.lock().unwrap_or_else(PoisonError::into_inner).element(key);
                // Before it is sent: whatever comes of it, it may be there.
                let (operation, statement) = if is_register(key) {
                    (Operation::Write { key, value: element }, WRITE)
                } else {
                    (Operation::Append { key, element }, APPEND)
                };
                execution.operations.push(operation);
                let text = element.to_string().into_bytes();
                send(statement, vec![Parameter::Int(i64::from(key)), Parameter::Text(text)])
            }
        }
    }

    /// Opens a transaction; there may be several statements to it.
    fn open(&self, execution: &mut Execution, place: usize) -> Option<Next> {
        (OPEN + place < self.shared.dialect.statements.len()).then(|| {
            execution.stage = Stage::Opening(place);
            send(OPEN + place, Vec::new())
        })
    }

    /// The same, after so long.
    fn open_after(&self, execution: &mut Execution, wait: Duration) -> Next {
        if wait.is_zero() {
            return self.open(execution, 0).unwrap_or_else(Next::unknown_unit);
        }
        execution.stage = Stage::Opening(0);
        Next::Sleep(wait)
    }

    /// The attempt is over.
    fn over(&mut self, execution: &mut Execution, outcome: Ended) {
        let operations = std::mem::take(&mut execution.operations);
        execution.sent = 0;
        let one = Over { outcome, level: execution.level.take(), operations };
        self.processes.entry(execution.connection).or_default().over.push(one);
    }

    fn answered(&mut self, execution: &mut Execution, reply: &Reply<'_>, open: bool) -> Next {
        if let Reply::Error { code, text } = reply {
            return self.refused(execution, code, text, open);
        }
        match execution.stage {
            Stage::Opening(place) => {
                let next = self.open(execution, place + 1);
                next.unwrap_or_else(|| self.go_on(execution))
            }
            Stage::Working => match self.read(execution, reply) {
                Ok(()) => self.go_on(execution),
                Err(why) => {
                    self.over(execution, Ended::Aborted);
                    Next::Done(Outcome::Wrong(why))
                }
            },
            Stage::Resetting(wait) => self.open_after(execution, wait),
            Stage::Committing => {
                self.over(execution, Ended::Committed);
                Next::Done(Outcome::Right { verified: 0 })
            }
        }
    }

    /// What a read was answered.
    fn read(&mut self, execution: &mut Execution, reply: &Reply<'_>) -> Result<(), String> {
        let of_range = matches!(execution.plan[execution.sent - 1], Planned::Range(_));
        for operation in &mut execution.operations {
            let (Operation::List { key, list: None } | Operation::Register { key, value: None }) = *operation
            else {
                continue;
            };
            let Reply::Rows(rows) = reply else {
                return Err(format!("the key {key} was not answered with a row"));
            };
            let name = key.to_string();
            let row = if of_range {
                (0..rows.count()).find(|row| rows.get(*row, 0) == Some(name.as_bytes()))
            } else {
                Some(0)
            };
            let text = row.and_then(|row| rows.get(row, usize::from(of_range)));
            let elements = elements(key, text.unwrap_or(b""))?;
            match operation {
                Operation::Register { value, .. } => *value = Some(elements.last().copied()),
                Operation::List { list, .. } => *list = Some(self.history.keep(elements)),
                _ => {}
            }
            let level =
                rows.count().checked_sub(1).and_then(|last| rows.get(last, 1 + usize::from(of_range)));
            if let Some(level) = level.and_then(|name| std::str::from_utf8(name).ok()) {
                execution.level = self.history.level(level);
            }
        }
        Ok(())
    }

    fn refused(&mut self, execution: &mut Execution, code: &str, text: &str, open: bool) -> Next {
        let others = is_of_others(code);
        match execution.stage {
            // What a server answers to COMMIT otherwise may come after it has committed.
            Stage::Committing if !others && !is_definite(code) => {
                self.over(execution, Ended::Unknown);
                return Next::Done(Outcome::Failed(format!("COMMIT: {text} ({code})")));
            }
            Stage::Resetting(_) => {}
            _ => self.over(execution, Ended::Aborted),
        }
        let of_sqlite = code.starts_with("SQLITE");
        if others && execution.tries < if of_sqlite { TRIES_OF_LOCKS } else { TRIES } {
            *self.account.retries.entry(code.to_owned()).or_default() += 1;
            execution.tries += 1;
            // SQLite lets nobody wait who has read: whoever tries at once again is in the way of who holds the lock.
            let wait = if of_sqlite {
                let spread = SPREAD << (execution.tries / SOONER).min(DOUBLED);
                PAUSE * u32::try_from(self.random.below(spread)).unwrap_or(1)
            } else {
                Duration::ZERO
            };
            if open {
                execution.stage = Stage::Resetting(wait);
                return send(ROLL_BACK, Vec::new());
            }
            return self.open_after(execution, wait);
        }
        Next::Done(Outcome::Failed(format!("{text} ({code})")))
    }

    /// Writes down the attempts of a unit that was sent, and ended, at these moments.
    fn write_down(&mut self, connection: usize, sent: u64, done: u64) {
        let Some(process) = self.processes.get_mut(&connection) else { return };
        let many = process.over.len();
        let mut begun = sent.max(process.last + 1);
        for (place, one) in process.over.drain(..).enumerate() {
            // All that is known of attempts before the last is their order.
            let ended = if place + 1 == many { done.max(begun) } else { begun };
            let number = u32::try_from(connection).unwrap_or(0) + PROCESSES * process.unknown;
            process.unknown += u32::from(one.outcome == Ended::Unknown);
            self.history.add(number, (begun, ended), one.outcome, one.level, &one.operations);
            process.last = ended;
            begun = ended + 1;
        }
    }
}

/// The numbers that a row holds: of a list all that were appended, of a register the one that was written last.
fn elements(key: u32, text: &[u8]) -> Result<Vec<u32>, String> {
    let text = std::str::from_utf8(text).unwrap_or("?");
    let of = |element: &str| {
        element.parse().map_err(|_| format!("the key {key} holds '{element:.40}', which nobody wrote"))
    };
    let found = text.split(',').filter(|_| !text.is_empty()).map(of).collect::<Result<Vec<u32>, _>>()?;
    if is_register(key) && found.len() > 1 {
        return Err(format!("the register {key} holds '{text:.40}', which nobody wrote"));
    }
    Ok(found)
}

/// Nobody is to blame but others: a serialisation failure, a deadlock, a lock of SQLite; MySQL's wait for a lock that
/// took too long (1205), and MariaDB's record that has changed since its snapshot (1020).
fn is_of_others(code: &str) -> bool {
    matches!(code, "40001" | "40P01" | "1205" | "1020")
        || code.starts_with("SQLITE_BUSY")
        || code.starts_with("SQLITE_LOCKED")
}

/// A refused COMMIT that has left nothing behind: classes 23 and 40 of SQL, a constraint and a roll-back.
fn is_definite(code: &str) -> bool {
    code.starts_with("23") || (code.starts_with("40") && code != "40003")
}

fn send(statement: usize, values: Vec<Parameter>) -> Next {
    Next::Send(Command::Prepared { statement, values })
}

impl Workload for Worker {
    fn operations(&self) -> &[String] {
        &self.shared.operations
    }

    fn statements(&self) -> &[PreparedStatement] {
        &self.shared.dialect.statements
    }

    fn begin(&mut self, connection: usize) -> (usize, Unit, Next) {
        let plan =
            plan::draw(&self.shared.keys.lock().unwrap_or_else(PoisonError::into_inner), &mut self.random);
        let mut execution = Execution {
            connection,
            plan,
            sent: 0,
            stage: Stage::Opening(0),
            level: None,
            operations: Vec::new(),
            tries: 0,
        };
        let next = self.open(&mut execution, 0).unwrap_or_else(Next::unknown_unit);
        (0, self.executions.begin(execution), next)
    }

    fn reply(&mut self, unit: &Unit, reply: &Reply<'_>, open: bool) -> Next {
        let Some(mut execution) = self.executions.take(unit) else { return Next::unknown_unit() };
        let next = self.answered(&mut execution, reply, open);
        if !matches!(next, Next::Done(_)) {
            self.executions.keep(unit, execution);
        }
        next
    }

    fn wake(&mut self, unit: &Unit) -> Next {
        let Some(mut execution) = self.executions.take(unit) else { return Next::unknown_unit() };
        let next = self.open(&mut execution, 0).unwrap_or_else(Next::unknown_unit);
        self.executions.keep(unit, execution);
        next
    }

    fn timed(&mut self, connection: usize, sent: u64, done: u64) {
        self.write_down(connection, sent, done);
    }

    fn lost(&mut self, unit: Unit) {
        let Some(mut execution) = self.executions.take(&unit) else { return };
        // Without a COMMIT the server takes back what it has, whenever it notices.
        let outcome = if execution.stage == Stage::Committing { Ended::Unknown } else { Ended::Aborted };
        if !execution.operations.is_empty() {
            self.over(&mut execution, outcome);
        }
    }

    fn finish(mut self: Box<Self>) {
        // What was in flight when the run ended: nobody says when it began, and it was after the one before it.
        let left: Vec<usize> = self.processes.keys().copied().collect();
        for connection in left {
            self.write_down(connection, 0, 0);
        }
        self.shared.join(&self.history, &self.account);
    }
}

#[cfg(test)]
mod tests;
