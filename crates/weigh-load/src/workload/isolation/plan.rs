//! What a transaction is to do: shapes in which anomalies show, and random ones.

use crate::random::Random;

use super::keys::Keys;

/// One statement of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Planned {
    Read(u32),
    /// Appends to a list, or writes a register.
    Write(u32),
    /// Reads a range of lists in one statement, from this key on.
    Range(u32),
}

/// Statements of a random one, at most.
const MOST: u64 = 4;

/// The next transaction.
pub(super) fn draw(keys: &Keys, random: &mut Random) -> Vec<Planned> {
    use Planned::{Range, Read, Write};
    let [a, b] = keys.draw(random, 2)[..] else { return Vec::new() };
    let mut plan = match random.below(20) {
        // Updates of what was read: one of two may be lost.
        0..4 => vec![Read(a), Write(a)],
        // Reads that are to repeat, with a while between them.
        4..7 => vec![Read(a), Read(b), Read(a)],
        // Writes that depend on what another one may write.
        7..9 => vec![Read(a), Read(b), Write(b)],
        // Writes that are to be seen together, or not at all.
        9..11 => vec![Write(a), Write(a), Write(b)],
        // Rows that another one may insert into what was read; and the same read again.
        11..13 => {
            let (low, list) = keys.range(random);
            vec![Range(low), Write(list)]
        }
        13 => {
            let (low, _) = keys.range(random);
            vec![Range(low), Read(a), Range(low)]
        }
        _ => {
            let many = 2 + random.below(MOST - 1);
            let one = |random: &mut Random| {
                let key = keys.draw(random, 1)[0];
                if random.below(2) == 0 { Read(key) } else { Write(key) }
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
    let mut keys: Vec<u32> =
        plan.iter().filter_map(|one| if let Planned::Write(key) = one { Some(*key) } else { None }).collect();
    keys.sort_unstable();
    let appends = plan.iter_mut().filter(|one| matches!(one, Planned::Write(_)));
    for (one, key) in appends.zip(keys) {
        *one = Planned::Write(key);
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
                .filter_map(|one| if let Planned::Write(key) = one { Some(*key) } else { None })
                .collect();
            assert!(locked.is_sorted(), "{plan:?}");
            several += usize::from(locked.first() != locked.last());
        }
        assert!(several > 50, "{several}");
    }
}
