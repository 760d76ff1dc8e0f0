//! Types that the parquet crate decodes in part only: each column of them is decoded twice, and joined here.
//!
//! | type | one half | other half |
//! |---|---|---|
//! | INT96 | microseconds, rounded down | nanoseconds, modulo 2^64 |
//! | INTERVAL | days and milliseconds | months |

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    IntervalDayTimeType, IntervalYearMonthType, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, IntervalMonthDayNanoArray, ListArray, MapArray, StructArray, UnionArray};
use arrow_buffer::{IntervalMonthDayNano, NullBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, IntervalUnit, TimeUnit, UnionFields};

/// The values of a column, given both its halves.
///
/// Instants come in microseconds where those are exact, else in nanoseconds; a column that has some of which neither is
/// true is a union of both.
///
/// # Errors
///
/// An instant has nanoseconds and lies beyond the years 1677 to 2262: it fits 64 bits in no unit.
pub(crate) fn joined(one: &ArrayRef, other: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match (one.data_type(), other.data_type()) {
        (DataType::Timestamp(TimeUnit::Microsecond, _), DataType::Timestamp(TimeUnit::Nanosecond, _)) => {
            instants(one, other)
        }
        (DataType::Interval(IntervalUnit::DayTime), DataType::Interval(IntervalUnit::YearMonth)) => {
            let spans = one.as_primitive::<IntervalDayTimeType>().values();
            let months = other.as_primitive::<IntervalYearMonthType>().values();
            let whole = spans.iter().zip(months).map(|(span, months)| {
                let nanoseconds = i64::from(span.milliseconds) * 1_000_000;
                IntervalMonthDayNano::new(*months, span.days, nanoseconds)
            });
            Ok(Arc::new(IntervalMonthDayNanoArray::new(whole.collect(), one.nulls().cloned())))
        }
        (DataType::Struct(_), DataType::Struct(_)) => structs(one.as_struct(), other.as_struct()),
        (DataType::List(item), DataType::List(_)) => {
            let list = one.as_list::<i32>();
            let values = joined(list.values(), other.as_list::<i32>().values())?;
            let item = typed(item, &values);
            Ok(Arc::new(ListArray::try_new(item, list.offsets().clone(), values, list.nulls().cloned())?))
        }
        (DataType::Map(entry, sorted), DataType::Map(_, _)) => {
            let map = one.as_map();
            let entries = structs(map.entries(), other.as_map().entries())?;
            let entry = typed(entry, &entries);
            let entries = entries.as_struct().clone();
            let nulls = map.nulls().cloned();
            Ok(Arc::new(MapArray::try_new(entry, map.offsets().clone(), entries, nulls, *sorted)?))
        }
        _ => Ok(Arc::clone(one)),
    }
}

fn structs(one: &StructArray, other: &StructArray) -> Result<ArrayRef, ArrowError> {
    let halves = one.columns().iter().zip(other.columns());
    let columns = halves.map(|(one, other)| joined(one, other)).collect::<Result<Vec<_>, _>>()?;
    let fields: Fields =
        one.fields().iter().zip(&columns).map(|(field, column)| typed(field, column)).collect();
    let nulls: Option<NullBuffer> = one.nulls().cloned();
    Ok(Arc::new(StructArray::try_new_with_length(fields, columns, nulls, one.len())?))
}

fn typed(field: &FieldRef, of: &ArrayRef) -> FieldRef {
    Arc::new(Field::clone(field).with_data_type(of.data_type().clone()))
}

fn instants(one: &ArrayRef, other: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let microseconds = one.as_primitive::<TimestampMicrosecondType>().values();
    let nanoseconds = other.as_primitive::<TimestampNanosecondType>().values();
    // Both halves are true modulo 2^64 of their unit: their difference is what microseconds leave out.
    let left_out = |row: usize| nanoseconds[row].wrapping_sub(microseconds[row].wrapping_mul(1_000));
    let fits =
        |row: usize| i64::try_from(i128::from(microseconds[row]) * 1_000 + i128::from(left_out(row))).is_ok();
    let rows = 0..one.len();
    let inexact = |row: &usize| left_out(*row) != 0 && one.is_valid(*row);
    if !rows.clone().any(|row| inexact(&row)) {
        return Ok(Arc::clone(one));
    }
    if let Some(row) = rows.clone().find(|row| inexact(row) && !fits(*row)) {
        let reason = format!(
            "NYI: an INT96 of {} microseconds since 1970 and {} nanoseconds, which 64 bits do not hold",
            microseconds[row],
            left_out(row)
        );
        return Err(ArrowError::ParquetError(reason));
    }
    if rows.clone().all(fits) {
        return Ok(Arc::clone(other));
    }
    let field = |name: &str, of: &ArrayRef| Field::new(name, of.data_type().clone(), true);
    let fields = UnionFields::try_new([0, 1], [field("microseconds", one), field("nanoseconds", other)])?;
    let types: ScalarBuffer<i8> = rows.map(|row| i8::from(inexact(&row))).collect();
    Ok(Arc::new(UnionArray::try_new(fields, types, None, vec![Arc::clone(one), Arc::clone(other)])?))
}

#[cfg(test)]
mod tests {
    use arrow_array::{RecordBatch, TimestampMicrosecondArray, TimestampNanosecondArray};

    use super::*;
    use crate::digest_batches;

    /// Both halves as the parquet crate makes them of nanoseconds since 1970.
    fn halves(instants: &[i128]) -> (ArrayRef, ArrayRef) {
        #[expect(clippy::cast_possible_truncation, reason = "as the parquet crate wraps them")]
        let nanoseconds = instants.iter().map(|one| *one as i64);
        let microseconds = instants.iter().map(|one| i64::try_from(one.div_euclid(1_000)).unwrap());
        (
            Arc::new(TimestampMicrosecondArray::from_iter_values(microseconds)),
            Arc::new(TimestampNanosecondArray::from_iter_values(nanoseconds)),
        )
    }

    const END: i128 = 253_402_225_200_000_000_000;

    #[test]
    fn the_unit_is_one_that_is_exact() {
        let unit = |instants: &[i128]| {
            let (one, other) = halves(instants);
            joined(&one, &other).map(|array| array.data_type().clone())
        };
        let of = |unit| DataType::Timestamp(unit, None);
        assert_eq!(unit(&[END, -END, 0, 1_000]).unwrap(), of(TimeUnit::Microsecond));
        assert_eq!(
            unit(&[1, -1, 1_000, i64::MAX.into(), i64::MIN.into()]).unwrap(),
            of(TimeUnit::Nanosecond)
        );
        assert!(matches!(unit(&[1, END]).unwrap(), DataType::Union(_, _)));
        assert!(unit(&[END + 1]).unwrap_err().to_string().contains("64 bits do not hold"));
    }

    #[test]
    fn a_column_of_both_units_has_the_digest_of_its_values() {
        let digest = |array: ArrayRef| {
            digest_batches([Ok(RecordBatch::try_from_iter([("at", array)]).unwrap())], None).unwrap()
        };
        let whole = |instants: &[i128]| {
            let (one, other) = halves(instants);
            digest(joined(&one, &other).unwrap())
        };
        assert_eq!(whole(&[1, END, -1, -END]), whole(&[1, -1]) + whole(&[END, -END]));
    }
}
