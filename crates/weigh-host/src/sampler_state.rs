//! The state of the sampler: what was read last, and what was not drained yet.

use std::collections::BTreeMap;
use std::path::Path;

use crate::counters::Counters;
use crate::process_table::{ForeignProcess, ProcessTable, Spent};
use crate::sys;
use crate::window::{Tick, complete};

pub(crate) const SECOND: u64 = 1_000_000_000;
/// Slow sources and processes are read this often, and at every call.
const SLOW: u64 = SECOND / 2;
/// Readings that are asked for are made when a hundred times their cost has passed since the last: 1 % of one core.
const PATIENCE: u64 = 100;
/// Scans between the calls, likewise: 0.4 %.
const SCAN_PATIENCE: u64 = 250;
/// The share of one core above which the sampler makes itself slower.
const DEAR: f64 = 0.009;
const SLOWEST: u64 = SECOND / 2;
const MOST_FOREIGN: usize = 8;

/// What the sampler saw since it was drained last.
#[derive(Clone, Debug, Default)]
pub struct Drained {
    /// One after another without gaps.
    pub ticks: Vec<Tick>,
    /// The foreign processes that used most CPU.
    pub foreign_processes: Vec<ForeignProcess>,
    /// Nanoseconds of CPU time that the sampler used.
    pub cost: u64,
    /// Sources that cannot be read and why; each is reported once.
    pub unreadable: BTreeMap<String, String>,
}

pub(crate) struct SamplerState {
    machine: Counters,
    pub(crate) table: ProcessTable,
    began: u64,
    pub(crate) period: u64,
    /// Whether the processes of everybody can be seen.
    everybody: bool,
    pub(crate) ticked: u64,
    slowed: u64,
    scanned: u64,
    tick_cost: u64,
    scan_cost: u64,
    /// The ticks since the last scan that were not drained.
    window: Vec<Tick>,
    /// What all ticks since then saw, and the busy and the user time of the machine in them.
    seen: Spent,
    busy: Option<u64>,
    user: Option<u64>,
    done: Vec<Tick>,
    hidden: u64,
    /// CPU time of the thread and of those who asked, since it was drained last.
    pub(crate) cost: u64,
    /// CPU time of the thread at its last tick, since it was started.
    pub(crate) thread_cost: u64,
    pub(crate) stopped: bool,
}

impl SamplerState {
    pub(crate) fn new(root: &Path, pid: i32, period: u64, began: u64) -> Self {
        let mut machine = Counters::open(root);
        let mut table = ProcessTable::new(root, pid);
        let before = sys::thread_cpu();
        table.scan(None);
        let everybody = table.everybody();
        if table.blind() {
            machine.unreadable.add("processes", "no process can be seen");
        } else if !everybody {
            let reason =
                "others cannot be seen from here; their CPU time is what remains of the machine's user time";
            machine.unreadable.add("processes", reason);
        }
        let scan_cost = sys::thread_cpu() - before;
        let now = sys::monotonic();
        Self {
            machine,
            table,
            began,
            period,
            everybody,
            ticked: now,
            slowed: now,
            scanned: now,
            tick_cost: 0,
            scan_cost,
            window: Vec::new(),
            seen: Spent::default(),
            busy: Some(0),
            user: Some(0),
            done: Vec::new(),
            hidden: 0,
            cost: 0,
            thread_cost: 0,
            stopped: false,
        }
    }

    /// One reading, and a scan where it is time for one.
    pub(crate) fn tick(&mut self, asked: bool) {
        let before = sys::thread_cpu();
        let now = sys::monotonic();
        let span = now.saturating_sub(self.ticked);
        if span == 0 {
            return;
        }
        let fast = self.machine.fast(span);
        let direct = self.table.tick();
        let slow = asked || now.saturating_sub(self.slowed) >= SLOW;
        let slow = slow.then(|| {
            self.slowed = now;
            Box::new(self.machine.slow())
        });
        self.window.push(Tick {
            at: self.ticked.saturating_sub(self.began),
            span,
            busy: fast.busy,
            own: (!self.table.blind()).then_some(direct.own),
            foreign: (!self.table.blind()).then_some(direct.foreign),
            steal: fast.steal,
            pressure: fast.pressure,
            queue: fast.queue,
            switches: fast.switches,
            disks: fast.disks,
            slow,
        });
        self.seen.own += direct.own;
        self.seen.foreign += direct.foreign;
        let add = |sum: Option<u64>, more: Option<u64>| Some(sum? + more?);
        self.busy = add(self.busy, fast.busy);
        self.user = add(self.user, fast.user);
        self.ticked = now;
        let cost = sys::thread_cpu().saturating_sub(before);
        self.tick_cost = if self.tick_cost == 0 { cost } else { (7 * self.tick_cost + cost) / 8 };
        if now.saturating_sub(self.scanned) >= SLOW.max(SCAN_PATIENCE * self.scan_cost) {
            self.scan();
        }
    }

