//! What a worker remembers of each piece of work that is under way.

/// A piece of work, by its place in the table of the worker that began it.
#[derive(Debug)]
pub struct Unit(usize);

/// A worker's table of what is under way. Places are used again, so that it grows no further than the most that was
/// under way at once.
#[derive(Debug)]
pub(super) struct Units<T> {
    places: Vec<Option<T>>,
    free: Vec<usize>,
}

impl<T> Units<T> {
    pub(super) fn new() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }

    pub(super) fn begin(&mut self, state: T) -> Unit {
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            self.places.len() - 1
        });
        self.places[place] = Some(state);
        Unit(place)
    }

    /// Takes out what is remembered of a unit, which is over unless [`Units::keep`] follows. Nothing, if it is over.
    pub(super) fn take(&mut self, unit: &Unit) -> Option<T> {
        let state = self.places.get_mut(unit.0)?.take()?;
        self.free.push(unit.0);
        Some(state)
    }

    /// What is remembered of a unit that is under way.
    pub(super) fn get(&self, unit: &Unit) -> Option<&T> {
        self.places.get(unit.0)?.as_ref()
    }

    /// Goes on with the unit that was taken out last.
    pub(super) fn keep(&mut self, unit: &Unit, state: T) {
        // None has begun since: its place is the last that became free.
        let place = self.free.pop();
        debug_assert_eq!(place, Some(unit.0));
        self.places[unit.0] = Some(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_used_again_and_what_is_over_stays_over() {
        let mut units = Units::new();
        let (a, b) = (units.begin("a"), units.begin("b"));
        assert_eq!(units.take(&a), Some("a"));
        units.keep(&a, "more of a");
        assert_eq!((units.take(&a), units.take(&a)), (Some("more of a"), None));
        let c = units.begin("c");
        assert_eq!((c.0, units.places.len(), units.take(&b)), (a.0, 2, Some("b")));
    }
}
