//! The table of processes over a `/proc` of files.

use super::*;

const ME: i32 = 100;
/// Nanoseconds of one unit where a second has a hundred.
const UNIT: u64 = 10_000_000;

/// A `/proc` of one's own.
struct World(PathBuf);

impl World {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("weigh-table-{}-{name}", std::process::id()));
        std::fs::create_dir_all(root.join("proc")).unwrap();
        let world = Self(root);
        world.put(1, "init", 0, 1, 500, 0, false);
        world.put(2, "kthreadd", 0, 0, 0, 0, true);
        world.put(ME, "weigh", 50, 50, 1000, 0, false);
        world
    }

    #[expect(clippy::too_many_arguments, reason = "the columns of a table")]
    fn put(&self, pid: i32, name: &str, parent: i32, session: i32, used: u64, children: u64, kernel: bool) {
        let folder = self.0.join("proc").join(pid.to_string());
        std::fs::create_dir_all(&folder).unwrap();
        let flags = if kernel { 0x0020_0040 } else { 0x40 };
        let text = format!(
            "{pid} ({name}) S {parent} 0 {session} 0 -1 {flags} 0 0 0 0 {used} 0 {children} 0 20 0 1 0 {pid} 0\n"
        );
        std::fs::write(folder.join("stat"), text).unwrap();
    }

    fn end(&self, pid: i32) {
        std::fs::remove_dir_all(self.0.join("proc").join(pid.to_string())).unwrap();
    }

    fn table(&self) -> ProcessTable {
        let mut table = ProcessTable::new(&self.0, ME);
        table.clock = |_| None;
        table.unit = UNIT;
        assert_eq!(table.scan(None), Spent::default(), "what was used before is not of this window");
        table
    }
}

impl Drop for World {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

fn units(own: u64, foreign: u64) -> Spent {
    Spent { own: own * UNIT, foreign: foreign * UNIT }
}

#[test]
fn descendants_are_own_and_others_foreign() {
    let world = World::new("descendants");
    let mut table = world.table();
    assert!(table.everybody());
    world.put(110, "worker", ME, 110, 20, 0, false);
    world.put(111, "postgres", 110, 111, 30, 0, false);
    world.put(7, "cron", 1, 7, 4, 0, false);
    world.put(9, "kworker/0:1", 2, 0, 50, 0, true);
    world.put(ME, "weigh", 50, 50, 1003, 0, false);
    assert_eq!(table.scan(None), units(53, 4));
    let foreign_processes = table.take_culprits(8);
    assert_eq!(foreign_processes, [ForeignProcess { pid: 7, name: "cron".to_owned(), cpu: 4 * UNIT }]);
    assert_eq!(table.scan(None), Spent::default());
    assert_eq!(table.take_culprits(8), []);
}

#[test]
fn an_orphan_stays_own_and_so_does_one_that_kept_its_session() {
    let world = World::new("orphan");
    let mut table = world.table();
    world.put(110, "worker", ME, 110, 0, 0, false);
    world.put(111, "known", 110, 111, 0, 0, false);
    table.scan(None);
    world.put(111, "known", 1, 111, 5, 0, false);
    world.put(112, "unseen", 1, 110, 6, 0, false);
    assert_eq!(table.scan(None), units(11, 0));
}

#[test]
fn ended_children_count_once_and_through_who_waited_for_them() {
    let world = World::new("children");
    world.put(110, "worker", ME, 110, 10, 0, false);
    world.put(70, "make", 1, 70, 0, 100, false);
    world.put(71, "cc1", 70, 70, 40, 0, false);
    let mut table = world.table();
    world.end(110);
    world.put(ME, "weigh", 50, 50, 1000, 13, false);
    world.end(71);
    world.put(70, "make", 1, 70, 1, 147, false);
    assert_eq!(table.scan(None), units(3, 8), "13 less 10, and 1 and 147 less 100 less 40");
    assert_eq!(table.take_culprits(8)[0].name, "make");
}

#[test]
fn a_child_that_lived_between_two_scans_counts() {
    let world = World::new("short");
    world.put(70, "sh", 1, 70, 0, 0, false);
    let mut table = world.table();
    world.put(70, "sh", 1, 70, 0, 6, false);
    assert_eq!(table.scan(None), units(0, 6));
}

#[test]
fn an_orphans_life_is_not_laid_on_the_moment_when_init_waits_for_it() {
    let world = World::new("init");
    world.put(110, "worker", ME, 110, 0, 0, false);
    world.put(111, "postgres", 110, 111, 9000, 0, false);
    let mut table = world.table();
    world.end(110);
    world.end(111);
    world.put(1, "init", 0, 1, 500, 9002, false);
    assert_eq!(table.scan(None), units(0, 2), "only what it used since it was seen last");
}

#[test]
fn children_of_others_count_only_as_far_as_the_machine_was_busy() {
    let world = World::new("room");
    let mut table = world.table();
    world.put(1, "init", 0, 1, 501, 9000, false);
    world.put(ME, "weigh", 50, 50, 1002, 0, false);
    assert_eq!(table.scan(Some(10 * UNIT)), units(2, 8));
    assert_eq!(table.take_culprits(8)[0].cpu, 8 * UNIT);
}

#[test]
fn a_number_that_is_given_again_is_another_process() {
    let world = World::new("again");
    world.put(70, "old", 1, 70, 300, 0, false);
    let mut table = world.table();
    let folder = world.0.join("proc/70");
    let text = "70 (new) S 1 0 70 0 -1 64 0 0 0 0 5 0 0 0 20 0 1 0 99999 0\n";
    std::fs::write(folder.join("stat"), text).unwrap();
    assert_eq!(table.scan(None), units(0, 5));
}

#[test]
fn who_is_tracked_is_own_with_its_descendants() {
    let world = World::new("tracked");
    world.put(70, "server", 1, 70, 10, 0, false);
    world.put(71, "backend", 70, 70, 10, 0, false);
    let mut table = world.table();
    table.track(70);
    world.put(70, "server", 1, 70, 12, 0, false);
    world.put(71, "backend", 70, 70, 13, 0, false);
    world.put(72, "other", 1, 72, 4, 0, false);
    assert_eq!(table.scan(None), units(5, 4));
    world.put(71, "backend", 70, 70, 14, 0, false);
    assert_eq!(table.scan(None), units(1, 0), "who was own stays it");
}

#[test]
fn a_container_shows_not_everybody() {
    let world = World::new("container");
    world.put(2, "sleep", 1, 1, 0, 0, false);
    assert!(!world.table().everybody());
    world.end(2);
    assert!(!world.table().everybody());
}

#[test]
fn a_damaged_process_is_left_out() {
    let world = World::new("damaged");
    let mut table = world.table();
    std::fs::create_dir_all(world.0.join("proc/70")).unwrap();
    std::fs::write(world.0.join("proc/70/stat"), "70 (x").unwrap();
    std::fs::create_dir_all(world.0.join("proc/71")).unwrap();
    assert_eq!(table.scan(None), Spent::default());
}
