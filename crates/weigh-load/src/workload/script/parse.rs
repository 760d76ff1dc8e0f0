//! Scripts: from text to steps.
//!
//! SQL commands end with a semicolon outside quotes, comments and parentheses; meta commands begin with a backslash and
//! end with the line.

use super::expression::{Expression, parse as parse_expression};
use super::position::{Cursor, Position, ScriptError};
use super::statement::{Piece, Statement, Text};
use super::step::Step;
use super::variables::Variables;

/// An `\if` that is not ended yet.
struct Branch {
    position: Position,
    /// The `Unless` of the last arm.
    condition: Option<usize>,
    /// The jumps to the end.
    jumps: Vec<usize>,
    otherwise: bool,
}

/// Reads a script.
pub(crate) fn parse(text: &str, names: &mut Variables) -> Result<Vec<Step>, ScriptError> {
    let mut parser = Parser {
        cursor: Cursor::new(text),
        names,
        steps: Vec::new(),
        branches: Vec::new(),
        sql: Text::default(),
    };
    parser.run()?;
    if let Some(branch) = parser.branches.last() {
        return Err(ScriptError::new(branch.position, "an \\if without its \\endif"));
    }
    if !parser.steps.iter().any(|step| matches!(step, Step::Sql { .. })) {
        let start = Position { line: 1, column: 1 };
        return Err(ScriptError::new(start, "the script sends nothing; it needs an SQL command"));
    }
    Ok(parser.steps)
}

struct Parser<'a, 'b> {
    cursor: Cursor<'a>,
    names: &'b mut Variables,
    steps: Vec<Step>,
    branches: Vec<Branch>,
    sql: Text,
}

