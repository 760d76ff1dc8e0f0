//! `/proc/stat`: what the CPUs did.

use crate::text::{lines, next, value, words};

pub(crate) mod frequency;

/// Times of one CPU or of all together since boot, in the units of `/proc/stat`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Times {
    /// User and nice: what no kernel thread has.
    pub(crate) user: u64,
    /// User, nice and system, without interrupts and waiting.
    pub(crate) busy: u64,
    /// What the hypervisor gave to others; `None` before Linux 2.6.11.
    pub(crate) steal: Option<u64>,
    /// All of it.
    pub(crate) total: u64,
}

/// One reading.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cpus {
    pub(crate) all: Times,
    /// Of each CPU that is on.
    pub(crate) each: Vec<Times>,
    pub(crate) switches: Option<u64>,
    /// Tasks running or ready to run, the reader among them.
    pub(crate) running: Option<u64>,
}

/// Reads `/proc/stat`; `None` where it has no line for all CPUs.
pub(crate) fn parse(text: &[u8]) -> Option<Cpus> {
    let mut cpus = Cpus::default();
    let mut seen = false;
    for line in lines(text) {
        let Some(rest) = line.strip_prefix(b"cpu") else { break };
        let mut words = words(rest);
        if rest.first().is_some_and(u8::is_ascii_digit) {
            words.next();
            cpus.each.push(times(&mut words)?);
        } else {
            cpus.all = times(&mut words)?;
            seen = true;
        }
    }
    // After a line of interrupts that may be long.
    let tail = text.windows(5).position(|part| part == b"\nctxt").map_or(text, |at| &text[at..]);
    cpus.switches = value(tail, "ctxt ");
    cpus.running = value(tail, "procs_running ");
    seen.then_some(cpus)
}

fn times<'a>(words: &mut impl Iterator<Item = &'a [u8]>) -> Option<Times> {
    let (user, nice, system, idle) = (next(words)?, next(words)?, next(words)?, next(words)?);
    let [waiting, irq, softirq] = [next(words), next(words), next(words)].map(Option::unwrap_or_default);
    let steal = next(words);
    let busy = user + nice + system;
    Some(Times {
        user: user + nice,
        busy,
        steal,
        total: busy + idle + waiting + irq + softirq + steal.unwrap_or(0),
    })
}

/// Busy share of each CPU between two readings; `None` where a CPU came or went, or no time passed.
pub(crate) fn shares(before: &[Times], after: &[Times]) -> Option<Vec<f64>> {
    if before.len() != after.len() || after.is_empty() {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "ticks of a few seconds")]
    let share = |(before, after): (&Times, &Times)| {
        let total = after.total.saturating_sub(before.total);
        (total > 0).then(|| after.busy.saturating_sub(before.busy) as f64 / total as f64)
    };
    before.iter().zip(after).map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"cpu  3451821 777750 611593 1818657 13021 0 4603 28559 0 0
cpu0 1652227 389859 298085 993221 3739 0 796 14109 0 0
cpu1 1799594 387891 313508 825436 9282 0 3807 14449 0 0
intr 27359861 0 0 1 1 15 0 0
ctxt 61208215
btime 1795300000
processes 152022
procs_running 3
procs_blocked 0
softirq 5912003 0 1 2 3
";

    #[test]
    fn a_recorded_text() {
        let cpus = parse(TEXT).unwrap();
        let busy = 3_451_821 + 777_750 + 611_593;
        let total = busy + 1_818_657 + 13_021 + 4_603 + 28_559;
        let times = Times { user: 3_451_821 + 777_750, busy, steal: Some(28_559), total };
        assert_eq!(cpus.all, times);
        assert_eq!(cpus.each.len(), 2);
        assert_eq!(cpus.each[1].user, 1_799_594 + 387_891);
        assert_eq!((cpus.switches, cpus.running), (Some(61_208_215), Some(3)));
    }

    #[test]
    fn what_is_missing_is_none_and_not_zero() {
        let old = parse(b"cpu  10 20 30 40\ncpu0 10 20 30 40\nbtime 5\n").unwrap();
        assert_eq!(old.all.steal, None);
        assert_eq!((old.switches, old.running), (None, None));
        for damaged in [&b""[..], b"intr 5\n", b"cpu  10 20\n", b"cpu  a b c d\n", b"cpu  1 2 3 4\ncpu0 1\n"]
        {
            assert_eq!(parse(damaged), None);
        }
    }

    #[test]
    fn shares_of_cpus() {
        let at = |busy, total| Times { busy, total, ..Times::default() };
        assert_eq!(shares(&[at(5, 10), at(0, 10)], &[at(10, 20), at(0, 20)]), Some(vec![0.5, 0.0]));
        assert_eq!(shares(&[at(5, 10)], &[at(5, 10)]), None, "no time passed");
        assert_eq!(shares(&[at(5, 10)], &[at(5, 20), at(5, 20)]), None, "a CPU was put on");
        assert_eq!(shares(&[], &[]), None);
    }
}
