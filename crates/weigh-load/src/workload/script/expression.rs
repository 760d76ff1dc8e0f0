//! Expressions: from text to a tree.
//!
//! The grammar and the precedence of operators are those of pgbench's documentation.

use super::functions::Function;
use super::lexer::{Token, tokens};
use super::position::{Cursor, Position, ScriptError};
use super::value::Value;
use super::variables::Variables;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Constant(Value),
    /// The number of a variable.
    Variable(usize),
    Not(Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    /// Conditions with their values, and the value if none holds.
    Case(Vec<(Expression, Expression)>, Box<Expression>),
    Call(Function, Vec<Expression>),
}

/// How tightly operators bind.
mod level {
    pub(super) const OR: u8 = 1;
    pub(super) const AND: u8 = 2;
    pub(super) const NOT: u8 = 3;
    pub(super) const IS: u8 = 4;
    pub(super) const COMPARE: u8 = 5;
    pub(super) const BITS: u8 = 6;
    pub(super) const SUM: u8 = 7;
    pub(super) const PRODUCT: u8 = 8;
    pub(super) const SIGN: u8 = 9;
}

/// Deepest nesting, so that no script exhausts the stack.
const DEEPEST: usize = 200;
/// Most operators in one expression: those of a chain lie within each other, too.
const OPERATORS: usize = 500;

/// Reads the expression that takes up the rest of a line. `names` gives variables their numbers.
pub(crate) fn parse(cursor: &mut Cursor<'_>, names: &mut Variables) -> Result<Expression, ScriptError> {
    let tokens = tokens(cursor)?;
    let mut parser = Parser { tokens, at: 0, depth: 0, operators: 0, names };
    let expression = parser.expression(0)?;
    parser.expect_end()?;
    Ok(expression)
}

