//! The rows that the tables begin with (clause 4.3.3): a seed and a number of warehouses name every one of them.
//!
//! Each part of a table draws from a stream of its own, so that parts can be made at once, in any order.

mod copy_text;
mod mysql;
mod strings;
mod tables;

use crate::random::Random;
use crate::workload::message::{Bulk, Chunks};

use super::nurand::{last_name, last_name_of_load};
use copy_text::{cents, fraction, lines, next, number, start, text};
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
pub(super) fn bulk(settings: &Settings, of_mysql: bool) -> Bulk {
    let copies = copies(settings);
    if of_mysql {
        return mysql::bulk(copies, &mark(settings), rows(settings));
    }
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
#[derive(Clone)]
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

#[cfg(test)]
mod tests;
