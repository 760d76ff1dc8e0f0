//! Pressure stall information: how long tasks were stalled for want of something.

use crate::text::{lines, number, words};

/// Microseconds since boot in which some task was stalled.
pub(crate) fn parse(text: &[u8]) -> Option<u64> {
    let some = lines(text).find_map(|line| line.strip_prefix(b"some "))?;
    words(some).find_map(|word| word.strip_prefix(b"total=").and_then(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_text() {
        let text = b"some avg10=11.78 avg60=9.41 avg300=6.79 total=15111223225\nfull avg10=0.00 total=7\n";
        assert_eq!(parse(text), Some(15_111_223_225));
    }

    #[test]
    fn a_damaged_text_is_none() {
        for damaged in ["", "full avg10=0.00 total=7\n", "some avg10=11.78\n", "some total=x\n"] {
            assert_eq!(parse(damaged.as_bytes()), None, "{damaged}");
        }
    }
}
