//! What a transaction is to do: shapes in which anomalies show, and random ones.

use crate::random::Random;

use super::keys::Keys;

/// One statement of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Planned {
    Read(u32),
    Append(u32),
}

/// Statements of a random one, at most.
const MOST: u64 = 4;

/// The next transaction.
pub(super) fn draw(keys: &Keys, random: &mut Random) -> Vec<Planned> {
    use Planned::{Append, Read};
    let [a, b] = keys.draw(random, 2)[..] else { return Vec::new() };
    let mut plan = match random.below(20) {
        // Updates of what was read: one of two may be lost.
        0..4 => vec![Read(a), Append(a)],
        // Reads that are to repeat, with a while between them.
        4..7 => vec![Read(a), Read(b), Read(a)],
        // Writes that depend on what another one may write.
        7..10 => vec![Read(a), Read(b), Append(b)],
        // Writes that are to be seen together, or not at all.
        10..12 => vec![Append(a), Append(a), Append(b)],
        _ => {
            let many = 2 + random.below(MOST - 1);
            let one = |random: &mut Random| {
                let key = keys.draw(random, 1)[0];
                if random.below(2) == 0 { Read(key) } else { Append(key) }
            };
            (0..many).map(|_| one(random)).collect()
        }
    };
    in_order(&mut plan);
    plan
}

/// Lists are locked in the order of their keys: two that wait for each other would stand still for as long as the server
/// takes to notice, and nobody would meet meanwhile.
fn in_order(plan: &mut [Planned]) {
    let mut keys: Vec<u32> = plan
        .iter()
        .filter_map(|one| if let Planned::Append(key) = one { Some(*key) } else { None })
        .collect();
    keys.sort_unstable();
    let appends = plan.iter_mut().filter(|one| matches!(one, Planned::Append(_)));
    for (one, key) in appends.zip(keys) {
        *one = Planned::Append(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_locks_a_list_before_one_with_a_smaller_key() {
        let (keys, mut random) = (Keys::new(), Random::new(11));
        let mut several = 0;
        for _ in 0..1_000 {
            let plan = draw(&keys, &mut random);
            let locked: Vec<u32> = plan
                .iter()
                .filter_map(|one| if let Planned::Append(key) = one { Some(*key) } else { None })
                .collect();
            assert!(locked.is_sorted(), "{plan:?}");
            several += usize::from(locked.first() != locked.last());
        }
        assert!(several > 50, "{several}");
    }
}
