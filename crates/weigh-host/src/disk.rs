//! `/proc/diskstats`: what the block devices did.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::text::{lines, next, words};

/// What one block device did in a span.
#[derive(Clone, Debug, PartialEq)]
pub struct DiskUse {
    /// Its name.
    pub name: String,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Requests in flight, averaged over the span.
    pub queue: f64,
    /// Mean seconds from queueing to completion of the requests that ended in the span; `None` where none did.
    pub await_s: Option<f64>,
    /// Share of the span in which it had a request in flight.
    pub utilisation: f64,
}

/// Counters of one device since boot. Sectors are of 512 bytes whatever the device has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Counters {
    requests: u64,
    read: u64,
    written: u64,
    /// Milliseconds that requests waited, added up.
    waited: u64,
    /// Milliseconds with a request in flight.
    busy: u64,
    /// Milliseconds times requests in flight.
    weighted: u64,
}

const SECTOR: u64 = 512;

/// The devices that are no part of others, and what they had counted when last read.
pub(crate) struct Disks {
    block: PathBuf,
    whole: HashMap<String, bool>,
    before: HashMap<String, Counters>,
}

impl Disks {
    /// Nothing was read yet.
    pub(crate) fn new(root: &Path) -> Self {
        Self { block: root.join("sys/block"), whole: HashMap::new(), before: HashMap::new() }
    }

    /// What the devices did since the last reading; `None` where a line is damaged.
    ///
    /// Left out are partitions, whose device has the same requests, and devices that never served a request.
    pub(crate) fn take(&mut self, text: &[u8], span_s: f64) -> Option<Vec<DiskUse>> {
        let mut used = Vec::new();
        for line in lines(text).filter(|line| !line.is_empty()) {
            let mut words = words(line);
            let name = str::from_utf8(words.nth(2)?).ok()?;
            let after = counters(&mut words)?;
            if !self.is_whole(name) {
                continue;
            }
            // A device that is seen for the first time has been counting since it came, not since the last reading.
            if let Some(before) = self.before.get_mut(name) {
                if after.requests > 0 {
                    used.push(between(name, before, &after, span_s));
                }
                *before = after;
            } else {
                self.before.insert(name.to_owned(), after);
            }
        }
        Some(used)
    }

    fn is_whole(&mut self, name: &str) -> bool {
        if let Some(known) = self.whole.get(name) {
            return *known;
        }
        let whole = self.block.join(name.replace('/', "!")).exists();
        self.whole.insert(name.to_owned(), whole);
        whole
    }

    /// The devices that are no part of others.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.before.keys()
    }
}

fn counters<'a>(words: &mut impl Iterator<Item = &'a [u8]>) -> Option<Counters> {
    let mut take = || next(words);
    let (reads, _, read, reading) = (take()?, take()?, take()?, take()?);
    let (writes, _, written, writing) = (take()?, take()?, take()?, take()?);
    let (_, busy, weighted) = (take()?, take()?, take()?);
    Some(Counters {
        requests: reads + writes,
        read: read * SECTOR,
        written: written * SECTOR,
        waited: reading + writing,
        busy,
        weighted,
    })
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a span")]
fn between(name: &str, before: &Counters, after: &Counters, span_s: f64) -> DiskUse {
    let requests = after.requests.saturating_sub(before.requests);
    let waited = after.waited.saturating_sub(before.waited) as f64 / 1e3;
    let busy = after.busy.saturating_sub(before.busy) as f64 / 1e3;
    let weighted = after.weighted.saturating_sub(before.weighted) as f64 / 1e3;
    DiskUse {
        name: name.to_owned(),
        read: after.read.saturating_sub(before.read),
        written: after.written.saturating_sub(before.written),
        queue: weighted / span_s,
        await_s: (requests > 0).then(|| waited / requests as f64),
        // The kernel counts whole ticks of its timer: a little more than the span can come out.
        utilisation: (busy / span_s).min(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disks(devices: &[&str]) -> (Disks, PathBuf) {
        let name = format!("weigh-disk-{}-{}", std::process::id(), devices.concat());
        let root = std::env::temp_dir().join(name);
        for device in devices {
            std::fs::create_dir_all(root.join("sys/block").join(device)).unwrap();
        }
        (Disks::new(&root), root)
    }

    const BEFORE: &[u8] = b"   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
 254       0 vda 2582822 142000 129760594 9380559 777500 740870 220654080 2357734 0 425188 11866536 536953 99 5 1 7 2
 254       1 vda1 100 0 800 5 0 0 0 0 0 5 5
";
    const AFTER: &[u8] = b"   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
 254       0 vda 2582832 142000 129760794 9380579 777510 740870 220654084 2357754 3 425213 11866586 536953 99 5 1 7 2
 254       1 vda1 110 0 1000 25 0 0 0 0 0 5 5
";

    #[test]
    fn whole_devices_that_were_used() {
        let (mut disks, root) = disks(&["vda", "loop0"]);
        assert_eq!(disks.take(BEFORE, 0.05), Some(vec![]), "it counts since boot");
        let used = disks.take(AFTER, 0.05).unwrap();
        std::fs::remove_dir_all(root).unwrap();
        let vda = DiskUse {
            name: "vda".to_owned(),
            read: 200 * 512,
            written: 4 * 512,
            queue: 1.0,
            await_s: Some(0.002),
            utilisation: 0.5,
        };
        assert_eq!(used, [vda], "not the partition, and not the loop device that served nothing");
    }

    #[test]
    fn a_device_at_rest_waits_for_nothing() {
        let (mut disks, root) = disks(&["vda", "at-rest"]);
        disks.take(BEFORE, 1.0);
        let used = disks.take(BEFORE, 1.0).unwrap();
        std::fs::remove_dir_all(root).unwrap();
        assert_eq!((used[0].read, used[0].await_s, used[0].utilisation), (0, None, 0.0));
    }

    #[test]
    fn a_damaged_line_is_none() {
        let (mut disks, root) = disks(&["vda", "damaged"]);
        assert_eq!(disks.take(b" 254 0 vda 1 2 3\n", 1.0), None);
        assert_eq!(disks.take(b" 254 0 vda 1 2 3 4 5 6 x 8 9 10 11\n", 1.0), None);
        assert_eq!(disks.take(b"254\n", 1.0), None);
        std::fs::remove_dir_all(root).unwrap();
    }
}
