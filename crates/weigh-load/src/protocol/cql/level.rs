//! Consistency levels: how many replicas must have answered.

use crate::Error;

/// Names and numbers, of the protocol's documentation.
const LEVELS: [(&str, u16); 11] = [
    ("ANY", 0x00),
    ("ONE", 0x01),
    ("TWO", 0x02),
    ("THREE", 0x03),
    ("QUORUM", 0x04),
    ("ALL", 0x05),
    ("LOCAL_QUORUM", 0x06),
    ("EACH_QUORUM", 0x07),
    ("SERIAL", 0x08),
    ("LOCAL_SERIAL", 0x09),
    ("LOCAL_ONE", 0x0A),
];

/// The levels of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Levels {
    /// Of reads and writes.
    pub(super) all: u16,
    /// Of what a condition reads (`IF`).
    pub(super) serial: u16,
}

impl Levels {
    /// By their names.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`]: there is no such level, or none for that.
    pub(crate) fn named(all: &str, serial: &str) -> Result<Self, Error> {
        let levels = Self { all: number("consistency", all)?, serial: number("serial_consistency", serial)? };
        if !serial.to_ascii_uppercase().ends_with("SERIAL") {
            return Err(Error::Setting(format!(
                "serial_consistency is {serial}: it is SERIAL or LOCAL_SERIAL"
            )));
        }
        Ok(levels)
    }
}

fn number(setting: &str, name: &str) -> Result<u16, Error> {
    let found = LEVELS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, number)| *number).ok_or_else(|| {
        let known: Vec<&str> = LEVELS.iter().map(|(known, _)| *known).collect();
        Error::Setting(format!("{setting} is {name}: it is one of {}", known.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_their_numbers_and_others_are_refused() {
        assert_eq!(Levels::named("quorum", "LOCAL_SERIAL").unwrap(), Levels { all: 4, serial: 9 });
        for (all, serial, word) in [("MOST", "SERIAL", "LOCAL_QUORUM"), ("ONE", "ONE", "LOCAL_SERIAL")] {
            let message = Levels::named(all, serial).unwrap_err().to_string();
            assert!(message.contains(word), "{message}");
        }
    }
}
