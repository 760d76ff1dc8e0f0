//! The machine: everything that is read of it, each file opened once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::cgroup::Groups;
use crate::cpu::frequency::Frequencies;
use crate::cpu::{self, Cpus};
use crate::disk::{DiskUse, Disks};
use crate::hardware::Hardware;
use crate::memory::{self, Faults, Memory};
use crate::network::links::Links;
use crate::network::{self, NetworkUse};
use crate::proc_file::ProcFile;
use crate::reader::{Reader, Unreadable};
use crate::{pressure, sys};

/// What is read at every tick; times in nanoseconds, since the tick before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fast {
    pub(crate) busy: Option<u64>,
    pub(crate) user: Option<u64>,
    pub(crate) steal: Option<u64>,
    pub(crate) queue: Option<u64>,
    pub(crate) switches: Option<u64>,
    pub(crate) pressure: [Option<f64>; 3],
    pub(crate) disks: Option<Vec<DiskUse>>,
}

/// What is read less often; counts are since it was read last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slow {
    /// Busy share of each CPU.
    pub cpus: Option<Vec<f64>>,
    /// MHz of each CPU.
    pub mhz: Option<Vec<f64>>,
    /// All interfaces but the loopback.
    pub network: Option<NetworkUse>,
    /// What memory is used for.
    pub memory: Memory,
    /// Swapping, faults and kills.
    pub faults: Faults,
    /// Nanoseconds for which a limit of this process's control group held it back.
    pub throttled: Option<u64>,
    /// Bytes that this process's control group uses.
    pub group_memory: Option<u64>,
    /// Failed requests by device; those whose driver does not count them are left out.
    pub disk_errors: Option<Vec<(String, u64)>>,
    /// Errors of memory, mended or not, that its controllers counted; `None` where none counts.
    pub memory_errors: Option<u64>,
    /// How often a CPU slowed down for heat or power; `None` where that is not counted.
    pub cpu_throttles: Option<u64>,
}

/// All that is read but the processes.
pub(crate) struct Counters {
    root: PathBuf,
    pub(crate) unreadable: Unreadable,
    stat: Reader,
    pressure: [Reader; 3],
    diskstats: Reader,
    interfaces: Reader,
    snmp: Reader,
    netstat: Reader,
    meminfo: Reader,
    vmstat: Reader,
    frequencies: Option<Frequencies>,
    groups: Option<Groups>,
    hardware: Hardware,
    disks: Disks,
    links: Links,
    error_counts: HashMap<String, Option<ProcFile>>,
    unit: u64,
    cpus: Option<Cpus>,
    stalled: [Option<u64>; 3],
    cpus_slow: Option<Cpus>,
    network: Option<NetworkUse>,
    faults: Faults,
    throttled: Option<u64>,
    errors: HashMap<String, u64>,
    memory_errors: Option<u64>,
    cpu_throttles: Option<u64>,
    /// When the slow sources were read last.
    slowed: u64,
}

impl Counters {
    /// Opens what there is under `root`, `/` on a real machine, and reads it once.
    pub(crate) fn open(root: &Path) -> Self {
        let mut unreadable = Unreadable::default();
        let mut reader = |name| Reader::open(root, name, &mut unreadable);
        let stat = reader("/proc/stat");
        let pressure =
            [reader("/proc/pressure/cpu"), reader("/proc/pressure/memory"), reader("/proc/pressure/io")];
        let diskstats = reader("/proc/diskstats");
        let (interfaces, snmp) = (reader("/proc/net/dev"), reader("/proc/net/snmp"));
        let (netstat, meminfo) = (reader("/proc/net/netstat"), reader("/proc/meminfo"));
        let vmstat = reader("/proc/vmstat");
        let frequencies = Frequencies::open(root);
        if let Err(error) = &frequencies {
            unreadable.add("cpufreq", &error.to_string());
        }
        let groups = Groups::open(root);
        match &groups {
            Err(error) => unreadable.add("control groups", &error.to_string()),
            Ok(groups) if !groups.count() => {
                unreadable
                    .add("control groups", "no group of this process says whether a limit held it back");
            }
            Ok(_) => {}
        }
        let mut machine = Self {
            root: root.to_owned(),
            unreadable,
            stat,
            pressure,
            diskstats,
            interfaces,
            snmp,
            netstat,
            meminfo,
            vmstat,
            frequencies: frequencies.ok(),
            groups: groups.ok(),
            hardware: Hardware::open(root),
            disks: Disks::new(root),
            links: Links::new(root),
            error_counts: HashMap::new(),
            unit: 1_000_000_000 / sys::ticks_per_second(),
            cpus: None,
            stalled: [None; 3],
            cpus_slow: None,
            network: None,
            faults: Faults::default(),
            throttled: None,
            errors: HashMap::new(),
            memory_errors: None,
            cpu_throttles: None,
            slowed: 0,
        };
        machine.fast(1);
        machine.slow();
        machine
    }

    /// How many CPUs are on; 1 where that cannot be read.
    pub(crate) fn cpus(&self) -> u64 {
        self.cpus.as_ref().map_or(1, |cpus| cpus.each.len().max(1) as u64)
    }

