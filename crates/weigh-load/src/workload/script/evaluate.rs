//! The value of an expression.

use super::expression::Expression;
use super::value::Value;
use super::variables::Variables;
use crate::random::Random;

/// Works an expression out with the variables of a connection.
pub(crate) fn evaluate(
    expression: &Expression,
    variables: &[Option<Value>],
    names: &Variables,
    random: &mut Random,
) -> Result<Value, String> {
    let mut inner = |expression: &Expression| evaluate(expression, variables, names, random);
    match expression {
        Expression::Constant(value) => Ok(value.clone()),
        Expression::Variable(number) => match variables.get(*number) {
            Some(Some(Value::Text(text))) => {
                Value::read(text).map_err(|why| format!("variable {}: {why}", names.text(*number)))
            }
            Some(Some(value)) => Ok(value.clone()),
            _ => Err(format!("variable {} has no value yet", names.text(*number))),
        },
        Expression::Not(operand) => match inner(operand)? {
            Value::Null => Ok(Value::Null),
            value => Ok(Value::Bool(!value.bool()?)),
        },
        // The second operand is only worked out where it matters.
        Expression::And(left, right) => either(&inner(left)?, false, || inner(right)),
        Expression::Or(left, right) => either(&inner(left)?, true, || inner(right)),
        Expression::Case(arms, otherwise) => {
            for (condition, value) in arms {
                if inner(condition)?.holds() {
                    return inner(value);
                }
            }
            inner(otherwise)
        }
        Expression::Call(function, arguments) => {
            let arguments = arguments.iter().map(inner).collect::<Result<Vec<Value>, String>>()?;
            function.apply(&arguments, random)
        }
    }
}

