//! Control groups: whether a limit held this process back, and how much memory its group uses.

use std::io;
use std::path::{Path, PathBuf};

use crate::proc_file::ProcFile;
use crate::text::{lines, number, value};

/// The files of this process's group and of those around it.
pub(crate) struct Groups {
    /// `cpu.stat` of each group that counts; a limit further up holds it back just the same.
    limits: Vec<(ProcFile, Version)>,
    memory: Option<ProcFile>,
}

#[derive(Clone, Copy, PartialEq)]
enum Version {
    One,
    Two,
}

impl Groups {
    /// Opens what there is of version 1 and version 2.
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        let membership = std::fs::read(root.join("proc/self/cgroup"))?;
        let mount = root.join("sys/fs/cgroup");
        let mut groups = Self { limits: Vec::new(), memory: None };
        for (controllers, path) in memberships(&membership) {
            if controllers.is_empty() {
                let unified =
                    if mount.join("unified").is_dir() { mount.join("unified") } else { mount.clone() };
                groups.limits.extend(limits(&unified, &path, Version::Two));
                groups.memory = groups.memory.or_else(|| nearest(&unified, &path, "memory.current"));
            } else if controllers.contains(&"cpu".to_owned()) {
                let mounted = [mount.join(controllers.join(",")), mount.join("cpu")];
                let mounted = mounted.into_iter().find(|path| path.is_dir());
                groups.limits.extend(mounted.iter().flat_map(|mounted| limits(mounted, &path, Version::One)));
            } else if controllers.contains(&"memory".to_owned()) {
                let found = nearest(&mount.join("memory"), &path, "memory.usage_in_bytes");
                groups.memory = found.or(groups.memory);
            }
        }
        Ok(groups)
    }

    /// Whether a group says if it is held back.
    pub(crate) fn count(&self) -> bool {
        !self.limits.is_empty()
    }

    /// Nanoseconds of CPU time for which tasks of these groups were held back since they were made.
    pub(crate) fn throttled(&mut self) -> Option<u64> {
        if self.limits.is_empty() {
            return None;
        }
        self.limits.iter_mut().map(|(source, version)| held_back(source.read().ok()?, *version)).sum()
    }

    /// Bytes that the group uses, its page cache included.
    pub(crate) fn memory(&mut self) -> Option<u64> {
        lines(self.memory.as_mut()?.read().ok()?).next().and_then(number)
    }
}

/// The controllers and the path of each line of `/proc/self/cgroup`; version 2 names no controllers.
fn memberships(text: &[u8]) -> Vec<(Vec<String>, PathBuf)> {
    let line = |line: &[u8]| {
        let text = str::from_utf8(line).ok()?;
        let (_, rest) = text.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let controllers = controllers.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Some((controllers, PathBuf::from(path.trim_start_matches('/'))))
    };
    lines(text).filter_map(line).collect()
}

/// `cpu.stat` of the group and of those around it. In a container the path may be that of the host: then only the mount
/// itself is there.
fn limits(mount: &Path, path: &Path, version: Version) -> Vec<(ProcFile, Version)> {
    let opened = |path: &Path| {
        let mut source = ProcFile::open(&mount.join(path).join("cpu.stat")).ok()?;
        held_back(source.read().ok()?, version).map(|_| (source, version))
    };
    path.ancestors().filter_map(opened).collect()
}

fn nearest(mount: &Path, path: &Path, name: &str) -> Option<ProcFile> {
    path.ancestors().find_map(|path| ProcFile::open(&mount.join(path).join(name)).ok())
}

fn held_back(text: &[u8], version: Version) -> Option<u64> {
    match version {
        Version::One => value(text, "throttled_time "),
        Version::Two => value(text, "throttled_usec ").map(|micros| micros * 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let root = std::env::temp_dir().join(format!("weigh-cgroup-{}-{name}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        root
    }

    fn read(root: PathBuf) -> (Option<u64>, Option<u64>) {
        let mut groups = Groups::open(&root).unwrap();
        let found = (groups.throttled(), groups.memory());
        std::fs::remove_dir_all(root).unwrap();
        found
    }

    #[test]
    fn version_1_with_a_limit_further_up() {
        let root = machine(
            "one",
            &[
                ("proc/self/cgroup", "4:memory:/a\n1:cpu,cpuacct:/a/b\n0::/\n"),
                (
                    "sys/fs/cgroup/cpu,cpuacct/a/b/cpu.stat",
                    "nr_periods 2\nnr_throttled 1\nthrottled_time 7000\n",
                ),
                (
                    "sys/fs/cgroup/cpu,cpuacct/a/cpu.stat",
                    "nr_periods 9\nnr_throttled 3\nthrottled_time 500\n",
                ),
                ("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "4096\n"),
            ],
        );
        assert_eq!(read(root), (Some(7500), Some(4096)));
    }

    #[test]
    fn version_2_whose_root_has_no_limit() {
        let root = machine(
            "two",
            &[
                ("proc/self/cgroup", "0::/user.slice/weigh\n"),
                (
                    "sys/fs/cgroup/user.slice/weigh/cpu.stat",
                    "usage_usec 5\nnr_throttled 1\nthrottled_usec 12\n",
                ),
                ("sys/fs/cgroup/user.slice/weigh/memory.current", "8192\n"),
                ("sys/fs/cgroup/cpu.stat", "usage_usec 5\n"),
            ],
        );
        assert_eq!(read(root), (Some(12_000), Some(8192)));
    }

    #[test]
    fn in_a_container_whose_path_is_that_of_the_host() {
        let root = machine(
            "container",
            &[
                ("proc/self/cgroup", "0::/docker/0123\n"),
                ("sys/fs/cgroup/cpu.stat", "usage_usec 5\nthrottled_usec 3\n"),
            ],
        );
        assert_eq!(read(root), (Some(3000), None));
    }

    #[test]
    fn nothing_that_counts_is_none_and_not_zero() {
        let root = machine("none", &[("proc/self/cgroup", "damaged\n0::/\n")]);
        assert_eq!(read(root), (None, None));
        assert!(Groups::open(Path::new("/nowhere")).is_err());
    }
}
