//! The lists that are in use, and what is to be appended to each next.

use crate::random::Random;

/// How many at once: few, so that transactions meet.
const ACTIVE: usize = 12;
/// Appends after which a list is replaced.
const APPENDS: u32 = 32;

/// Shared by all threads.
#[derive(Debug)]
pub(super) struct Keys {
    active: Vec<(u32, u32)>,
    next: u32,
}

impl Keys {
    pub(super) fn new() -> Self {
        let active = (1..).map(|key| (key, 0)).take(ACTIVE).collect();
        Self { active, next: 1 + u32::try_from(ACTIVE).unwrap_or(0) }
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

    /// An element that nobody has appended to a list, and its list: another one where it is out of use meanwhile.
    pub(super) fn element(&mut self, key: u32) -> (u32, u32) {
        let place = self.active.iter().position(|(one, _)| *one == key);
        let place = place.unwrap_or(key as usize % ACTIVE);
        let (key, element) = {
            let one = &mut self.active[place];
            one.1 += 1;
            *one
        };
        if element == APPENDS {
            self.active[place] = (self.next, 0);
            self.next += 1;
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
        assert!(lists.len() > 10_000 / APPENDS as usize, "{}", lists.len());
        // What was drawn before its list was replaced goes to another one.
        assert_ne!(keys.element(1).0, 1);
    }
}