struct Parser<'a> {
    tokens: Vec<(Token, Position)>,
    at: usize,
    depth: usize,
    operators: usize,
    names: &'a mut Variables,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn position(&self) -> Position {
        self.tokens[self.at].1
    }

    fn advance(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn take_word(&mut self, word: &str) -> bool {
        let there = matches!(self.peek(), Token::Word(next) if next == word);
        if there {
            self.advance();
        }
        there
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let there = matches!(self.peek(), Token::Sign(next) if *next == sign);
        if there {
            self.advance();
        }
        there
    }

    fn unexpected(&self, wanted: &str) -> ScriptError {
        ScriptError::new(self.position(), format!("{} where {wanted} is needed", self.peek().shown()))
    }

    fn expect_word(&mut self, word: &str) -> Result<(), ScriptError> {
        if self.take_word(word) { Ok(()) } else { Err(self.unexpected(&word.to_uppercase())) }
    }

    fn expect_sign(&mut self, sign: &str) -> Result<(), ScriptError> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.unexpected(&format!("{sign:?}"))) }
    }

    fn expect_end(&self) -> Result<(), ScriptError> {
        match self.peek() {
            Token::End => Ok(()),
            _ => Err(self.unexpected("an operator, or the end of the line,")),
        }
    }

    /// An expression of operators that bind at least as tightly as `least`.
    fn expression(&mut self, least: u8) -> Result<Expression, ScriptError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ScriptError::new(
                self.position(),
                format!("nested deeper than {DEEPEST}; use several \\set"),
            ));
        }
        let mut left = self.prefix()?;
        // Comparisons and tests do not chain: after one, only looser operators may follow.
        let mut most = u8::MAX;
        while let Some((level, function)) = self.infix() {
            if level < least || level > most {
                break;
            }
            self.operators += 1;
            if self.operators > OPERATORS {
                return Err(ScriptError::new(
                    self.position(),
                    format!("more than {OPERATORS} operators in one expression; use several \\set"),
                ));
            }
            left = self.apply(left, level, function)?;
            if matches!(level, level::IS | level::COMPARE) {
                most = level - 1;
            }
        }
        self.depth -= 1;
        Ok(left)
    }

    fn apply(
        &mut self,
        left: Expression,
        level: u8,
        function: Option<Function>,
    ) -> Result<Expression, ScriptError> {
        if level == level::IS {
            return self.test(left);
        }
        self.advance();
        let right = Box::new(self.expression(level + 1)?);
        Ok(match function {
            Some(function) => {
                // `a > b` is `b < a`.
                let swapped = function.swapped();
                let pair = if swapped.is_some() { vec![*right, left] } else { vec![left, *right] };
                Expression::Call(swapped.unwrap_or(function), pair)
            }
            None if level == level::AND => Expression::And(Box::new(left), right),
            None => Expression::Or(Box::new(left), right),
        })
    }

    /// The operator that is next, with how tightly it binds.
    fn infix(&self) -> Option<(u8, Option<Function>)> {
        let (level, function) = match self.peek() {
            Token::Word(word) => {
                return match word.as_str() {
                    "or" => Some((level::OR, None)),
                    "and" => Some((level::AND, None)),
                    "is" | "isnull" | "notnull" => Some((level::IS, None)),
                    _ => None,
                };
            }
            Token::Sign(sign) => match *sign {
                "<" => (level::COMPARE, Function::Less),
                ">" => (level::COMPARE, Function::Greater),
                "<=" => (level::COMPARE, Function::AtMost),
                ">=" => (level::COMPARE, Function::AtLeast),
                "=" => (level::COMPARE, Function::Equal),
                "<>" | "!=" => (level::COMPARE, Function::Unequal),
                "|" => (level::BITS, Function::BitOr),
                "#" => (level::BITS, Function::BitXor),
                "&" => (level::BITS, Function::BitAnd),
                "<<" => (level::BITS, Function::ShiftLeft),
                ">>" => (level::BITS, Function::ShiftRight),
                "+" => (level::SUM, Function::Add),
                "-" => (level::SUM, Function::Subtract),
                "*" => (level::PRODUCT, Function::Multiply),
                "/" => (level::PRODUCT, Function::Divide),
                "%" => (level::PRODUCT, Function::Mod),
                _ => return None,
            },
            _ => return None,
        };
        Some((level, Some(function)))
    }

    /// `IS [NOT] NULL | TRUE | FALSE`, `ISNULL`, `NOTNULL`.
    fn test(&mut self, left: Expression) -> Result<Expression, ScriptError> {
        let null = Expression::Constant(Value::Null);
        let (negated, right) = if self.take_word("isnull") {
            (false, null)
        } else if self.take_word("notnull") {
            (true, null)
        } else {
            self.advance();
            let negated = self.take_word("not");
            let right = if self.take_word("null") {
                null
            } else if self.take_word("true") {
                Expression::Constant(Value::Bool(true))
            } else if self.take_word("false") {
                Expression::Constant(Value::Bool(false))
            } else {
                return Err(self.unexpected("NULL, TRUE or FALSE"));
            };
            (negated, right)
        };
        let is = Expression::Call(Function::Is, vec![left, right]);
        Ok(if negated { Expression::Not(Box::new(is)) } else { is })
    }

    fn prefix(&mut self) -> Result<Expression, ScriptError> {
        if self.take_word("not") {
            return Ok(Expression::Not(Box::new(self.expression(level::NOT)?)));
        }
        if self.take_sign("~") {
            let operand = self.expression(level::SUM)?;
            let ones = Expression::Constant(Value::Int(-1));
            return Ok(Expression::Call(Function::BitXor, vec![ones, operand]));
        }
        if self.take_sign("-") {
            if let Token::Int(value) = *self.peek() {
                self.advance();
                return Ok(Expression::Constant(Value::Int(0_i64.wrapping_sub_unsigned(value))));
            }
            let operand = self.expression(level::SIGN)?;
            return Ok(Expression::Call(
                Function::Subtract,
                vec![Expression::Constant(Value::Int(0)), operand],
            ));
        }
        if self.take_sign("+") {
            return self.expression(level::SIGN);
        }
        self.primary()
    }

    fn primary(&mut self) -> Result<Expression, ScriptError> {
        let position = self.position();
        if self.take_sign("(") {
            let inner = self.expression(0)?;
            self.expect_sign(")")?;
            return Ok(inner);
        }
        match self.peek().clone() {
            Token::Int(value) => {
                let value = i64::try_from(value).map_err(|_| {
                    ScriptError::new(position, format!("{value} is out of the range of a bigint"))
                })?;
                self.advance();
                Ok(Expression::Constant(Value::Int(value)))
            }
            Token::Float(value) => {
                self.advance();
                Ok(Expression::Constant(Value::Float(value)))
            }
            Token::Text(text) => {
                self.advance();
                Ok(Expression::Constant(Value::Text(text)))
            }
            Token::Variable(name) => {
                self.advance();
                Ok(Expression::Variable(self.names.used(&name, position)))
            }
            Token::Word(word) => {
                self.advance();
                match word.as_str() {
                    "null" => Ok(Expression::Constant(Value::Null)),
                    "true" => Ok(Expression::Constant(Value::Bool(true))),
                    "false" => Ok(Expression::Constant(Value::Bool(false))),
                    "case" => self.case(),
                    _ => self.call(&word, position),
                }
            }
            Token::Sign(_) | Token::End => Err(self.unexpected("a value")),
        }
    }

    fn case(&mut self) -> Result<Expression, ScriptError> {
        let mut arms = Vec::new();
        while self.take_word("when") {
            let condition = self.expression(0)?;
            self.expect_word("then")?;
            arms.push((condition, self.expression(0)?));
        }
        if arms.is_empty() {
            return Err(self.unexpected("WHEN"));
        }
        let otherwise =
            if self.take_word("else") { self.expression(0)? } else { Expression::Constant(Value::Null) };
        self.expect_word("end")?;
        Ok(Expression::Case(arms, Box::new(otherwise)))
    }

    fn call(&mut self, word: &str, position: Position) -> Result<Expression, ScriptError> {
        let Some((function, least, most)) = Function::named(word) else {
            return Err(ScriptError::new(
                position,
                format!("there is no function {word}; see docs/reference/workloads.md#scripts"),
            ));
        };
        self.expect_sign("(")?;
        let mut arguments = Vec::new();
        if !self.take_sign(")") {
            loop {
                arguments.push(self.expression(0)?);
                if self.take_sign(")") {
                    break;
                }
                self.expect_sign(",")?;
            }
        }
        if !(least..=most).contains(&arguments.len()) {
            let wanted = match (least, most) {
                (least, usize::MAX) => format!("at least {least}"),
                (least, most) if least == most => least.to_string(),
                (least, most) => format!("{least} to {most}"),
            };
            let given = arguments.len();
            return Err(ScriptError::new(
                position,
                format!("{word} takes {wanted} arguments, and {given} are given"),
            ));
        }
        if let Some(name) = function.default_seed(arguments.len()) {
            arguments.push(Expression::Variable(self.names.used(name, position)));
        }
        Ok(Expression::Call(function, arguments))
    }
}