    /// Closes the window: looks who has used what in it.
    fn scan(&mut self) {
        let before = sys::thread_cpu();
        let mut spent = self.table.scan(self.busy);
        if !self.everybody && !self.table.blind() {
            let unseen = self.unseen(spent.own).saturating_sub(spent.foreign);
            spent.foreign += unseen;
            self.hidden += unseen;
        }
        if !self.table.blind() {
            complete(&mut self.window, spent.beyond(self.seen));
        }
        self.done.append(&mut self.window);
        self.seen = Spent::default();
        (self.busy, self.user) = (Some(0), Some(0));
        self.scanned = sys::monotonic();
        self.scan_cost = sys::thread_cpu().saturating_sub(before);
    }

    /// User time of the machine that own processes do not have, less what the steps may hide in which it is counted.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "nanoseconds of a window"
    )]
    fn unseen(&self, own: u64) -> u64 {
        let Some(user) = self.user else { return 0 };
        let own = own as f64 * self.table.own_user;
        let allowance = (self.machine.cpus() * (SECOND / sys::ticks_per_second())) as f64 + 0.02 * own;
        (user as f64 - own - allowance).max(0.0) as u64
    }

    pub(crate) fn mark(&mut self) {
        let passed = sys::monotonic().saturating_sub(self.ticked);
        if passed >= (SECOND / 1000).max(PATIENCE * self.tick_cost) {
            self.tick(true);
        }
    }

    pub(crate) fn drain(&mut self, thorough: bool) -> Drained {
        self.mark();
        let passed = sys::monotonic().saturating_sub(self.scanned);
        // Without a tick to lay it on, what a scan finds would be lost.
        if !self.window.is_empty() && (thorough || passed >= PATIENCE * self.scan_cost) {
            self.scan();
        }
        self.done.append(&mut self.window);
        let mut foreign_processes = self.table.take_culprits(MOST_FOREIGN);
        let hidden = std::mem::take(&mut self.hidden);
        if hidden > 0 {
            foreign_processes
                .insert(0, ForeignProcess { pid: 0, name: "not visible".to_owned(), cpu: hidden });
        }
        Drained {
            ticks: std::mem::take(&mut self.done),
            foreign_processes,
            cost: 0,
            unreadable: self.machine.unreadable.take(),
        }
    }

    /// Reads less often where it costs too much: on a machine with many CPUs each reading is dear.
    #[expect(clippy::cast_precision_loss, reason = "nanoseconds of some seconds")]
    pub(crate) fn review(&mut self, cost: u64, passed: u64) {
        if cost as f64 > DEAR * passed as f64 && self.period < SLOWEST {
            self.period = (2 * self.period).min(SLOWEST);
            let rate = SECOND as f64 / self.period as f64;
            let reason =
                format!("reading more often than {rate:.2} times a second costs more than 1 % of one core");
            self.machine.unreadable.add(&format!("rate above {rate:.2} Hz"), &reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(root: &str) -> SamplerState {
        let pid = i32::try_from(std::process::id()).unwrap();
        SamplerState::new(Path::new(root), pid, SECOND / 20, sys::monotonic())
    }

    #[test]
    fn where_others_cannot_be_seen_user_time_tells_of_them() {
        let mut state = state("/");
        state.everybody = false;
        state.user = Some(SECOND);
        state.table.own_user = 0.5;
        // Of 1.2 s half is user time: 0.6 s, and 0.012 s for the steps; 0.01 s more for each CPU.
        let unit = SECOND / sys::ticks_per_second();
        let steps = state.machine.cpus() * unit;
        assert_eq!(state.unseen(1_200_000_000), 388_000_000 - steps);
        assert_eq!(state.unseen(2 * SECOND), 0, "rounding accuses nobody");
        state.user = None;
        assert_eq!(state.unseen(0), 0);
        state.tick(true);
        state.user = Some(1000 * SECOND);
        let drained = state.drain(true);
        assert_eq!(drained.foreign_processes[0].pid, 0);
        assert!(drained.ticks.iter().map(|tick| tick.foreign.unwrap()).sum::<u64>() > 900 * SECOND);
    }

    #[test]
    fn where_nobody_can_be_seen_nothing_is_said_of_anybody() {
        let mut state = state("/nowhere/at/all");
        state.tick(true);
        let drained = state.drain(true);
        assert_eq!(
            (drained.ticks[0].own, drained.ticks[0].foreign, drained.ticks[0].busy),
            (None, None, None)
        );
        assert_eq!(drained.unreadable["processes"], "no process can be seen");
        assert!(drained.foreign_processes.is_empty());
    }

    #[test]
    fn it_reads_less_often_where_that_is_dear() {
        let mut state = state("/");
        state.machine.unreadable.take();
        state.review(SECOND / 200, SECOND);
        assert_eq!(state.period, SECOND / 20, "half a per cent");
        for _ in 0..9 {
            state.review(SECOND / 50, SECOND);
        }
        assert_eq!(state.period, SLOWEST);
        assert!(state.machine.unreadable.take()["rate above 10.00 Hz"].contains("1 % of one core"));
    }
}
