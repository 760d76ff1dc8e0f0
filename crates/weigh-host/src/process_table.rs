//! The table of processes: whose the CPU time was between two scans.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::proc_file::read_all;
use crate::process::{self, Stat};
use crate::sys;

/// A foreign process that used CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignProcess {
    /// Its id.
    pub pid: i32,
    /// As the kernel knows it.
    pub name: String,
    /// Nanoseconds, with those of the children it waited for.
    pub cpu: u64,
}

/// Nanoseconds of CPU time in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spent {
    pub(crate) own: u64,
    pub(crate) foreign: u64,
}

impl Spent {
    /// What there is beyond another; a tick may have seen what the scan did not.
    pub(crate) fn beyond(self, other: Self) -> Self {
        Self { own: self.own.saturating_sub(other.own), foreign: self.foreign.saturating_sub(other.foreign) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Own,
    Foreign,
    /// A kernel thread: neither own nor foreign.
    Kernel,
}

#[derive(Clone, Debug)]
struct Entry {
    whose: Whose,
    stat: Stat,
    /// Nanoseconds at the last scan.
    cpu: u64,
    /// Nanoseconds at the last tick.
    ticked: u64,
    /// Whether it is read at every tick.
    hot: bool,
    /// The scan that saw it last.
    seen: u32,
    /// What it used in this window, with its children's.
    used: u64,
}

impl Entry {
    fn whole(&self, unit: u64) -> u64 {
        self.cpu + self.stat.children * unit
    }
}

/// Kernel threads are read again after this many scans: their number may be another process's by then.
const KERNEL_AGAIN: u32 = 16;
/// How many foreign processes are read at every tick at most.
const MOST_HOT: usize = 256;

/// All processes that can be seen.
pub(crate) struct ProcessTable {
    proc: PathBuf,
    entries: HashMap<i32, Entry>,
    /// This process and those that were tracked.
    roots: HashSet<i32>,
    scans: u32,
    /// Nanoseconds of a unit of `/proc/PID/stat`.
    unit: u64,
    text: Vec<u8>,
    /// Nanoseconds of a process's clock; another in tests, whose processes do not live.
    clock: fn(i32) -> Option<u64>,
    foreign_processes: HashMap<i32, ForeignProcess>,
    /// Share of user time in what own processes used, from the last scan.
    pub(crate) own_user: f64,
}

impl ProcessTable {
    /// An empty table. The first scan counts nothing.
    pub(crate) fn new(root: &Path, me: i32) -> Self {
        Self {
            proc: root.join("proc"),
            entries: HashMap::new(),
            roots: HashSet::from([me]),
            scans: 0,
            unit: 1_000_000_000 / sys::ticks_per_second(),
            text: vec![0; 1024],
            clock: sys::process_cpu,
            foreign_processes: HashMap::new(),
            own_user: 1.0,
        }
    }

    /// Whether the processes of everybody can be seen: kernel threads are not visible in a container, nor to a user from
    /// whom others are hidden. Process 2 of a whole machine starts the others.
    pub(crate) fn everybody(&mut self) -> bool {
        self.read(2).is_some_and(|stat| stat.kernel)
    }

    /// Whether not even this process can be seen, so that nothing is known of anybody.
    pub(crate) fn blind(&self) -> bool {
        self.entries.is_empty()
    }

    /// Counts a process and its descendants as own from now on.
    pub(crate) fn track(&mut self, pid: i32) {
        self.roots.insert(pid);
        if let Some(entry) = self.entries.get_mut(&pid) {
            entry.whose = Whose::Own;
            entry.hot = true;
        } else if let Some(stat) = self.read(pid) {
            // It has just been started and is tracked from now on: what it has used until now is own.
            self.entries.insert(pid, entry(Whose::Own, stat, 0, self.scans));
        }
    }

    /// What those processes that used CPU lately have used since the last tick.
    pub(crate) fn tick(&mut self) -> Spent {
        let mut spent = Spent::default();
        for (pid, entry) in self.entries.iter_mut().filter(|(_, entry)| entry.hot) {
            let Some(now) = (self.clock)(*pid) else { continue };
            let more = now.saturating_sub(entry.ticked);
            entry.ticked = entry.ticked.max(now);
            *(if entry.whose == Whose::Own { &mut spent.own } else { &mut spent.foreign }) += more;
        }
        spent
    }

    /// What all processes have used since the last scan.
    ///
    /// `busy` is what the whole machine has. Times of children that were waited for count only as far as it has room for
    /// them: it is not known which process waits for an orphan, and its whole time would be laid on one moment.
    pub(crate) fn scan(&mut self, busy: Option<u64>) -> Spent {
        self.scans += 1;
        let mut children = HashMap::new();
        for pid in self.pids() {
            self.look(pid, &mut children);
        }
        let gone = self.remove_ended(&mut children);
        self.classify();
        let mut spent = Spent::default();
        let mut user = (0, 0);
        for entry in self.entries.values() {
            match entry.whose {
                Whose::Own => spent.own += entry.used,
                Whose::Foreign => spent.foreign += entry.used,
                Whose::Kernel => {}
            }
            if entry.whose == Whose::Own {
                user.0 += entry.stat.user;
                user.1 += entry.stat.user + entry.stat.system;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        if user.1 > 0 {
            self.own_user = user.0 as f64 / user.1 as f64;
        }
        self.add_children(&mut spent, &children, gone, busy);
        self.warm();
        spent
    }

    /// The foreign processes that used most CPU since the last call, the greediest first.
    pub(crate) fn take_culprits(&mut self, most: usize) -> Vec<ForeignProcess> {
        let mut foreign_processes: Vec<_> =
            self.foreign_processes.drain().map(|(_, foreign_process)| foreign_process).collect();
        foreign_processes.sort_by(|a, b| b.cpu.cmp(&a.cpu).then(a.pid.cmp(&b.pid)));
        foreign_processes.truncate(most);
        foreign_processes
    }

    fn pids(&self) -> Vec<i32> {
        let Ok(entries) = std::fs::read_dir(&self.proc) else { return Vec::new() };
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
    }

    fn read(&mut self, pid: i32) -> Option<Stat> {
        let file = File::open(self.proc.join(pid.to_string()).join("stat")).ok()?;
        let filled = read_all(&file, &mut self.text).ok()?;
        process::parse(&self.text[..filled])
    }

    /// Reads one process, and puts what the children that it waited for used into `children`.
    fn look(&mut self, pid: i32, children: &mut HashMap<i32, u64>) {
        let scans = self.scans;
        if let Some(entry) = self.entries.get_mut(&pid)
            && entry.whose == Whose::Kernel
            && !(scans + pid.unsigned_abs()).is_multiple_of(KERNEL_AGAIN)
        {
            entry.seen = scans;
            return;
        }
        let Some(stat) = self.read(pid) else { return };
        let cpu = (self.clock)(pid).unwrap_or((stat.user + stat.system) * self.unit);
        if let Some(entry) = self.entries.get_mut(&pid)
            && entry.stat.started == stat.started
        {
            entry.used = cpu.saturating_sub(entry.cpu);
            children.insert(pid, stat.children.saturating_sub(entry.stat.children) * self.unit);
            entry.cpu = entry.cpu.max(cpu);
            entry.ticked = entry.ticked.max(cpu);
            entry.stat = stat;
            entry.seen = scans;
            return;
        }
        // The first scan finds those who were there before: what they used until now is not of this window.
        let first = scans == 1;
        let whose = if stat.kernel { Whose::Kernel } else { Whose::Foreign };
        let mut new = entry(whose, stat, cpu, scans);
        if !first {
            new.used = cpu;
            children.insert(pid, new.stat.children * self.unit);
        }
        self.entries.insert(pid, new);
    }

    /// Removes processes that have ended since the last scan, and subtracts what was counted of each already from what
    /// its parent got for it. Returns what no parent got: another process may have waited for an orphan.
    fn remove_ended(&mut self, children: &mut HashMap<i32, u64>) -> u64 {
        let scans = self.scans;
        let dead: Vec<_> =
            self.entries.iter().filter(|(_, entry)| entry.seen != scans).map(|(pid, _)| *pid).collect();
        let mut unclaimed = 0;
        for pid in &dead {
            let counted = self.entries[pid].whole(self.unit);
            let mut parent = self.entries[pid].stat.parent;
            while let Some(entry) = self.entries.get(&parent)
                && entry.seen != scans
                && parent != entry.stat.parent
            {
                parent = entry.stat.parent;
            }
            let got = children.entry(parent).or_default();
            let claimed = counted.min(*got);
            *got -= claimed;
            unclaimed += counted - claimed;
        }
        for pid in dead {
            self.entries.remove(&pid);
            // The kernel may give its number to a stranger.
            self.roots.remove(&pid);
        }
        unclaimed
    }

    /// Own are the descendants of own processes, and who is in a session that one of them leads: an orphan has lost its
    /// parent and kept its session. Who was own once stays it.
    fn classify(&mut self) {
        let foreign = self.entries.iter().filter(|(_, entry)| entry.whose == Whose::Foreign);
        let mut open: Vec<i32> = foreign.map(|(pid, _)| *pid).collect();
        loop {
            let is_own = |pid: &i32| self.entries.get(pid).is_some_and(|entry| entry.whose == Whose::Own);
            let (own, rest): (Vec<i32>, Vec<i32>) = open.into_iter().partition(|pid| {
                let stat = &self.entries[pid].stat;
                self.roots.contains(pid) || is_own(&stat.parent) || is_own(&stat.session)
            });
            if own.is_empty() {
                return;
            }
            for pid in own {
                self.entries.entry(pid).and_modify(|entry| entry.whose = Whose::Own);
            }
            open = rest;
        }
    }

    fn add_children(
        &mut self,
        spent: &mut Spent,
        children: &HashMap<i32, u64>,
        gone: u64,
        busy: Option<u64>,
    ) {
        let sum = |whose| {
            let of = |pid| self.entries.get(pid).map(|entry: &Entry| entry.whose);
            children.iter().filter(|(pid, _)| of(pid) == Some(whose)).map(|(_, used)| used).sum::<u64>()
        };
        let room =
            |spent: &Spent| busy.map_or(u64::MAX, |busy| busy.saturating_sub(spent.own + spent.foreign));
        spent.own += sum(Whose::Own).min(room(spent));
        let all = sum(Whose::Foreign);
        let kept = all.saturating_sub(gone).min(room(spent));
        spent.foreign += kept;
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of nanoseconds"
        )]
        let share = |used: u64| if all == 0 { 0 } else { (used as f64 * kept as f64 / all as f64) as u64 };
        for (pid, entry) in self.entries.iter().filter(|(_, entry)| entry.whose == Whose::Foreign) {
            let used = entry.used + share(children.get(pid).copied().unwrap_or(0));
            if used > 0 {
                let new = || ForeignProcess { pid: *pid, name: String::new(), cpu: 0 };
                let foreign_process = self.foreign_processes.entry(*pid).or_insert_with(new);
                foreign_process.name.clone_from(&entry.stat.name);
                foreign_process.cpu += used;
            }
        }
    }

    /// Own processes are read at every tick, and the foreign ones that used CPU since the last scan.
    fn warm(&mut self) {
        let mut hot = 0;
        for entry in self.entries.values_mut() {
            entry.hot = entry.whose == Whose::Own
                || (entry.whose == Whose::Foreign && entry.used > 0 && hot < MOST_HOT);
            hot += usize::from(entry.hot);
            entry.used = 0;
        }
    }
}

fn entry(whose: Whose, stat: Stat, cpu: u64, seen: u32) -> Entry {
    Entry { whose, stat, cpu, ticked: cpu, hot: whose == Whose::Own, seen, used: 0 }
}

#[cfg(test)]
mod tests;
