//! cpufreq: the frequency of each CPU, where it is not hidden.

use std::io;
use std::path::Path;

use crate::proc_file::ProcFile;
use crate::text::{lines, number};

/// The frequencies that can be read.
pub(crate) struct Frequencies(Vec<ProcFile>);

impl Frequencies {
    /// Opens the files of the CPUs that are on.
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        let cpus = root.join("sys/devices/system/cpu");
        let open = |number| ProcFile::open(&cpus.join(format!("cpu{number}/cpufreq/scaling_cur_freq")));
        let found: Vec<_> = (0..4096)
            .take_while(|number| cpus.join(format!("cpu{number}")).exists())
            .filter_map(|number| open(number).ok())
            .collect();
        if found.is_empty() {
            return Err(io::Error::other("no CPU says its frequency; a virtual machine hides it"));
        }
        Ok(Self(found))
    }

    /// MHz of each CPU; `None` where one does not say it any more.
    ///
    /// Not from `/proc/cpuinfo`: in a virtual machine that says what the clock of time stamps has.
    pub(crate) fn take(&mut self) -> Option<Vec<f64>> {
        self.0.iter_mut().map(|source| megahertz(source.read().ok()?)).collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "kilohertz")]
fn megahertz(text: &[u8]) -> Option<f64> {
    lines(text).next().and_then(number).map(|kilohertz| kilohertz as f64 / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_and_damaged_texts() {
        assert_eq!(megahertz(b"3400125\n"), Some(3400.125));
        assert_eq!(megahertz(b"<unknown>\n"), None);
        assert_eq!(megahertz(b""), None);
    }

    #[test]
    fn a_machine_that_hides_it() {
        let root = std::env::temp_dir().join(format!("weigh-frequency-{}", std::process::id()));
        let cpu = root.join("sys/devices/system/cpu/cpu0");
        std::fs::create_dir_all(&cpu).unwrap();
        assert!(Frequencies::open(&root).is_err());
        std::fs::create_dir(cpu.join("cpufreq")).unwrap();
        std::fs::write(cpu.join("cpufreq/scaling_cur_freq"), "1200000\n").unwrap();
        assert_eq!(Frequencies::open(&root).unwrap().take(), Some(vec![1200.0]));
        std::fs::remove_dir_all(root).unwrap();
    }
}
