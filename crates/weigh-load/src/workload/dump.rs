//! A file of SQL that makes data, as psql runs it: statement by statement, in order, and the rows of each COPY.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::Error;
use crate::error::ScriptLine;
use crate::workload::circumstance::Circumstance;
use crate::workload::message::{Chunk, Chunks};

/// Bytes of the rows that are sent at once.
const CHUNK: usize = 1 << 20;
/// Commands of psql's without which the file would do something else.
const NEEDED: [&str; 12] = [
    "i",
    "ir",
    "include",
    "include_relative",
    "copy",
    "g",
    "gexec",
    "gset",
    "if",
    "elif",
    "else",
    "lo_import",
];

/// A file of SQL, taken apart.
#[derive(Debug)]
pub(crate) struct Dump {
    /// The name of the file.
    name: String,
    text: Arc<str>,
    pub(crate) parts: Vec<Part>,
    /// Rows of all COPYs.
    pub(crate) rows: u64,
    /// Whether it is in MySQL's SQL.
    mysql: bool,
}

/// A statement, and where its rows are, if it is a COPY with rows in the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    line: usize,
    statement: Range<usize>,
    pub(crate) rows: Option<Range<usize>>,
}

impl Dump {
    /// Reads a file, of MySQL or of others. Commands of psql's that print or set something are left out.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`]: it cannot be read. [`Error::Script`]: a COPY, a comment or a quote has no end, or a command of
    /// psql's brings a part of the data.
    pub(crate) fn read(path: &Path, mysql: bool) -> Result<Self, Error> {
        let text = fs::read_to_string(path)
            .map_err(|error| Error::Setting(format!("{} cannot be read: {error}", path.display())))?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        Self::parse(&name, &text, mysql).map_err(|(line, message)| {
            let at = ScriptLine { script: name.into_owned(), line };
            Error::Script { at, column: 1, message: message.to_owned() }
        })
    }

    fn parse(name: &str, text: &str, mysql: bool) -> Result<Self, Fault> {
        let mut dump = Self { name: name.to_owned(), text: text.into(), parts: Vec::new(), rows: 0, mysql };
        let mut reader = Reader { text, at: 0, line: 1, mysql };
        while reader.begin()? {
            let (line, begin) = (reader.line, reader.at);
            let copies = reader.statement()?;
            let statement = begin..reader.at;
            reader.skip(1);
            let rows = if copies {
                reader.skip_line();
                let (rows, count) = reader.rows(line)?;
                dump.rows += count;
                Some(rows)
            } else {
                None
            };
            dump.parts.push(Part { line, statement, rows });
        }
        Ok(dump)
    }

    /// The text of a part.
    pub(crate) fn statement(&self, part: &Part) -> &str {
        &self.text[part.statement.clone()]
    }

