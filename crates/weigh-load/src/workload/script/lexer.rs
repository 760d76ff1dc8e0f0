//! Expressions: from text to words and signs.

use super::position::{Cursor, Position, ScriptError, begins_name, in_name};

/// A word or a sign of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    Int(u64),
    Float(f64),
    Variable(String),
    /// Between single quotes, of which a doubled one is one of the text.
    Text(String),
    /// A keyword or the name of a function, in lower case.
    Word(String),
    Sign(&'static str),
    End,
}

impl Token {
    /// As it stands in an error.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Int(value) => value.to_string(),
            Self::Float(value) => value.to_string(),
            Self::Variable(name) => format!(":{name}"),
            Self::Text(text) => format!("'{}'", text.replace('\'', "''")),
            Self::Word(word) => word.clone(),
            Self::Sign(sign) => (*sign).into(),
            Self::End => "the end of the line".into(),
        }
    }
}

/// Longer signs before their beginnings.
const SIGNS: [&str; 20] = [
    "<=", ">=", "<>", "!=", "<<", ">>", "<", ">", "=", "|", "#", "&", "~", "+", "-", "*", "/", "%", "(", ")",
];

/// The tokens of the rest of a line, with their places; the last is the end.
pub(crate) fn tokens(cursor: &mut Cursor<'_>) -> Result<Vec<(Token, Position)>, ScriptError> {
    let mut tokens = Vec::new();
    loop {
        // A backslash at the end of a line goes on with the next.
        while cursor.take("\\\n")
            || cursor.take("\\\r\n")
            || cursor.peek().is_some_and(|c| c != '\n' && c.is_whitespace())
        {
            if cursor.peek().is_some_and(|c| c != '\n' && c.is_whitespace()) {
                cursor.next();
            }
        }
        let position = cursor.position();
        let token = match cursor.peek() {
            None | Some('\n') => Token::End,
            Some(c) if c.is_ascii_digit() || c == '.' => number(cursor)?,
            Some(':') => {
                cursor.next();
                if !cursor.peek().is_some_and(begins_name) {
                    return Err(ScriptError::new(position, "a colon without the name of a variable"));
                }
                Token::Variable(cursor.take_while(in_name).into())
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                Token::Word(cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '_').to_ascii_lowercase())
            }
            Some('\'') => Token::Text(text(cursor)?),
            Some(',') => {
                cursor.next();
                Token::Sign(",")
            }
            Some(c) => match SIGNS.iter().find(|sign| cursor.take(sign)) {
                Some(sign) => Token::Sign(sign),
                None => {
                    return Err(ScriptError::new(position, format!("{c:?} has no meaning in an expression")));
                }
            },
        };
        let end = token == Token::End;
        tokens.push((token, position));
        if end {
            return Ok(tokens);
        }
    }
}

fn text(cursor: &mut Cursor<'_>) -> Result<String, ScriptError> {
    let position = cursor.position();
    let mut text = String::new();
    while cursor.take("'") {
        text.push_str(cursor.take_while(|c| c != '\''));
        if !cursor.take("'") {
            return Err(ScriptError::new(position, "a text whose quote is not closed"));
        }
        if cursor.peek() == Some('\'') {
            text.push('\'');
        }
    }
    Ok(text)
}

fn number(cursor: &mut Cursor<'_>) -> Result<Token, ScriptError> {
    let position = cursor.position();
    let mut text = String::from(cursor.take_while(|c| c.is_ascii_digit()));
    let mut float = false;
    if cursor.take(".") {
        float = true;
        text.push('.');
        text.push_str(cursor.take_while(|c| c.is_ascii_digit()));
    }
    let mut ahead = cursor.clone();
    if ahead.take("e") || ahead.take("E") {
        let sign = if ahead.take("-") { "-" } else { "" };
        let _ = sign.is_empty() && ahead.take("+");
        let exponent = ahead.take_while(|c| c.is_ascii_digit());
        if !exponent.is_empty() {
            float = true;
            text.extend(["e", sign, exponent]);
            *cursor = ahead;
        }
    }
    if float {
        return match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Token::Float(value)),
            _ => Err(ScriptError::new(position, format!("{text} is not a number"))),
        };
    }
    // One more than the greatest is right behind a minus.
    match text.parse::<u64>() {
        Ok(value) if value <= 1 << 63 => Ok(Token::Int(value)),
        _ => Err(ScriptError::new(position, format!("{text} is out of the range of a bigint"))),
    }
}
