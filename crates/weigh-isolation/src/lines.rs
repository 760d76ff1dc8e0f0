//! Histories as files: lines of JSON in Elle's form, compressed by gzip.
//!
//! Each transaction is two lines, `invoke` and how it ended (`ok`, `fail`, `info`), in the order of time, so that Elle and
//! its kin read it as well. The level that the server named stands beside it.

use std::fmt;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::error::Error;
use crate::history::{History, Operation, Outcome, Transaction};

/// Bytes of a history, uncompressed, at most.
const MOST: u64 = 16 << 30;
/// Elements and operations that are counted in 32 bits.
const COUNTED: usize = u32::MAX as usize / 2;

/// Writes a history.
///
/// # Errors
///
/// The file cannot be written.
pub fn write(history: &History, path: &Path) -> Result<(), Error> {
    let file = std::fs::File::create(path)?;
    let mut out = BufWriter::with_capacity(1 << 18, GzEncoder::new(file, Compression::fast()));
    let mut order: Vec<(u64, bool, usize)> = Vec::with_capacity(2 * history.transactions().len());
    for (number, one) in history.transactions().iter().enumerate() {
        order.push((one.begun, false, number));
        order.push((one.ended, true, number));
    }
    // Of the same moment a beginning comes first: what is not certain to be earlier is not.
    order.sort_unstable();
    for (index, (time, ended, number)) in order.into_iter().enumerate() {
        line(&mut out, history, &history.transactions()[number], index, time, ended)?;
    }
    out.into_inner().map_err(std::io::IntoInnerError::into_error)?.finish()?.sync_all()?;
    Ok(())
}

fn line(
    out: &mut impl Write,
    history: &History,
    one: &Transaction,
    index: usize,
    time: u64,
    ended: bool,
) -> std::io::Result<()> {
    // What a transaction read counts where it committed, as Elle has it.
    let told = ended && one.outcome == Outcome::Committed;
    let kind = match one.outcome {
        _ if !ended => "invoke",
        Outcome::Committed => "ok",
        Outcome::Aborted => "fail",
        Outcome::Unknown => "info",
    };
    write!(out, r#"{{"index":{index},"type":"{kind}","process":{},"time":{time},"f":"txn","#, one.process)?;
    if ended && let Some(level) = one.level {
        // A name that a server gave: any text.
        let name = serde_json::to_string(&history.levels()[usize::from(level)])?;
        write!(out, r#""isolation":{name},"#)?;
    }
    out.write_all(br#""value":["#)?;
    for (place, operation) in history.operations(one).iter().enumerate() {
        if place > 0 {
            out.write_all(b",")?;
        }
        match *operation {
            Operation::Append { key, element } => write!(out, r#"["append",{key},{element}]"#)?,
            Operation::Write { key, value } => write!(out, r#"["w",{key},{value}]"#)?,
            Operation::Register { key, value: Some(Some(value)) } if told => {
                write!(out, r#"["get",{key},{value}]"#)?;
            }
            Operation::Register { key, value: Some(None) } if told => write!(out, r#"["get",{key},0]"#)?,
            Operation::Register { key, .. } => write!(out, r#"["get",{key},null]"#)?,
            Operation::List { key, list: Some(at) } if told => {
                write!(out, r#"["r",{key},["#)?;
                for (place, element) in history.list(at).iter().enumerate() {
                    write!(out, "{}{element}", if place > 0 { "," } else { "" })?;
                }
                out.write_all(b"]]")?;
            }
            Operation::List { key, .. } => write!(out, r#"["r",{key},null]"#)?,
        }
    }
    out.write_all(b"]}\n")
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    process: u32,
    time: u64,
    #[serde(borrow)]
    value: Vec<(&'a str, u32, Told)>,
    #[serde(default)]
    isolation: Option<String>,
}

/// The last of the three parts of an operation.
enum Told {
    Nothing,
    One(u32),
    Many(Vec<u32>),
}

impl<'de> Deserialize<'de> for Told {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Part;
        impl<'de> Visitor<'de> for Part {
            type Value = Told;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("null, a whole number below 2^32, or a list of them")
            }

            fn visit_unit<E>(self) -> Result<Told, E> {
                Ok(Told::Nothing)
            }

            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Told, E> {
                u32::try_from(value).map(Told::One).map_err(E::custom)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Told, A::Error> {
                let mut found = Vec::new();
                while let Some(one) = all.next_element()? {
                    found.push(one);
                }
                Ok(Told::Many(found))
            }
        }
        deserializer.deserialize_any(Part)
    }
}

/// Reads a history.
///
/// # Errors
///
/// The file cannot be read, or a line of it is none of a history.
pub fn read(path: &Path) -> Result<History, Error> {
    let file = MultiGzDecoder::new(BufReader::new(std::fs::File::open(path)?));
    let mut lines = BufReader::with_capacity(1 << 18, file.take(MOST));
    let mut history = History::default();
    let mut begun: std::collections::HashMap<u32, u64> = std::collections::HashMap::new();
    let (mut text, mut number, mut bytes) = (String::new(), 0, 0);
    let mut operations = Vec::new();
    loop {
        text.clear();
        let length = lines.read_line(&mut text)?;
        bytes += length as u64;
        number += 1;
        if length == 0 {
            break;
        }
        let wrong = |why: String| Error::Line(number, why);
        let line: Line<'_> = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let outcome = match line.kind {
            "invoke" => {
                if begun.insert(line.process, line.time).is_some() {
                    return Err(wrong(format!("process {} has begun one already", line.process)));
                }
                continue;
            }
            "ok" => Outcome::Committed,
            "fail" => Outcome::Aborted,
            "info" => Outcome::Unknown,
            other => return Err(wrong(format!("{other:?} is no kind of line"))),
        };
        let at = begun.remove(&line.process).filter(|at| *at <= line.time);
        let at = at.ok_or_else(|| wrong(format!("process {} has begun none before it", line.process)))?;
        operations.clear();
        for (word, key, told) in line.value {
            operations.push(match (word, told) {
                ("append", Told::One(element)) => Operation::Append { key, element },
                ("r", Told::Nothing) => Operation::List { key, list: None },
                ("r", Told::Many(list)) => Operation::List { key, list: Some(history.keep(list)) },
                ("w", Told::One(value)) if value > 0 => Operation::Write { key, value },
                ("get", Told::Nothing) => Operation::Register { key, value: None },
                ("get", Told::One(value)) => {
                    Operation::Register { key, value: Some((value > 0).then_some(value)) }
                }
                _ => return Err(wrong(format!("{word:?} of {key} is no operation"))),
            });
        }
        let level = line.isolation.and_then(|name| history.level(&name));
        history.add(line.process, (at, line.time), outcome, level, &operations);
        let (_, operations, elements) = history.sizes();
        if operations > COUNTED || elements > COUNTED {
            return Err(Error::TooLarge);
        }
    }
    if bytes >= MOST {
        return Err(Error::TooLarge);
    }
    Ok(history)
}
