//! Where in a script something is, and what is wrong there.

use crate::error::{Error, ScriptLine};

/// Line and column, counted from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// What is wrong with a script, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScriptError {
    pub(crate) position: Position,
    pub(crate) what: String,
}

impl ScriptError {
    pub(crate) fn new(position: Position, what: impl Into<String>) -> Self {
        Self { position, what: what.into() }
    }

    pub(crate) fn of(self, script: &str) -> Error {
        let at = ScriptLine { script: script.to_owned(), line: self.position.line };
        Error::Script { at, column: self.position.column, message: self.what }
    }
}

/// Reads a script character by character, and knows where it is.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a str,
    position: Position,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text, position: Position { line: 1, column: 1 } }
    }

    pub(crate) fn position(&self) -> Position {
        self.position
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.rest
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(crate) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = &self.rest[next.len_utf8()..];
        if next == '\n' {
            self.position = Position { line: self.position.line + 1, column: 1 };
        } else {
            self.position.column += 1;
        }
        Some(next)
    }

    /// Goes on behind `prefix`, if it is next.
    pub(crate) fn take(&mut self, prefix: &str) -> bool {
        let there = self.rest.starts_with(prefix);
        if there {
            for _ in prefix.chars() {
                self.next();
            }
        }
        there
    }

    /// Goes on to the first character that does not please, and returns what is before it.
    pub(crate) fn take_while(&mut self, pleases: impl Fn(char) -> bool) -> &'a str {
        let before = self.rest;
        while self.peek().is_some_and(&pleases) {
            self.next();
        }
        &before[..before.len() - self.rest.len()]
    }
}

/// Whether a name of a variable may go on with this character.
pub(crate) fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii()
}

/// Whether it may begin with it: not with a digit, so that a time of day such as 12:30 is none.
pub(crate) fn begins_name(c: char) -> bool {
    in_name(c) && !c.is_ascii_digit()
}
