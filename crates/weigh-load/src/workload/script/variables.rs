//! The variables of all scripts of a run, and their numbers.

use std::collections::HashMap;

use super::position::Position;

/// Names and their numbers, in the order in which they were met.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables {
    numbers: HashMap<String, usize>,
    known: Vec<Name>,
    /// Whether a script has `\gset`, which may set any name.
    rows: bool,
}

#[derive(Clone, Debug)]
struct Name {
    text: String,
    /// Whether something sets it.
    set: bool,
    /// Script, by its number, and position where it is used first, outside quotes.
    used: Option<(usize, Position)>,
    /// The text that it stands for in every statement, where nothing changes it.
    constant: Option<String>,
}

impl Variables {
    fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.known.len();
        self.numbers.insert(name.into(), number);
        self.known.push(Name { text: name.into(), set: false, used: None, constant: None });
        number
    }

    /// The number of a name that is set.
    pub(crate) fn set(&mut self, name: &str) -> usize {
        let number = self.number(name);
        self.known[number].set = true;
        number
    }

    /// The number of a name that is used in a script, which [`in_script`](Self::in_script) names.
    pub(crate) fn used(&mut self, name: &str, position: Position) -> usize {
        let number = self.number(name);
        self.known[number].used.get_or_insert((usize::MAX, position));
        number
    }

    /// Gives a name that stands within quotes a number; it may be none of a variable.
    pub(crate) fn mention(&mut self, name: &str) {
        self.number(name);
    }

    /// A script has `\gset`.
    pub(crate) fn set_by_rows(&mut self) {
        self.rows = true;
    }

    /// Whether a row may set names.
    pub(crate) fn are_set_by_rows(&self) -> bool {
        self.rows
    }

    /// Names the script of the uses since the last call.
    pub(crate) fn in_script(&mut self, script: usize) {
        for (at, _) in self.known.iter_mut().filter_map(|name| name.used.as_mut()) {
            if *at == usize::MAX {
                *at = script;
            }
        }
    }

    /// The number of a name, if it is used or set.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// Whether something sets the name.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.find(name).is_some_and(|number| self.known[number].set)
    }

    /// Whether something sets the name of this number.
    pub(crate) fn is_set_at(&self, number: usize) -> bool {
        self.known[number].set
    }

    /// Has a variable stand for a text in every statement.
    pub(crate) fn fix(&mut self, number: usize, text: &str) {
        self.known[number].constant = Some(text.into());
    }

    /// The text that a variable stands for in every statement, if it does.
    pub(crate) fn constant(&self, number: usize) -> Option<&str> {
        self.known[number].constant.as_deref()
    }

    pub(crate) fn text(&self, number: usize) -> &str {
        &self.known[number].text
    }

    pub(crate) fn count(&self) -> usize {
        self.known.len()
    }

    /// The first name that is used and that nothing sets: name, script and position.
    pub(crate) fn unset(&self) -> Option<(&str, usize, Position)> {
        self.known.iter().filter(|name| !name.set).find_map(|name| {
            let (script, position) = name.used?;
            Some((name.text.as_str(), script, position))
        })
    }
}
