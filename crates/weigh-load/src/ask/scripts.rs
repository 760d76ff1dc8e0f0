//! Every statement of the scripts, asked with a few sets of parameters, and rolled back.

use serde::Serialize;

use crate::Error;
use crate::config::{Config, TargetKind};
use crate::error::Asked;
use crate::workload::message::{Command, Parameter, PreparedStatement, Reply};
use crate::workload::{Next, Outcome, Scripted};

use super::answer::{Answer, answer};
use super::link::{Link, with};

/// Bytes of an answer that are kept.
const MOST: usize = 64 << 10;
/// Statements of one run of a script: one that jumps in a circle would have no end. (There is no way to write one.)
const LONGEST: usize = 100_000;

/// A statement that was asked once.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answered {
    /// The name of its script.
    pub script: String,
    /// Where it begins there.
    pub line: usize,
    /// The number of the set of parameters, from 1.
    pub set: usize,
    /// As it was sent.
    pub statement: String,
    /// Its parameters as text.
    pub parameters: Vec<Option<String>>,
    /// What was answered.
    pub answer: Answer,
}

/// Runs each script `sets` times over one connection, each in a transaction that is rolled back: what a script itself
/// says of transactions is left out, and its pauses, too. An error ends that run of the script. `going_on` is asked
/// before each.
///
/// # Errors
///
/// The server cannot be reached, refuses the login or a statement, or does not answer in time.
pub fn ask(config: &Config, sets: usize, going_on: &mut dyn FnMut() -> bool) -> Result<Vec<Answered>, Error> {
    // Of its own: what it draws is not drawn from what the run will.
    let source = config.source()?;
    let Some(mut scripted) = source.scripted() else { return Ok(Vec::new()) };
    let statements = scripted.statements().to_vec();
    with(&config.target, &statements, config.timeout(), |link| {
        let mut found = Vec::new();
        for set in 1..=sets {
            for script in 0..scripted.operations().len() {
                going_on().then_some(()).ok_or(Error::Interrupted)?;
                // CQL has no transactions: who asks it knows that it only reads.
                let transactions = config.target.kind != TargetKind::Cql;
                if transactions {
                    plainly(link, "BEGIN")?;
                }
                let asked = once(link, &mut *scripted, &statements, (script, set), &mut found);
                if transactions {
                    plainly(link, "ROLLBACK")?;
                }
                asked?;
            }
        }
        Ok(found)
    })
}

fn once(
    link: &mut dyn Link,
    scripted: &mut dyn Scripted,
    statements: &[PreparedStatement],
    (script, set): (usize, usize),
    found: &mut Vec<Answered>,
) -> Result<(), Error> {
    // A connection of its own number: nothing is left of the variables of the one before.
    let (unit, mut next) = scripted.begin_script(script, set);
    for _ in 0..LONGEST {
        next = match next {
            Next::Done(Outcome::Failed(_) | Outcome::Right { .. } | Outcome::Wrong(_) | Outcome::Missing) => {
                return Ok(());
            }
            Next::Sleep(_) => scripted.wake(&unit),
            Next::Send(command) => {
                let Some(at) = scripted.at(&unit) else { return Ok(()) };
                if ends_or_begins(&at.text) {
                    scripted.reply(&unit, &Reply::Count(0), false)
                } else {
                    link.ask(&command)?;
                    let (statement, parameters) = written(&command, statements);
                    let answer = answer(&link.reply(), link.types(), MOST);
                    found.push(Answered {
                        script: at.script,
                        line: at.line,
                        set,
                        statement,
                        parameters,
                        answer,
                    });
                    scripted.reply(&unit, &link.reply(), false)
                }
            }
        };
    }
    Ok(())
}

/// A statement without parameters, which must not fail.
fn plainly(link: &mut dyn Link, statement: &str) -> Result<(), Error> {
    link.ask(&Command::Simple(statement.to_owned()))?;
    match link.reply() {
        Reply::Error { code, text } => Err(Error::Refused {
            asked: Asked::Execute(statement.to_owned()),
            code: code.to_owned(),
            message: text.to_owned(),
            remedy: None,
        }),
        _ => Ok(()),
    }
}

/// A command as text, and its parameters.
pub(super) fn written(command: &Command, statements: &[PreparedStatement]) -> (String, Vec<Option<String>>) {
    match command {
        Command::Simple(text) => (text.clone(), Vec::new()),
        Command::Unnamed { text, values } => (text.clone(), values.clone()),
        Command::Prepared { statement, values } => {
            let text = statements.get(*statement).map_or(String::new(), |one| one.text.clone());
            (text, values.iter().map(shown).collect())
        }
        // No script sends them.
        Command::Keyed(_) | Command::Batch(_) => (String::new(), Vec::new()),
    }
}

fn shown(value: &Parameter) -> Option<String> {
    Some(match value {
        Parameter::Null => return None,
        Parameter::Int(number) => number.to_string(),
        Parameter::Float(number) => number.to_string(),
        Parameter::Bool(truth) => truth.to_string(),
        Parameter::Text(text) => String::from_utf8_lossy(text).into_owned(),
    })
}

/// Whether a statement begins or ends a transaction. To a savepoint it may go back.
fn ends_or_begins(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default().to_ascii_uppercase();
    match first.as_str() {
        "BEGIN" | "START" | "COMMIT" | "END" | "ABORT" => true,
        "ROLLBACK" => !words.any(|word| word.eq_ignore_ascii_case("TO")),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_are_known_by_their_first_word() {
        for text in ["begin", "START TRANSACTION", "END", "Commit and chain", "rollback"] {
            assert!(ends_or_begins(text), "{text}");
        }
        for text in
            ["SELECT 1", "SAVEPOINT a", "ROLLBACK TO a", "ROLLBACK TRANSACTION TO SAVEPOINT a", "endless"]
        {
            assert!(!ends_or_begins(text), "{text}");
        }
    }
}