impl Parser<'_, '_> {
    fn run(&mut self) -> Result<(), ScriptError> {
        let mut depth = 0_usize;
        while let Some(c) = self.cursor.peek() {
            let position = self.cursor.position();
            match c {
                '\\' => {
                    self.cursor.next();
                    self.meta(position)?;
                    depth = 0;
                }
                // Statements of a batch of CQL end with semicolons of their own.
                ';' if self.sql.is_open_batch() => self.plain(),
                ';' if depth == 0 => {
                    self.cursor.next();
                    self.end_sql();
                }
                '-' if self.cursor.rest().starts_with("--") => {
                    self.cursor.take_while(|c| c != '\n');
                }
                '/' if self.cursor.rest().starts_with("/*") => self.comment(position)?,
                '\'' | '"' => self.quoted(c, position)?,
                '$' => self.dollar(position)?,
                ':' => self.variable(false),
                _ => {
                    match c {
                        '(' => depth += 1,
                        ')' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    self.plain();
                }
            }
        }
        if let (true, Some(line)) = (self.sql.is_open_batch(), self.sql.line()) {
            let start = Position { line, column: 1 };
            return Err(ScriptError::new(start, "a BEGIN BATCH without its APPLY BATCH"));
        }
        self.end_sql();
        Ok(())
    }

    fn plain(&mut self) {
        let position = self.cursor.position();
        if let Some(c) = self.cursor.next() {
            self.sql.push(c, position);
        }
    }

    /// Takes a text of the script over as it is.
    fn copy(&mut self, count: usize) {
        for _ in 0..count {
            self.plain();
        }
    }

    /// A colon: a variable, or several colons, which are none.
    fn variable(&mut self, quoted: bool) {
        let position = self.cursor.position();
        if self.cursor.rest()[1..].starts_with(super::position::begins_name) {
            self.cursor.next();
            let name = self.cursor.take_while(super::position::in_name);
            self.sql.variable(name, quoted, position);
        } else {
            // Also the colon of `::text` must not begin a name.
            let colons = self.cursor.rest().chars().take_while(|c| *c == ':').count();
            self.copy(colons);
        }
    }

    fn comment(&mut self, position: Position) -> Result<(), ScriptError> {
        let mut depth = 0;
        loop {
            if self.cursor.rest().starts_with("/*") {
                depth += 1;
                self.copy(2);
            } else if self.cursor.rest().starts_with("*/") {
                depth -= 1;
                self.copy(2);
                if depth == 0 {
                    return Ok(());
                }
            } else if self.cursor.peek().is_none() {
                return Err(ScriptError::new(position, "a comment without its */"));
            } else {
                self.plain();
            }
        }
    }

    /// A string or a quoted name, in which variables are replaced as everywhere.
    fn quoted(&mut self, quote: char, position: Position) -> Result<(), ScriptError> {
        let escapes = quote == '\'' && self.sql.ends_with_escape_prefix();
        self.plain();
        loop {
            match self.cursor.peek() {
                None => {
                    return Err(ScriptError::new(position, format!("a quote {quote} that is not closed")));
                }
                Some('\\') if escapes => self.copy(2),
                Some(':') => self.variable(true),
                // A doubled quote ends one string and begins the next: the same.
                Some(c) if c == quote => {
                    self.plain();
                    return Ok(());
                }
                Some(_) => self.plain(),
            }
        }
    }

    /// `$tag$ ... $tag$`, or only a dollar.
    fn dollar(&mut self, position: Position) -> Result<(), ScriptError> {
        let rest = self.cursor.rest();
        let tag = rest[1..].find('$').map(|end| &rest[..end + 2]);
        let tag = tag.filter(|tag| {
            let name = &tag[1..tag.len() - 1];
            name.is_empty()
                || name.starts_with(super::position::begins_name)
                    && name.chars().all(super::position::in_name)
        });
        let Some(tag) = tag.filter(|_| !self.sql.ends_in_name()) else {
            self.plain();
            return Ok(());
        };
        let Some(length) = rest[tag.len()..].find(tag) else {
            return Err(ScriptError::new(position, format!("a text in {tag} that is not closed")));
        };
        let whole = &rest[..2 * tag.len() + length];
        let end = rest.len() - whole.len();
        while self.cursor.rest().len() > end {
            if self.cursor.peek() == Some(':') { self.variable(true) } else { self.plain() }
        }
        Ok(())
    }

    /// The SQL so far is a command, if it is not blank.
    fn end_sql(&mut self) {
        let text = std::mem::take(&mut self.sql);
        let Some(line) = text.line() else { return };
        let statement = text.into_statement();
        self.note_uses(&statement);
        self.steps.push(Step::Sql { statement, gset: None, line });
    }

    fn note_uses(&mut self, statement: &Statement) {
        for piece in &statement.pieces {
            match piece {
                Piece::Variable { name, quoted: true, .. } => self.names.mention(name),
                Piece::Variable { name, quoted: false, position } => {
                    self.names.used(name, *position);
                }
                Piece::Text(_) => {}
            }
        }
    }

    fn meta(&mut self, position: Position) -> Result<(), ScriptError> {
        if self.cursor.peek() == Some(';') {
            return Err(ScriptError::new(
                position,
                "\\; sends several commands at once, which is one transaction and other work; end each with ;",
            ));
        }
        let word = self.cursor.take_while(|c| c.is_ascii_alphabetic()).to_ascii_lowercase();
        // A meta command ends the SQL before it, as a semicolon does.
        self.end_sql();
        let line = position.line;
        match word.as_str() {
            "set" => {
                self.blanks();
                let at = self.cursor.position();
                let name = self.name(at)?;
                let value = self.expression()?;
                let variable = self.names.set(&name);
                self.steps.push(Step::Set { variable, value, line });
            }
            "sleep" => self.sleep(line)?,
            "gset" => {
                self.blanks();
                let prefix = self.cursor.take_while(|c| !c.is_whitespace()).to_owned();
                match self.steps.last_mut() {
                    Some(Step::Sql { gset: gset @ None, .. }) => {
                        *gset = Some(prefix);
                        self.names.set_by_rows();
                    }
                    _ => return Err(ScriptError::new(position, "\\gset without an SQL command before it")),
                }
                self.rest_is_blank("\\gset")?;
            }
            "if" => {
                let branch = Branch { position, condition: None, jumps: Vec::new(), otherwise: false };
                self.branches.push(branch);
                self.condition(line)?;
            }
            "elif" => {
                self.next_arm(position, "\\elif")?;
                self.condition(line)?;
            }
            "else" => {
                self.next_arm(position, "\\else")?;
                if let Some(branch) = self.branches.last_mut() {
                    branch.otherwise = true;
                }
                self.rest_is_blank("\\else")?;
            }
            "endif" => {
                let Some(branch) = self.branches.pop() else {
                    return Err(ScriptError::new(position, "\\endif without an \\if"));
                };
                let end = self.steps.len();
                for jump in branch.condition.into_iter().chain(branch.jumps) {
                    self.aim(jump, end);
                }
                self.rest_is_blank("\\endif")?;
            }
            "setshell" | "shell" => {
                return Err(ScriptError::new(
                    position,
                    format!(
                        "\\{word} runs a program while a clock runs, and is refused; use \\set, or --define"
                    ),
                ));
            }
            "startpipeline" | "syncpipeline" | "endpipeline" => {
                return Err(ScriptError::new(
                    position,
                    format!(
                        "\\{word}: commands in a pipeline are other work than commands one by one; leave it out"
                    ),
                ));
            }
            "aset" => {
                return Err(ScriptError::new(
                    position,
                    "\\aset belongs to commands joined by \\;; use \\gset",
                ));
            }
            _ => {
                return Err(ScriptError::new(
                    position,
                    format!(
                        "no meta command \\{word}; there are \\set, \\sleep, \\gset, \\if, \\elif, \\else, \\endif"
                    ),
                ));
            }
        }
        Ok(())
    }

    fn blanks(&mut self) {
        self.cursor.take_while(|c| c != '\n' && c.is_whitespace());
    }

    fn name(&mut self, at: Position) -> Result<String, ScriptError> {
        let name = self.cursor.take_while(super::position::in_name);
        if name.starts_with(super::position::begins_name) {
            Ok(name.into())
        } else {
            Err(ScriptError::new(
                at,
                "\\set needs the name of a variable: letters, digits and _, no digit first",
            ))
        }
    }

    fn expression(&mut self) -> Result<Expression, ScriptError> {
        parse_expression(&mut self.cursor, self.names)
    }

    fn condition(&mut self, line: usize) -> Result<(), ScriptError> {
        let condition = self.expression()?;
        let step = self.steps.len();
        self.steps.push(Step::Unless { condition, target: 0, line });
        if let Some(branch) = self.branches.last_mut() {
            branch.condition = Some(step);
        }
        Ok(())
    }

    /// Ends an arm, and aims its condition at the next one.
    fn next_arm(&mut self, position: Position, word: &str) -> Result<(), ScriptError> {
        let Some(branch) = self.branches.last_mut() else {
            return Err(ScriptError::new(position, format!("{word} without an \\if")));
        };
        if branch.otherwise {
            return Err(ScriptError::new(position, format!("{word} after \\else")));
        }
        branch.jumps.push(self.steps.len());
        let condition = branch.condition.take();
        self.steps.push(Step::Jump { target: 0 });
        let next = self.steps.len();
        if let Some(condition) = condition {
            self.aim(condition, next);
        }
        Ok(())
    }

    fn aim(&mut self, step: usize, at: usize) {
        if let Step::Unless { target, .. } | Step::Jump { target } = &mut self.steps[step] {
            *target = at;
        }
    }

    /// `\sleep number [us | ms | s]`, in seconds by default; the number may be a variable.
    fn sleep(&mut self, line: usize) -> Result<(), ScriptError> {
        self.blanks();
        let at = self.cursor.position();
        let word = self.cursor.take_while(|c| !c.is_whitespace()).to_owned();
        // As in pgbench, the unit may follow a number directly.
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let (number, mut unit) = if digits > 0 { word.split_at(digits) } else { (word.as_str(), "") };
        if let Some(name) = number.strip_prefix(':') {
            self.names.used(name, at);
        }
        let amount = parse_expression(&mut Cursor::new(number), self.names).map_err(|_| {
            ScriptError::new(at, "\\sleep needs a whole number or a variable, and us, ms or s")
        })?;
        self.blanks();
        let second = self.cursor.take_while(|c| !c.is_whitespace()).to_owned();
        if unit.is_empty() {
            unit = &second;
        }
        let unit = match unit {
            "" | "s" => 1.0,
            "ms" => 1e-3,
            "us" => 1e-6,
            _ => {
                return Err(ScriptError::new(at, format!("\\sleep in {unit:?}; the units are us, ms and s")));
            }
        };
        self.steps.push(Step::Sleep { amount, unit, line });
        self.rest_is_blank("\\sleep")
    }

    fn rest_is_blank(&mut self, word: &str) -> Result<(), ScriptError> {
        self.blanks();
        let position = self.cursor.position();
        let rest = self.cursor.take_while(|c| c != '\n');
        if rest.is_empty() {
            Ok(())
        } else {
            Err(ScriptError::new(position, format!("{rest:?} after {word}")))
        }
    }
}
