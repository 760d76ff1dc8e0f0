//! What the variables of scripts may hold, worked out from the scripts alone: so that a prepared statement gets
//! parameters of the types that the same values have where they stand in its text.

use std::collections::HashSet;

use super::expression::Expression;
use super::functions::Function;
use super::position::in_name;
use super::step::Step;
use super::value::Value;
use super::variables::Variables;
use crate::workload::message::ParameterType;

/// Times that a range grows before it is taken for all whole numbers.
const ROUNDS: usize = 8;
const ALL: Kind = Kind::Whole { least: i64::MIN, most: i64::MAX };

/// The values that a variable may have. NULL is one of every kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// None, or NULL.
    Nothing,
    /// Whole numbers of a range.
    Whole {
        least: i64,
        most: i64,
    },
    /// Doubles, and whole numbers among them.
    Double,
    Boolean,
    /// Texts, and what cannot be known before.
    Any,
}

impl Kind {
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Nothing,
            Value::Int(value) => Self::Whole { least: *value, most: *value },
            Value::Float(_) => Self::Double,
            Value::Bool(_) => Self::Boolean,
            Value::Text(_) => Self::Any,
        }
    }

    /// Of a value at the beginning: a text is what an expression reads it as.
    pub(crate) fn read(value: &Value) -> Self {
        match value {
            Value::Text(text) => Value::read(text).map_or(Self::Any, |value| Self::of(&value)),
            other => Self::of(other),
        }
    }

    /// The type of a literal of the kind. PostgreSQL reads one with a point or an exponent as `numeric`.
    pub(crate) fn parameter(self) -> ParameterType {
        match self {
            Self::Whole { least, most } if least > i32::MIN.into() && most <= i32::MAX.into() => {
                ParameterType::Integer
            }
            Self::Whole { .. } => ParameterType::Bigint,
            Self::Double => ParameterType::Numeric,
            Self::Boolean => ParameterType::Boolean,
            Self::Nothing | Self::Any => ParameterType::Unknown,
        }
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, kind) | (kind, Self::Nothing) => kind,
            (Self::Whole { least, most }, Self::Whole { least: other_least, most: other_most }) => {
                Self::Whole { least: least.min(other_least), most: most.max(other_most) }
            }
            (Self::Double, Self::Double | Self::Whole { .. }) | (Self::Whole { .. }, Self::Double) => {
                Self::Double
            }
            (Self::Boolean, Self::Boolean) => Self::Boolean,
            _ => Self::Any,
        }
    }

    /// The range of what becomes of it where a whole number is needed.
    fn range(self) -> (i64, i64) {
        match self {
            Self::Whole { least, most } => (least, most),
            _ => (i64::MIN, i64::MAX),
        }
    }
}

/// The kinds of all variables.
///
/// # Arguments
///
/// `scripts`: the steps of each. `kinds`: of what is there at the beginning.
pub(crate) fn kinds(scripts: &[&[Step]], mut kinds: Vec<Kind>, names: &Variables) -> Vec<Kind> {
    for number in set_by_rows(scripts, names) {
        kinds[number] = Kind::Any;
    }
    let mut changes = vec![0; kinds.len()];
    loop {
        let mut changed = false;
        for step in scripts.iter().copied().flatten() {
            let Step::Set { variable, value, .. } = step else { continue };
            let mut kind = kinds[*variable].or(of(value, &kinds));
            if kind != kinds[*variable] {
                changes[*variable] += 1;
                if changes[*variable] > ROUNDS && matches!(kind, Kind::Whole { .. }) {
                    kind = ALL;
                }
                kinds[*variable] = kind;
                changed = true;
            }
        }
        if !changed {
            return kinds;
        }
    }
}

/// The variables that a step sets, and those that a row may.
pub(crate) fn set(scripts: &[&[Step]], names: &Variables) -> HashSet<usize> {
    let steps = scripts.iter().copied().flatten().filter_map(|step| match step {
        Step::Set { variable, .. } => Some(*variable),
        _ => None,
    });
    steps.chain(set_by_rows(scripts, names)).collect()
}

/// The variables whose names, without the prefix of a `\gset`, stand in its statement; and those that nothing else sets.
fn set_by_rows(scripts: &[&[Step]], names: &Variables) -> HashSet<usize> {
    let mut found = HashSet::new();
    for step in scripts.iter().copied().flatten() {
        let Step::Sql { statement, gset: Some(prefix), .. } = step else { continue };
        let text = statement.text().to_lowercase();
        let words: HashSet<&str> = text.split(|c| !in_name(c)).collect();
        found.extend((0..names.count()).filter(|number| {
            let column = names.text(*number).strip_prefix(prefix.as_str());
            column.is_some_and(|column| {
                !names.is_set_at(*number) || words.contains(column.to_lowercase().as_str())
            })
        }));
    }
    found
}

fn of(expression: &Expression, kinds: &[Kind]) -> Kind {
    match expression {
        Expression::Constant(value) => Kind::of(value),
        Expression::Variable(number) => kinds.get(*number).copied().unwrap_or(Kind::Any),
        Expression::Not(_) | Expression::And(..) | Expression::Or(..) => Kind::Boolean,
        Expression::Case(arms, otherwise) => {
            arms.iter().fold(of(otherwise, kinds), |kind, (_, value)| kind.or(of(value, kinds)))
        }
        Expression::Call(function, arguments) => {
            let arguments: Vec<Kind> = arguments.iter().map(|argument| of(argument, kinds)).collect();
            called(*function, &arguments)
        }
    }
}