    /// What is read at every tick, given the nanoseconds since the last one.
    pub(crate) fn fast(&mut self, span: u64) -> Fast {
        #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a span")]
        let span_s = span as f64 / 1e9;
        let mut fast = Fast::default();
        if let Some(after) = self.stat.take(&mut self.unreadable, cpu::parse) {
            if let Some(before) = &self.cpus {
                let time = |after: u64, before: u64| after.saturating_sub(before) * self.unit;
                fast.busy = Some(time(after.all.busy, before.all.busy));
                fast.user = Some(time(after.all.user, before.all.user));
                fast.steal = after.all.steal.zip(before.all.steal).map(|(after, before)| time(after, before));
                let switches = after.switches.zip(before.switches);
                fast.switches = switches.map(|(after, before)| after.saturating_sub(before));
            }
            // Whoever reads it runs.
            fast.queue = after.running.map(|running| running.saturating_sub(1));
            self.cpus_slow.get_or_insert_with(|| after.clone());
            self.cpus = Some(after);
        } else {
            self.cpus = None;
        }
        for (which, reader) in self.pressure.iter_mut().enumerate() {
            let after = reader.take(&mut self.unreadable, pressure::parse);
            #[expect(clippy::cast_precision_loss, reason = "microseconds of a span")]
            let share =
                |(after, before): (u64, u64)| (after.saturating_sub(before) as f64 / 1e6 / span_s).min(1.0);
            fast.pressure[which] = after.zip(self.stalled[which]).map(share);
            self.stalled[which] = after;
        }
        let disks = &mut self.disks;
        fast.disks = self.diskstats.take(&mut self.unreadable, |text| disks.take(text, span_s));
        fast
    }

    /// What is read less often.
    pub(crate) fn slow(&mut self) -> Slow {
        let unreadable = &mut self.unreadable;
        let now = sys::monotonic();
        #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a span")]
        let span_s = now.saturating_sub(self.slowed) as f64 / 1e9;
        self.slowed = now;
        let network = self.interfaces.take(unreadable, network::interfaces).map(|(found, each)| NetworkUse {
            link: self.links.take(&each, span_s),
            retransmits: self.snmp.take(unreadable, |text| network::counter(text, "Tcp:", "RetransSegs")),
            overflows: self
                .netstat
                .take(unreadable, |text| network::counter(text, "TcpExt:", "ListenOverflows")),
            ..found
        });
        let faults = self.vmstat.take(unreadable, |text| Some(memory::faults(text))).unwrap_or_default();
        let memory = self.meminfo.take(unreadable, |text| Some(memory::parse(text))).unwrap_or_default();
        let throttled = self.groups.as_mut().and_then(Groups::throttled);
        let (memory_errors, cpu_throttles) = (self.hardware.memory_errors(), self.hardware.throttles());
        let since = |after: Option<u64>, before: Option<u64>| Some(after?.saturating_sub(before?));
        let shares = self.cpus.as_ref().zip(self.cpus_slow.as_ref());
        let slow = Slow {
            cpus: shares.and_then(|(after, before)| cpu::shares(&before.each, &after.each)),
            mhz: self.frequencies.as_mut().and_then(Frequencies::take),
            network: network.zip(self.network).map(|(after, before)| after.since(&before)),
            memory,
            faults: faults.since(&self.faults),
            throttled: since(throttled, self.throttled),
            group_memory: self.groups.as_mut().and_then(Groups::memory),
            disk_errors: self.failed_requests(),
            memory_errors: since(memory_errors, self.memory_errors),
            cpu_throttles: since(cpu_throttles, self.cpu_throttles),
        };
        (self.memory_errors, self.cpu_throttles) = (memory_errors, cpu_throttles);
        self.network = network;
        self.faults = faults;
        self.throttled = throttled;
        self.cpus_slow.clone_from(&self.cpus);
        slow
    }

    /// Failed requests of each device whose driver counts them; only SCSI's do.
    fn failed_requests(&mut self) -> Option<Vec<(String, u64)>> {
        let mut failed = Vec::new();
        for name in self.disks.names() {
            let counted = self.error_counts.entry(name.clone()).or_insert_with(|| {
                let path = self.root.join("sys/block").join(name.replace('/', "!")).join("device/ioerr_cnt");
                ProcFile::open(&path).ok()
            });
            let Some(after) = counted.as_mut().and_then(|source| hexadecimal(source.read().ok()?)) else {
                continue;
            };
            let before = self.errors.insert(name.clone(), after);
            failed.extend(before.map(|before| (name.clone(), after.saturating_sub(before))));
        }
        failed.sort();
        (!failed.is_empty()).then_some(failed)
    }
}

