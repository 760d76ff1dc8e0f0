//! Reading back what a server has, and comparing it with what it acknowledged.
//!
//! A write that was acknowledged must be there, unless another one came after it. One that was sent and never answered
//! may be there or not. What is there is known then: a workload that goes on after it expects that, and no more.

use serde::Serialize;

use super::message::{Command, Reply};

/// Examples that are kept of what is wrong.
const SHOWN: usize = 20;

/// What is read, command by command. Nothing may be in flight meanwhile.
pub trait Examiner: Send {
    /// What to ask next; nothing at the end.
    fn next(&mut self) -> Option<Command>;

    /// Takes the answer.
    ///
    /// # Errors
    ///
    /// It is none that can be compared: its code, and its text.
    fn reply(&mut self, reply: &Reply<'_>) -> Result<(), (String, String)>;

    /// What was found.
    fn account(self: Box<Self>) -> Account;
}

/// What a server has of what it was sent since the data were loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Account {
    /// What is counted: `writes`, or `transactions`.
    pub unit: &'static str,
    /// Rows that were read.
    pub rows: u64,
    /// Of what was sent, acknowledged, or seen by a read.
    pub acknowledged: u64,
    /// Acknowledged, and neither there nor replaced by what came later.
    pub lost: u64,
    /// Sent and never answered.
    pub unanswered: u64,
    /// Of these, there.
    pub found: u64,
    /// Rows that had been there, or whose insert was acknowledged, and are gone.
    pub missing: u64,
    /// Rows that hold what no write wrote as a whole.
    pub torn: u64,
    /// Rows that nobody wrote.
    pub strange: u64,
    /// The first of what is wrong, in words.
    pub said: Vec<String>,
}

impl Account {
    /// Of so many kinds of work, nothing read yet.
    pub(crate) fn of(unit: &'static str) -> Self {
        Self { unit, ..Self::default() }
    }

    /// Keeps what is wrong, if there is room.
    pub(crate) fn say(&mut self, text: impl FnOnce() -> String) {
        if self.said.len() < SHOWN {
            self.said.push(text());
        }
    }
}

/// An answer that cannot be compared.
pub(crate) fn unreadable(reply: &Reply<'_>) -> (String, String) {
    match reply {
        Reply::Error { code, text } => ((*code).to_owned(), (*text).to_owned()),
        _ => (String::new(), "the server sent something else than the rows that were asked for".to_owned()),
    }
}
