//! The encoding, byte by byte, and what it holds to be equal.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder, StringViewBuilder};
use arrow_array::types::{Int16Type, Int32Type, IntervalMonthDayNano};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Date64Array, Decimal32Array, Decimal64Array,
    Decimal128Array, Decimal256Array, DictionaryArray, DurationMillisecondArray, DurationSecondArray,
    FixedSizeListArray, Float32Array, Float64Array, Int8Array, Int32Array, Int64Array,
    IntervalMonthDayNanoArray, LargeListArray, LargeStringArray, ListArray, ListViewArray, NullArray,
    RecordBatch, RunArray, StringArray, StringViewArray, StructArray, Time32SecondArray,
    Time64NanosecondArray, TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray,
    TimestampSecondArray, UInt64Array,
};
use arrow_buffer::i256;
use arrow_schema::{DataType, Field};
use weigh_digest::{Digest, digest_batches};
use xxhash_rust::xxh3::xxh3_128;

fn digest(columns: &[ArrayRef]) -> Digest {
    let named = columns.iter().enumerate().map(|(i, array)| (i.to_string(), Arc::clone(array), true));
    digest_batches([RecordBatch::try_from_iter_with_nullable(named)], None).unwrap()
}

fn of(array: impl Array + 'static) -> Digest {
    digest(&[Arc::new(array)])
}

/// The digest of one row of these tags and words, written again from the documentation.
fn encoded(values: &[(u8, &[u64])]) -> Digest {
    fn fold(x: u64, m: u64) -> u64 {
        let product = u128::from(x) * u128::from(m);
        u64::try_from(product % (1 << 64)).unwrap() ^ u64::try_from(product >> 64).unwrap()
    }
    let (mut a, mut b) = (0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344);
    let columns = [values.len() as u64];
    for (tag, words) in [(0x93, &columns[..])].iter().chain(values) {
        for (n, word) in words.iter().enumerate() {
            let tag = if n == 0 { u64::from(*tag).wrapping_mul(0x4528_21e6_38d0_1377) } else { 0 };
            a = fold(a ^ word ^ tag, 0xa409_3822_299f_31d1);
            b = fold(b ^ (word ^ tag).rotate_left(32), 0xbe54_66cf_34e9_0c6d);
        }
    }
    b ^= fold(a, 0xc0ac_29b7_c97c_50dd);
    a ^= fold(b, 0x9216_d5d9_8979_fb1b);
    b ^= fold(a, 0xd131_0ba6_98df_b5ad);
    a ^= fold(b, 0xb8e1_afed_6a26_7e97);
    Digest::of_row(u128::from(a) + (u128::from(b) << 64))
}

/// The two words of XXH3-128 of these bytes.
fn xxh3(parts: &[&[u8]]) -> [u64; 2] {
    let hash = xxh3_128(&parts.concat());
    [u64::try_from(hash % (1 << 64)).unwrap(), u64::try_from(hash >> 64).unwrap()]
}

fn word(bytes: [u8; 8]) -> u64 {
    u64::from_le_bytes(bytes)
}

