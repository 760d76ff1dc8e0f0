//! Values on the wire: parameters out, and rows in, of which workloads take every value as text.

use std::fmt::Write;
use std::net::IpAddr;
use std::ops::Range;

use bytes::{BufMut, BytesMut};

use crate::Error;
use crate::workload::message::{Parameter, fifteen_digits};

use super::frame::{Fields, put_bytes};
use super::types::Type;

/// Days since 1970 in which a date that is no number counts from the middle.
const EPOCH: i64 = 1 << 31;

/// Puts a value as the type that the server has for it.
pub(super) fn put(value: &Parameter, kind: &Type, out: &mut BytesMut) -> Result<(), Error> {
    match (value, kind) {
        (Parameter::Null, _) => out.put_i32(-1),
        (Parameter::Text(text), Type::Text) => put_bytes(out, text),
        (Parameter::Int(number), Type::Bigint) => put_bytes(out, &number.to_be_bytes()),
        (Parameter::Int(number), Type::Text) => put_bytes(out, number.to_string().as_bytes()),
        (Parameter::Int(number), _) => put_text(&number.to_string(), kind, out)?,
        (Parameter::Float(number), Type::Double) => put_bytes(out, &number.to_be_bytes()),
        (Parameter::Float(number), _) => put_text(&fifteen_digits(*number), kind, out)?,
        (Parameter::Bool(truth), Type::Boolean) => put_bytes(out, &[u8::from(*truth)]),
        (Parameter::Bool(truth), _) => put_text(&truth.to_string(), kind, out)?,
        (Parameter::Text(text), _) => put_text(&String::from_utf8_lossy(text), kind, out)?,
    }
    Ok(())
}

fn put_text(text: &str, kind: &Type, out: &mut BytesMut) -> Result<(), Error> {
    let none = || Error::Protocol(format!("the value {text:?} is none of the type {kind:?}"));
    // What a script reckons with doubles may be a whole number.
    let whole = || -> Result<i128, Error> {
        text.parse().or_else(|_| match text.parse::<f64>() {
            #[expect(clippy::cast_possible_truncation, reason = "a whole number of no more than 2^53")]
            Ok(number) if number.fract() == 0.0 && number.abs() < 9e15 => Ok(number as i128),
            _ => Err(none()),
        })
    };
    match kind {
        Type::Text => put_bytes(out, text.as_bytes()),
        Type::Bigint => put_bytes(out, &i64::try_from(whole()?).map_err(|_| none())?.to_be_bytes()),
        Type::Int => put_bytes(out, &i32::try_from(whole()?).map_err(|_| none())?.to_be_bytes()),
        Type::Smallint => put_bytes(out, &i16::try_from(whole()?).map_err(|_| none())?.to_be_bytes()),
        Type::Tinyint => put_bytes(out, &i8::try_from(whole()?).map_err(|_| none())?.to_be_bytes()),
        Type::Varint => put_bytes(out, shortest(&whole()?.to_be_bytes())),
        Type::Decimal => {
            let (digits, scale) = decimal(text).ok_or_else(none)?;
            let digits = digits.to_be_bytes();
            put_bytes(out, &[&scale.to_be_bytes(), shortest(&digits)].concat());
        }
        Type::Double => put_bytes(out, &text.parse::<f64>().map_err(|_| none())?.to_be_bytes()),
        Type::Float => put_bytes(out, &text.parse::<f32>().map_err(|_| none())?.to_be_bytes()),
        Type::Boolean => put_bytes(out, &[u8::from(truth(text).ok_or_else(none)?)]),
        Type::Uuid => {
            let digits: String = text.split('-').collect();
            put_bytes(out, &hex(&digits).filter(|bytes| bytes.len() == 16).ok_or_else(none)?);
        }
        Type::Inet => match text.parse::<IpAddr>().map_err(|_| none())? {
            IpAddr::V4(address) => put_bytes(out, &address.octets()),
            IpAddr::V6(address) => put_bytes(out, &address.octets()),
        },
        Type::Bytes => put_bytes(out, &text.strip_prefix("0x").and_then(hex).ok_or_else(none)?),
        // As the protocol counts them: the text of a statement may have them as dates.
        Type::Timestamp | Type::Time => {
            put_bytes(out, &i64::try_from(whole()?).map_err(|_| none())?.to_be_bytes());
        }
        Type::Date => {
            put_bytes(out, &u32::try_from(whole()? + i128::from(EPOCH)).map_err(|_| none())?.to_be_bytes());
        }
        Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Tuple(_) | Type::Object(_) => {
            return Err(Error::Protocol(
                "a parameter that is a collection: write its members into the statement, or INSERT ... JSON"
                    .into(),
            ));
        }
    }
    Ok(())
}

