//! The rows of the load, in the form in which a server takes many at once.

use crate::config::TargetKind;
use crate::workload::message::{Bulk, Chunk, Chunks, mysql_copy};

use super::Settings;
use super::commands::{Commands, INDEX, Store, TABLE, row_name};
use super::key_names::KeyNames;
use super::value::Values;

/// The longest value of MySQL's type `text`, in bytes.
const MYSQL_TEXT: u64 = 65_535;
/// Bytes of a chunk, about.
const CHUNK: usize = 128 << 10;

/// The load of a run.
pub(crate) fn of(settings: &Settings, values: Values, names: KeyNames, kind: TargetKind) -> Bulk {
    let Settings { records, store, .. } = *settings;
    let fields = settings.core.fields;
    let commands = Commands::new(store, names, &settings.core);
    match store {
        Store::Sql => {
            let columns: Vec<String> = commands.names().iter().map(|field| format!("{field} text")).collect();
            // Of byte order, so that a scan has the same one everywhere.
            let create = format!(
                "CREATE TABLE {TABLE} (ycsb_key text COLLATE \"C\" NOT NULL, {})",
                columns.join(", ")
            );
            let rows = Box::new(Rows { next: 0, records, make: move |key| line(key, names, fields, values) });
            if kind == TargetKind::MySql {
                return of_mysql(commands.names(), settings, rows);
            }
            if kind == TargetKind::Sqlite {
                return of_sqlite(&columns, rows, records);
            }
            Bulk::Sql {
                before: vec![format!("DROP TABLE IF EXISTS {TABLE}"), create],
                copies: vec![(format!("COPY {TABLE} FROM STDIN"), rows)],
                after: vec![
                    format!("ALTER TABLE {TABLE} ADD PRIMARY KEY (ycsb_key)"),
                    format!("VACUUM ANALYZE {TABLE}"),
                ],
                rows: records,
            }
        }
        Store::Cql => {
            let columns: Vec<String> = commands.names().iter().map(|field| format!("{field} text")).collect();
            let cells: Vec<String> = (1..=columns.len() + 1).map(|number| format!("${number}")).collect();
            Bulk::Sql {
                before: vec![
                    format!("DROP TABLE IF EXISTS {TABLE}"),
                    format!("CREATE TABLE {TABLE} (ycsb_key text PRIMARY KEY, {})", columns.join(", ")),
                ],
                copies: vec![(
                    format!(
                        "INSERT INTO {TABLE} (ycsb_key, {}) VALUES ({})",
                        commands.names().join(", "),
                        cells.join(", ")
                    ),
                    Box::new(Rows { next: 0, records, make: move |key| line(key, names, fields, values) }),
                )],
                after: Vec::new(),
                rows: records,
            }
        }
        Store::KeyValue { ordered_index } => {
            let index = ordered_index && settings.core.scans();
            let rows = Rows {
                next: 0,
                records,
                make: move |key| words(key, names, commands.names(), index, values),
            };
            let chunks: Chunks = Box::new(rows);
            let before = if index { vec![vec![b"DEL".into(), INDEX.into()]] } else { Vec::new() };
            Bulk::Keyed { before, chunks, rows: records }
        }
    }
}

/// The same table in MySQL, whose rows lie in their primary key: made before them. Names are compared by their bytes.
fn of_mysql(fields: &[String], settings: &Settings, chunks: Chunks) -> Bulk {
    let kind = if settings.core.field_bytes.most > MYSQL_TEXT { "longtext" } else { "text" };
    let columns: Vec<String> = fields.iter().map(|field| format!("{field} {kind}")).collect();
    Bulk::Sql {
        before: vec![
            format!("DROP TABLE IF EXISTS {TABLE}"),
            format!(
                "CREATE TABLE {TABLE} (ycsb_key varchar(255) NOT NULL PRIMARY KEY, {}) \
                 CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
                columns.join(", ")
            ),
        ],
        copies: vec![(mysql_copy(TABLE), chunks)],
        after: vec![format!("ANALYZE TABLE {TABLE}")],
        rows: settings.records,
    }
}

/// The same table in SQLite, whose texts are of byte order by themselves. The index is what a PRIMARY KEY makes, built
/// when the rows are there.
fn of_sqlite(columns: &[String], chunks: Chunks, rows: u64) -> Bulk {
    let cells = vec!["?"; columns.len() + 1].join(", ");
    Bulk::Sql {
        before: vec![
            format!("DROP TABLE IF EXISTS {TABLE}"),
            format!("CREATE TABLE {TABLE} (ycsb_key text NOT NULL, {})", columns.join(", ")),
        ],
        copies: vec![(format!("INSERT INTO {TABLE} VALUES ({cells})"), chunks)],
        after: vec![
            format!("CREATE UNIQUE INDEX {TABLE}_key ON {TABLE} (ycsb_key)"),
            format!("ANALYZE {TABLE}"),
        ],
        rows,
    }
}

