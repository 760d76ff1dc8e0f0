//! Encoders of the values of an Arrow array, of any supported type.
//!
//! [`Value`] holds what an array needs to encode any of its rows, built once for each batch: the match on the type,
//! and every complaint about it, happen there and not for each value.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, IntervalDayTimeType,
    IntervalMonthDayNanoType, IntervalYearMonthType, RunEndIndexType, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowNativeTypeOp, PrimitiveArray, UnionArray, downcast_dictionary_array};
use arrow_buffer::{ArrowNativeType, NullBuffer, i256};
use arrow_schema::{DECIMAL256_MAX_SCALE, DataType, IntervalUnit, TimeUnit, UnionMode};

use crate::bytes::visit_bytes;
use crate::encoding::{Slot, SlotVisitor, tag};

const DAY: i64 = 86_400;

/// A type without a canonical encoding, and why.
pub(crate) type Unsupported = (DataType, &'static str);

/// Shows `visitor` how to make the slot of a (non-null) row of `array`; `None` when that needs more than its values.
pub(crate) fn visit_slots<'a, V: SlotVisitor<'a>>(array: &'a dyn Array, visitor: V) -> Option<V::Output> {
    fn values<T: ArrowPrimitiveType>(array: &dyn Array) -> &[T::Native] {
        array.as_primitive::<T>().values()
    }
    /// Binds the values of one primitive type and says how one becomes a slot.
    macro_rules! each {
        ($type:ty, $value:ident => $slot:expr) => {{
            let values = values::<$type>(array);
            visitor.visit(move |row| {
                let $value = values[row];
                $slot
            })
        }};
    }
    use tag::{DURATION, INSTANT};
    Some(match array.data_type() {
        DataType::Null => visitor.visit(|_| Slot::NULL),
        DataType::Boolean => {
            let values = array.as_boolean().values();
            visitor.visit(move |row| Slot::bool(values.value(row)))
        }
        DataType::Int8 => each!(Int8Type, v => Slot::number(v.into(), 0)),
        DataType::Int16 => each!(Int16Type, v => Slot::number(v.into(), 0)),
        DataType::Int32 => each!(Int32Type, v => Slot::number(v.into(), 0)),
        DataType::Int64 => each!(Int64Type, v => Slot::number(v, 0)),
        DataType::UInt8 => each!(UInt8Type, v => Slot::number(v.into(), 0)),
        DataType::UInt16 => each!(UInt16Type, v => Slot::number(v.into(), 0)),
        DataType::UInt32 => each!(UInt32Type, v => Slot::number(v.into(), 0)),
        DataType::UInt64 => each!(UInt64Type, v => number(v.into(), 0)),
        DataType::Decimal32(_, scale) => {
            let scale = scale_of(*scale)?;
            each!(Decimal32Type, v => Slot::number(v.into(), scale))
        }
        DataType::Decimal64(_, scale) => {
            let scale = scale_of(*scale)?;
            each!(Decimal64Type, v => Slot::number(v, scale))
        }
        DataType::Decimal128(_, scale) => {
            let scale = scale_of(*scale)?;
            each!(Decimal128Type, v => number(v, scale))
        }
        DataType::Decimal256(_, scale) => {
            let scale = scale_of(*scale)?;
            each!(Decimal256Type, v => Slot::wide_number(v, scale))
        }
        DataType::Float16 => each!(Float16Type, v => Slot::float(v.to_f64())),
        DataType::Float32 => each!(Float32Type, v => Slot::float(v.into())),
        DataType::Float64 => each!(Float64Type, v => Slot::float(v)),
        DataType::Date32 => each!(Date32Type, v => Slot::seconds(INSTANT, i64::from(v) * DAY)),
        DataType::Date64 => each!(Date64Type, v => Slot::milliseconds(INSTANT, v)),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => each!(TimestampSecondType, v => Slot::seconds(INSTANT, v)),
            TimeUnit::Millisecond => each!(TimestampMillisecondType, v => Slot::milliseconds(INSTANT, v)),
            TimeUnit::Microsecond => each!(TimestampMicrosecondType, v => Slot::microseconds(INSTANT, v)),
            TimeUnit::Nanosecond => each!(TimestampNanosecondType, v => Slot::nanoseconds(INSTANT, v)),
        },
        DataType::Duration(unit) => match unit {
            TimeUnit::Second => each!(DurationSecondType, v => Slot::seconds(DURATION, v)),
            TimeUnit::Millisecond => each!(DurationMillisecondType, v => Slot::milliseconds(DURATION, v)),
            TimeUnit::Microsecond => each!(DurationMicrosecondType, v => Slot::microseconds(DURATION, v)),
            TimeUnit::Nanosecond => each!(DurationNanosecondType, v => Slot::nanoseconds(DURATION, v)),
        },
        DataType::Time32(TimeUnit::Second) => {
            each!(Time32SecondType, v => Slot::time(i64::from(v) * 1_000_000_000))
        }
        DataType::Time32(_) => each!(Time32MillisecondType, v => Slot::time(i64::from(v) * 1_000_000)),
        // A time beyond the day, let alone beyond 2^63 ns, is nonsense; but nonsense must not panic.
        DataType::Time64(TimeUnit::Microsecond) => {
            each!(Time64MicrosecondType, v => Slot::time(v.wrapping_mul(1_000)))
        }
        DataType::Time64(_) => each!(Time64NanosecondType, v => Slot::time(v)),
        DataType::Interval(IntervalUnit::YearMonth) => {
            each!(IntervalYearMonthType, v => Slot::interval(v, 0, 0))
        }
        DataType::Interval(IntervalUnit::DayTime) => {
            each!(IntervalDayTimeType, v => Slot::interval(0, v.days, i64::from(v.milliseconds) * 1_000_000))
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            each!(IntervalMonthDayNanoType, v => Slot::interval(v.months, v.days, v.nanoseconds))
        }
        _ => return visit_bytes(array, visitor),
    })
}

