//! What the five transactions have in common.

use std::fmt::Debug;

use crate::workload::message::{Parameter, Reply};

use super::account::Account;
use super::statements::Statement;

/// What a transaction does next.
#[derive(Debug)]
pub(super) enum Move {
    /// Asks the server.
    Ask(Statement, Vec<Parameter>),
    /// Ends with what it did.
    Commit,
    /// Takes back what it did, as it is meant to.
    RollBack,
}

/// One business transaction, with its inputs: it can be tried again from its beginning.
pub(super) trait Transaction: Debug + Send {
    /// The statement that begins it.
    fn opening(&self) -> Statement {
        Statement::Begin
    }

    /// Forgets what the server said in the attempt before.
    fn restart(&mut self);

    /// What follows from an answer that is no error; from none, at the beginning.
    ///
    /// # Errors
    ///
    /// The answer cannot be right: why.
    fn go_on(&mut self, reply: Option<&Reply<'_>>) -> Result<Move, String>;

    /// A database transaction of it is over. Whether another one follows.
    fn ended(&mut self) -> bool {
        false
    }

    /// Counts it: all of it is over, and the server did what it was asked for.
    fn count(&self, account: &mut Account);
}

/// A number as a parameter.
pub(super) fn int(number: i64) -> Parameter {
    Parameter::Int(number)
}

/// Text as a parameter.
pub(super) fn text(value: impl Into<String>) -> Parameter {
    Parameter::Text(value.into().into_bytes())
}

/// An amount of money in cents, in the form of a decimal number.
pub(super) fn money(cents: i64) -> Parameter {
    text(decimal(cents))
}

/// The same, as text.
pub(super) fn decimal(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// The text in a column of a row.
pub(super) fn column<'a>(reply: Option<&Reply<'a>>, row: usize, column: usize) -> Option<&'a str> {
    let Some(Reply::Rows(rows)) = reply else { return None };
    rows.get(row, column).and_then(|bytes| std::str::from_utf8(bytes).ok())
}

/// How many rows an answer has.
pub(super) fn rows(reply: Option<&Reply<'_>>) -> usize {
    if let Some(Reply::Rows(rows)) = reply { rows.count() } else { 0 }
}

/// The whole number in the first column of the only row.
pub(super) fn only(reply: Option<&Reply<'_>>, what: &str) -> Result<i64, String> {
    one_row(reply, what)?;
    let found = column(reply, 0, 0).and_then(|text| text.parse().ok());
    found.ok_or_else(|| format!("{what}: no whole number"))
}

/// That an answer has one row.
pub(super) fn one_row(reply: Option<&Reply<'_>>, what: &str) -> Result<(), String> {
    match rows(reply) {
        1 => Ok(()),
        other => Err(format!("{what}: {other} rows instead of 1")),
    }
}

/// That a statement changed so many rows.
pub(super) fn changed(reply: Option<&Reply<'_>>, wanted: u64, what: &str) -> Result<(), String> {
    match reply {
        Some(Reply::Count(count)) if *count == wanted => Ok(()),
        Some(Reply::Count(count)) => Err(format!("{what}: {count} rows changed instead of {wanted}")),
        _ => Err(format!("{what}: no number of rows")),
    }
}

/// Which of the customers of one name is meant: the one in the middle, rounded up (clause 2.5.2.2).
pub(super) fn middle(reply: Option<&Reply<'_>>, what: &str) -> Result<usize, String> {
    rows(reply)
        .checked_add(1)
        .map(|count| count / 2)
        .and_then(|place| place.checked_sub(1))
        .ok_or_else(|| format!("{what}: no customer of that name"))
}
