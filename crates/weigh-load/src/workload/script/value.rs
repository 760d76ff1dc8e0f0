//! What a variable of a script holds.

use crate::workload::message::fifteen_digits;

/// A value of an expression or a variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Float(f64),
    Bool(bool),
    /// From `\gset`, or a text in an expression: what it is, is seen when an expression uses it.
    Text(String),
}

impl Value {
    /// What it is called in errors.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Int(_) => "int",
            Self::Float(_) => "double",
            Self::Bool(_) => "boolean",
            Self::Text(_) => "text",
        }
    }

    pub(crate) fn int(&self) -> Result<i64, String> {
        match self {
            Self::Int(value) => Ok(*value),
            Self::Float(value) => whole(*value),
            other => Err(format!("a {} where a number is needed", other.kind())),
        }
    }

    pub(crate) fn float(&self) -> Result<f64, String> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "as every cast of a bigint to a double")]
            Self::Int(value) => Ok(*value as f64),
            Self::Float(value) => Ok(*value),
            other => Err(format!("a {} where a number is needed", other.kind())),
        }
    }

    pub(crate) fn bool(&self) -> Result<bool, String> {
        match self {
            Self::Bool(value) => Ok(*value),
            other => Err(format!("a {} where a boolean is needed", other.kind())),
        }
    }

    /// Whether a condition with this value holds: NULL and zero do not.
    pub(crate) fn holds(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Int(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Bool(value) => *value,
            Self::Text(text) => Self::read(text).is_ok_and(|read| read.holds()),
        }
    }

    /// What a text stands for in an expression.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        if lower.is_empty() || lower == "null" {
            return Ok(Self::Null);
        }
        // As in pgbench, the beginning of a word will do, but that of "on" and "off" is the same.
        if "true".starts_with(&lower) || "yes".starts_with(&lower) || lower == "on" {
            return Ok(Self::Bool(true));
        }
        if "false".starts_with(&lower) || "no".starts_with(&lower) || matches!(lower.as_str(), "of" | "off") {
            return Ok(Self::Bool(false));
        }
        if let Ok(value) = text.parse() {
            return Ok(Self::Int(value));
        }
        // Rust reads "inf" and "nan", which are no numbers of a script.
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Self::Float(value)),
            _ => Err(format!("{text:?} is no number and no boolean")),
        }
    }

    /// As it stands in SQL.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Null => "NULL".into(),
            Self::Int(value) => value.to_string(),
            Self::Float(value) => fifteen_digits(*value),
            Self::Bool(value) => value.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// The nearest whole number.
#[expect(clippy::cast_possible_truncation, reason = "checked before")]
pub(crate) fn whole(value: f64) -> Result<i64, String> {
    let nearest = value.round_ties_even();
    // 2^63 itself does not fit.
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&nearest) {
        Ok(nearest as i64)
    } else {
        Err(format!("{value} is out of the range of a bigint"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_written_as_c_does() {
        // Printed by C's printf("%.15g").
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (0.1 + 0.2, "0.3"),
            (1e15, "1e+15"),
            (123_456_789_012_345.0, "123456789012345"),
            (1e-5, "1e-05"),
            (0.0001, "0.0001"),
            (1.0 / 3.0, "0.333333333333333"),
            (1e100, "1e+100"),
        ] {
            assert_eq!(Value::Float(value).text(), text);
        }
    }

    #[test]
    fn texts_are_read_for_what_they_are() {
        assert_eq!(Value::read(" 42 "), Ok(Value::Int(42)));
        assert_eq!(Value::read("-1.5e3"), Ok(Value::Float(-1500.0)));
        assert_eq!(Value::read("On"), Ok(Value::Bool(true)));
        assert_eq!(Value::read(""), Ok(Value::Null));
        assert!(Value::read("nan").is_err() && Value::read("abc").is_err());
    }

    #[test]
    fn rounding_stays_in_range() {
        assert_eq!(whole(2.5), Ok(2));
        assert_eq!(whole(-9_223_372_036_854_775_808.0), Ok(i64::MIN));
        assert!(whole(9_223_372_036_854_775_808.0).is_err() && whole(f64::NAN).is_err());
    }
}