/// The scale of a decimal whose coefficient can be taken as it is.
fn scale_of(scale: i8) -> Option<u8> {
    u8::try_from(scale).ok().filter(|_| scale <= DECIMAL256_MAX_SCALE)
}

/// A number whose coefficient mostly fits 64 bits.
#[inline]
fn number(coefficient: i128, scale: u8) -> Slot {
    match i64::try_from(coefficient) {
        Ok(coefficient) => Slot::number(coefficient, scale),
        Err(_) => Slot::wide_number(i256::from_i128(coefficient), scale),
    }
}

/// Encodes the values of one array, recursively.
pub(crate) struct Value<'a> {
    nulls: Option<&'a NullBuffer>,
    kind: Kind<'a>,
}

type SlotOf<'a> = Box<dyn Fn(usize) -> Slot + 'a>;

enum Kind<'a> {
    /// Needs no other array.
    Flat(SlotOf<'a>),
    /// Dictionary and run-end encoding: row `i` is value `index[i]`.
    Indirect {
        index: Vec<Option<usize>>,
        values: Box<Value<'a>>,
    },
    List {
        members: Members<'a>,
        value: Box<Value<'a>>,
    },
    Map {
        members: Members<'a>,
        key: Box<Value<'a>>,
        value: Box<Value<'a>>,
    },
    Struct(Vec<Value<'a>>),
    /// A sparse union: row `i` is row `i` of the member that is named for it.
    Union {
        members: &'a UnionArray,
        values: Vec<Value<'a>>,
    },
}

/// Which members of the child array belong to a row.
type Members<'a> = Box<dyn Fn(usize) -> Range<usize> + 'a>;

/// Makes a slot function nameable.
struct Boxed;

impl<'a> SlotVisitor<'a> for Boxed {
    type Output = SlotOf<'a>;
    fn visit(self, slot: impl Fn(usize) -> Slot + 'a) -> SlotOf<'a> {
        Box::new(slot)
    }
}

impl<'a> Value<'a> {
    pub(crate) fn new(array: &'a dyn Array) -> Result<Self, Unsupported> {
        let kind = match visit_slots(array, Boxed) {
            Some(slot) => Kind::Flat(slot),
            None => nested(array)?,
        };
        Ok(Self { nulls: array.nulls(), kind })
    }

    /// The slot of `row`. Encodes members behind what is in `buffer`, and leaves that as it was.
    pub(crate) fn slot(&self, row: usize, buffer: &mut Vec<u8>) -> Slot {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            return Slot::NULL;
        }
        let start = buffer.len();
        let tag = match &self.kind {
            Kind::Flat(slot) => return slot(row),
            Kind::Union { members, values } => {
                return values[usize::from(members.type_id(row).cast_unsigned())].slot(row, buffer);
            }
            Kind::Indirect { index, values } => {
                return index[row].map_or(Slot::NULL, |value| values.slot(value, buffer));
            }
            Kind::List { members, value } => {
                members(row).for_each(|member| value.push(member, buffer));
                tag::LIST
            }
            Kind::Struct(fields) => {
                for field in fields {
                    field.push(row, buffer);
                }
                tag::STRUCT
            }
            Kind::Map { members, key, value } => {
                let entry = |member| {
                    let mut entry = Vec::new();
                    key.push(member, &mut entry);
                    value.push(member, &mut entry);
                    entry
                };
                let mut entries: Vec<_> = members(row).map(entry).collect();
                // A map has no order: engines return the entries of equal maps in different ones.
                entries.sort_unstable();
                buffer.extend(entries.into_iter().flatten());
                tag::MAP
            }
        };
        let slot = Slot::sequence(tag, &buffer[start..]);
        buffer.truncate(start);
        slot
    }

    fn push(&self, row: usize, buffer: &mut Vec<u8>) {
        self.slot(row, buffer).push(buffer);
    }
}

/// Decimals of negative scale, which multiplies: nothing but the value may show in the encoding.
fn decimal<T: ArrowPrimitiveType>(
    array: &dyn Array,
    scale: i8,
    widen: impl Fn(T::Native) -> i256 + 'static,
) -> Result<Kind<'_>, Unsupported> {
    let array: &PrimitiveArray<T> = array.as_primitive();
    let values = array.values();
    let unsupported = |reason| (array.data_type().clone(), reason);
    if scale > DECIMAL256_MAX_SCALE {
        return Err(unsupported("its scale is above 76"));
    }
    let factor = i256::from_i128(10)
        .pow_checked(u32::from(scale.unsigned_abs()))
        .map_err(|_| unsupported("its scale is below -76"))?;
    if array.iter().flatten().any(|v| widen(v).checked_mul(factor).is_none()) {
        return Err(unsupported("a value is beyond 256 bits"));
    }
    Ok(Kind::Flat(Box::new(move |row| Slot::wide_number(widen(values[row]).wrapping_mul(factor), 0))))
}

