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
            // The first thousand customers of a district have every last name once, whatever is drawn.
            let bytes: Vec<u8> = chunks.take(8).flat_map(|chunk| chunk.bytes).collect();
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
        let own: Vec<_> = customers.iter().filter(|row| row[2] == warehouse && row[1] == district).collect();
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
        customers.iter().all(|row| (8..=16).contains(&row[3].len()) && (300..=500).contains(&row[20].len()))
    );
    assert!(
        customers.iter().all(|row| row[10].len() == 9 && row[10].ends_with("11111") && row[11].len() == 16)
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
    let amounts = lines.iter().filter(|line| line[8] != "0.00").map(|line| line[8].parse::<f64>().unwrap());
    let (least, most) = amounts.fold((f64::MAX, 0.0_f64), |(low, high), one| (low.min(one), high.max(one)));
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
