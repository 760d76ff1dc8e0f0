//! What the built-in scripts that write leave behind: a row of `pgbench_history` for each transaction, and balances that
//! are its sums.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::workload::durability::{Account, Examiner, unreadable};
use crate::workload::message::{Command, Reply, Rows};

use super::Scripts;
use super::value::Value;

/// Rows that are asked for at once, about.
const PAGE: u64 = 20_000;
const COLUMNS: [&str; 4] = ["aid", "bid", "tid", "delta"];

/// What one transaction writes: account, branch, teller, amount.
pub(crate) type Entry = [i32; 4];

/// Transactions of a run.
#[derive(Debug)]
pub(crate) struct History {
    /// Whether the tables were made by weigh, so that all that is in them is of this run.
    whole: bool,
    /// Numbers of the variables.
    variables: [usize; 4],
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    acknowledged: Vec<Entry>,
    /// Their commit was sent and never answered.
    unanswered: Vec<Entry>,
}

impl History {
    /// Of scripts whose variables have these numbers.
    pub(crate) fn new(whole: bool, variable: impl Fn(&str) -> Option<usize>) -> Option<Self> {
        let mut variables = [0; 4];
        for (place, name) in variables.iter_mut().zip(COLUMNS) {
            *place = variable(name)?;
        }
        Some(Self { whole, variables, entries: Mutex::default() })
    }

    /// A transaction ended: it was acknowledged, or its commit never answered.
    pub(crate) fn note(&self, variables: &[Option<Value>], acknowledged: bool) {
        let mut entry = [0; 4];
        for (cell, number) in entry.iter_mut().zip(self.variables) {
            let Some(Some(Value::Int(value))) = variables.get(number) else { return };
            *cell = i32::try_from(*value).unwrap_or(i32::MAX);
        }
        let mut entries = self.entries();
        if acknowledged {
            entries.acknowledged.push(entry);
        } else {
            entries.unanswered.push(entry);
        }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
enum Question {
    /// How many rows the history has.
    Count,
    /// The rows whose account has this remainder.
    Rows { remainder: u64, of: u64 },
    /// How many rows of a table have a balance that is not the sum of their history.
    Balances { table: &'static str, key: &'static str, balance: &'static str },
}

/// Reads the history and the balances.
pub(super) struct Transactions {
    acknowledged: HashMap<Entry, u64>,
    unanswered: HashMap<Entry, u64>,
    whole: bool,
    questions: VecDeque<Question>,
    asked: Option<Question>,
    account: Account,
}

impl Transactions {
    /// Of these scripts, if they keep a history.
    pub(super) fn of(scripts: &Scripts) -> Option<Self> {
        let history = scripts.history.as_ref()?;
        let count = |entries: &[Entry]| {
            let mut counted: HashMap<Entry, u64> = HashMap::new();
            for entry in entries {
                *counted.entry(*entry).or_default() += 1;
            }
            counted
        };
        let entries = history.entries();
        let account = Account {
            acknowledged: entries.acknowledged.len() as u64,
            unanswered: entries.unanswered.len() as u64,
            ..Account::of("transactions")
        };
        let mut questions = VecDeque::from([Question::Count]);
        if history.whole {
            questions.push_back(Question::Balances { table: "accounts", key: "aid", balance: "abalance" });
            // Another script changes accounts and the history alone.
            if scripts.runs_only("tpcb-like") {
                questions.push_back(Question::Balances { table: "tellers", key: "tid", balance: "tbalance" });
                questions.push_back(Question::Balances {
                    table: "branches",
                    key: "bid",
                    balance: "bbalance",
                });
            }
        }
        Some(Self {
            acknowledged: count(&entries.acknowledged),
            unanswered: count(&entries.unanswered),
            whole: history.whole,
            questions,
            asked: None,
            account,
        })
    }

    fn rows(&mut self, rows: &Rows<'_>) -> Result<(), (String, String)> {
        for row in 0..rows.count() {
            let mut entry = [0; 4];
            for (column, cell) in entry.iter_mut().enumerate() {
                let text = rows.get(row, column).and_then(|text| std::str::from_utf8(text).ok());
                let value = text.and_then(|text| text.parse().ok());
                *cell = value
                    .ok_or_else(|| (String::new(), "a row of pgbench_history cannot be read".to_owned()))?;
            }
            self.account.rows += 1;
            if take(&mut self.acknowledged, &entry) {
                continue;
            }
            if take(&mut self.unanswered, &entry) {
                self.account.found += 1;
            } else if self.whole {
                self.account.strange += 1;
                self.account.say(|| format!("pgbench_history has {}, which nobody wrote", words(&entry)));
            }
        }
        Ok(())
    }
}

/// Takes one out, if there is any.
fn take(counted: &mut HashMap<Entry, u64>, entry: &Entry) -> bool {
    let Some(number) = counted.get_mut(entry) else { return false };
    *number -= 1;
    if *number == 0 {
        counted.remove(entry);
    }
    true
}

fn words(entry: &Entry) -> String {
    let [aid, bid, tid, delta] = entry;
    format!("aid {aid}, bid {bid}, tid {tid}, delta {delta}")
}

impl Examiner for Transactions {
    fn next(&mut self) -> Option<Command> {
        self.asked = self.questions.pop_front();
        Some(Command::Simple(match self.asked? {
            Question::Count => "SELECT count(*) FROM pgbench_history".to_owned(),
            Question::Rows { remainder, of } => {
                format!("SELECT {} FROM pgbench_history WHERE aid % {of} = {remainder}", COLUMNS.join(", "))
            }
            Question::Balances { table, key, balance } => format!(
                "SELECT count(*) FROM (SELECT {key} AS k, sum(delta) AS b FROM pgbench_history GROUP BY {key}) h \
                 FULL JOIN (SELECT {key} AS k, {balance} AS b FROM pgbench_{table} WHERE {balance} <> 0) t USING (k) \
                 WHERE coalesce(h.b, 0) <> coalesce(t.b, 0)"
            ),
        }))
    }

    fn reply(&mut self, reply: &Reply<'_>) -> Result<(), (String, String)> {
        let Reply::Rows(rows) = reply else { return Err(unreadable(reply)) };
        let number = || {
            let text = rows.get(0, 0).and_then(|text| std::str::from_utf8(text).ok());
            text.and_then(|text| text.parse::<u64>().ok()).ok_or_else(|| unreadable(reply))
        };
        match self.asked {
            None => {}
            Some(Question::Count) => {
                let of = number()? / PAGE + 1;
                for remainder in (0..of).rev() {
                    self.questions.push_front(Question::Rows { remainder, of });
                }
            }
            Some(Question::Rows { .. }) => self.rows(rows)?,
            Some(Question::Balances { table, balance, .. }) => {
                let torn = number()?;
                self.account.torn += torn;
                if torn > 0 {
                    self.account.say(|| {
                        format!("in {torn} rows of pgbench_{table} {balance} is not the sum of their history")
                    });
                }
            }
        }
        Ok(())
    }

    fn account(mut self: Box<Self>) -> Account {
        self.account.lost = self.acknowledged.values().sum();
        if let Some(entry) = self.acknowledged.keys().min() {
            let text = words(entry);
            self.account.say(|| format!("the acknowledged transaction of {text} is not in pgbench_history"));
        }
        self.account
    }
}
