//! The slot of a key, and of a command.

use crate::protocol::resp::words::words;
use crate::workload::message::Command;

/// Slots of a cluster.
pub(crate) const SLOTS: u16 = 16_384;

/// The slot of a key: of its hash tag where it has one, so that keys with the same tag lie together.
pub(crate) fn slot(key: &[u8]) -> u16 {
    crc16(tag(key)) % SLOTS
}

/// What stands between the first `{` and the next `}`, if it is not empty; else the whole key.
fn tag(key: &[u8]) -> &[u8] {
    let Some(open) = key.iter().position(|byte| *byte == b'{') else { return key };
    let rest = &key[open + 1..];
    match rest.iter().position(|byte| *byte == b'}') {
        Some(length @ 1..) => &rest[..length],
        _ => key,
    }
}

/// CRC-16/XMODEM: polynomial 0x1021, as the specification of the cluster has it.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc: u16, byte| crc << 8 ^ TABLE[usize::from(crc >> 8 ^ u16::from(*byte))])
}

const TABLE: [u16; 256] = table();

#[expect(clippy::cast_possible_truncation, reason = "a byte")]
const fn table() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = (byte as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 0x8000 == 0 { crc << 1 } else { crc << 1 ^ 0x1021 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
}

/// Where a command belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// To the node of this slot.
    Slot(u16),
    /// Its keys lie in two slots at least.
    Apart(u16, u16),
    /// It has no key: any node does.
    Anywhere,
}

/// Where a command belongs. The commands of a batch go together, and so must their keys.
pub(crate) fn place(command: &Command) -> Place {
    match command {
        Command::Keyed(words) => of_words(words),
        Command::Batch(commands) => together(commands.iter().map(|words| of_words(words))),
        Command::Simple(text) => words(text).map_or(Place::Anywhere, |words| of_words(&words)),
        _ => Place::Anywhere,
    }
}

/// Where the words of one command belong.
pub(crate) fn of_words(words: &[impl AsRef<[u8]>]) -> Place {
    let word = |number: usize| words.get(number).map(AsRef::as_ref);
    let name = word(0).unwrap_or_default().to_ascii_uppercase();
    let key = |number: usize| word(number).map_or(Place::Anywhere, |key| Place::Slot(slot(key)));
    let keys = |first: usize, step: usize| {
        together(words.iter().skip(first).step_by(step).map(|key| Place::Slot(slot(key.as_ref()))))
    };
    match name.as_slice() {
        b"DEL" | b"EXISTS" | b"MGET" | b"SDIFF" | b"SINTER" | b"SUNION" | b"TOUCH" | b"UNLINK"
        | b"PFCOUNT" | b"PFMERGE" | b"SDIFFSTORE" | b"SINTERSTORE" | b"SUNIONSTORE" | b"WATCH" => keys(1, 1),
        b"MSET" | b"MSETNX" => keys(1, 2),
        b"COPY" | b"LMOVE" | b"RENAME" | b"RENAMENX" | b"RPOPLPUSH" | b"SMOVE" => together([key(1), key(2)]),
        b"EVAL" | b"EVALSHA" | b"EVAL_RO" | b"EVALSHA_RO" | b"FCALL" | b"FCALL_RO" => {
            let count = word(2).and_then(|count| std::str::from_utf8(count).ok()?.parse().ok()).unwrap_or(0);
            together((3..).take(count).take_while(|number| *number < words.len()).map(key))
        }
        b"OBJECT" | b"XGROUP" | b"XINFO" | b"BITOP" => key(2),
        b"ASKING" | b"CLUSTER" | b"COMMAND" | b"CONFIG" | b"DBSIZE" | b"DISCARD" | b"ECHO" | b"EXEC"
        | b"FLUSHALL" | b"FLUSHDB" | b"INFO" | b"KEYS" | b"MULTI" | b"PING" | b"RANDOMKEY" | b"SCAN"
        | b"SCRIPT" | b"TIME" | b"UNWATCH" | b"WAIT" | b"WAITAOF" => Place::Anywhere,
        _ => key(1),
    }
}

/// Why a command cannot be one of a script that is run against a cluster; nothing where it can.
pub(crate) fn unfit(words: &[Vec<u8>]) -> Option<String> {
    let name = words.first().map(|word| word.to_ascii_uppercase()).unwrap_or_default();
    if matches!(
        name.as_slice(),
        b"MULTI" | b"EXEC" | b"DISCARD" | b"WATCH" | b"UNWATCH" | b"SELECT" | b"ASKING"
    ) {
        let name = String::from_utf8_lossy(&name).into_owned();
        return Some(format!(
            "{name} belongs to one connection to one node, and commands go to the nodes that have their keys"
        ));
    }
    match of_words(words) {
        Place::Apart(one, other) => Some(apart(one, other)),
        Place::Slot(_) | Place::Anywhere => None,
    }
}

/// That the keys of a command lie in two slots.
pub(crate) fn apart(one: u16, other: u16) -> String {
    format!(
        "its keys lie in slots {one} and {other}, and a cluster takes a command only if all keys lie in one: give them \
         the same hash tag, as in {{tag}}a and {{tag}}b (CROSSSLOT)"
    )
}

/// Where several belong together.
fn together(places: impl IntoIterator<Item = Place>) -> Place {
    places.into_iter().fold(Place::Anywhere, |found, next| match (found, next) {
        (Place::Slot(one), Place::Slot(other)) if one != other => Place::Apart(one, other),
        (Place::Anywhere, place) | (place, _) => place,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_those_of_the_specification() {
        // The appendix of the specification: the checksum of "123456789".
        assert_eq!(crc16(b"123456789"), 0x31C3);
        // As CLUSTER KEYSLOT of Valkey 9 has them.
        for (key, expected) in [("foo", 12_182), ("bar", 5_061), ("", 0), ("user:{42}:name", 8_000)] {
            assert_eq!(slot(key.as_bytes()), expected, "{key}");
        }
    }

    #[test]
    fn a_hash_tag_counts_alone_unless_it_is_empty() {
        for (key, hashed) in [
            ("{user1000}.following", "user1000"),
            ("foo{}{bar}", "foo{}{bar}"),
            ("foo{{bar}}zap", "{bar"),
            ("foo{bar}{zap}", "bar"),
            ("foo{bar", "foo{bar"),
            ("a}b{c}", "c"),
        ] {
            assert_eq!(tag(key.as_bytes()), hashed.as_bytes(), "{key}");
        }
    }

    #[test]
    fn a_command_belongs_where_its_keys_are() {
        let at = |text: &str| of_words(&text.split(' ').collect::<Vec<&str>>());
        let (foo, bar) = (slot(b"foo"), slot(b"bar"));
        for text in
            ["get foo", "HSET foo a 1", "MGET foo {foo}2", "MSET foo 1 {foo}b bar", "EVAL x 1 foo bar"]
        {
            assert_eq!(at(text), Place::Slot(foo), "{text}");
        }
        for text in
            ["MGET foo bar", "del foo {foo} bar", "MSET foo 1 bar 1", "RENAME foo bar", "EVAL x 2 foo bar"]
        {
            assert_eq!(at(text), Place::Apart(foo, bar), "{text}");
        }
        for text in ["PING", "CLUSTER SLOTS", "EVAL x 0 foo", "EVAL x 99999999999 foo"] {
            assert!(matches!(at(text), Place::Anywhere | Place::Slot(_)), "{text}");
        }
    }
}
