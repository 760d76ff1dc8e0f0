//! `/proc/meminfo` and `/proc/vmstat`: what memory was used for.

use crate::text::value;

/// What memory is used for, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// What is not used, not even as a cache.
    pub free: Option<u64>,
    /// The page cache.
    pub cached: Option<u64>,
    /// What waits to be written.
    pub dirty: Option<u64>,
    /// Swap in use.
    pub swap_used: Option<u64>,
}

/// Reads `/proc/meminfo`.
pub(crate) fn parse(text: &[u8]) -> Memory {
    let bytes = |key| value(text, key).map(|kib| kib * 1024);
    let swap = || bytes("SwapTotal:")?.checked_sub(bytes("SwapFree:")?);
    Memory { free: bytes("MemFree:"), cached: bytes("Cached:"), dirty: bytes("Dirty:"), swap_used: swap() }
}

/// Events of memory since boot, or in a span.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// Pages swapped in and out.
    pub swapped: Option<u64>,
    /// Page faults that needed a device.
    pub major: Option<u64>,
    /// Processes that the kernel ended for want of memory; `None` before Linux 4.13.
    pub oom_kills: Option<u64>,
}

impl Faults {
    /// What happened between two readings.
    pub(crate) fn since(&self, before: &Self) -> Self {
        let known = |after: Option<u64>, before: Option<u64>| Some(after?.saturating_sub(before?));
        Self {
            swapped: known(self.swapped, before.swapped),
            major: known(self.major, before.major),
            oom_kills: known(self.oom_kills, before.oom_kills),
        }
    }
}

/// Reads `/proc/vmstat`.
pub(crate) fn faults(text: &[u8]) -> Faults {
    let swapped = || Some(value(text, "pswpin ")? + value(text, "pswpout ")?);
    Faults { swapped: swapped(), major: value(text, "pgmajfault "), oom_kills: value(text, "oom_kill ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_texts() {
        let text = b"MemTotal:       24684084 kB\nMemFree:        17395380 kB\nCached:          5751484 kB
SwapCached:            0 kB\nSwapTotal:          2048 kB\nSwapFree:           1024 kB\nDirty:               648 kB\n";
        let kib = |number: u64| Some(number * 1024);
        let memory =
            Memory { free: kib(17_395_380), cached: kib(5_751_484), dirty: kib(648), swap_used: kib(1024) };
        assert_eq!(parse(text), memory);
        let text = b"pgmajfault 80460\npswpin 2\npswpout 3\noom_kill 1\n";
        assert_eq!(faults(text), Faults { swapped: Some(5), major: Some(80_460), oom_kills: Some(1) });
    }

    #[test]
    fn what_is_missing_is_none_and_not_zero() {
        assert_eq!(parse(b""), Memory::default());
        let no_swap = parse(b"SwapTotal: 0 kB\nSwapFree: 0 kB\n");
        assert_eq!((no_swap.swap_used, no_swap.free), (Some(0), None));
        assert_eq!(parse(b"SwapTotal: 5 kB\nSwapFree: 9 kB\n").swap_used, None);
        assert_eq!(faults(b"pswpin 2\npgmajfault\n"), Faults::default());
        let since = faults(b"oom_kill 3\n").since(&faults(b"oom_kill 1\npgmajfault 1\n"));
        assert_eq!((since.oom_kills, since.major), (Some(2), None));
    }
}