#[test]
fn a_row_is_encoded_as_specified() {
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(7), None])]);
    let wide = u64::MAX;
    let columns: [ArrayRef; 16] = [
        Arc::new(Int32Array::from(vec![-5])),
        Arc::new(Decimal128Array::from(vec![1100]).with_precision_and_scale(20, 3).unwrap()),
        Arc::new(Decimal64Array::from(vec![1_234_567_890]).with_precision_and_scale(18, 7).unwrap()),
        Arc::new(Int64Array::from(vec![i64::MAX])),
        Arc::new(StringArray::from(vec!["ab"])),
        Arc::new(StringViewArray::from(vec!["twelve bytes"])),
        Arc::new(StringArray::from(vec!["thirteen byte"])),
        Arc::new(NullArray::new(1)),
        Arc::new(BooleanArray::from(vec![true])),
        Arc::new(Float32Array::from(vec![1.5])),
        Arc::new(TimestampMillisecondArray::from(vec![-1])),
        Arc::new(TimestampNanosecondArray::from(vec![-1])),
        Arc::new(DurationSecondArray::from(vec![i64::MAX])),
        Arc::new(UInt64Array::from(vec![wide])),
        Arc::new(IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNano::new(1, -2, 3)])),
        Arc::new(list),
    ];
    let mut coefficient = [0; 32];
    coefficient[..8].copy_from_slice(&wide.to_le_bytes());
    let expected = encoded(&[
        (4, &[(-50_000_i64).cast_unsigned()]),
        (4, &[11_000]),
        (6, &[123_456_789]),
        (0, &[i64::MAX.cast_unsigned()]),
        (0x84, &[word(*b"\x02\0\0\0ab\0\0"), 0]),
        (0x84, &[word(*b"\x0c\0\0\0twel"), word(*b"ve bytes")]),
        (0x85, &xxh3(&[b"thirteen byte"])),
        (0x80, &[0]),
        (0x81, &[1]),
        (0x83, &[1.5_f64.to_bits()]),
        (0x86, &[(-1_000_i64).cast_unsigned()]),
        (0x87, &[u64::MAX]),
        (0x8d, &[i64::MAX.cast_unsigned()]),
        (0x82, &xxh3(&[&[0], &coefficient])),
        (0x8f, &[0xffff_fffe_0000_0001, 3]),
        (0x90, &xxh3(&[&[4], &70_000_u64.to_le_bytes(), &[0x80], &[0; 8]])),
    ]);
    assert_eq!(digest(&columns), expected);
}

#[test]
fn numbers_count_by_value() {
    let five = of(Int64Array::from(vec![5]));
    let decimal =
        |value, scale| Decimal128Array::from(vec![value]).with_precision_and_scale(38, scale).unwrap();
    assert_eq!(of(Int8Array::from(vec![5])), five);
    assert_eq!(of(UInt64Array::from(vec![5])), five);
    assert_eq!(of(Decimal32Array::from(vec![500]).with_precision_and_scale(9, 2).unwrap()), five);
    assert_eq!(of(Decimal64Array::from(vec![500_000]).with_precision_and_scale(18, 5).unwrap()), five);
    assert_eq!(of(decimal(5 * 10_i128.pow(30), 30)), five);
    assert_eq!(of(decimal(50, 0)), of(decimal(5, -1)));
    assert_eq!(of(decimal(110, 2)), of(decimal(11_000, 4)));
    assert_ne!(of(decimal(110, 2)), of(decimal(110, 3)));
    assert_eq!(of(decimal(10_i128.pow(27), 10)), of(Int64Array::from(vec![10_i64.pow(17)])));
    assert_eq!(of(decimal(10_i128.pow(27), 10)), of(decimal(10_i128.pow(18), 1)));
    assert_eq!(of(decimal(123_456, 7)), of(decimal(1_234_560, 8)));
    assert_ne!(of(decimal(123_456, 7)), of(decimal(123_456, 8)));
    assert_ne!(of(Float64Array::from(vec![5.0])), five);
    assert_ne!(of(BooleanArray::from(vec![true])), of(Int64Array::from(vec![1])));

    let wide = 10_i128.pow(37) + 1;
    let wider = i256::from_i128(wide) * i256::from_i128(1000);
    let wider = Decimal256Array::from(vec![wider]).with_precision_and_scale(76, 5).unwrap();
    assert_eq!(of(decimal(wide, 2)), of(wider));
    assert_ne!(of(decimal(wide, 2)), of(decimal(wide, 3)));
    assert_ne!(of(decimal(wide, 2)), of(decimal(-wide, 2)));
}

#[test]
fn floats_have_one_zero_and_one_nan() {
    assert_eq!(of(Float64Array::from(vec![-0.0, f64::NAN])), of(Float64Array::from(vec![0.0, -f64::NAN])));
    assert_eq!(of(Float32Array::from(vec![0.1])), of(Float64Array::from(vec![f64::from(0.1_f32)])));
    assert_ne!(of(Float64Array::from(vec![0.1])), of(Float64Array::from(vec![0.1_f64.next_up()])));
}

