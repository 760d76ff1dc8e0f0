//! Stores in memory, each of a known isolation, under random transactions of several processes.

use std::collections::{BTreeMap, HashMap};

use weigh_isolation::{History, Operation, Outcome};

/// How a store isolates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// All of a transaction at one moment.
    Serial,
    /// Reads of what was committed when it began; the first of two writers of a key wins.
    Snapshot,
    /// Reads of what is committed; keys are locked by who writes them.
    Committed,
    /// As `Snapshot`, from a snapshot of long ago where a transaction only reads.
    Stale,
    /// As `Serial`, but a commit is acknowledged before it is made.
    Reordered,
    /// Writes are seen at once, and taken back where a transaction aborts.
    Uncommitted,
    /// As `Committed`, but a write writes the whole list back, as it was read before.
    Overwriting,
    /// Two copies, each of which has the commits of the other a while later; the first of two writers wins.
    Forked,
}

/// What is asked of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) transactions: usize,
    pub(crate) processes: usize,
    pub(crate) keys: u64,
    /// Registers, not lists.
    pub(crate) registers: bool,
    /// Share of commits that are never answered, made or not.
    pub(crate) lost: f64,
    /// Share of transactions that give up.
    pub(crate) aborted: f64,
}

struct Draw(u64);

impl Draw {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    #[expect(clippy::cast_precision_loss)]
    fn chance(&mut self, share: f64) -> bool {
        (self.bits() >> 11) as f64 / ((1_u64 << 53) as f64) < share
    }
}

type Values = Vec<u32>;

/// Versions of a key with the moment of each commit.
#[derive(Default)]
struct Store {
    versions: HashMap<u32, Vec<(u64, Values, usize)>>,
    dirty: HashMap<u32, Values>,
    locks: HashMap<u32, usize>,
}

impl Store {
    fn at(&self, key: u32, moment: u64, copy: Option<usize>) -> Values {
        let all = self.versions.get(&key).map_or(&[][..], Vec::as_slice);
        let sees = |(at, _, from): &&(u64, Values, usize)| match copy {
            Some(copy) if copy != *from => *at + LAG <= moment,
            _ => *at <= moment,
        };
        all.iter().rev().find(sees).map(|(_, values, _)| values.clone()).unwrap_or_default()
    }
}

/// Steps after which the other copy has a commit, or a snapshot is no longer used.
const LAG: u64 = 60;

struct Running {
    plan: Vec<(u32, Option<u32>)>,
    done: Vec<Operation>,
    begun: u64,
    writes: BTreeMap<u32, Values>,
    known: HashMap<u32, Values>,
    doomed: bool,
    wait: u64,
}

/// The history of one run.
pub(crate) fn history(level: Level, shape: Shape, seed: u64) -> History {
    let mut run = Run {
        level,
        shape,
        draw: Draw(seed.wrapping_mul(31) + 17),
        store: Store::default(),
        history: History::default(),
        elements: HashMap::new(),
        started: 0,
        now: 0,
        late: Vec::new(),
    };
    run.all();
    run.history
}

struct Run {
    level: Level,
    shape: Shape,
    draw: Draw,
    store: Store,
    history: History,
    elements: HashMap<u32, u32>,
    started: usize,
    now: u64,
    /// Commits to be made later.
    late: Vec<(u64, BTreeMap<u32, Values>)>,
}

impl Run {
    fn all(&mut self) {
        let mut running: Vec<Option<Running>> = (0..self.shape.processes).map(|_| None).collect();
        let mut names: Vec<usize> = (0..self.shape.processes).collect();
        while self.started < self.shape.transactions || running.iter().any(Option::is_some) {
            self.now += 1;
            let due: Vec<_> =
                self.late.iter().filter(|(at, _)| *at <= self.now).map(|(_, w)| w.clone()).collect();
            self.late.retain(|(at, _)| *at > self.now);
            for writes in due {
                self.install(&writes, 0);
            }
            let process = usize::try_from(self.draw.below(self.shape.processes as u64)).unwrap();
            match running[process].take() {
                None if self.started < self.shape.transactions => running[process] = Some(self.begin()),
                None => {}
                Some(mut one) if one.wait > 0 => {
                    one.wait -= 1;
                    running[process] = Some(one);
                }
                Some(mut one)
                    if one.done.len() < one.plan.len()
                        && self.level != Level::Serial
                        && self.level != Level::Reordered =>
                {
                    self.step(&mut one, process);
                    running[process] = Some(one);
                }
                Some(one) => {
                    let outcome = self.commit(one, process, names[process]);
                    if outcome == Outcome::Unknown {
                        names[process] += self.shape.processes;
                    }
                }
            }
        }
    }

    fn begin(&mut self) -> Running {
        self.started += 1;
        let era = u32::try_from(self.started / 60).unwrap();
        let (mut plan, count) = (Vec::new(), 1 + self.draw.below(4));
        for _ in 0..count {
            let key = era * 100 + u32::try_from(self.draw.below(self.shape.keys)).unwrap();
            if self.shape.registers && self.draw.chance(0.7) {
                plan.push((key, None));
            }
            let write = self.draw.chance(0.5).then(|| {
                let element = self.elements.entry(key).or_default();
                *element += 1;
                *element
            });
            plan.push((key, write));
        }
        let wait = self.draw.below(3);
        Running {
            plan,
            done: Vec::new(),
            begun: self.now,
            writes: BTreeMap::new(),
            known: HashMap::new(),
            doomed: false,
            wait,
        }
    }

