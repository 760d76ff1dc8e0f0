//! The rows that the tables begin with (clause 4.3.3): a seed and a number of warehouses name every one of them.
//!
//! Each part of a table draws from a stream of its own, so that parts can be made at once, in any order.

mod strings;
mod tables;

use std::io::Write;

use crate::random::Random;
use crate::workload::message::{Bulk, Chunk, Chunks};

use super::nurand::{last_name, last_name_of_load};
use strings::{a_string, capitals, letters, n_string, stream};
use tables::{MARK, SCHEMA, TABLES, create, foreign_keys, keys};

/// Customers of a district.
const CUSTOMERS: u64 = 3_000;
/// Items, and rows of stock of a warehouse.
const ITEMS: u64 = 100_000;
/// Districts of a warehouse.
const DISTRICTS: u64 = 10;

/// When everything happened: equal seeds make equal rows.
const MOMENT: &str = "2000-01-01 00:00:00";
/// The first order of a district that is not delivered.
const FIRST_NEW_ORDER: u64 = 2_101;
/// Last names there are.
const NAMES: u64 = 1_000;
/// Bytes of a chunk, about.
const CHUNK: usize = 128 << 10;
/// Rows of items, or of stock, in one part.
const PART: u64 = 25_000;
/// One row of so many is special, where the specification says 10 %.
const ONE_IN: u64 = 10;

/// What a stream of random numbers is for.
#[derive(Clone, Copy)]
enum Part {
    Item,
    Warehouse,
    District,
    Stock,
    Customer,
    History,
    Order,
    Permutation,
    LineCount,
    OrderLine,
}

/// Which rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// How many warehouses.
    pub(super) warehouses: u64,
    /// Of everything that is drawn.
    pub(super) seed: u64,
    /// NURand's constant of last names (clause 2.1.6.1).
    pub(super) c_load: i64,
}

/// The load, in the place of one that weigh made before.
pub(super) fn bulk(settings: &Settings) -> Bulk {
    let copies = copies(settings);
    let names: Vec<String> = TABLES.iter().map(|table| format!("{SCHEMA}.{}", table.name)).collect();
    Bulk::Parallel {
        before: create(),
        copies: copies
            .into_iter()
            .map(|(table, chunks)| (format!("COPY {SCHEMA}.{table} FROM STDIN"), chunks))
            .collect(),
        keys: vec![keys(), foreign_keys()],
        after: vec![
            format!("VACUUM ANALYZE {}", names.join(", ")),
            // Now it is whole.
            format!("COMMENT ON SCHEMA {SCHEMA} IS '{MARK}{}'", mark(settings)),
        ],
        rows: rows(settings),
    }
}

/// What says which data it is, in a comment on the schema.
fn mark(settings: &Settings) -> String {
    format!("warehouses={} seed={} c_load={}", settings.warehouses, settings.seed, settings.c_load)
}

/// Rows of all tables together.
fn rows(settings: &Settings) -> u64 {
    let lines: u64 = (1..=settings.warehouses)
        .flat_map(|warehouse| (1..=DISTRICTS).map(move |district| (warehouse, district)))
        .map(|(warehouse, district)| line_counts(settings, warehouse, district).iter().sum::<u64>())
        .sum();
    let new = CUSTOMERS + 1 - FIRST_NEW_ORDER;
    let of_warehouse = 1 + DISTRICTS * (1 + 3 * CUSTOMERS + new) + ITEMS;
    ITEMS + settings.warehouses * of_warehouse + lines
}

