//! Texts of `/proc`: lines, words and numbers, without making strings of them.

/// The lines of a text.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n')
}

/// The words of a line.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A word as a number; `None` where it is not one, or too large.
pub(crate) fn number(word: &[u8]) -> Option<u64> {
    if word.is_empty() {
        return None;
    }
    word.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// The next word as a number.
pub(crate) fn next<'a>(words: &mut impl Iterator<Item = &'a [u8]>) -> Option<u64> {
    words.next().and_then(number)
}

/// The number after a key at the beginning of a line, as in `key 12` or `key:  12 kB`.
pub(crate) fn value(text: &[u8], key: &str) -> Option<u64> {
    lines(text).find_map(|line| line.strip_prefix(key.as_bytes()).and_then(|rest| next(&mut words(rest))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_digits_and_nothing_else() {
        assert_eq!(number(b"0"), Some(0));
        assert_eq!(number(b"18446744073709551615"), Some(u64::MAX));
        for damaged in ["", "-1", "1.5", "12x", "18446744073709551616"] {
            assert_eq!(number(damaged.as_bytes()), None, "{damaged}");
        }
    }

    #[test]
    fn a_key_is_looked_for_at_the_beginning_of_lines() {
        let text = b"SwapCached: 3 kB\nCached:      5751484 kB\nEmpty:\n";
        assert_eq!(value(text, "Cached:"), Some(5_751_484));
        assert_eq!(value(text, "Empty:"), None);
        assert_eq!(value(text, "Dirty:"), None);
    }
}