fn called(function: Function, arguments: &[Kind]) -> Kind {
    use Function as F;

    let first = arguments.first().copied().unwrap_or(Kind::Any);
    let second = arguments.get(1).copied().unwrap_or(Kind::Any);
    match function {
        F::Equal | F::Unequal | F::Less | F::AtMost | F::Greater | F::AtLeast | F::Is => Kind::Boolean,
        F::Double | F::Exp | F::Ln | F::Pi | F::Power | F::Sqrt => Kind::Double,
        F::Concat => Kind::Any,
        F::Debug => first,
        F::Random | F::RandomExponential | F::RandomGaussian | F::RandomZipfian => {
            Kind::Whole { least: first.range().0, most: second.range().1 }
        }
        F::Permute => Kind::Whole { least: 0, most: second.range().1 },
        F::Int => Kind::Whole { least: first.range().0, most: first.range().1 },
        F::Mod => remainder(first.range(), second.range()),
        F::BitAnd if second.range().0 >= 0 => Kind::Whole { least: 0, most: second.range().1 },
        F::BitAnd | F::BitOr | F::BitXor | F::ShiftLeft | F::ShiftRight | F::HashFnv1a | F::HashMurmur2 => {
            ALL
        }
        F::Abs | F::Add | F::Subtract | F::Multiply | F::Divide | F::Largest | F::Least => {
            computed(function, arguments)
        }
    }
}

/// Of what stays whole among whole numbers, and is a double as soon as one operand is.
fn computed(function: Function, operands: &[Kind]) -> Kind {
    if operands.contains(&Kind::Double) {
        return Kind::Double;
    }
    if operands.iter().any(|kind| !matches!(kind, Kind::Whole { .. })) {
        return Kind::Any;
    }
    let ranges: Vec<(i128, i128)> =
        operands.iter().map(|kind| (kind.range().0.into(), kind.range().1.into())).collect();
    let products = |divide: bool| {
        let [(a, b), (c, d)] = ranges[..] else { return vec![] };
        // Whatever is divided comes no farther from 0 than it was.
        if divide { vec![a, -a, b, -b] } else { vec![a * c, a * d, b * c, b * d] }
    };
    let (least, most) = match (function, &ranges[..]) {
        (Function::Add, [(a, b), (c, d)]) => (a + c, b + d),
        (Function::Subtract, [(a, b), (c, d)]) => (a - d, b - c),
        (Function::Multiply | Function::Divide, _) => {
            let ends = products(function == Function::Divide);
            (ends.iter().copied().min().unwrap_or(0), ends.iter().copied().max().unwrap_or(0))
        }
        (Function::Abs, [(a, b)]) => (0, (*a).abs().max((*b).abs())),
        (Function::Largest, _) => (largest(&ranges, |range| range.0), largest(&ranges, |range| range.1)),
        (Function::Least, _) => (-largest(&ranges, |range| -range.0), -largest(&ranges, |range| -range.1)),
        _ => return Kind::Any,
    };
    let bounded = |value: i128| i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX });
    Kind::Whole { least: bounded(least), most: bounded(most) }
}

fn largest(ranges: &[(i128, i128)], end: impl Fn(&(i128, i128)) -> i128) -> i128 {
    ranges.iter().map(end).max().unwrap_or(0)
}

fn remainder(left: (i64, i64), right: (i64, i64)) -> Kind {
    let most = right.0.saturating_abs().max(right.1.saturating_abs()).saturating_sub(1).max(0);
    Kind::Whole { least: if left.0 < 0 { -most } else { 0 }, most }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::script::parse::parse;

    /// The types of the variables `a`, `b` and `c` of a script.
    fn types(script: &str) -> [ParameterType; 3] {
        let mut names = Variables::default();
        let scale = names.set("scale");
        let steps = parse(&format!("{script}\nSELECT 1;"), &mut names).unwrap();
        let numbers = ["a", "b", "c"].map(|name| names.set(name));
        let mut initial = vec![Kind::Nothing; names.count()];
        initial[scale] = Kind::of(&Value::Int(10));
        let kinds = kinds(&[&steps], initial, &names);
        numbers.map(|number| kinds[number].parameter())
    }

    #[test]
    fn variables_have_the_types_of_their_literals() {
        use ParameterType::{Bigint, Boolean, Integer, Numeric, Unknown};

        for (script, expected) in [
            (
                "\\set a random(1, 100000 * :scale)\n\\set b :a * 3000\n\\set c -:a",
                [Integer, Bigint, Integer],
            ),
            ("\\set a 1.5\n\\set b :a + 1\n\\set c :a > 1", [Numeric, Numeric, Boolean]),
            ("\\set a null\n\\set b 'x'\n\\set c concat(:scale)", [Unknown; 3]),
            (
                "\\set a case when :scale > 5 then 1 end\n\\set b case when :a = 1 then 'x' else 2 end\n\
              \\set c case when :a = 1 then 0.5 else 2 end",
                [Integer, Unknown, Numeric],
            ),
            ("\\set a 0\n\\set a :a + 1\n\\set b :a % 100\n\\set c hash(:a)", [Bigint, Integer, Bigint]),
            (
                "\\set a abs(random(-9, 5)) / 2\n\\set b greatest(:a, 3000000000)\n\\set c least(:a, 3000000000)",
                [Integer, Bigint, Integer],
            ),
            ("\\set a 2147483648\n\\set b int(0.5)\n\\set c :a & 7", [Bigint, Bigint, Integer]),
            // A row may set it, whatever else does; a name that it does not mention it leaves alone.
            ("\\set a 1\n\\set b 2\nSELECT 'x' AS A \\gset\n\\set c :b", [Unknown, Integer, Integer]),
            (
                "\\set a 1\nSELECT 5 AS n \\gset row_\n\\set b :row_n + 1\n\\set c 3",
                [Integer, Unknown, Integer],
            ),
        ] {
            assert_eq!(types(script), expected, "{script}");
        }
    }
}
