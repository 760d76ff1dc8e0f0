//! SQL with variables in it.

use super::position::{Position, in_name};
use super::value::Value;
use super::variables::Variables;
use crate::workload::message::{Command, Parameter};

/// A part of a statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    Text(String),
    Variable { name: String, quoted: bool, position: Position },
}

/// A statement as it stands in a script.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Statement {
    pub(crate) pieces: Vec<Piece>,
}

/// A statement in the making.
#[derive(Debug, Default)]
pub(crate) struct Text {
    pieces: Vec<Piece>,
    /// The line of the first character that is not blank.
    line: Option<usize>,
}

impl Text {
    pub(crate) fn push(&mut self, c: char, position: Position) {
        if self.line.is_none() {
            if c.is_whitespace() {
                return;
            }
            self.line = Some(position.line);
        }
        match self.pieces.last_mut() {
            Some(Piece::Text(text)) => text.push(c),
            _ => self.pieces.push(Piece::Text(c.into())),
        }
    }

    pub(crate) fn variable(&mut self, name: &str, quoted: bool, position: Position) {
        self.line.get_or_insert(position.line);
        self.pieces.push(Piece::Variable { name: name.into(), quoted, position });
    }

    /// Whether a quote now would begin a string with backslash escapes: `E'...'`.
    pub(crate) fn ends_with_escape_prefix(&self) -> bool {
        let Some(Piece::Text(text)) = self.pieces.last() else { return false };
        let mut last = text.chars().rev();
        matches!(last.next(), Some('e' | 'E')) && !last.next().is_some_and(in_name)
    }

    /// Whether the last character belongs to a name, of which a dollar would be a part.
    pub(crate) fn ends_in_name(&self) -> bool {
        match self.pieces.last() {
            Some(Piece::Text(text)) => text.ends_with(in_name),
            Some(Piece::Variable { .. }) => true,
            None => false,
        }
    }

    /// Whether it is a batch of CQL that goes on: `BEGIN [UNLOGGED | COUNTER] BATCH`, without its `APPLY BATCH`.
    pub(crate) fn is_open_batch(&self) -> bool {
        let text = |piece: Option<&Piece>| match piece {
            Some(Piece::Text(text)) => text.to_ascii_uppercase(),
            _ => String::new(),
        };
        let first = text(self.pieces.first());
        let mut words = first.split_whitespace();
        let begins = words.next() == Some("BEGIN")
            && match words.next() {
                Some("UNLOGGED" | "COUNTER") => words.next() == Some("BATCH"),
                second => second == Some("BATCH"),
            };
        begins && {
            let last = text(self.pieces.last());
            let mut words = last.split_whitespace().rev();
            words.next() != Some("BATCH")
                || words.next().is_none_or(|word| word.trim_start_matches(';') != "APPLY")
        }
    }

    /// The line where it begins; nothing if it is blank.
    pub(crate) fn line(&self) -> Option<usize> {
        self.line
    }

    pub(crate) fn into_statement(mut self) -> Statement {
        if let Some(Piece::Text(text)) = self.pieces.last_mut() {
            text.truncate(text.trim_end().len());
        }
        Statement { pieces: self.pieces }
    }
}

/// How a statement is sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sending {
    /// Prepared: the number of the statement, and of the variables in it.
    Prepared { statement: usize, parameters: Vec<usize> },
    /// As text, in which variables are replaced.
    Simple { parts: Vec<Part> },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    Text(String),
    Variable(usize),
    /// Within quotes, where it may be none.
    Quoted(usize),
}

/// Takes a statement's text and the numbers of its variables, and tells the place of what is prepared.
type Preparing<'a> = &'a mut dyn FnMut(String, &[usize]) -> usize;

impl Statement {
    /// As it is written.
    pub(crate) fn text(&self) -> String {
        let part = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Variable { name, .. } => format!(":{name}"),
        };
        self.pieces.iter().map(part).collect()
    }

    /// Its text with the same in place of every variable.
    pub(crate) fn filled(&self, value: &str) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.as_str(),
            Piece::Variable { .. } => value,
        });
        pieces.collect()
    }

    /// How it is sent; `prepared` takes the text of a prepared statement and its parameters, and gives its number, or is
    /// nothing where statements are sent as text.
    ///
    /// A variable that stands for one text in the whole run is that text in a prepared statement, too: a table may have
    /// its name. A number below 0 gets brackets there, so that it stays one behind a minus and before a cast.
    /// A variable within quotes, or at the end of a name, cannot be a parameter: such a statement is sent as text. What
    /// looks like a variable within quotes, and has no value, is left as it is.
    pub(crate) fn sending(&self, names: &Variables, prepared: Option<Preparing<'_>>) -> Sending {
        let (mut parts, mut only_text) = (Vec::new(), false);
        let fixed = |number: usize| names.constant(number).filter(|_| prepared.is_some());
        for piece in &self.pieces {
            parts.push(match piece {
                Piece::Text(text) => Part::Text(text.clone()),
                Piece::Variable { name, quoted, .. } => match names.find(name) {
                    Some(number) if fixed(number).is_some() => {
                        let text = fixed(number).unwrap_or_default();
                        let negative = text.starts_with('-') && !quoted && Value::read(text).is_ok();
                        Part::Text(if negative { format!("({text})") } else { text.to_owned() })
                    }
                    Some(number) if !quoted => {
                        only_text |=
                            matches!(parts.last(), Some(Part::Text(text)) if text.ends_with(in_name));
                        Part::Variable(number)
                    }
                    Some(number) if names.is_set(name) || names.are_set_by_rows() => {
                        only_text = true;
                        Part::Quoted(number)
                    }
                    _ => Part::Text(format!(":{name}")),
                },
            });
        }
        let Some(prepare) = prepared.filter(|_| !only_text) else { return Sending::Simple { parts } };
        let (mut parameters, mut text) = (Vec::new(), String::new());
        for part in parts {
            match part {
                Part::Text(part) => text.push_str(&part),
                Part::Variable(number) | Part::Quoted(number) => {
                    parameters.push(number);
                    text.extend(["$", &parameters.len().to_string()]);
                }
            }
        }
        Sending::Prepared { statement: prepare(text, &parameters), parameters }
    }
}

impl Sending {
    /// The command with the values of a connection.
    pub(crate) fn command(&self, variables: &[Option<Value>], names: &Variables) -> Result<Command, String> {
        let value = |number: usize| {
            variables
                .get(number)
                .and_then(Option::as_ref)
                .ok_or_else(|| format!("variable {} has no value yet", names.text(number)))
        };
        match self {
            Self::Prepared { statement, parameters } => {
                let values = parameters.iter().map(|number| {
                    Ok(match value(*number)? {
                        Value::Null => Parameter::Null,
                        Value::Int(value) => Parameter::Int(*value),
                        Value::Float(value) => Parameter::Float(*value),
                        Value::Bool(value) => Parameter::Bool(*value),
                        Value::Text(text) => Parameter::Text(text.clone().into_bytes()),
                    })
                });
                let values = values.collect::<Result<Vec<Parameter>, String>>()?;
                Ok(Command::Prepared { statement: *statement, values })
            }
            Self::Simple { parts } => {
                let mut text = String::new();
                for part in parts {
                    match part {
                        Part::Text(part) => text.push_str(part),
                        Part::Variable(number) => text.push_str(&value(*number)?.text()),
                        Part::Quoted(number) => match value(*number) {
                            Ok(value) => text.push_str(&value.text()),
                            Err(_) => text.extend([":", names.text(*number)]),
                        },
                    }
                }
                Ok(Command::Simple(text))
            }
        }
    }
}
