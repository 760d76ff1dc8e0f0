//! How full the network's links are, where the kernel tells how fast they are.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::network::Interface;

/// Bytes a second of a megabit a second, in which the kernel tells the speed of a link.
const MEGABIT: f64 = 1e6 / 8.0;

/// What the interfaces had carried when they were read last.
pub(crate) struct Links {
    class: PathBuf,
    speeds: HashMap<String, Option<f64>>,
    before: HashMap<String, Interface>,
}

impl Links {
    /// Nothing was read yet.
    pub(crate) fn new(root: &Path) -> Self {
        Self { class: root.join("sys/class/net"), speeds: HashMap::new(), before: HashMap::new() }
    }

    /// Share of its speed that the fullest link carried since the last reading, in its busier direction.
    ///
    /// `None` where no link tells its speed: none of a virtual machine may, and what stands on no device, as the pair of
    /// a container, tells one that nobody keeps to.
    #[expect(clippy::cast_precision_loss, reason = "bytes of a span")]
    pub(crate) fn take(&mut self, interfaces: &[Interface], span_s: f64) -> Option<f64> {
        let mut fullest: Option<f64> = None;
        for one in interfaces {
            let place = &self.class;
            let speed = *self.speeds.entry(one.name.clone()).or_insert_with(|| speed(&place.join(&one.name)));
            let Some(before) = self.before.insert(one.name.clone(), one.clone()) else { continue };
            let Some(speed) = speed.filter(|_| span_s > 0.0) else { continue };
            let received = one.received.saturating_sub(before.received);
            let sent = one.sent.saturating_sub(before.sent);
            let share = (received.max(sent) as f64 / (speed * span_s)).min(1.0);
            fullest = Some(fullest.map_or(share, |most| most.max(share)));
        }
        fullest
    }
}

/// Bytes a second of an interface that is a device.
fn speed(folder: &Path) -> Option<f64> {
    if !folder.join("device").exists() {
        return None;
    }
    let megabits: i64 = fs::read_to_string(folder.join("speed")).ok()?.trim().parse().ok()?;
    #[expect(clippy::cast_precision_loss, reason = "megabits a second")]
    (megabits > 0).then_some(megabits as f64 * MEGABIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(name: &str, speeds: &[(&str, &str, bool)]) -> PathBuf {
        let root = std::env::temp_dir().join(format!("weigh-links-{}-{name}", std::process::id()));
        for (link, speed, device) in speeds {
            let folder = root.join("sys/class/net").join(link);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("speed"), speed).unwrap();
            if *device {
                fs::create_dir_all(folder.join("device")).unwrap();
            }
        }
        root
    }

    fn interface(name: &str, received: u64, sent: u64) -> Interface {
        Interface { name: name.to_owned(), received, sent }
    }

    #[test]
    fn the_fullest_link_in_its_busier_direction() {
        let root =
            machine("two", &[("eth0", "1000\n", true), ("eth1", "100\n", true), ("veth", "10\n", false)]);
        let mut links = Links::new(&root);
        let before = [interface("eth0", 5, 5), interface("eth1", 0, 0), interface("veth", 0, 0)];
        assert_eq!(links.take(&before, 0.5), None, "it counts since boot");
        let after = [
            interface("eth0", 5, 12_500_005),
            interface("eth1", 5_000_000, 9),
            interface("veth", 1 << 40, 0),
        ];
        assert_eq!(links.take(&after, 0.5), Some(0.8), "5 MB in half a second of 12.5 MB/s, not the pair's");
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_speed_that_is_not_told_is_none_and_not_zero() {
        let root = machine("none", &[("eth0", "-1\n", true)]);
        let mut links = Links::new(&root);
        for bytes in [0, 1_000_000] {
            assert_eq!(links.take(&[interface("eth0", bytes, 0), interface("gone", bytes, 0)], 1.0), None);
        }
        fs::remove_dir_all(root).unwrap();
    }
}
