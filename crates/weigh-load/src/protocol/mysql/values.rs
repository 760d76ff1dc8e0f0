//! Values on the wire: parameters out, and rows in, of which workloads take every value as text.

use std::fmt::Write;
use std::ops::Range;

use bytes::{BufMut, BytesMut};

use crate::Error;
use crate::workload::message::{Parameter, ParameterType};

use super::packet::{Fields, put_text};

/// Numbers of types in the protocol.
mod kind {
    pub(super) const TINY: u8 = 1;
    pub(super) const SHORT: u8 = 2;
    pub(super) const LONG: u8 = 3;
    pub(super) const FLOAT: u8 = 4;
    pub(super) const DOUBLE: u8 = 5;
    pub(super) const NULL: u8 = 6;
    pub(super) const TIMESTAMP: u8 = 7;
    pub(super) const LONGLONG: u8 = 8;
    pub(super) const INT24: u8 = 9;
    pub(super) const DATE: u8 = 10;
    pub(super) const TIME: u8 = 11;
    pub(super) const DATETIME: u8 = 12;
    pub(super) const YEAR: u8 = 13;
    pub(super) const NEWDECIMAL: u8 = 246;
    pub(super) const VAR_STRING: u8 = 253;
}

const UNSIGNED: u16 = 0x20;
/// The highest number of decimals that a time has; more means that it is not fixed.
const MOST_DECIMALS: u8 = 6;

/// A column of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column {
    kind: u8,
    unsigned: bool,
    decimals: u8,
}

impl Column {
    /// Reads its definition: with its name.
    pub(super) fn read(payload: &[u8]) -> Result<(String, Self), Error> {
        let mut fields = Fields::new(payload);
        // Catalogue, schema, table and the table's own name.
        for _ in 0..4 {
            fields.text()?;
        }
        let name = String::from_utf8_lossy(fields.text()?.unwrap_or_default()).into_owned();
        fields.text()?;
        fields.length()?;
        // Character set and length.
        fields.take(6)?;
        let kind = fields.byte()?;
        let flags = fields.int(2)? & u64::from(UNSIGNED);
        Ok((name, Self { kind, unsigned: flags != 0, decimals: fields.byte()? }))
    }

    /// Whether its values are texts behind their lengths.
    pub(super) fn is_text(self) -> bool {
        !matches!(
            self.kind,
            kind::TINY
                | kind::SHORT
                | kind::YEAR
                | kind::LONG
                | kind::INT24
                | kind::LONGLONG
                | kind::FLOAT
                | kind::DOUBLE
                | kind::DATE
                | kind::DATETIME
                | kind::TIMESTAMP
                | kind::TIME
        )
    }

    /// Appends a value of the binary protocol as text.
    fn write(self, fields: &mut Fields<'_>, out: &mut String) -> Result<(), Error> {
        match self.kind {
            kind::TINY => self.whole(fields, 1, out),
            kind::SHORT | kind::YEAR => self.whole(fields, 2, out),
            kind::LONG | kind::INT24 => self.whole(fields, 4, out),
            kind::LONGLONG => self.whole(fields, 8, out),
            kind::FLOAT => {
                let bits = u32::try_from(fields.int(4)?).unwrap_or(0);
                fraction(f32::from_bits(bits), out);
                Ok(())
            }
            kind::DOUBLE => {
                fraction(f64::from_bits(fields.int(8)?), out);
                Ok(())
            }
            kind::TIME => self.time(fields, out),
            _ => self.date(fields, out),
        }
    }

    fn whole(self, fields: &mut Fields<'_>, bytes: usize, out: &mut String) -> Result<(), Error> {
        let number = fields.int(bytes)?;
        let unused = 64 - 8 * bytes;
        // Memory takes everything.
        let _ = if self.unsigned {
            write!(out, "{number}")
        } else {
            write!(out, "{}", (number << unused).cast_signed() >> unused)
        };
        Ok(())
    }

    fn date(self, fields: &mut Fields<'_>, out: &mut String) -> Result<(), Error> {
        let mut fields = Fields::new(fields.text()?.unwrap_or_default());
        let mut next = |bytes| if fields.rest().is_empty() { Ok(0) } else { fields.int(bytes) };
        let _ = write!(out, "{:04}-{:02}-{:02}", next(2)?, next(1)?, next(1)?);
        if self.kind != kind::DATE {
            let _ = write!(out, " {:02}:{:02}:{:02}", next(1)?, next(1)?, next(1)?);
            self.decimals(next(4)?, out);
        }
        Ok(())
    }

