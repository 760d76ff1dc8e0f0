//! What the hardware reported of itself: errors of memory, and CPUs that slowed down for heat or power.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::proc_file::ProcFile;
use crate::text::number;

/// Counters of the hardware; none where the machine has no such counters.
pub(crate) struct Hardware {
    memory: Vec<ProcFile>,
    throttles: Vec<ProcFile>,
}

impl Hardware {
    /// Opens what there is.
    pub(crate) fn open(root: &Path) -> Self {
        let controllers = folders(&root.join("sys/devices/system/edac/mc"), "mc");
        let memory =
            controllers.iter().flat_map(|folder| ["ce_count", "ue_count"].map(|name| folder.join(name)));
        let mut packages = HashSet::new();
        let mut throttles = Vec::new();
        for cpu in folders(&root.join("sys/devices/system/cpu"), "cpu") {
            throttles.push(cpu.join("thermal_throttle/core_throttle_count"));
            // All CPUs of a package have the same count.
            let package = fs::read_to_string(cpu.join("topology/physical_package_id")).unwrap_or_default();
            if packages.insert(package) {
                throttles.push(cpu.join("thermal_throttle/package_throttle_count"));
            }
        }
        Self { memory: opened(memory), throttles: opened(throttles) }
    }

    /// Errors of memory that were mended, and that could not be, since boot.
    pub(crate) fn memory_errors(&mut self) -> Option<u64> {
        sum(&mut self.memory)
    }

    /// How often a core or a package slowed down for heat or power since boot.
    pub(crate) fn throttles(&mut self) -> Option<u64> {
        sum(&mut self.throttles)
    }
}

/// The folders whose names are a word and a number.
fn folders(place: &Path, word: &str) -> Vec<PathBuf> {
    let numbered = |name: &str| name.strip_prefix(word).is_some_and(|rest| number(rest.as_bytes()).is_some());
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(numbered))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

fn opened(paths: impl IntoIterator<Item = PathBuf>) -> Vec<ProcFile> {
    paths.into_iter().filter_map(|path| ProcFile::open(&path).ok()).collect()
}

fn sum(files: &mut [ProcFile]) -> Option<u64> {
    if files.is_empty() {
        return None;
    }
    files.iter_mut().map(|file| number(file.read().ok()?.trim_ascii())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(name: &str, files: &[(&str, &str)]) -> (Option<u64>, Option<u64>) {
        let root = std::env::temp_dir().join(format!("weigh-hardware-{}-{name}", std::process::id()));
        for (path, text) in files {
            let path = root.join("sys/devices/system").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut found = Hardware::open(&root);
        let counted = (found.memory_errors(), found.throttles());
        if !files.is_empty() {
            fs::remove_dir_all(root).unwrap();
        }
        counted
    }

    #[test]
    fn errors_of_all_controllers_and_throttles_of_each_package_once() {
        let counted = machine(
            "all",
            &[
                ("edac/mc/mc0/ce_count", "3\n"),
                ("edac/mc/mc0/ue_count", "1\n"),
                ("edac/mc/mc1/ce_count", "2\n"),
                ("edac/mc/power/ce_count", "100\n"),
                ("cpu/cpu0/thermal_throttle/core_throttle_count", "5\n"),
                ("cpu/cpu0/thermal_throttle/package_throttle_count", "7\n"),
                ("cpu/cpu0/topology/physical_package_id", "0\n"),
                ("cpu/cpu1/thermal_throttle/core_throttle_count", "6\n"),
                ("cpu/cpu1/thermal_throttle/package_throttle_count", "7\n"),
                ("cpu/cpu1/topology/physical_package_id", "0\n"),
            ],
        );
        assert_eq!(counted, (Some(6), Some(18)));
    }

    #[test]
    fn what_is_not_counted_is_none_and_not_zero() {
        assert_eq!(machine("none", &[]), (None, None));
        assert_eq!(machine("damaged", &[("edac/mc/mc0/ce_count", "many\n")]), (None, None));
    }
}
