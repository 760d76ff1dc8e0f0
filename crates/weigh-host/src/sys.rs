//! System calls that the standard library lacks. All `unsafe` code of this crate is here.
#![expect(unsafe_code, reason = "what is called here is only to be had from libc")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;

/// Nanoseconds of a clock; `None` where there is no such clock.
fn clock(id: libc::clockid_t) -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` outlives the call, which writes nothing else.
    let failed = unsafe { libc::clock_gettime(id, &raw mut time) } != 0;
    if failed {
        return None;
    }
    let seconds = u64::try_from(time.tv_sec).ok()?;
    Some(seconds * 1_000_000_000 + u64::try_from(time.tv_nsec).ok()?)
}

/// Nanoseconds of the monotonic clock, the one of Python's `time.monotonic()`.
pub(crate) fn monotonic() -> u64 {
    clock(libc::CLOCK_MONOTONIC).unwrap_or(0)
}

/// Nanoseconds of CPU time that this thread has used.
pub(crate) fn thread_cpu() -> u64 {
    clock(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or(0)
}

/// Nanoseconds of CPU time that a process has used with all its threads; anybody may ask.
pub(crate) fn process_cpu(pid: i32) -> Option<u64> {
    // MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED) of the kernel's posix-timers.h. libc's clock_getcpuclockid gives the
    // same after one more system call.
    clock((!pid << 3) | 2)
}

/// How many units of `/proc/stat` make a second.
pub(crate) fn ticks_per_second() -> u64 {
    // SAFETY: no pointers.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).ok().filter(|ticks| *ticks > 0).unwrap_or(100)
}

/// Bytes of a page.
pub(crate) fn page_size() -> u64 {
    // SAFETY: no pointers.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok().filter(|size| *size > 0).unwrap_or(4096)
}

/// Whether a file lies on an overlay.
pub(crate) fn overlaid(file: &File) -> bool {
    // SAFETY: plain data that the call fills and that outlives it.
    unsafe {
        let mut facts: libc::statfs = std::mem::zeroed();
        libc::fstatfs(file.as_raw_fd(), &raw mut facts) == 0 && facts.f_type == libc::OVERLAYFS_SUPER_MAGIC
    }
}

/// Whether this process may write the file, or owns it.
pub(crate) fn writable(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: no pointers.
    let user = unsafe { libc::geteuid() };
    Ok(user == 0 || file.metadata()?.uid() == user)
}

/// Keeps all signals from this thread, so that those meant for Python interrupt its main thread.
pub fn block_signals() {
    // SAFETY: a signal set is plain data; both calls write or read only it.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, ptr::null_mut());
    }
}

/// Asks the kernel to forget the clean pages of a file.
pub(crate) fn forget(file: &File) -> io::Result<()> {
    // SAFETY: no pointers.
    match unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) } {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

#[repr(C)]
struct CachestatRange {
    offset: u64,
    length: u64,
}

#[repr(C)]
#[derive(Default)]
struct Cachestat {
    cached: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// The number is the same on every architecture (Linux 6.5 and newer).
const CACHESTAT: libc::c_long = 451;

/// How many pages of a file are in the page cache.
pub(crate) fn cachestat(file: &File) -> io::Result<u64> {
    let range = CachestatRange { offset: 0, length: 0 };
    let mut found = Cachestat::default();
    // SAFETY: both structures are those of the kernel's include/uapi/linux/mman.h and outlive the call.
    let code = unsafe {
        libc::syscall(CACHESTAT, file.as_raw_fd(), &raw const range, &raw mut found, 0 as libc::c_uint)
    };
    if code == 0 { Ok(found.cached) } else { Err(io::Error::last_os_error()) }
}

/// How many pages of a file are in memory, by mapping it.
pub(crate) fn mincore(file: &File, bytes: u64) -> io::Result<u64> {
    let page = page_size();
    let most = 1 << 30;
    let mut found = 0;
    let mut offset = 0;
    while offset < bytes {
        let length = (bytes - offset).min(most);
        found += mincore_part(file, offset, length, page)?;
        offset += length;
    }
    Ok(found)
}

fn mincore_part(file: &File, offset: u64, length: u64, page: u64) -> io::Result<u64> {
    let invalid = |_| io::Error::from(io::ErrorKind::InvalidInput);
    let size = usize::try_from(length).map_err(invalid)?;
    let place = libc::off_t::try_from(offset).map_err(invalid)?;
    let mut pages = vec![0_u8; usize::try_from(length.div_ceil(page)).map_err(invalid)?];
    // SAFETY: a new mapping at a place of the kernel's choice, never touched, and removed below; `pages` has one byte
    // for each of its pages.
    let code = unsafe {
        let map =
            libc::mmap(ptr::null_mut(), size, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), place);
        if map == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let code = libc::mincore(map, size, pages.as_mut_ptr());
        libc::munmap(map, size);
        code
    };
    if code != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(pages.iter().map(|page| u64::from(page & 1)).sum())
}