fn truth(text: &str) -> Option<bool> {
    match text {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// Without bytes at the beginning that say nothing more.
fn shortest(bytes: &[u8]) -> &[u8] {
    let mut rest = bytes;
    while let [first, next, ..] = rest {
        let sign = if next & 0x80 == 0 { 0 } else { 0xFF };
        if *first != sign {
            break;
        }
        rest = &rest[1..];
    }
    rest
}

fn decimal(text: &str) -> Option<(i128, i32)> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    Some((format!("{whole}{part}").parse().ok()?, i32::try_from(part.len()).ok()?))
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    let pair = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(pair).collect()
}

/// Reads one row, whose values are ranges of its own bytes.
pub(super) fn plain_row(
    fields: &mut Fields<'_>,
    columns: usize,
    ranges: &mut Vec<Option<Range<usize>>>,
) -> Result<usize, Error> {
    ranges.clear();
    let all = fields.rest().len();
    for _ in 0..columns {
        let value = fields.bytes()?;
        let end = all - fields.rest().len();
        ranges.push(value.map(|value| end - value.len()..end));
    }
    Ok(all - fields.rest().len())
}

/// Reads one row into a text, in which its values are ranges.
pub(super) fn row(
    fields: &mut Fields<'_>,
    types: &[Type],
    text: &mut String,
    ranges: &mut Vec<Option<Range<usize>>>,
) -> Result<(), Error> {
    ranges.clear();
    text.clear();
    for kind in types {
        let Some(value) = fields.bytes()? else {
            ranges.push(None);
            continue;
        };
        let begin = text.len();
        write(value, kind, false, text)?;
        ranges.push(Some(begin..text.len()));
    }
    Ok(())
}

/// Writes a value as CQL's own shell prints it; `inside` a collection texts stand in quotes.
fn write(value: &[u8], kind: &Type, inside: bool, out: &mut String) -> Result<(), Error> {
    let mut said = |text: std::fmt::Arguments<'_>| {
        // Writing into a text does not fail.
        let _ = out.write_fmt(text);
    };
    match kind {
        Type::Text => {
            let text = String::from_utf8_lossy(value);
            if inside {
                said(format_args!("'{}'", text.replace('\'', "''")));
            } else {
                out.push_str(&text);
            }
        }
        Type::Bigint => said(format_args!("{}", i64::from_be_bytes(exactly(value)?))),
        Type::Int => said(format_args!("{}", i32::from_be_bytes(exactly(value)?))),
        Type::Smallint => said(format_args!("{}", i16::from_be_bytes(exactly(value)?))),
        Type::Tinyint => said(format_args!("{}", i8::from_be_bytes(exactly(value)?))),
        Type::Double => said(format_args!("{}", f64::from_be_bytes(exactly(value)?))),
        Type::Float => said(format_args!("{}", f32::from_be_bytes(exactly(value)?))),
        Type::Boolean => said(format_args!("{}", exactly::<1>(value)? != [0])),
        Type::Timestamp => {
            let moment = i64::from_be_bytes(exactly(value)?);
            let (days, rest) = (moment.div_euclid(86_400_000), moment.rem_euclid(86_400_000));
            date(days, out);
            let (seconds, part) = (rest / 1_000, rest % 1_000);
            let _ = write!(
                out,
                " {:02}:{:02}:{:02}.{part:03}+0000",
                seconds / 3_600,
                seconds / 60 % 60,
                seconds % 60
            );
        }
        Type::Date => date(i64::from(u32::from_be_bytes(exactly(value)?)) - EPOCH, out),
        Type::Time => {
            let rest = i64::from_be_bytes(exactly(value)?);
            let (seconds, part) = (rest / 1_000_000_000, rest % 1_000_000_000);
            said(format_args!(
                "{:02}:{:02}:{:02}.{part:09}",
                seconds / 3_600,
                seconds / 60 % 60,
                seconds % 60
            ));
        }
        Type::Uuid => {
            let bytes: [u8; 16] = exactly(value)?;
            for (place, byte) in bytes.iter().enumerate() {
                let dash = if matches!(place, 4 | 6 | 8 | 10) { "-" } else { "" };
                said(format_args!("{dash}{byte:02x}"));
            }
        }
        Type::Inet => match value.len() {
            4 => said(format_args!("{}", IpAddr::from(exactly::<4>(value)?))),
            _ => said(format_args!("{}", IpAddr::from(exactly::<16>(value)?))),
        },
        Type::Varint => number(value, 0, out),
        Type::Decimal => {
            let mut fields = Fields::new(value);
            let scale = fields.int()?;
            number(fields.rest(), scale, out);
        }
        Type::Bytes => {
            said(format_args!("0x"));
            for byte in value {
                said(format_args!("{byte:02x}"));
            }
        }
        Type::List(kind) => members(value, ["[", "]"], out, |fields, out| next(fields, kind, out))?,
        Type::Set(kind) => members(value, ["{", "}"], out, |fields, out| next(fields, kind, out))?,
        Type::Map(key, kind) => members(value, ["{", "}"], out, |fields, out| {
            next(fields, key, out)?;
            out.push_str(": ");
            next(fields, kind, out)
        })?,
        Type::Tuple(kinds) => {
            let mut fields = Fields::new(value);
            separated(["(", ")"], kinds.iter(), out, |kind, out| next(&mut fields, kind, out))?;
        }
        Type::Object(kinds) => {
            let mut fields = Fields::new(value);
            separated(["{", "}"], kinds.iter(), out, |(name, kind), out| {
                out.push_str(name);
                out.push_str(": ");
                // Members that were added later have no value.
                if fields.rest().is_empty() {
                    out.push_str("null");
                    return Ok(());
                }
                next(&mut fields, kind, out)
            })?;
        }
    }
    Ok(())
}

