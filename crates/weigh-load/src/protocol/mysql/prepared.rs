//! A statement that the server has prepared, its columns, and the answer to its preparation.

use crate::error::Error;
use crate::protocol::placeholders::{Dialect, Placed, placed};
use crate::workload::message::{Parameter, ParameterType};

use super::OK;
use super::login::can;
use super::packet::Fields;
use super::values::Column;

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    /// The first packet of an answer.
    First,
    /// So many definitions of parameters, and then of columns.
    Definitions {
        parameters: usize,
        columns: usize,
    },
    /// The end of definitions, where the server sends one.
    DefinitionsEnd {
        columns: usize,
    },
    Rows,
}

/// The columns of an answer.
#[derive(Debug, Default)]
pub(super) struct Columns {
    pub(super) names: Vec<String>,
    pub(super) types: Vec<Column>,
    /// Whether all of them are texts.
    pub(super) plain: bool,
}

impl Columns {
    pub(super) fn add(&mut self, payload: &[u8]) -> Result<(), Error> {
        let (name, column) = Column::read(payload)?;
        self.plain = column.is_text() && (self.plain || self.types.is_empty());
        self.names.push(name);
        self.types.push(column);
        Ok(())
    }
}

/// A statement that the server has prepared.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    /// Nothing where the server prepares no such one: it is sent as text.
    pub(super) number: Option<u32>,
    pub(super) placed: Placed,
    pub(super) types: Vec<ParameterType>,
    pub(super) columns: Columns,
    /// The types of the parameters that the server has.
    pub(super) sent: Vec<u8>,
}

impl Prepared {
    pub(super) fn new(text: &str, types: &[ParameterType]) -> Self {
        Self { placed: placed(text, Dialect::MySql), types: types.to_vec(), ..Self::default() }
    }

    /// Its values in the order of their question marks.
    pub(super) fn ordered<'a>(
        &'a self,
        values: &'a [Parameter],
    ) -> impl Iterator<Item = (&'a Parameter, ParameterType)> + Clone {
        self.placed.order.iter().map(|place| {
            let declared = self.types.get(*place).copied().unwrap_or_default();
            (values.get(*place).unwrap_or(&Parameter::Null), declared)
        })
    }
}

/// A packet of the answer to a preparation; whether it was the last.
pub(super) fn define(
    awaited: &mut Awaited,
    can: u64,
    statement: &mut Prepared,
    payload: &[u8],
) -> Result<bool, Error> {
    let eof = can & can::NO_EOF == 0;
    *awaited = match *awaited {
        Awaited::First => {
            let mut fields = Fields::new(payload);
            if fields.byte()? != OK {
                return Err(Error::protocol("an answer to a preparation that is none"));
            }
            statement.number = u32::try_from(fields.int(4)?).ok();
            let columns = usize::try_from(fields.int(2)?).unwrap_or(0);
            let parameters = usize::try_from(fields.int(2)?).unwrap_or(0);
            if parameters != statement.placed.order.len() {
                return Err(Error::protocol(format!(
                    "it takes {parameters} parameters where {} were written",
                    statement.placed.order.len()
                )));
            }
            Awaited::Definitions { parameters, columns }
        }
        Awaited::Definitions { parameters: left @ 1.., columns } => match left {
            1 if eof => Awaited::DefinitionsEnd { columns },
            _ => Awaited::Definitions { parameters: left - 1, columns },
        },
        Awaited::Definitions { columns: left, .. } => {
            statement.columns.add(payload)?;
            match left {
                0 | 1 if eof => Awaited::DefinitionsEnd { columns: 0 },
                0 | 1 => Awaited::Definitions { parameters: 0, columns: 0 },
                _ => Awaited::Definitions { parameters: 0, columns: left - 1 },
            }
        }
        Awaited::DefinitionsEnd { columns } => Awaited::Definitions { parameters: 0, columns },
        Awaited::Rows => return Err(Error::protocol("rows of a preparation")),
    };
    Ok(*awaited == Awaited::Definitions { parameters: 0, columns: 0 })
}
