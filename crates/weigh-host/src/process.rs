//! `/proc/PID/stat`: who a process is and what CPU time it and its ended children have used.

use crate::text::{next, words};

/// One reading. Times are in the units of `/proc/stat`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stat {
    pub(crate) name: String,
    pub(crate) parent: i32,
    pub(crate) session: i32,
    /// A thread of the kernel's.
    pub(crate) kernel: bool,
    pub(crate) user: u64,
    pub(crate) system: u64,
    /// Of the children that it waited for, with theirs.
    pub(crate) children: u64,
    /// Since boot; with the process id it names a process for ever.
    pub(crate) started: u64,
}

/// `PF_KTHREAD` of the kernel's include/linux/sched.h.
const KERNEL_THREAD: u64 = 0x0020_0000;

/// Reads `/proc/PID/stat`; `None` where it is damaged.
pub(crate) fn parse(text: &[u8]) -> Option<Stat> {
    let open = text.iter().position(|byte| *byte == b'(')?;
    // A name may hold brackets, blanks and even line ends itself.
    let close = text.iter().rposition(|byte| *byte == b')').filter(|close| *close > open)?;
    let name = String::from_utf8_lossy(&text[open + 1..close]).into_owned();
    let mut words = words(&text[close + 1..]);
    let parent = signed(words.nth(1)?)?;
    let session = signed(words.nth(1)?)?;
    let flags = words.nth(2).and_then(crate::text::number)?;
    let user = words.nth(4).and_then(crate::text::number)?;
    let system = next(&mut words)?;
    // Signed in the kernel's format, and never below 0.
    let children = next(&mut words)? + next(&mut words)?;
    let started = words.nth(4).and_then(crate::text::number)?;
    Some(Stat { name, parent, session, kernel: flags & KERNEL_THREAD != 0, user, system, children, started })
}

fn signed(word: &[u8]) -> Option<i32> {
    str::from_utf8(word).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_texts() {
        let text = b"28701 (cat) R 28690 28680 19365 0 -1 4194304 98 0 0 0 11 22 33 44 20 0 1 0 3407266 3133440 390 184";
        let stat = Stat {
            name: "cat".to_owned(),
            parent: 28_690,
            session: 19_365,
            kernel: false,
            user: 11,
            system: 22,
            children: 77,
            started: 3_407_266,
        };
        assert_eq!(parse(text), Some(stat));
        let kernel =
            parse(b"2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 1 0 0 0 20 0 1 0 21 0 0 1844").unwrap();
        assert!(kernel.kernel);
    }

    #[test]
    fn names_may_hold_anything() {
        let stat = parse(b"7 (a) b (c\n) S 1 2 3 0 -1 64 0 0 0 0 1 2 0 0 20 0 1 0 21 0 0").unwrap();
        assert_eq!((stat.name.as_str(), stat.parent, stat.session, stat.user), ("a) b (c\n", 1, 3, 1));
    }

    #[test]
    fn damaged_texts_are_none() {
        for damaged in
            ["", "7", "7 (a", "7 )a( S 1", "7 (a) S", "7 (a) S 1 2 3 0 -1 64 0 0 0 0 1 x 0 0 20 0 1 0 21"]
        {
            assert_eq!(parse(damaged.as_bytes()), None, "{damaged}");
        }
    }
}
