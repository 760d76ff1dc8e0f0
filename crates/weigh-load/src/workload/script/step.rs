//! What a script is made of.

use super::expression::Expression;
use super::statement::Statement;

/// One step of a script. Targets are numbers of steps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// `\set`
    Set { variable: usize, value: Expression, line: usize },
    /// SQL, and the prefix of the variables that take its row.
    Sql { statement: Statement, gset: Option<String>, line: usize },
    /// `\sleep`, with seconds in a unit.
    Sleep { amount: Expression, unit: f64, line: usize },
    /// Goes on at `target` unless the condition holds.
    Unless { condition: Expression, target: usize, line: usize },
    /// Goes on at `target`.
    Jump { target: usize },
}
