//! A typed digest of rows, independent of their order, their encoding and their writer.
//!
//! ```text
//! x3s2:6001215:5a8c0f13e7b4926d80a1d7f2c3b6e594
//! ^    ^       ^ sum of the hashes of the rows modulo 2^128, 32 hex digits
//! |    | number of rows, decimal
//! | scheme: sum of row hashes, version 2
//! ```
//!
//! Digests of parts add up to the digest of the whole ([`Digest`] implements [`Add`](std::ops::Add)).
//!
//! # The encoding of a value
//!
//! Every value is a **tag** of one byte and, as the tag says, one or two **words** of 64 bits. All integers are
//! little-endian; where one word holds two parts the first is its low half. XXH3 is XXH3-128 with the default secret and
//! seed 0; its low half is the first word.
//!
//! | value | tag | words |
//! |---|---|---|
//! | number (integer or decimal) | its scale, 0 to 76 | coefficient as i64 |
//! | number whose coefficient needs more than 64 bits | `82` | XXH3 of scale (one byte) and coefficient (32 bytes, two's complement) |
//! | NULL | `80` | 0 |
//! | boolean | `81` | 0 or 1 |
//! | float | `83` | bits of the value as f64 |
//! | string or binary of up to 12 bytes | `84` | length as u32, the bytes, and zeros up to 16 bytes: two words |
//! | longer string or binary | `85` | XXH3 of the bytes |
//! | instant | `86`, `87`, `88` or `89` | microseconds, nanoseconds, milliseconds or seconds since 1970-01-01 UTC, i64 |
//! | duration | `8a`, `8b`, `8c` or `8d` | the same of the duration |
//! | time of day | `8e` | nanoseconds since midnight, i64 |
//! | interval | `8f` | months as i32, days as i32; nanoseconds as i64 |
//! | list | `90` | XXH3 of the tag and words of each element |
//! | struct | `91` | XXH3 of the tag and words of each field |
//! | map | `92` | XXH3 of the tags and words of key and value of each entry, entries sorted as bytes |
//!
//! A number is *coefficient / 10^scale*. Its scale is 4 if the coefficient then is an integer of 64 bits; else the
//! smallest scale, not below 0, that represents it. An instant or duration has the first unit, in the order of the
//! table, in which it is an integer of 64 bits.
//!
//! # The hash of a row
//!
//! With *fold(x, m)* the low half of the product of 128 bits *x m*, exclusive or its high half, two lanes *a* and *b* of
//! 64 bits take in the words of a row one by one:
//!
//! ```text
//! a, b = 243f6a8885a308d3, 13198a2e03707344
//! for each tag and words of: (93, number of columns), then the values of the row:
//!     the first word ^= tag * 452821e638d01377 mod 2^64
//!     for each word w:
//!         a = fold(a ^ w,                  a4093822299f31d1)
//!         b = fold(b ^ rotate_left(w, 32), be5466cf34e90c6d)
//! b ^= fold(a, c0ac29b7c97c50dd)
//! a ^= fold(b, 9216d5d98979fb1b)
//! b ^= fold(a, d1310ba698dfb5ad)
//! a ^= fold(b, b8e1afed6a267e97)
//! hash = a + b * 2^64
//! ```
//!
//! The constants are words of the fraction of pi; those that multiply have their lowest bit set. Columns count by
//! position; their names do not take part.
//!
//! Every word enters both lanes, and each differently, so that equal lanes need two coincidences of 64 bits. Only
//! constants multiply, and none is 0: no value can wipe out what came before it. Lengths and tags precede what they
//! describe. A tag costs no word of its own: it moves the words of its kind by a constant that looks random, so that of
//! each other kind at most one value in 2^64 has the same word. The last four steps are a Feistel network: it maps
//! different lanes to different hashes, and leaves nothing linear for a sum over rows to cancel.
//!
//! # What is equal
//!
//! * **Integers and decimals** of any width are one kind, compared by value: `5`, `5.0` and `5.00` are equal; `1.10`
//!   and `1.1000` too.
//! * **Floats** of any width are one kind, another than numbers: 5 and 5e0 differ. -0 equals 0, every NaN equals NaN
//!   (`7ff8000000000000`).
//! * **Dates and timestamps** are instants: a date is its midnight, a timestamp without a zone is UTC, and the zone of
//!   one that has it is not part of the value. Units do not matter.
//! * **Strings and binary** are one kind. NULL is neither the empty string, nor zero, nor an empty list.
//! * Dictionary and run-end encoding, views, large and fixed-size layouts are not part of the value.
//! * A **map** has no order; a list has one. Struct fields count by position, like columns.
//!
//! # Limits
//!
//! * The hash has no key: the digest shows accidental change. Somebody who wants two tables of one digest can make them.
//! * Duplicates count, order does not: rows in another order have the same digest.
//! * Of a Parquet file, the types are those of the Parquet schema. What a writer's embedded Arrow schema adds to them is
//!   ignored: a duration in a file is its integer.
//! * INT96 timestamps are instants in the whole range of that type; one that has nanoseconds and lies beyond the years
//!   1677 to 2262 fits no unit, and is an error.
//! * What the parquet crate cannot decode is an error, even if another reader can: so are files by DuckDB 2.0 with
//!   `parquet_version V2` in which 32-bit integers differ by more than 2^31 (pyarrow refuses them as well).
//! * Pages are checked against their checksums if they have any; without, a flipped bit may only change the digest.
//! * Unions have no encoding but for those of instants alone, whose units do not matter; nor have decimals of negative scale beyond 256 bits.

#![forbid(unsafe_code)]

mod arrow;
mod bytes;
mod catch_panic;
mod decoded_schema;
mod diff;
mod digest;
mod encoding;
mod error;
mod file_hash;
mod halves;
mod pages;
mod parquet_facts;
mod parquet_file;
mod parquet_footer;
mod row_state;
mod rows;
mod scan;
mod thrift;
mod value;

pub use arrow::digest_batches;
pub use diff::{Diff, Located, diff_parquet};
pub use digest::Digest;
pub use error::Error;
pub use file_hash::{hash_bytes, hash_file};
pub use pages::{
    BadPage, Damage, LargestPage, Page, PageChecks, PageKind, check_pages, column_pages, pages_between,
};
pub use parquet_facts::{ColumnFacts, ParquetFacts, parquet_facts};
pub use parquet_footer::{Chunk, Footer, LeafColumn, RowGroup, parquet_footer};
pub use scan::digest_parquet;