/// Arrays with children, and decimals of negative scale.
fn nested(array: &dyn Array) -> Result<Kind<'_>, Unsupported> {
    Ok(match array.data_type() {
        DataType::Decimal32(_, s) => decimal::<Decimal32Type>(array, *s, |v| i256::from_i128(v.into()))?,
        DataType::Decimal64(_, s) => decimal::<Decimal64Type>(array, *s, |v| i256::from_i128(v.into()))?,
        DataType::Decimal128(_, s) => decimal::<Decimal128Type>(array, *s, i256::from_i128)?,
        DataType::Decimal256(_, s) => decimal::<Decimal256Type>(array, *s, |v| v)?,
        DataType::Struct(_) => {
            let fields = array.as_struct().columns().iter();
            Kind::Struct(fields.map(|field| Value::new(field)).collect::<Result<_, _>>()?)
        }
        DataType::List(_) => {
            let array = array.as_list::<i32>();
            Kind::List { members: spans(array.value_offsets()), value: boxed(array.values())? }
        }
        DataType::LargeList(_) => {
            let array = array.as_list::<i64>();
            Kind::List { members: spans(array.value_offsets()), value: boxed(array.values())? }
        }
        DataType::ListView(_) => {
            let array = array.as_list_view::<i32>();
            Kind::List { members: views(array.offsets(), array.sizes()), value: boxed(array.values())? }
        }
        DataType::LargeListView(_) => {
            let array = array.as_list_view::<i64>();
            Kind::List { members: views(array.offsets(), array.sizes()), value: boxed(array.values())? }
        }
        DataType::FixedSizeList(_, _) => {
            let array = array.as_fixed_size_list();
            let length = array.value_length().as_usize();
            let members = Box::new(move |row| row * length..(row + 1) * length);
            Kind::List { members, value: boxed(array.values())? }
        }
        DataType::Map(_, _) => {
            let array = array.as_map();
            let members = spans(array.value_offsets());
            Kind::Map { members, key: boxed(array.keys())?, value: boxed(array.values())? }
        }
        DataType::Dictionary(_, _) => {
            let values = boxed(array.as_any_dictionary().values())?;
            let index = downcast_dictionary_array!(
                array => array.keys().iter().map(|key| key.map(ArrowNativeType::as_usize)).collect(),
                _ => return Err((array.data_type().clone(), "its keys are not integers"))
            );
            Kind::Indirect { index, values }
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(array)?,
            DataType::Int32 => runs::<Int32Type>(array)?,
            _ => runs::<Int64Type>(array)?,
        },
        // Of instants, whose units do not matter: what no one unit holds exactly.
        DataType::Union(fields, UnionMode::Sparse)
            if fields.iter().enumerate().all(|(place, (id, field))| {
                usize::try_from(id) == Ok(place) && matches!(field.data_type(), DataType::Timestamp(_, _))
            }) =>
        {
            let members: &UnionArray = array.as_union();
            let values =
                fields.iter().map(|(id, _)| Value::new(members.child(id))).collect::<Result<_, _>>()?;
            Kind::Union { members, values }
        }
        other => return Err((other.clone(), "it has no canonical encoding")),
    })
}

fn boxed(array: &dyn Array) -> Result<Box<Value<'_>>, Unsupported> {
    Value::new(array).map(Box::new)
}

fn spans<O: ArrowNativeType>(offsets: &[O]) -> Members<'_> {
    Box::new(move |row| offsets[row].as_usize()..offsets[row + 1].as_usize())
}

fn views<'a, O: ArrowNativeType>(offsets: &'a [O], sizes: &'a [O]) -> Members<'a> {
    Box::new(move |row| offsets[row].as_usize()..offsets[row].as_usize() + sizes[row].as_usize())
}

fn runs<R: RunEndIndexType>(array: &dyn Array) -> Result<Kind<'_>, Unsupported> {
    let runs = array.as_run::<R>();
    let index = (0..array.len()).map(|row| Some(runs.get_physical_index(row))).collect();
    Ok(Kind::Indirect { index, values: boxed(runs.values())? })
}