    /// What is committed, as this transaction sees it.
    fn seen(&self, one: &Running, key: u32, process: usize) -> Values {
        match self.level {
            Level::Stale if one.plan.iter().all(|(_, write)| write.is_none()) => {
                self.store.at(key, one.begun.saturating_sub(LAG), None)
            }
            Level::Snapshot | Level::Stale => self.store.at(key, one.begun, None),
            Level::Forked => self.store.at(key, one.begun, Some(process % 2)),
            Level::Uncommitted => self.store.dirty.get(&key).cloned().unwrap_or_default(),
            _ => self.store.at(key, self.now, None),
        }
    }

    fn step(&mut self, one: &mut Running, process: usize) {
        let (key, write) = one.plan[one.done.len()];
        let locks = matches!(self.level, Level::Committed | Level::Overwriting);
        if locks && write.is_some() && *self.store.locks.entry(key).or_insert(process) != process {
            one.doomed = true;
        }
        let mut values = self.seen(one, key, process);
        if self.level != Level::Uncommitted {
            self.own(one, key, &mut values);
        }
        let operation = if let Some(element) = write {
            one.writes.entry(key).or_default().push(element);
            if self.level == Level::Uncommitted {
                let list = self.store.dirty.entry(key).or_default();
                if self.shape.registers { *list = vec![element] } else { list.push(element) }
            }
            self.written(key, element)
        } else {
            one.known.insert(key, values.clone());
            self.read(key, &values)
        };
        one.done.push(operation);
    }

    fn own(&self, one: &Running, key: u32, values: &mut Values) {
        for element in one.writes.get(&key).into_iter().flatten() {
            if self.shape.registers {
                values.clear();
            }
            values.push(*element);
        }
    }

    fn written(&self, key: u32, element: u32) -> Operation {
        if self.shape.registers {
            Operation::Write { key, value: element }
        } else {
            Operation::Append { key, element }
        }
    }

    fn read(&mut self, key: u32, values: &[u32]) -> Operation {
        if self.shape.registers {
            Operation::Register { key, value: Some(values.last().copied()) }
        } else {
            Operation::List { key, list: Some(self.history.keep(values.iter().copied())) }
        }
    }

    fn commit(&mut self, mut one: Running, process: usize, name: usize) -> Outcome {
        self.store.locks.retain(|_, holder| *holder != process);
        let last =
            |store: &Store, key| store.versions.get(key).and_then(|all| all.last()).map_or(0, |one| one.0);
        let conflict = matches!(self.level, Level::Snapshot | Level::Stale | Level::Forked)
            && one.writes.keys().any(|key| {
                let lag = if self.level == Level::Forked { LAG } else { 0 };
                last(&self.store, key) + lag > one.begun
            });
        let aborts = one.doomed || conflict || self.draw.chance(self.shape.aborted);
        let unanswered = !aborts && self.draw.chance(self.shape.lost);
        let made = !(aborts || unanswered && self.draw.chance(0.5));
        if matches!(self.level, Level::Serial | Level::Reordered) {
            for place in 0..one.plan.len() {
                let (key, write) = one.plan[place];
                let mut values = self.store.at(key, self.now, None);
                self.own(&one, key, &mut values);
                let operation = match write {
                    Some(element) => {
                        one.writes.entry(key).or_default().push(element);
                        self.written(key, element)
                    }
                    None => self.read(key, &values),
                };
                one.done.push(operation);
            }
        }
        if self.level == Level::Uncommitted && !made {
            for (key, elements) in &one.writes {
                if let Some(list) = self.store.dirty.get_mut(key) {
                    list.retain(|element| !elements.contains(element));
                }
            }
        }
        if made && self.level == Level::Reordered && !one.writes.is_empty() && self.draw.chance(0.2) {
            self.late.push((self.now + LAG, one.writes.clone()));
        } else if made && self.level != Level::Uncommitted {
            if self.level == Level::Overwriting {
                self.overwrite(&one);
            } else {
                self.install(&one.writes, process % 2);
            }
        }
        let outcome = match (aborts, unanswered) {
            (true, _) => Outcome::Aborted,
            (_, true) => Outcome::Unknown,
            _ => Outcome::Committed,
        };
        self.now += 1;
        let level = self.history.level("as simulated");
        self.history.add(u32::try_from(name).unwrap(), (one.begun, self.now), outcome, level, &one.done);
        outcome
    }

    fn install(&mut self, writes: &BTreeMap<u32, Values>, copy: usize) {
        for (key, elements) in writes {
            let mut values = self.store.at(*key, self.now, None);
            if self.shape.registers {
                values.clear();
            }
            values.extend(elements);
            self.store.versions.entry(*key).or_default().push((self.now, values, copy));
        }
    }

    fn overwrite(&mut self, one: &Running) {
        for (key, elements) in &one.writes {
            let mut values =
                one.known.get(key).cloned().unwrap_or_else(|| self.store.at(*key, self.now, None));
            values.retain(|element| !elements.contains(element));
            values.extend(elements);
            self.store.versions.entry(*key).or_default().push((self.now, values, 0));
        }
    }
}