    fn time(self, fields: &mut Fields<'_>, out: &mut String) -> Result<(), Error> {
        let mut fields = Fields::new(fields.text()?.unwrap_or_default());
        let mut next = |bytes| if fields.rest().is_empty() { Ok(0) } else { fields.int(bytes) };
        let (sign, days) = (if next(1)? == 1 { "-" } else { "" }, next(4)?);
        let _ = write!(out, "{sign}{:02}:{:02}:{:02}", days * 24 + next(1)?, next(1)?, next(1)?);
        self.decimals(next(4)?, out);
        Ok(())
    }

    fn decimals(self, microseconds: u64, out: &mut String) {
        let wide = usize::from(self.decimals.min(MOST_DECIMALS));
        let fixed = self.decimals <= MOST_DECIMALS;
        if wide > 0 && (fixed || microseconds > 0) {
            let digits = format!("{microseconds:06}");
            out.push('.');
            out.push_str(&digits[..wide]);
        }
    }
}

/// As short as it can be read back.
fn fraction(number: impl Into<f64> + std::fmt::Display + std::fmt::LowerExp + Copy, out: &mut String) {
    let size = number.into().abs();
    let _ = if size != 0.0 && !(1e-15..1e15).contains(&size) {
        write!(out, "{number:e}")
    } else {
        write!(out, "{number}")
    };
}

/// A row of texts: where each is.
pub(super) fn texts(row: &[u8], columns: usize, found: &mut Vec<Option<Range<usize>>>) -> Result<(), Error> {
    found.clear();
    let mut fields = Fields::new(row);
    for _ in 0..columns {
        found.push(place(&mut fields)?);
    }
    at_end(fields)
}

fn place(fields: &mut Fields<'_>) -> Result<Option<Range<usize>>, Error> {
    Ok(fields.text()?.map(|text| fields.at() - text.len()..fields.at()))
}

fn at_end(fields: Fields<'_>) -> Result<(), Error> {
    if fields.rest().is_empty() { Ok(()) } else { Err(Error::protocol("a row that is too long")) }
}

/// A row of the binary protocol. Where every column is a text, its values are found in the row itself, and `text` stays
/// empty; otherwise they are written to `text`, and found there.
pub(super) fn binary(
    row: &[u8],
    columns: &[Column],
    plain: bool,
    text: &mut String,
    found: &mut Vec<Option<Range<usize>>>,
) -> Result<(), Error> {
    text.clear();
    found.clear();
    let mut fields = Fields::new(row);
    fields.byte()?;
    // Two bits are left free before the first.
    let nulls = fields.take((columns.len() + 9) / 8)?;
    for (number, column) in columns.iter().enumerate() {
        let bit = number + 2;
        if nulls[bit / 8] >> (bit % 8) & 1 == 1 {
            found.push(None);
        } else if plain {
            found.push(place(&mut fields)?);
        } else {
            let begin = text.len();
            if column.is_text() {
                text.push_str(&String::from_utf8_lossy(fields.text()?.unwrap_or_default()));
            } else {
                column.write(&mut fields, text)?;
            }
            found.push(Some(begin..text.len()));
        }
    }
    at_end(fields)
}

/// Appends the parameters of a prepared statement: which are NULL, their types, if those are to be sent, and the values.
pub(super) fn put_parameters<'a>(
    values: impl Iterator<Item = (&'a Parameter, ParameterType)> + Clone,
    typed: bool,
    out: &mut BytesMut,
) {
    let begin = out.len();
    for (number, (value, _)) in values.clone().enumerate() {
        if number % 8 == 0 {
            out.put_u8(0);
        }
        if *value == Parameter::Null {
            out[begin + number / 8] |= 1 << (number % 8);
        }
    }
    out.put_u8(u8::from(typed));
    if typed {
        for (value, declared) in values.clone() {
            out.put_slice(&[type_of(value, declared), 0]);
        }
    }
    for (value, _) in values {
        match value {
            Parameter::Null => {}
            Parameter::Int(number) => out.put_i64_le(*number),
            Parameter::Float(number) => out.put_f64_le(*number),
            Parameter::Bool(truth) => out.put_u8(u8::from(*truth)),
            Parameter::Text(text) => put_text(out, text),
        }
    }
}

/// The type that a value is sent as. A decimal number that were sent as text would be reckoned with in floating point.
pub(super) fn type_of(value: &Parameter, declared: ParameterType) -> u8 {
    match value {
        Parameter::Null => kind::NULL,
        Parameter::Int(_) => kind::LONGLONG,
        Parameter::Float(_) => kind::DOUBLE,
        Parameter::Bool(_) => kind::TINY,
        Parameter::Text(_) if declared == ParameterType::Numeric => kind::NEWDECIMAL,
        Parameter::Text(_) => kind::VAR_STRING,
    }
}