/// `0x1f` as a number.
fn hexadecimal(text: &[u8]) -> Option<u64> {
    u64::from_str_radix(str::from_utf8(text).ok()?.trim().strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// A machine of files; removed at its end.
    struct Files(PathBuf);

    impl Files {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let files_ =
                Self(std::env::temp_dir().join(format!("weigh-machine-{}-{name}", std::process::id())));
            std::fs::create_dir_all(&files_.0).unwrap();
            for (path, text) in files {
                files_.put(path, text);
            }
            files_
        }

        fn put(&self, path: &str, text: &str) {
            let path = self.0.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    impl Drop for Files {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).unwrap();
        }
    }

    const STAT: &str =
        "cpu  100 0 0 900 0 0 0 5\ncpu0 100 0 0 900 0 0 0 5\nintr 5\nctxt 70\nprocs_running 1\n";
    const LATER: &str =
        "cpu  150 0 30 920 0 9 9 6\ncpu0 150 0 30 920 0 9 9 6\nintr 5\nctxt 90\nprocs_running 4\n";

    #[test]
    fn what_happened_between_two_readings() {
        let files = Files::new(
            "whole",
            &[
                ("proc/stat", STAT),
                ("proc/pressure/cpu", "some avg10=0 total=1000\n"),
                ("proc/pressure/memory", "some avg10=0 total=0\n"),
                ("proc/pressure/io", "some avg10=0 total=0\n"),
                ("proc/diskstats", "8 0 sda 5 0 8 2 0 0 0 0 0 2 2\n"),
                ("sys/block/sda/device/ioerr_cnt", "0x1e\n"),
                ("proc/net/dev", "Inter-|\n face |\n eth0: 7 1 0 0 0 0 0 0 9 1 0 0 0 0 0 0\n"),
                ("proc/net/snmp", "Tcp: RetransSegs\nTcp: 5\n"),
                ("proc/net/netstat", "TcpExt: ListenOverflows\nTcpExt: 1\n"),
                ("proc/meminfo", "MemFree: 4 kB\n"),
                ("proc/vmstat", "pgmajfault 8\n"),
                ("proc/self/cgroup", "0::/\n"),
                ("sys/fs/cgroup/cpu.stat", "throttled_usec 3\n"),
            ],
        );
        let mut machine = Counters::open(&files.0);
        files.put("proc/stat", LATER);
        files.put("proc/pressure/cpu", "some avg10=0 total=501000\n");
        files.put("proc/diskstats", "8 0 sda 6 0 16 5 0 0 0 0 0 5 5\n");
        files.put("sys/block/sda/device/ioerr_cnt", "0x21\n");
        files.put("proc/net/snmp", "Tcp: RetransSegs\nTcp: 7\n");
        files.put("proc/vmstat", "pgmajfault 9\n");
        files.put("sys/fs/cgroup/cpu.stat", "throttled_usec 9\n");
        let unit = SECOND / sys::ticks_per_second();
        let fast = machine.fast(SECOND);
        assert_eq!((fast.busy, fast.user, fast.steal), (Some(80 * unit), Some(50 * unit), Some(unit)));
        assert_eq!((fast.queue, fast.switches), (Some(3), Some(20)), "the reader itself does not wait");
        assert_eq!(fast.pressure, [Some(0.5), Some(0.0), Some(0.0)]);
        assert_eq!(fast.disks.unwrap()[0].read, 8 * 512);
        let slow = machine.slow();
        assert_eq!(slow.cpus, Some(vec![80.0 / 119.0]));
        let network = slow.network.unwrap();
        assert_eq!((network.received, network.retransmits, network.overflows), (0, Some(2), Some(0)));
        assert_eq!((slow.memory.free, slow.memory.dirty), (Some(4096), None));
        assert_eq!((slow.faults.major, slow.faults.swapped), (Some(1), None));
        assert_eq!((slow.throttled, slow.group_memory), (Some(6000), None));
        assert_eq!(slow.disk_errors, Some(vec![("sda".to_owned(), 3)]));
        assert_eq!(machine.unreadable.take().keys().collect::<Vec<_>>(), ["cpufreq"]);
    }

    #[test]
    fn what_is_not_there_is_none_and_said_once() {
        let files = Files::new("empty", &[]);
        let mut machine = Counters::open(&files.0);
        let fast = machine.fast(SECOND);
        assert_eq!((fast.busy, fast.steal, fast.queue, fast.disks), (None, None, None, None));
        assert_eq!(fast.pressure, [None; 3]);
        assert_eq!(machine.slow(), Slow::default());
        let reasons = machine.unreadable.take();
        assert!(reasons["/proc/pressure/io"].contains("No such file"), "{reasons:?}");
        assert_eq!(reasons.len(), 12, "{reasons:?}");
        machine.fast(SECOND);
        assert!(machine.unreadable.take().is_empty());
    }

    #[test]
    fn what_is_damaged_later_is_none_from_then_on() {
        let files = Files::new("damaged", &[("proc/stat", STAT), ("proc/pressure/cpu", "some total=5\n")]);
        let mut machine = Counters::open(&files.0);
        machine.unreadable.take();
        files.put("proc/stat", "cpu  150 0\n");
        assert_eq!(machine.fast(SECOND).busy, None);
        assert_eq!(machine.unreadable.take()["/proc/stat"], "its text is not what it should be");
        files.put("proc/stat", LATER);
        let fast = machine.fast(SECOND);
        assert_eq!((fast.busy, fast.pressure[0]), (None, Some(0.0)));
    }
}
