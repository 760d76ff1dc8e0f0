//! `/proc/net`: what the network interfaces did.

use crate::text::{lines, number, words};

pub(crate) mod links;

/// What all interfaces but the loopback did in a span.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NetworkUse {
    /// Bytes received.
    pub received: u64,
    /// Bytes sent.
    pub sent: u64,
    /// Packets that the interfaces dropped.
    pub drops: u64,
    /// Packets that were damaged.
    pub errors: u64,
    /// TCP segments sent again, those over the loopback included.
    pub retransmits: Option<u64>,
    /// Connections refused because a queue of the listener was full.
    pub overflows: Option<u64>,
    /// Share of its speed that the fullest link carried in its busier direction; `None` where no link tells its speed.
    pub link: Option<f64>,
}

impl NetworkUse {
    /// What was counted between two readings.
    pub(crate) fn since(&self, before: &Self) -> Self {
        let known = |after: Option<u64>, before: Option<u64>| Some(after?.saturating_sub(before?));
        Self {
            received: self.received.saturating_sub(before.received),
            sent: self.sent.saturating_sub(before.sent),
            drops: self.drops.saturating_sub(before.drops),
            errors: self.errors.saturating_sub(before.errors),
            retransmits: known(self.retransmits, before.retransmits),
            overflows: known(self.overflows, before.overflows),
            link: self.link,
        }
    }
}

/// Bytes of one interface since boot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Interface {
    pub(crate) name: String,
    pub(crate) received: u64,
    pub(crate) sent: u64,
}

/// Reads `/proc/net/dev`: all interfaces but the loopback together, and each; `None` where a line is damaged.
pub(crate) fn interfaces(text: &[u8]) -> Option<(NetworkUse, Vec<Interface>)> {
    let mut all = NetworkUse::default();
    let mut each = Vec::new();
    // Two lines of headings.
    for line in lines(text).skip(2).filter(|line| !line.is_empty()) {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let name = line[..colon].trim_ascii();
        if name == b"lo" {
            continue;
        }
        let numbers = words(&line[colon + 1..]).map(number).collect::<Option<Vec<_>>>()?;
        let [received, _, errors_in, drops_in, _, _, _, _, sent, _, errors_out, drops_out, ..] = numbers[..]
        else {
            return None;
        };
        all.received += received;
        all.sent += sent;
        all.errors += errors_in + errors_out;
        all.drops += drops_in + drops_out;
        each.push(Interface { name: String::from_utf8_lossy(name).into_owned(), received, sent });
    }
    text.starts_with(b"Inter-|").then_some((all, each))
}

/// A counter of `/proc/net/snmp` or `/proc/net/netstat`, where a line of names comes before one of numbers.
pub(crate) fn counter(text: &[u8], group: &str, name: &str) -> Option<u64> {
    let mut rows = lines(text).filter_map(|line| line.strip_prefix(group.as_bytes()));
    let at = words(rows.next()?).position(|word| word == name.as_bytes())?;
    words(rows.next()?).nth(at).and_then(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEVICES: &[u8] = b"Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 10134710    8261    5    5    0     0          0         0 10134710    8261    0    0    0     0       0          0
  eth0: 5627104766  329326    1    2    0     0          0         0 14847288  157447    3    4    0     0       0          0
  eth1:7 1 0 0 0 0 0 0 9 1 0 0 0 0 0 0
";

    #[test]
    fn all_interfaces_but_the_loopback() {
        let (all, each) = interfaces(DEVICES).unwrap();
        let names: Vec<_> = each.iter().map(|one| (one.name.as_str(), one.received, one.sent)).collect();
        assert_eq!(names, [("eth0", 5_627_104_766, 14_847_288), ("eth1", 7, 9)]);
        assert_eq!((all.received, all.sent), (5_627_104_773, 14_847_297));
        assert_eq!((all.errors, all.drops), (4, 6));
        assert_eq!((all.retransmits, all.overflows), (None, None), "they stand in other files");
    }

    #[test]
    fn damaged_texts_are_none() {
        assert_eq!(interfaces(b""), None);
        assert_eq!(interfaces(b"Inter-|\n face |\n eth0 7 1 0\n"), None);
        assert_eq!(interfaces(b"Inter-|\n face |\n eth0: 7 1 0\n"), None);
        assert_eq!(interfaces(b"Inter-|\n face |\n eth0: x 1 0 0 0 0 0 0 9 1 0 0\n"), None);
    }

    #[test]
    fn counters_stand_under_their_names() {
        let text = b"Ip: Forwarding InDiscards\nIp: 1 3\nTcp: MaxConn RetransSegs InErrs\nTcp: -1 11 0\n";
        assert_eq!(counter(text, "Tcp:", "RetransSegs"), Some(11));
        assert_eq!(counter(text, "Ip:", "InDiscards"), Some(3));
        assert_eq!(counter(text, "Tcp:", "MaxConn"), None, "it has a sign");
        assert_eq!(counter(text, "Tcp:", "Nothing"), None);
        assert_eq!(counter(b"Tcp: RetransSegs\n", "Tcp:", "RetransSegs"), None);
    }

    #[test]
    fn what_was_not_known_before_is_not_known() {
        let before = NetworkUse { received: 5, retransmits: Some(3), ..NetworkUse::default() };
        let after =
            NetworkUse { received: 9, retransmits: Some(4), overflows: Some(2), ..NetworkUse::default() };
        let since = after.since(&before);
        assert_eq!((since.received, since.retransmits, since.overflows), (4, Some(1), None));
    }
}
