//! A typed digest of rows, independent of their order, their encoding and their writer.
//!
//! ```text
//! x3s1:6001215:5a8c0f13e7b4926d80a1d7f2c3b6e594
//! ^    ^       ^ sum of the hashes of the rows modulo 2^128, 32 hex digits
//! |    | number of rows, decimal
//! | scheme: XXH3-128 of each row, summed, version 1
//! ```
//!
//! Digests of parts add up to the digest of the whole ([`Digest`] implements [`Add`](std::ops::Add)).
//!
//! # The encoding of a row
//!
//! Every value is encoded as a **slot** of 9 bytes, and for some kinds a **tail**. A slot is one byte of tag and eight
//! of payload. All integers are little-endian. A row of *n* columns is
//!
//! ```text
//! n as u32 | slot of column 0 | ... | slot of column n-1 | tail of column 0 | ... | tail of column n-1
//! ```
//!
//! and its hash is XXH3-128 of these bytes with the default secret and seed 0. Columns count by position; their names
//! do not take part.
//!
//! | value | tag | payload | tail |
//! |---|---|---|---|
//! | number (integer or decimal) | its scale, 0 to 76 | coefficient as i64 | |
//! | number whose coefficient needs more than 64 bits | `82` | scale | coefficient, 32 bytes, two's complement |
//! | NULL | `80` | 0 | |
//! | boolean | `81` | 0 or 1 | |
//! | float | `83` | bits of the value as f64 | |
//! | string or binary | `84` | length in bytes | the bytes |
//! | instant, whole second | `85` | seconds since 1970-01-01 UTC, i64 | |
//! | instant with a fraction | `86` | the same, rounded down | nanoseconds after it as u32 |
//! | duration, whole second | `87` | seconds, i64 | |
//! | duration with a fraction | `88` | the same, rounded down | nanoseconds after it as u32 |
//! | time of day | `89` | nanoseconds since midnight, i64 | |
//! | interval | `8a` | months as i32, days as i32 | nanoseconds as i64 |
//! | list | `8b` | number of elements | slot and tail of each element |
//! | struct | `8c` | number of fields | slot and tail of each field |
//! | map | `8d` | number of entries | slot and tail of key and value of each entry, entries sorted as bytes |
//!
//! Within a list, struct or map the tail of a member follows its slot directly. Lengths precede what they measure, so
//! that the encoding can be decoded, and different rows never have the same one.
//!
//! # What is equal
//!
//! * **Integers and decimals** of any width are one kind, compared by value: a number is *coefficient / 10^scale* with
//!   the smallest scale, not below 0, that represents it. `5`, `5.0` and `5.00` are equal; `1.10` and `1.1000` too.
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
//! * INT96 timestamps are read in nanoseconds of 64 bits: beyond the years 1677 to 2262 they wrap around.
//! * What the parquet crate cannot decode is an error, even if another reader can: so are files by DuckDB 2.0 with
//!   `parquet_version V2` in which 32-bit integers differ by more than 2^31 (pyarrow refuses them as well).
//! * Pages are checked against their checksums if they have any; without, a flipped bit may only change the digest.
//! * Unions have no encoding, nor have decimals of negative scale beyond 256 bits.

#![forbid(unsafe_code)]

mod arrow;
mod bytes;
mod catch_panic;
mod diff;
mod digest;
mod encoding;
mod error;
mod file_hash;
mod pages;
mod parquet_facts;
mod parquet_file;
mod rows;
mod scan;
mod thrift;
mod value;

pub use arrow::digest_batches;
pub use diff::{Diff, Located, diff_parquet};
pub use digest::Digest;
pub use error::Error;
pub use file_hash::{hash_bytes, hash_file};
pub use pages::{BadPage, Damage, Page, PageChecks, PageKind, check_pages, column_pages};
pub use parquet_facts::{ColumnFacts, ParquetFacts, parquet_facts};
pub use scan::digest_parquet;