/// AND and OR; `decisive` is the operand that decides alone.
///
/// As in pgbench, and not as in SQL, a NULL on the left is the result whatever is on the right.
fn either(
    left: &Value,
    decisive: bool,
    right: impl FnOnce() -> Result<Value, String>,
) -> Result<Value, String> {
    if *left == Value::Null || left.bool()? == decisive {
        return Ok(left.clone());
    }
    match right()? {
        Value::Null => Ok(Value::Null),
        value => value.bool().map(Value::Bool),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::script::expression::parse;
    use crate::workload::script::position::Cursor;

    fn value(text: &str) -> Result<Value, String> {
        let mut names = Variables::default();
        let variables = vec![
            Some(Value::Int(7)),
            Some(Value::Text("12".into())),
            Some(Value::Null),
            None,
            Some(Value::Int(42)),
        ];
        for name in ["seven", "twelve", "nothing", "unset", "default_seed"] {
            names.set(name);
        }
        let expression = parse(&mut Cursor::new(text), &mut names).map_err(|error| error.what)?;
        evaluate(&expression, &variables, &names, &mut Random::new(1))
    }

    fn shown(text: &str) -> String {
        value(text).map_or_else(|why| format!("error: {why}"), |value| value.text())
    }

    #[test]
    fn texts_are_values_that_are_chosen_and_put_together() {
        for (text, result) in [
            ("'O''Hara'", "O'Hara"),
            ("''", ""),
            ("'two\nlines'", "two\nlines"),
            ("case when :seven <= 6 then 'a' when :seven <= 7 then '''b''' else 'c' end", "'b'"),
            ("concat('user:', :seven, null, '.', :twelve)", "user:7.12"),
            ("'12' + 1", "error: a text where a number is needed"),
            ("'open", "error: a text whose quote is not closed"),
        ] {
            assert_eq!(shown(text), result, "{text}");
        }
    }

    #[test]
    fn operators_bind_and_compute_as_documented() {
        for (text, result) in [
            ("1 + 2 * 3", "7"),
            ("(1 + 2) * 3", "9"),
            ("10 - 4 - 3", "3"),
            ("-7 / 2", "-3"),
            ("-7 % 3", "-1"),
            ("7 / 2.0", "3.5"),
            ("- - 3", "3"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("5 # 3 | 8", "14"),
            ("~ 1 + 2", "-4"),
            ("1 << 4 >> 1", "8"),
            ("1 << 64", "0"),
            ("2 + 3 < 6 and 1 <> 2", "true"),
            ("not 1 = 2 or false", "true"),
            ("not (true or false)", "false"),
            ("1 > 2", "false"),
            ("2 >= 2", "true"),
            ("3 <= 2", "false"),
            ("1 = 1.0", "true"),
            (":seven + :twelve", "19"),
            (":nothing + 1", "NULL"),
            (":nothing is null", "true"),
            (":seven notnull", "true"),
            (":seven isnull", "false"),
            ("null and false", "NULL"),
            ("null or true", "NULL"),
            ("true and null", "NULL"),
            ("false or true", "true"),
            ("true is not false", "true"),
            ("false and 1 / 0 = 1", "false"),
            ("CASE WHEN :seven > 9 THEN 1 WHEN :seven > 5 THEN 2 ELSE 3 END", "2"),
            ("case when null then 1 end", "NULL"),
            ("case when 0 then 1 else 1 / 1 end", "1"),
            ("greatest(1, 5, 3) - least(4, 2)", "3"),
            ("least(1, 0.5)", "0.5"),
            ("abs(-5) + abs(-0.5)", "5.5"),
            ("int(5.4 + 3.8)", "9"),
            ("double(5432)", "5432"),
            ("mod(54, 32)", "22"),
            ("pow(2.0, 10)", "1024"),
            ("power(2.0, 10)", "1024"),
            ("sqrt(2.0)", "1.4142135623731"),
            ("pi()", "3.14159265358979"),
            ("exp(1.0)", "2.71828182845905"),
            ("ln(2.718281828459045)", "1"),
            ("debug(5432.1)", "5432.1"),
            ("hash(10, 5432)", "-5817877081768721676"),
            ("hash_fnv1a(10, 5432)", "-7793829335365542153"),
            ("hash_murmur2(10, 5432)", "-5817877081768721676"),
            ("hash(:seven) = hash(:seven, 42)", "true"),
            ("1e3 + .5", "1000.5"),
            ("1 +\\\n 2", "3"),
        ] {
            assert_eq!(shown(text), result, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_computed_is_said() {
        for (text, word) in [
            ("1 / 0", "division by zero"),
            ("5 % 0", "division by zero"),
            ("9223372036854775807 + 1", "out of the range"),
            ("9223372036854775808", "out of the range"),
            ("int(1e30)", "out of the range"),
            (":unset", "no value yet"),
            ("1 +", "the end of the line"),
            ("(1", "\")\""),
            ("1 2", "an operator"),
            ("foo(1)", "no function foo"),
            ("mod(1)", "takes 2 arguments, and 1"),
            ("random(1, 2, 3)", "takes 2 arguments"),
            ("1 < 2 < 3", "an operator"),
            ("not 1", "a boolean is needed"),
            ("true + 1", "a number is needed"),
            ("random(2, 1)", "there is none"),
            ("1 ! 2", "has no meaning"),
            ("case 1 end", "WHEN"),
        ] {
            let message = value(text).expect_err(text);
            assert!(message.contains(word), "{text}: {message}");
        }
        for chain in ["1+", "1*", "true and ", "false or ", "- "] {
            let long = format!("{}1", chain.repeat(4_000));
            let message = value(&long).unwrap_err();
            assert!(message.contains("operators") || message.contains("nested"), "{chain}: {message}");
        }
        assert_eq!(value(&format!("{}1", "1+".repeat(500))).unwrap(), Value::Int(501));
        let deep = format!("{}1{}", "(".repeat(5_000), ")".repeat(5_000));
        assert!(value(&deep).unwrap_err().contains("nested"));
    }
}