    /// What a part asks of the server that another server may lack, and its data does not need.
    pub(crate) fn circumstance(&self, part: &Part) -> Option<Circumstance> {
        let mut reader = Reader { text: self.statement(part), at: 0, line: 1, mysql: self.mysql };
        let mut words = Vec::new();
        while words.len() < 64 && !reader.rest().is_empty() {
            match reader.rest()[0] {
                first if begins_word(first) => words.push(reader.word()),
                // A name in quotes is none of the words that matter.
                quote @ (b'\'' | b'"') => reader.quoted(quote, false).ok()?,
                _ => reader.skip(1),
            }
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match *words.as_slice() {
            ["create" | "drop" | "alter", "database", ..] | ["comment", "on", "database", ..] => {
                Some(Circumstance::Database)
            }
            ["create" | "alter" | "drop", "role" | "user", ..]
            | ["grant" | "revoke", ..]
            | ["alter", "default", "privileges", ..]
            | ["set", "role", ..]
            | ["set", "session", "authorization", ..]
            | ["alter", .., "owner", "to", _]
            | ["alter", .., "owner", "to"] => Some(Circumstance::Role),
            ["create" | "alter", "extension", ..] | ["comment", "on", "extension", ..] => {
                Some(Circumstance::Extension)
            }
            ["set", ..] => Some(Circumstance::Setting),
            _ => None,
        }
    }

    /// Where a part begins.
    pub(crate) fn line(&self, part: &Part) -> ScriptLine {
        ScriptLine { script: self.name.clone(), line: part.line }
    }

    /// Rows of the file as they are sent: whole lines.
    pub(crate) fn chunks(&self, rows: &Range<usize>) -> Chunks {
        let (text, Range { start: mut at, end }) = (Arc::clone(&self.text), rows.clone());
        Box::new(std::iter::from_fn(move || {
            let rest = text.get(at..end).filter(|rest| !rest.is_empty())?.as_bytes();
            let least = rest.len().min(CHUNK);
            let more = rest[least - 1..]
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(rest.len() - least, |more| more);
            let bytes = rest[..least + more].to_vec();
            at += bytes.len();
            let rows = bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum();
            Some(Chunk { bytes, rows, replies: 0 })
        }))
    }
}

/// A line, and what is wrong there.
type Fault = (usize, &'static str);

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    /// In MySQL a backslash escapes what follows it, names may stand in backquotes, and a comment behind `/*!` is none.
    mysql: bool,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at.min(self.text.len())..]
    }

    /// Goes on by so many bytes.
    fn skip(&mut self, count: usize) {
        let count = count.min(self.rest().len());
        self.line += self.rest()[..count].split(|byte| *byte == b'\n').count() - 1;
        self.at += count;
    }

    fn skip_line(&mut self) {
        let rest = self.rest();
        self.skip(rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1));
    }

    /// Goes to where a statement begins; whether there is one.
    fn begin(&mut self) -> Result<bool, Fault> {
        loop {
            match self.rest() {
                [] => return Ok(false),
                [b';', ..] => self.skip(1),
                [b'\\', ..] => self.command()?,
                [first, ..] if first.is_ascii_whitespace() => self.skip(1),
                [b'/', b'*', b'!' | b'M', ..] if self.mysql => return Ok(true),
                _ if self.comment()? => {}
                _ => return Ok(true),
            }
        }
    }

    /// A command of psql's, which takes the rest of its line.
    fn command(&mut self) -> Result<(), Fault> {
        let word: String = self.rest()[1..]
            .iter()
            .map(|byte| char::from(*byte))
            .take_while(|c| !c.is_whitespace())
            .collect();
        if NEEDED.contains(&word.as_str()) {
            return Err((
                self.line,
                "a command of psql's that brings a part of the data; put that part in its place",
            ));
        }
        self.skip_line();
        Ok(())
    }

    /// Goes behind a comment, if one is next.
    fn comment(&mut self) -> Result<bool, Fault> {
        if self.rest().starts_with(b"--") {
            let rest = self.rest();
            self.skip(rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()));
            return Ok(true);
        }
        if self.mysql && self.rest().starts_with(b"#") {
            let rest = self.rest();
            self.skip(rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()));
            return Ok(true);
        }
        if !self.rest().starts_with(b"/*") {
            return Ok(false);
        }
        let (mut depth, line) = (0, self.line);
        loop {
            match self.rest() {
                [b'/', b'*', ..] => {
                    depth += 1;
                    self.skip(2);
                }
                [b'*', b'/', ..] => {
                    depth -= 1;
                    self.skip(2);
                    if depth == 0 {
                        return Ok(true);
                    }
                }
                [] => return Err((line, "a comment without its */")),
                _ => self.skip(1),
            }
        }
    }

    /// Goes to the semicolon that ends a statement, or to the end; whether it is a COPY whose rows follow.
    fn statement(&mut self) -> Result<bool, Fault> {
        let (mut brackets, mut blocks) = (0_usize, 0_usize);
        let mut words: Vec<String> = Vec::new();
        let (mut stdin, mut before) = (false, String::new());
        loop {
            match self.rest() {
                [] => break,
                [b';', ..] if brackets == 0 && blocks == 0 => break,
                [quote @ (b'\'' | b'"'), ..] => self.quoted(*quote, self.mysql)?,
                [b'`', ..] if self.mysql => self.quoted(b'`', false)?,
                [b'/', b'*', b'!' | b'M', ..] if self.mysql => self.executed()?,
                [b'$', ..] if !self.mysql && self.dollar()? => {}
                [b'(', ..] => {
                    brackets += 1;
                    self.skip(1);
                }
                [b')', ..] => {
                    brackets = brackets.saturating_sub(1);
                    self.skip(1);
                }
                [first, ..] if begins_word(*first) => {
                    let word = self.word();
                    if word == "e" && self.rest().first() == Some(&b'\'') {
                        self.quoted(b'\'', true)?;
                    }
                    stdin |= before == "from" && word == "stdin";
                    if words.len() < 4 {
                        words.push(word.clone());
                    }
                    if has_body(&words) {
                        match word.as_str() {
                            "begin" | "case" => blocks += 1,
                            "end" => blocks = blocks.saturating_sub(1),
                            _ => {}
                        }
                    }
                    before = word;
                }
                _ if self.comment()? => {}
                _ => self.skip(1),
            }
        }
        Ok(stdin && words.first().is_some_and(|word| word == "copy"))
    }

    /// Goes behind a comment that MySQL executes: it is a part of the statement.
    fn executed(&mut self) -> Result<(), Fault> {
        let line = self.line;
        let end = self.text[self.at..].find("*/").ok_or((line, "a comment without its */"))?;
        self.skip(end + 2);
        Ok(())
    }

    fn word(&mut self) -> String {
        let length = self.rest().iter().take_while(|byte| in_word(**byte)).count();
        let word = String::from_utf8_lossy(&self.rest()[..length]).to_ascii_lowercase();
        self.skip(length);
        word
    }

    fn quoted(&mut self, quote: u8, escapes: bool) -> Result<(), Fault> {
        let line = self.line;
        self.skip(1);
        loop {
            match self.rest() {
                [] => return Err((line, "a quote that is not closed")),
                [b'\\', ..] if escapes => self.skip(2),
                [byte, ..] => {
                    let ends = *byte == quote;
                    self.skip(1);
                    // A doubled quote ends one string and begins the next: the same.
                    if ends {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Goes behind `$tag$ ... $tag$`, if it is that.
    fn dollar(&mut self) -> Result<bool, Fault> {
        let rest = &self.text[self.at..];
        let Some(end) = rest[1..].find('$') else { return Ok(false) };
        let name = &rest.as_bytes()[1..=end];
        if !name.iter().all(|byte| in_word(*byte) && *byte != b'$')
            || name.first().is_some_and(u8::is_ascii_digit)
        {
            return Ok(false);
        }
        let tag = &rest[..end + 2];
        let Some(length) = rest[tag.len()..].find(tag) else {
            return Err((self.line, "a text in dollars that is not closed"));
        };
        self.skip(2 * tag.len() + length);
        Ok(true)
    }

    /// The rows up to a line with `\.` alone, and how many.
    fn rows(&mut self, line: usize) -> Result<(Range<usize>, u64), Fault> {
        let (begin, mut count) = (self.at, 0);
        loop {
            let end = self.at;
            if self.rest().is_empty() {
                return Err((line, "a COPY without its end, which is a line with \\. alone"));
            }
            self.skip_line();
            if self.text[end..self.at].trim_end() == "\\." {
                return Ok((begin..end, count));
            }
            count += 1;
        }
    }
}

/// Whether a statement may have statements in it, which end with semicolons as well.
fn has_body(words: &[String]) -> bool {
    words.first().is_some_and(|word| word == "create")
        && words.iter().any(|word| matches!(word.as_str(), "function" | "procedure" | "trigger"))
}

fn begins_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii()
}

fn in_word(byte: u8) -> bool {
    begins_word(byte) || byte.is_ascii_digit() || byte == b'$'
}

#[cfg(test)]
mod tests;
