//! The lists and registers that are in use, and what is to be written to each next.

use crate::random::Random;

/// How many at once: few, so that transactions meet.
const ACTIVE: usize = 12;
/// Writes after which one is replaced.
const WRITES: u32 = 32;
/// The same of those that are read as a range: rows that are not there yet are what a phantom needs.
const FEW: u32 = 3;
/// Keys are of so many classes, by their remainder: one holds registers, and one lists of a range; a key is replaced by
/// another one of its class.
const CLASSES: u32 = 4;
const REGISTERS: u32 = 3;
const RANGED: u32 = 1;
/// Keys of a range that lie before, and behind, the next one that is to be there.
const BEHIND: u32 = CLASSES;

/// Whether a key is of a register, and not of a list.
pub(super) fn is_register(key: u32) -> bool {
    key % CLASSES == REGISTERS
}

/// The keys of lists in a range that begins there.
pub(super) fn within(low: u32) -> impl Iterator<Item = u32> {
    (low..=high(low)).step_by(CLASSES as usize)
}

/// The last key of such a range.
pub(super) fn high(low: u32) -> u32 {
    low + 2 * BEHIND
}

fn writes(key: u32) -> u32 {
    if key % CLASSES == RANGED { FEW } else { WRITES }
}

/// Shared by all threads.
#[derive(Debug)]
pub(super) struct Keys {
    active: Vec<(u32, u32)>,
    /// Of each class.
    next: [u32; CLASSES as usize],
}

impl Keys {
    pub(super) fn new() -> Self {
        let first = 1 + u32::try_from(ACTIVE).unwrap_or(0);
        let active = (1..first).map(|key| (key, 0)).collect();
        let next = std::array::from_fn(|class| {
            (first..first + CLASSES).find(|key| *key as usize % CLASSES as usize == class).unwrap_or(0)
        });
        Self { active, next }
    }

    /// Where a range begins that holds what comes next, and a list of it that is in use.
    pub(super) fn range(&self, random: &mut Random) -> (u32, u32) {
        let low = self.next[RANGED as usize] - BEHIND;
        let lists: Vec<u32> =
            self.active.iter().map(|(key, _)| *key).filter(|key| key % CLASSES == RANGED).collect();
        let place = usize::try_from(random.below(lists.len() as u64)).unwrap_or(0);
        (low, lists[place])
    }

    /// So many different ones that are in use.
    pub(super) fn draw(&self, random: &mut Random, many: usize) -> Vec<u32> {
        let mut found = Vec::with_capacity(many);
        while found.len() < many.min(ACTIVE) {
            let place = usize::try_from(random.below(ACTIVE as u64)).unwrap_or(0);
            let (key, _) = self.active[place];
            if !found.contains(&key) {
                found.push(key);
            }
        }
        found
    }

    /// What nobody has written to a key, and the key: another one where it is out of use meanwhile.
    pub(super) fn element(&mut self, key: u32) -> (u32, u32) {
        let place = self.active.iter().position(|(one, _)| *one == key);
        // Places keep their class: that of the key is at every CLASSES-th of them.
        let (class, many) = ((key - 1) % CLASSES, ACTIVE / CLASSES as usize);
        let place = place.unwrap_or((key / CLASSES) as usize % many * CLASSES as usize + class as usize);
        let (key, element) = {
            let one = &mut self.active[place];
            one.1 += 1;
            *one
        };
        if element == writes(key) {
            let next = &mut self.next[(key % CLASSES) as usize];
            self.active[place] = (*next, 0);
            *next += CLASSES;
        }
        (key, element)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_element_is_given_twice_and_lists_are_replaced() {
        let (mut keys, mut random) = (Keys::new(), Random::new(3));
        let mut all = HashSet::new();
        for _ in 0..10_000 {
            let key = keys.draw(&mut random, 2)[1];
            assert!(all.insert(keys.element(key)));
        }
        let lists: HashSet<u32> = all.iter().map(|(key, _)| *key).collect();
        assert!(lists.len() > 10_000 / WRITES as usize, "{}", lists.len());
        // What was drawn before its list was replaced goes to another one.
        assert_ne!(keys.element(1).0, 1);
        // Of every class as many are in use as at the beginning.
        for class in 0..CLASSES {
            let many = keys.active.iter().filter(|(key, _)| key % CLASSES == class).count();
            assert_eq!(many, ACTIVE / CLASSES as usize, "{class}");
        }
    }

    #[test]
    fn a_range_holds_lists_that_are_not_there_yet() {
        let (mut keys, mut random) = (Keys::new(), Random::new(5));
        let (low, list) = keys.range(&mut random);
        let many = (0..200).filter(|_| within(low).any(|key| keys.element(list).0 == key)).count();
        assert!(many > 0, "{low} {list}");
        assert!(within(low).all(|key| !is_register(key)));
    }
}