fn members(
    value: &[u8],
    brackets: [&str; 2],
    out: &mut String,
    mut one: impl FnMut(&mut Fields<'_>, &mut String) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut fields = Fields::new(value);
    let count = fields.count()?;
    separated(brackets, 0..count, out, |_, out| one(&mut fields, out))
}

fn separated<T>(
    [open, close]: [&str; 2],
    members: impl Iterator<Item = T>,
    out: &mut String,
    mut one: impl FnMut(T, &mut String) -> Result<(), Error>,
) -> Result<(), Error> {
    out.push_str(open);
    for (place, member) in members.enumerate() {
        if place > 0 {
            out.push_str(", ");
        }
        one(member, out)?;
    }
    out.push_str(close);
    Ok(())
}

fn next(fields: &mut Fields<'_>, kind: &Type, out: &mut String) -> Result<(), Error> {
    let Some(value) = fields.bytes()? else {
        out.push_str("null");
        return Ok(());
    };
    write(value, kind, true, out)
}

fn exactly<const N: usize>(value: &[u8]) -> Result<[u8; N], Error> {
    value.try_into().map_err(|_| Error::protocol("a value that is not as long as its type"))
}

/// A whole number of any length, and where its point stands.
fn number(value: &[u8], scale: i32, out: &mut String) {
    let negative = value.first().is_some_and(|first| first & 0x80 != 0);
    let mut bytes = [if negative { 0xFF } else { 0 }; 16];
    let whole = bytes.len().checked_sub(value.len()).map(|begin| {
        bytes[begin..].copy_from_slice(value);
        i128::from_be_bytes(bytes)
    });
    let _ = match whole {
        Some(whole) if scale == 0 => write!(out, "{whole}"),
        Some(whole) if (1..40).contains(&scale) => {
            let places = usize::try_from(scale).unwrap_or(0);
            let digits = format!("{:0>wide$}", whole.unsigned_abs(), wide = places + 1);
            let (front, back) = digits.split_at(digits.len() - places);
            write!(out, "{}{front}.{back}", if whole < 0 { "-" } else { "" })
        }
        Some(whole) => write!(out, "{whole}E{}", -i64::from(scale)),
        None => write!(out, "(a number of {} bytes)", value.len()),
    };
}

/// The day so many days after 1970 began.
///
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
fn date(days: i64, out: &mut String) {
    let shifted = days + 719_468;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (of_month, month) =
        (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year + era * 400 + i64::from(month <= 2);
    let _ = write!(out, "{year:04}-{month:02}-{of_month:02}");
}