#[test]
fn instants_count_by_value() {
    let midnight = of(Date32Array::from(vec![-1]));
    assert_eq!(of(Date64Array::from(vec![-86_400_000])), midnight);
    assert_eq!(of(TimestampSecondArray::from(vec![-86_400]).with_timezone("Europe/Zurich")), midnight);
    assert_eq!(of(TimestampMicrosecondArray::from(vec![-86_400_000_000])), midnight);
    assert_eq!(
        of(TimestampNanosecondArray::from(vec![1_500])),
        of(TimestampNanosecondArray::from(vec![1_500]))
    );
    assert_eq!(
        of(TimestampNanosecondArray::from(vec![-2_000])),
        of(TimestampMicrosecondArray::from(vec![-2]))
    );
    assert_ne!(
        of(TimestampNanosecondArray::from(vec![-2_000])),
        of(TimestampNanosecondArray::from(vec![-2_001]))
    );
    assert_eq!(of(DurationSecondArray::from(vec![2])), of(DurationMillisecondArray::from(vec![2_000])));
    assert_eq!(
        of(TimestampSecondArray::from(vec![1 << 50])),
        of(TimestampMillisecondArray::from(vec![1000 << 50])),
        "beyond the microseconds of 64 bits"
    );
    assert_eq!(
        of(Date32Array::from(vec![i32::MAX])),
        of(TimestampSecondArray::from(vec![i64::from(i32::MAX) * 86_400]))
    );
    assert_ne!(of(DurationSecondArray::from(vec![2])), of(TimestampSecondArray::from(vec![2])));
    assert_eq!(of(Time32SecondArray::from(vec![2])), of(Time64NanosecondArray::from(vec![2_000_000_000])));
}

#[test]
fn layouts_of_strings_do_not_count() {
    let values = [Some("short"), None, Some(""), Some("longer than any inline view"), Some("short")];
    let strings = of(StringArray::from_iter(values));
    assert_eq!(of(LargeStringArray::from_iter(values)), strings);
    assert_eq!(of(StringViewArray::from_iter(values)), strings);
    assert_eq!(of(BinaryArray::from_iter(values)), strings);
    assert_eq!(of(DictionaryArray::<Int16Type>::from_iter(values)), strings);
    assert_eq!(of(RunArray::<Int32Type>::from_iter(values)), strings);
    assert_ne!(
        of(StringArray::from_iter([Some(""), None])),
        of(StringArray::from_iter([Some(""), Some("")]))
    );
}

#[test]
fn layouts_of_lists_do_not_count() {
    let rows = [Some(vec![Some(1), None]), None, Some(vec![]), Some(vec![Some(3)])];
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>(rows.clone());
    let large = LargeListArray::from_iter_primitive::<Int32Type, _, _>(rows);
    assert_eq!(of(ListViewArray::from(list.clone())), of(list.clone()));
    assert_eq!(of(large), of(list.clone()));
    assert_eq!(
        of(list.slice(2, 2)),
        of(ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![]), Some(vec![Some(3)])]))
    );

    let fixed = FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1), None]), None], 2);
    let same = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1), None]), None]);
    assert_eq!(of(fixed.clone()), of(same));
    assert_eq!(of(fixed.slice(1, 1)), of(NullArray::new(1)));
    assert_ne!(
        of(NullArray::new(1)),
        of(ListArray::from_iter_primitive::<Int32Type, _, _>([Some([None::<i32>; 0])]))
    );
}

#[test]
fn a_map_has_no_order_and_a_list_has() {
    let map = |entries: &[(&str, i32)]| {
        let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
        for (key, value) in entries {
            map.keys().append_value(key);
            map.values().append_value(*value);
        }
        map.append(true).unwrap();
        of(map.finish())
    };
    assert_eq!(map(&[("a", 1), ("b", 2)]), map(&[("b", 2), ("a", 1)]));
    assert_ne!(map(&[("a", 1), ("b", 2)]), map(&[("a", 2), ("b", 1)]));
    let list =
        |values: [i32; 2]| of(ListArray::from_iter_primitive::<Int32Type, _, _>([Some(values.map(Some))]));
    assert_ne!(list([1, 2]), list([2, 1]));
}