/// Chunks of rows that `make` writes, each with its number of replies.
#[derive(Clone)]
struct Rows<F> {
    next: u64,
    records: u64,
    make: F,
}

impl<F: FnMut(u64) -> (Vec<u8>, u64)> Iterator for Rows<F> {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        if self.next == self.records {
            return None;
        }
        let mut chunk = Chunk { bytes: Vec::with_capacity(CHUNK + CHUNK / 8), rows: 0, replies: 0 };
        while self.next < self.records && chunk.bytes.len() < CHUNK {
            let (bytes, replies) = (self.make)(self.next);
            chunk.bytes.extend_from_slice(&bytes);
            chunk.replies += replies;
            chunk.rows += 1;
            self.next += 1;
        }
        Some(chunk)
    }
}

/// A row as COPY has it. Nothing needs an escape.
fn line(key: u64, names: KeyNames, fields: u32, values: Values) -> (Vec<u8>, u64) {
    let mut out = names.name(key);
    for field in 0..fields {
        out.push(b'\t');
        values.write(key, field, 0, &mut out);
    }
    out.push(b'\n');
    (out, 0)
}

/// A row as RESP commands, and how many they are.
fn words(key: u64, names: KeyNames, fields: &[String], index: bool, values: Values) -> (Vec<u8>, u64) {
    let name = names.name(key);
    let mut out = Vec::with_capacity(64 + fields.len() * (values.longest() + 32));
    begin(2 + 2 * fields.len(), &mut out);
    word(b"HSET", &mut out);
    word(&row_name(&name), &mut out);
    let mut value = Vec::with_capacity(values.longest());
    for (number, field) in (0..).zip(fields) {
        word(field.as_bytes(), &mut out);
        value.clear();
        values.write(key, number, 0, &mut value);
        word(&value, &mut out);
    }
    if index {
        begin(4, &mut out);
        for part in [&b"ZADD"[..], INDEX, b"0", &name] {
            word(part, &mut out);
        }
    }
    (out, 1 + u64::from(index))
}

fn begin(words: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("*{words}\r\n").as_bytes());
}

fn word(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(format!("${}\r\n", bytes.len()).as_bytes());
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::super::core_workload::{CoreWorkload, Letter};
    use super::super::range::Range;
    use super::*;

    const VALUES: Values = Values { seed: 1, bytes: Range::constant(30) };
    const NAMES: KeyNames = KeyNames { hashed: true, padding: 1 };

    fn settings(letter: Letter, store: Store) -> Settings {
        let core = CoreWorkload { fields: 2, field_bytes: VALUES.bytes, ..letter.into() };
        Settings {
            core,
            records: 10_000,
            seed: 1,
            store,
            expected_inserts: 0,
            share: crate::config::Share::default(),
        }
    }

    #[test]
    fn copy_has_every_row_once_with_the_values_that_are_expected() {
        let Bulk::Sql { copies, rows, .. } =
            of(&settings(Letter::A, Store::Sql), VALUES, NAMES, TargetKind::Postgres)
        else {
            panic!()
        };
        let chunks: Vec<Chunk> = copies.into_iter().flat_map(|(_, chunks)| chunks).collect();
        assert!(chunks.len() > 2);
        assert_eq!(chunks.iter().map(|chunk| chunk.rows).sum::<u64>(), rows);
        let text = String::from_utf8(chunks.into_iter().flat_map(|chunk| chunk.bytes).collect()).unwrap();
        assert_eq!(text.lines().count(), 10_000);
        for (key, line) in (0..).zip(text.lines()) {
            let cells: Vec<&[u8]> = line.split('\t').map(str::as_bytes).collect();
            assert_eq!(cells.len(), 3);
            assert_eq!(cells[0], NAMES.name(key));
            assert_eq!(VALUES.read(key, 0, cells[1]), Ok(0));
            assert_eq!(VALUES.read(key, 1, cells[2]), Ok(0));
        }
    }

    #[test]
    fn resp_commands_are_counted_with_their_replies() {
        for (letter, replies) in [(Letter::A, 10_000), (Letter::E, 20_000)] {
            let store = Store::KeyValue { ordered_index: true };
            let Bulk::Keyed { chunks, .. } = of(&settings(letter, store), VALUES, NAMES, TargetKind::Redis)
            else {
                panic!()
            };
            let chunks: Vec<Chunk> = chunks.collect();
            assert_eq!(chunks.iter().map(|chunk| chunk.replies).sum::<u64>(), replies);
            let text = String::from_utf8(chunks.into_iter().flat_map(|chunk| chunk.bytes).collect()).unwrap();
            assert_eq!(text.matches('*').count() as u64, replies);
            assert!(text.starts_with(
                "*6\r\n$4\r\nHSET\r\n$29\r\nweigh:user6284781860667377211\r\n$6\r\nfield0\r\n$30\r\n"
            ));
        }
    }
}
