//! What a node says when another one has the key.

use crate::workload::message::Reply;

use super::topology::NodeName;

/// Where a command is to go instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Redirection {
    /// Whether only this command goes there: its slot is on its way to that node.
    pub(crate) once: bool,
    pub(crate) slot: u16,
    pub(crate) to: NodeName,
}

impl Redirection {
    /// Reads an answer of `from`; nothing where it is no redirection.
    pub(crate) fn read(reply: &Reply<'_>, from: &NodeName) -> Option<Self> {
        let Reply::Error { code: code @ ("MOVED" | "ASK"), text } = reply else { return None };
        let (slot, to) = text.split_once(' ')?;
        let (host, port) = to.rsplit_once(':')?;
        // Without a host it is the one that was asked.
        let host = if host.is_empty() { &from.host } else { host.trim_matches(['[', ']']) };
        Some(Self {
            once: *code == "ASK",
            slot: slot.parse().ok().filter(|slot| *slot < super::slots::SLOTS)?,
            to: NodeName { host: host.to_owned(), port: port.parse().ok()? },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirections_are_read_and_nothing_else() {
        let from = NodeName { host: "10.0.0.1".into(), port: 7000 };
        let read = |code, text| Redirection::read(&Reply::Error { code, text }, &from);
        let to = |host: &str| NodeName { host: host.into(), port: 7001 };
        assert_eq!(
            read("MOVED", "3999 127.0.0.1:7001"),
            Some(Redirection { once: false, slot: 3999, to: to("127.0.0.1") })
        );
        assert_eq!(read("ASK", "1 :7001"), Some(Redirection { once: true, slot: 1, to: to("10.0.0.1") }));
        assert_eq!(read("MOVED", "1 ::1:7001").unwrap().to, to("::1"));
        for (code, text) in [
            ("ERR", "3999 a:1"),
            ("MOVED", "16384 a:1"),
            ("MOVED", "x a:1"),
            ("MOVED", "1 a"),
            ("ASK", "1 a:x"),
        ] {
            assert_eq!(read(code, text), None, "{code} {text}");
        }
    }
}