#[test]
fn boundaries_between_values_count() {
    let strings =
        |values: [&str; 2]| digest(&values.map(|value| Arc::new(StringArray::from(vec![value])) as ArrayRef));
    assert_ne!(strings(["ab", "c"]), strings(["a", "bc"]));
    assert_ne!(strings(["ab", ""]), strings(["", "ab"]));
    let lists = |rows: &[&[&str]]| {
        let mut lists = ListBuilder::new(StringViewBuilder::new());
        for row in rows {
            row.iter().for_each(|value| lists.values().append_value(value));
            lists.append(true);
        }
        of(lists.finish())
    };
    assert_ne!(lists(&[&["ab", "c"]]), lists(&[&["a", "bc"]]));
    assert_ne!(lists(&[&["a"], &["b"]]), lists(&[&["a", "b"], &[]]));
}

#[test]
fn a_null_struct_hides_its_fields() {
    let field = Arc::new(Field::new("f", DataType::Int32, true));
    let of_nulls = |nulls: Vec<bool>, values: Vec<i32>| {
        let values = Arc::new(Int32Array::from(values)) as ArrayRef;
        of(StructArray::new(vec![Arc::clone(&field)].into(), vec![values], Some(nulls.into())))
    };
    assert_eq!(of_nulls(vec![true, false], vec![1, 2]), of_nulls(vec![true, false], vec![1, 3]));
    assert_ne!(of_nulls(vec![true, true], vec![1, 2]), of_nulls(vec![true, true], vec![1, 3]));
}

#[test]
fn blocks_and_batches_do_not_show() {
    // Short and long strings, nulls and empty ones side by side over several blocks, in every kind of column.
    let text =
        |row: usize| (!row.is_multiple_of(5)).then(|| "x".repeat(row % 37) + &row.to_string()[..row % 2]);
    let rows = 5_000;
    let strings: StringArray = (0..rows).map(text).collect();
    let views: StringViewArray = (0..rows).map(text).collect();
    let numbers: Int64Array = (0..5_000_i64).map(|row| (row % 7 != 0).then_some(row)).collect();
    let times: TimestampNanosecondArray = (0..5_000_i64).map(|row| Some(row * 500_000_000)).collect();
    let columns = |text: ArrayRef| -> Vec<ArrayRef> {
        vec![Arc::clone(&text), Arc::new(numbers.clone()), text, Arc::new(times.clone())]
    };
    let (strings, views) = (columns(Arc::new(strings)), columns(Arc::new(views)));
    let whole = digest(&strings);
    assert_eq!(digest(&views), whole);
    let part =
        |start, length| digest(&views.iter().map(|column| column.slice(start, length)).collect::<Vec<_>>());
    assert_eq!((0..rows).map(|row| part(row, 1)).sum::<Digest>(), whole);
    assert_eq!(part(0, 1025) + part(1025, 2000) + part(3025, 1975), whole);

    let single = |text: &ArrayRef| digest(std::slice::from_ref(text));
    assert_eq!(
        single(&views[0]),
        single(&strings[0]),
        "one column leaves the least room after short strings"
    );
}

#[test]
fn unions_are_refused() {
    use arrow_array::UnionArray;
    use arrow_schema::UnionFields;
    let fields = UnionFields::try_new([0], [Field::new("a", DataType::Int32, false)]).unwrap();
    let children = vec![Arc::new(Int32Array::from(vec![1])) as ArrayRef];
    let union = UnionArray::try_new(fields, vec![0_i8].into(), None, children).unwrap();
    let batch = RecordBatch::try_from_iter([("u", Arc::new(union) as ArrayRef)]);
    let error = digest_batches([batch], None).unwrap_err();
    assert!(error.to_string().starts_with("column 0: "), "{error}");
}
