//! What a run left of what it wrote: keys to be read when it is over.

use std::sync::Arc;

use crate::random::Random;
use crate::workload::message::{PreparedStatement, Reply};
use crate::workload::units::Unit;
use crate::workload::{Next, ReadBack, ReadBackStep, Workload};

use super::Ycsb;
use super::worker::Worker;

/// The stream of random numbers that draws the keys.
const STREAM: u64 = 0x5245_4144_4241_434B;

/// Records up to which all are looked at to find those that were not written.
const ENUMERATED: u64 = 1 << 20;

/// Keys in the order in which they are to be read.
#[derive(Debug)]
pub(super) struct Reader {
    worker: Worker,
    /// Keys that the run wrote or inserted, and that must be there.
    written: usize,
    /// From the back: with whether the run wrote it.
    keys: Vec<(u64, bool)>,
}

impl Reader {
    /// `most` keys at most: those that were written, and where there is room for more, others.
    pub(super) fn new(shared: &Arc<Ycsb>, most: usize) -> Self {
        let records = shared.settings.records;
        let mut random = Random::new(shared.settings.seed ^ STREAM);
        let mut written = shared.expected.written();
        written.extend(records..shared.keys.answered());
        written.retain(|key| shared.keys.exists(*key));
        written.sort_unstable();
        written.dedup();
        let count = written.len();
        let mut keys = drawn(&written, most, &mut random);
        // Of those that nobody wrote a tenth of the room: they are as they were loaded.
        let room = (most - keys.len()).min(most.div_ceil(10));
        keys.extend(
            untouched(records, &written, room, &mut random).into_iter().filter(|key| shared.own.has(*key)),
        );
        let mut keys: Vec<(u64, bool)> =
            keys.into_iter().map(|key| (key, written.binary_search(&key).is_ok())).collect();
        // The written ones come first.
        keys.reverse();
        Self { worker: Worker::new(Arc::clone(shared), 0), written: count, keys }
    }
}

/// So many of the keys, each as likely as any other, in random order.
fn drawn(keys: &[u64], most: usize, random: &mut Random) -> Vec<u64> {
    let mut keys = keys.to_vec();
    let most = most.min(keys.len());
    for place in 0..most {
        let other = place + usize::try_from(random.below((keys.len() - place) as u64)).unwrap_or(0);
        keys.swap(place, other);
    }
    keys.truncate(most);
    keys
}

/// So many keys of the first `records` that are not among `written`, which is sorted.
fn untouched(records: u64, written: &[u64], most: usize, random: &mut Random) -> Vec<u64> {
    let free = |key: &u64| written.binary_search(key).is_err();
    if records <= ENUMERATED {
        return drawn(&(0..records).filter(free).collect::<Vec<_>>(), most, random);
    }
    // Few of so many: a key that comes twice, or was written, is left out.
    let mut keys: Vec<u64> = (0..most).map(|_| random.below(records)).filter(free).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

impl ReadBack for Reader {
    fn statements(&self) -> &[PreparedStatement] {
        self.worker.statements()
    }

    fn written(&self) -> usize {
        self.written
    }

    fn next(&mut self) -> Option<ReadBackStep> {
        let (key, written) = self.keys.pop()?;
        let (unit, command) = self.worker.begin_read(key);
        Some(ReadBackStep {
            unit,
            command,
            written,
            name: String::from_utf8_lossy(&self.worker.name(key)).into_owned(),
        })
    }

    fn reply(&mut self, unit: &Unit, reply: &Reply<'_>) -> Next {
        self.worker.reply(unit, reply, false)
    }
}