/// Tables and their rows, in parts; the largest part of each warehouse first.
fn copies(settings: &Settings) -> Vec<(&'static str, Chunks)> {
    let s = *settings;
    let mut found: Vec<(&'static str, Chunks)> = Vec::new();
    for warehouse in 1..=s.warehouses {
        for half in 0..2 {
            let orders = DISTRICTS / 2 * CUSTOMERS;
            found.push(("order_line", order_lines(s, warehouse, half * orders, orders)));
        }
        for first in (0..ITEMS).step_by(usize::try_from(PART).unwrap_or(1)) {
            found.push(("stock", stock(s, warehouse, first)));
        }
        found.push(("customer", customers(s, warehouse)));
        found.push(("orders", orders(s, warehouse)));
        found.push(("history", history(s, warehouse)));
        found.push(("new_order", new_orders(warehouse)));
    }
    for first in (0..ITEMS).step_by(usize::try_from(PART).unwrap_or(1)) {
        found.push(("item", items(s, first)));
    }
    found.push(("district", districts(s)));
    found.push(("warehouse", warehouses(s)));
    found
}

fn items(s: Settings, first: u64) -> Chunks {
    let mut random = stream(s.seed, Part::Item as u64, first);
    let mut special = Tenth::of(PART);
    lines(first, PART, move |row, out| {
        start(out, &[row + 1, 1 + random.below(10_000)]);
        next(out);
        a_string(&mut random, 14, 24, out);
        cents(out, 100 + random.below(9_901));
        next(out);
        let original = special.take(&mut random);
        data(&mut random, original, out);
        1
    })
}

fn warehouses(s: Settings) -> Chunks {
    let mut random = stream(s.seed, Part::Warehouse as u64, 0);
    lines(0, s.warehouses, move |row, out| {
        start(out, &[row + 1]);
        next(out);
        a_string(&mut random, 6, 10, out);
        address(&mut random, out);
        fraction(out, random.below(2_001));
        text(out, "300000.00");
        1
    })
}

fn districts(s: Settings) -> Chunks {
    let mut random = stream(s.seed, Part::District as u64, 0);
    lines(0, s.warehouses * DISTRICTS, move |row, out| {
        start(out, &[row % DISTRICTS + 1, row / DISTRICTS + 1]);
        next(out);
        a_string(&mut random, 6, 10, out);
        address(&mut random, out);
        fraction(out, random.below(2_001));
        text(out, "30000.00\t3001");
        1
    })
}

fn stock(s: Settings, warehouse: u64, first: u64) -> Chunks {
    let mut random = stream(s.seed, Part::Stock as u64, warehouse * ITEMS + first);
    let mut special = Tenth::of(PART);
    lines(first, PART, move |row, out| {
        start(out, &[row + 1, warehouse, 10 + random.below(91)]);
        for _ in 0..DISTRICTS {
            next(out);
            letters(&mut random, 24, out);
        }
        text(out, "0\t0\t0");
        next(out);
        let original = special.take(&mut random);
        data(&mut random, original, out);
        1
    })
}

fn customers(s: Settings, warehouse: u64) -> Chunks {
    let mut random = stream(s.seed, Part::Customer as u64, warehouse);
    let mut special = Tenth::of(CUSTOMERS);
    lines(0, DISTRICTS * CUSTOMERS, move |row, out| {
        let (district, customer) = (row / CUSTOMERS + 1, row % CUSTOMERS + 1);
        if customer == 1 {
            special = Tenth::of(CUSTOMERS);
        }
        start(out, &[customer, district, warehouse]);
        next(out);
        a_string(&mut random, 8, 16, out);
        text(out, "OE");
        // Each name once, then some more often than others.
        let name = if customer <= NAMES {
            last_name((customer - 1).cast_signed())
        } else {
            last_name_of_load(&mut random, s.c_load)
        };
        text(out, &name);
        address(&mut random, out);
        next(out);
        n_string(&mut random, 16, out);
        text(out, MOMENT);
        text(out, if special.take(&mut random) { "BC" } else { "GC" });
        text(out, "50000.00");
        fraction(out, random.below(5_001));
        text(out, "-10.00\t10.00\t1\t0");
        next(out);
        a_string(&mut random, 300, 500, out);
        1
    })
}

fn history(s: Settings, warehouse: u64) -> Chunks {
    let mut random = stream(s.seed, Part::History as u64, warehouse);
    lines(0, DISTRICTS * CUSTOMERS, move |row, out| {
        let (district, customer) = (row / CUSTOMERS + 1, row % CUSTOMERS + 1);
        start(out, &[customer, district, warehouse, district, warehouse]);
        text(out, MOMENT);
        text(out, "10.00");
        next(out);
        a_string(&mut random, 12, 24, out);
        1
    })
}

fn orders(s: Settings, warehouse: u64) -> Chunks {
    let mut random = stream(s.seed, Part::Order as u64, warehouse);
    let (mut customers, mut counts) = (Vec::new(), Vec::new());
    lines(0, DISTRICTS * CUSTOMERS, move |row, out| {
        let (district, order) = (row / CUSTOMERS + 1, row % CUSTOMERS + 1);
        if order == 1 {
            customers = permutation(&s, warehouse, district);
            counts = line_counts(&s, warehouse, district);
        }
        let place = usize::try_from(order - 1).unwrap_or(0);
        start(out, &[order, district, warehouse, customers[place]]);
        text(out, MOMENT);
        if order < FIRST_NEW_ORDER {
            number(out, 1 + random.below(10));
        } else {
            text(out, "\\N");
        }
        number(out, counts[place]);
        text(out, "1");
        1
    })
}

fn new_orders(warehouse: u64) -> Chunks {
    let each = CUSTOMERS + 1 - FIRST_NEW_ORDER;
    lines(0, DISTRICTS * each, move |row, out| {
        start(out, &[FIRST_NEW_ORDER + row % each, row / each + 1, warehouse]);
        1
    })
}

/// The lines of so many orders of a warehouse, which are counted through its districts.
fn order_lines(s: Settings, warehouse: u64, first: u64, orders: u64) -> Chunks {
    let mut random = stream(s.seed, Part::OrderLine as u64, warehouse * DISTRICTS * CUSTOMERS + first);
    let mut counts = Vec::new();
    lines(first, orders, move |row, out| {
        let (district, order) = (row / CUSTOMERS + 1, row % CUSTOMERS + 1);
        if order == 1 {
            counts = line_counts(&s, warehouse, district);
        }
        let count = counts[usize::try_from(order - 1).unwrap_or(0)];
        for number in 1..=count {
            if number > 1 {
                out.push(b'\n');
            }
            start(out, &[order, district, warehouse, number, 1 + random.below(ITEMS), warehouse]);
            if order < FIRST_NEW_ORDER {
                text(out, MOMENT);
                text(out, "5\t0.00");
            } else {
                text(out, "\\N\t5");
                cents(out, 1 + random.below(999_999));
            }
            next(out);
            letters(&mut random, 24, out);
        }
        count
    })
}

/// The customer of each order of a district: all of them once.
fn permutation(s: &Settings, warehouse: u64, district: u64) -> Vec<u64> {
    let mut random = stream(s.seed, Part::Permutation as u64, warehouse * DISTRICTS + district);
    let mut found: Vec<u64> = (1..=CUSTOMERS).collect();
    for end in (1..found.len()).rev() {
        let other = usize::try_from(random.below(end as u64 + 1)).unwrap_or(0);
        found.swap(end, other);
    }
    found
}

/// How many lines each order of a district has.
fn line_counts(s: &Settings, warehouse: u64, district: u64) -> Vec<u64> {
    let mut random = stream(s.seed, Part::LineCount as u64, warehouse * DISTRICTS + district);
    (0..CUSTOMERS).map(|_| 5 + random.below(11)).collect()
}

/// Chooses exactly a tenth of some rows at random, as they come.
struct Tenth {
    /// Still to be chosen.
    wanted: u64,
    /// Still to come.
    rows: u64,
}

impl Tenth {
    fn of(rows: u64) -> Self {
        Self { wanted: rows / ONE_IN, rows }
    }

    /// Whether the next row is one of them.
    fn take(&mut self, random: &mut Random) -> bool {
        let chosen = random.below(self.rows) < self.wanted;
        self.rows -= 1;
        self.wanted -= u64::from(chosen);
        chosen
    }
}

/// Text of 26 to 50 characters; of a special row it has `ORIGINAL` somewhere.
fn data(random: &mut Random, special: bool, out: &mut Vec<u8>) {
    const WORD: &[u8] = b"ORIGINAL";
    let begin = out.len();
    a_string(random, 26, 50, out);
    if special {
        let places = (out.len() - begin - WORD.len() + 1) as u64;
        let at = begin + usize::try_from(random.below(places)).unwrap_or(0);
        out[at..at + WORD.len()].copy_from_slice(WORD);
    }
}

fn address(random: &mut Random, out: &mut Vec<u8>) {
    for _ in 0..3 {
        next(out);
        a_string(random, 10, 20, out);
    }
    next(out);
    capitals(random, 2, out);
    next(out);
    n_string(random, 4, out);
    out.extend_from_slice(b"11111");
}

fn next(out: &mut Vec<u8>) {
    out.push(b'\t');
}

/// The first cells of a row.
fn start(out: &mut Vec<u8>, cells: &[u64]) {
    for (place, cell) in cells.iter().enumerate() {
        if place > 0 {
            next(out);
        }
        let _ = write!(out, "{cell}");
    }
}

fn number(out: &mut Vec<u8>, value: u64) {
    let _ = write!(out, "\t{value}");
}

fn text(out: &mut Vec<u8>, value: &str) {
    next(out);
    out.extend_from_slice(value.as_bytes());
}

fn cents(out: &mut Vec<u8>, value: u64) {
    let _ = write!(out, "\t{}.{:02}", value / 100, value % 100);
}

/// Ten thousandths, below 1.
fn fraction(out: &mut Vec<u8>, value: u64) {
    let _ = write!(out, "\t0.{value:04}");
}

/// Chunks of what `make` writes for each of `count` units from `first` on: it returns the rows of a unit, of which the
/// last has no end of line yet.
fn lines(first: u64, count: u64, make: impl FnMut(u64, &mut Vec<u8>) -> u64 + Send + 'static) -> Chunks {
    Box::new(Lines { next: first, end: first + count, make })
}

struct Lines<F> {
    next: u64,
    end: u64,
    make: F,
}

impl<F: FnMut(u64, &mut Vec<u8>) -> u64> Iterator for Lines<F> {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        if self.next == self.end {
            return None;
        }
        let mut chunk = Chunk { bytes: Vec::with_capacity(CHUNK + CHUNK / 8), rows: 0, replies: 0 };
        while self.next < self.end && chunk.bytes.len() < CHUNK {
            chunk.rows += (self.make)(self.next, &mut chunk.bytes);
            chunk.bytes.push(b'\n');
            self.next += 1;
        }
        Some(chunk)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    const ONE: Settings = Settings { warehouses: 1, seed: 5, c_load: 77 };

    /// The rows of a table, cell by cell.
    fn table(name: &str, settings: &Settings) -> Vec<Vec<String>> {
        copies(settings)
            .into_iter()
            .filter(|(table, _)| *table == name)
            .flat_map(|(_, chunks)| chunks)
            .flat_map(|chunk| {
                let text = String::from_utf8(chunk.bytes).unwrap();
                assert_eq!(text.lines().count() as u64, chunk.rows);
                text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect::<Vec<_>>()
            })
            .collect()
    }

    fn numbers(rows: &[Vec<String>], column: usize) -> BTreeMap<u64, usize> {
        let mut found = BTreeMap::new();
        for row in rows {
            *found.entry(row[column].parse().unwrap()).or_default() += 1;
        }
        found
    }

    #[test]
    fn a_seed_and_a_size_name_every_byte_whatever_the_order_in_which_parts_are_made() {
        let digest = |settings: &Settings, backwards: bool| {
            let mut parts = copies(settings);
            // A part of each table will do.
            parts.dedup_by_key(|(table, _)| *table);
            if backwards {
                parts.reverse();
            }
            let of = |(table, chunks): (&str, Chunks)| {
                let bytes: Vec<u8> = chunks.take(2).flat_map(|chunk| chunk.bytes).collect();
                (table.to_owned(), xxhash_rust::xxh3::xxh3_64(&bytes))
            };
            let mut found: Vec<_> = parts.into_iter().map(of).collect();
            found.sort();
            found
        };
        assert_eq!(digest(&ONE, false), digest(&ONE, true));
        assert_ne!(digest(&ONE, false), digest(&Settings { seed: 6, ..ONE }, false));
        assert_ne!(digest(&ONE, false), digest(&Settings { c_load: 78, ..ONE }, false));
    }

    #[test]
    fn every_table_has_its_rows() {
        let mut counted = BTreeMap::<&str, u64>::new();
        for (name, chunks) in copies(&ONE) {
            *counted.entry(name).or_default() += chunks.map(|chunk| chunk.rows).sum::<u64>();
        }
        assert_eq!(counted.values().sum::<u64>(), rows(&ONE));
        let lines = counted.remove("order_line").unwrap();
        assert!((298_000..302_000).contains(&lines), "{lines}");
        let expected = [
            ("customer", 30_000),
            ("district", 10),
            ("history", 30_000),
            ("item", 100_000),
            ("new_order", 9_000),
            ("orders", 30_000),
            ("stock", 100_000),
            ("warehouse", 1),
        ];
        assert_eq!(counted, expected.into());
        let of_three = rows(&Settings { warehouses: 3, ..ONE });
        let parts = copies(&Settings { warehouses: 3, ..ONE }).len();
        assert!(of_three > 3 * (rows(&ONE) - 102_000) && parts > 3 * 10);
    }

    #[test]
    fn a_tenth_of_items_and_stock_is_original_and_a_tenth_of_customers_has_bad_credit() {
        for (name, column, tenth) in [("item", 4, 10_000), ("stock", 16, 10_000)] {
            let rows = table(name, &ONE);
            let data: Vec<&String> = rows.iter().map(|row| &row[column]).collect();
            assert_eq!(data.iter().filter(|text| text.contains("ORIGINAL")).count(), tenth, "{name}");
            assert!(data.iter().all(|text| (26..=50).contains(&text.len())));
            let places: BTreeSet<_> = data.iter().filter_map(|text| text.find("ORIGINAL")).collect();
            assert_eq!(places, (0..=42).collect());
        }
        let customers = table("customer", &ONE);
        for (warehouse, district) in [("1", "1"), ("1", "10")] {
            let own: Vec<_> =
                customers.iter().filter(|row| row[2] == warehouse && row[1] == district).collect();
            assert_eq!(own.len(), 3_000);
            assert_eq!(own.iter().filter(|row| row[13] == "BC").count(), 300);
            // Each of the thousand names is there, in order, and then some more often than others.
            assert_eq!(own[371][5], "PRICALLYOUGHT");
            let mut often = BTreeMap::<_, usize>::new();
            for row in &own[1_000..] {
                *often.entry(&row[5]).or_default() += 1;
            }
            assert!(often.len() < 1_000 && *often.values().max().unwrap() > 8, "{}", often.len());
        }
        assert!(
            customers
                .iter()
                .all(|row| (8..=16).contains(&row[3].len()) && (300..=500).contains(&row[20].len()))
        );
        assert!(
            customers
                .iter()
                .all(|row| row[10].len() == 9 && row[10].ends_with("11111") && row[11].len() == 16)
        );
    }

    #[test]
    fn orders_are_a_permutation_of_the_customers_and_their_lines_are_counted() {
        let orders = table("orders", &ONE);
        let lines = table("order_line", &ONE);
        let mut counted = BTreeMap::<(&str, &str), usize>::new();
        for line in &lines {
            *counted.entry((&line[1], &line[0])).or_default() += 1;
            let delivered = line[0].parse::<u64>().unwrap() < 2_101;
            assert_eq!(line[6] == "\\N", !delivered);
            assert_eq!(line[8] == "0.00", delivered);
            assert!(line[7] == "5" && line[9].len() == 24);
        }
        for row in &orders {
            assert_eq!(counted[&(&*row[1], &*row[0])].to_string(), row[6]);
            assert_eq!(row[5] == "\\N", row[0].parse::<u64>().unwrap() >= 2_101);
        }
        for district in ["1", "10"] {
            let own: Vec<_> = orders.iter().filter(|row| row[1] == district).cloned().collect();
            let customers = numbers(&own, 3);
            assert_eq!(customers.keys().copied().collect::<Vec<_>>(), (1..=3_000).collect::<Vec<_>>());
            assert_ne!(own[0][3], "1");
        }
        let sizes = numbers(&orders, 6);
        assert_eq!(sizes.keys().copied().collect::<Vec<_>>(), (5..=15).collect::<Vec<_>>());
        // 30,000 orders over 11 sizes: 2,727 each, with a standard deviation of 50.
        assert!(sizes.values().all(|count| (2_450..3_000).contains(count)), "{sizes:?}");
        let amounts =
            lines.iter().filter(|line| line[8] != "0.00").map(|line| line[8].parse::<f64>().unwrap());
        let (least, most) =
            amounts.fold((f64::MAX, 0.0_f64), |(low, high), one| (low.min(one), high.max(one)));
        assert!((0.01..2.0).contains(&least) && (9_998.0..=9_999.99).contains(&most), "{least} {most}");
    }

    #[test]
    fn the_largest_numbers_of_items_and_stock_are_within_what_the_specification_says() {
        let items = table("item", &ONE);
        assert_eq!(numbers(&items, 0).len(), 100_000);
        assert!(numbers(&items, 1).keys().all(|id| (1..=10_000).contains(id)));
        let prices: Vec<f64> = items.iter().map(|row| row[3].parse().unwrap()).collect();
        assert!(prices.iter().all(|price| (1.0..=100.0).contains(price)));
        let stock = table("stock", &ONE);
        assert_eq!(numbers(&stock, 2).keys().copied().collect::<Vec<_>>(), (10..=100).collect::<Vec<_>>());
        assert!(stock.iter().all(|row| row[3..13].iter().all(|text| text.len() == 24)));
    }
}
