//! Types of CQL, and the columns of an answer.

use crate::Error;

use super::frame::Fields;

/// How deep types may stand in each other.
const DEEPEST: usize = 8;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Bigint,
    Boolean,
    Date,
    Decimal,
    Double,
    Float,
    Inet,
    Int,
    Smallint,
    Text,
    Time,
    Timestamp,
    Tinyint,
    Uuid,
    Varint,
    /// What is shown as the bytes that it is.
    Bytes,
    List(Box<Type>),
    Set(Box<Type>),
    Map(Box<Type>, Box<Type>),
    Tuple(Vec<Type>),
    Object(Vec<(String, Type)>),
}

impl Type {
    fn read(fields: &mut Fields<'_>, depth: usize) -> Result<Self, Error> {
        if depth > DEEPEST {
            return Err(Error::protocol("types that stand in each other too deep"));
        }
        let inner = |fields: &mut Fields<'_>| Self::read(fields, depth + 1);
        Ok(match fields.short()? {
            // A name of a class of the server's.
            0x00 => {
                fields.string()?;
                Self::Bytes
            }
            0x01 | 0x0D => Self::Text,
            0x02 | 0x05 => Self::Bigint,
            0x04 => Self::Boolean,
            0x06 => Self::Decimal,
            0x07 => Self::Double,
            0x08 => Self::Float,
            0x09 => Self::Int,
            0x0B => Self::Timestamp,
            0x0C | 0x0F => Self::Uuid,
            0x0E => Self::Varint,
            0x10 => Self::Inet,
            0x11 => Self::Date,
            0x12 => Self::Time,
            0x13 => Self::Smallint,
            0x14 => Self::Tinyint,
            0x20 => Self::List(Box::new(inner(fields)?)),
            0x21 => Self::Map(Box::new(inner(fields)?), Box::new(inner(fields)?)),
            0x22 => Self::Set(Box::new(inner(fields)?)),
            0x30 => {
                fields.string()?;
                fields.string()?;
                let mut members = Vec::new();
                for _ in 0..fields.short()? {
                    members.push((fields.text()?, inner(fields)?));
                }
                Self::Object(members)
            }
            0x31 => {
                let mut members = Vec::new();
                for _ in 0..fields.short()? {
                    members.push(inner(fields)?);
                }
                Self::Tuple(members)
            }
            // Blobs, durations, and what later versions add.
            _ => Self::Bytes,
        })
    }
}

/// The columns of an answer, or the parameters of a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) names: Vec<String>,
    pub(super) types: Vec<Type>,
    /// Whether all of them are texts.
    pub(super) plain: bool,
}

impl Columns {
    /// So many definitions, which name their table each or all together.
    pub(super) fn read(fields: &mut Fields<'_>, count: usize, global: bool) -> Result<Self, Error> {
        let mut columns = Self { plain: true, ..Self::default() };
        if global {
            fields.string()?;
            fields.string()?;
        }
        for _ in 0..count {
            if !global {
                fields.string()?;
                fields.string()?;
            }
            // The answer to a condition has `[applied]`: as a variable of a script it needs a name.
            let name = fields.text()?;
            let inside = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).map(str::to_owned);
            columns.names.push(inside.unwrap_or(name));
            let kind = Type::read(fields, 0)?;
            columns.plain &= kind == Type::Text;
            columns.types.push(kind);
        }
        Ok(columns)
    }
}

/// What stands before the rows of an answer.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    pub(super) count: usize,
    /// Nothing where the server left them out.
    pub(super) columns: Option<Columns>,
    /// With which the next rows are fetched, if there are more.
    pub(super) next: Option<Vec<u8>>,
}

impl Metadata {
    pub(super) fn read(fields: &mut Fields<'_>) -> Result<Self, Error> {
        let flags = fields.int()?;
        let count = fields.count()?;
        let next = if flags & 2 == 0 { None } else { fields.bytes()?.map(<[u8]>::to_vec) };
        let columns = if flags & 4 == 0 { Some(Columns::read(fields, count, flags & 1 != 0)?) } else { None };
        Ok(Self { count, columns, next })
    }
}
