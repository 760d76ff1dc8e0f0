//! Moments that each belong to one connection: of a recording whose sessions keep their order.
//!
//! A connection takes its own moments, one after the other, and no other connection takes them: what is due while it
//! waits for an answer waits for it, and its lateness counts from its own moment.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The moments of every connection, in nanoseconds after the beginning, in the order in which it takes them. One may be
/// before that of its predecessor: it waits for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lanes(Arc<[Arc<[u64]>]>);

impl Lanes {
    /// Of so many connections.
    #[must_use]
    pub fn new(moments: impl IntoIterator<Item = Vec<u64>>) -> Self {
        Self(moments.into_iter().map(Arc::from).collect())
    }

    /// How many connections there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn of(&self, part: u64, parts: u64) -> Vec<Arc<[u64]>> {
        let own = (0_u64..).zip(self.0.iter()).filter(|(lane, _)| lane % parts == part);
        own.map(|(_, moments)| Arc::clone(moments)).collect()
    }

    /// All moments of the connections of one thread, ascending.
    pub(crate) fn ascending(&self, part: u64, parts: u64) -> Arc<[u64]> {
        let own = self.of(part, parts);
        let mut all: Vec<u64> = own.iter().flat_map(|moments| moments.iter().copied()).collect();
        all.sort_unstable();
        all.into()
    }
}

/// What the connections of one thread have still to take.
#[derive(Default)]
pub(crate) struct LaneQueue {
    places: Vec<Place>,
    /// Of free connections, the moment of each that is next.
    next: BinaryHeap<Reverse<(u64, usize)>>,
    begun: u64,
}

#[derive(Default)]
struct Place {
    moments: Arc<[u64]>,
    taken: usize,
    free: bool,
}

impl Place {
    fn next(&self) -> Option<u64> {
        self.moments.get(self.taken).copied()
    }
}

impl LaneQueue {
    /// Of thread `part` of `parts`, whose run began at `begun`.
    pub(crate) fn new(lanes: &Lanes, part: u64, parts: u64, begun: u64) -> Self {
        let places = lanes.of(part, parts).into_iter();
        let places = places.map(|moments| Place { moments, ..Place::default() }).collect();
        Self { places, next: BinaryHeap::new(), begun }
    }

    /// A connection can take its next moment.
    pub(crate) fn free(&mut self, place: usize) {
        let Some(own) = self.places.get_mut(place) else { return };
        own.free = true;
        if let Some(at) = own.next() {
            self.next.push(Reverse((at, place)));
        }
    }

    /// A connection is gone.
    pub(crate) fn gone(&mut self, place: usize) {
        if let Some(own) = self.places.get_mut(place) {
            own.free = false;
        }
    }

    /// The earliest moment that a free connection can take, and which connection that is.
    pub(crate) fn next(&mut self) -> Option<(u64, usize)> {
        while let Some(Reverse((at, place))) = self.next.peek().copied() {
            let own = &self.places[place];
            // A connection that was lost and opened again stands there twice.
            if own.free && own.next() == Some(at) {
                return Some((self.begun + at, place));
            }
            self.next.pop();
        }
        None
    }

    /// Takes what [`Self::next`] named.
    pub(crate) fn take(&mut self) {
        let Some(Reverse((_, place))) = self.next.pop() else { return };
        let own = &mut self.places[place];
        own.taken += 1;
        own.free = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_connection_takes_its_own_in_order_however_late_it_is() {
        let lanes = Lanes::new([vec![0, 50, 60], vec![10], vec![40, 20]]);
        assert_eq!(&*lanes.ascending(0, 2), &[0, 20, 40, 50, 60]);
        let mut queue = LaneQueue::new(&lanes, 0, 2, 1_000);
        assert_eq!(queue.next(), None);
        queue.free(0);
        queue.free(1);
        assert_eq!(queue.next(), Some((1_000, 0)));
        queue.take();
        // The first one is busy: nobody takes its moments.
        assert_eq!(queue.next(), Some((1_040, 1)));
        queue.take();
        assert_eq!(queue.next(), None);
        queue.free(1);
        assert_eq!(queue.next(), Some((1_020, 1)));
        queue.gone(1);
        assert_eq!(queue.next(), None);
        queue.free(1);
        queue.free(1);
        queue.take();
        queue.free(0);
        assert_eq!(queue.next(), Some((1_050, 0)));
    }
}
