//! Waiting for sockets and for a moment, both at once, to the nanosecond.
//!
//! `epoll_wait` rounds its time-out to milliseconds and the kernel adds 50 us of slack to a thread's timers: a request
//! that is due between two ticks would be sent late, by the generator's own fault. rustix with its feature `linux_5_11`
//! calls `epoll_pwait2`, and the slack of the calling thread is set to 1 ns.

use std::os::fd::{AsFd, OwnedFd};

use rustix::event::Timespec;
use rustix::event::epoll;

use crate::Error;
use crate::clock::{SECOND, exact_timers};

/// The sockets of one thread.
pub(crate) struct Poller {
    epoll: OwnedFd,
    events: Vec<epoll::Event>,
}

impl Poller {
    /// For the calling thread.
    pub(crate) fn new(sockets: usize) -> Result<Self, Error> {
        exact_timers()?;
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(Error::system("epoll"))?;
        let nothing = epoll::Event { flags: epoll::EventFlags::empty(), data: epoll::EventData::new_u64(0) };
        Ok(Self { epoll, events: vec![nothing; sockets.clamp(1, 1024)] })
    }

    /// Waits for a socket to be readable or to fail, and if `writing` to be writable.
    pub(crate) fn add(&self, socket: impl AsFd, token: u64, writing: bool) -> Result<(), Error> {
        epoll::add(&self.epoll, socket, epoll::EventData::new_u64(token), interest(writing))
            .map_err(Error::system("epoll"))
    }

    /// Changes whether to wait for a socket to be writable.
    pub(crate) fn change(&self, socket: impl AsFd, token: u64, writing: bool) -> Result<(), Error> {
        epoll::modify(&self.epoll, socket, epoll::EventData::new_u64(token), interest(writing))
            .map_err(Error::system("epoll"))
    }

    /// Waits for at most so many nanoseconds, and puts the tokens of the sockets that have something into `ready`.
    pub(crate) fn wait(&mut self, nanoseconds: u64, ready: &mut Vec<u64>) -> Result<(), Error> {
        let timeout = Timespec {
            tv_sec: i64::try_from(nanoseconds / SECOND).unwrap_or(i64::MAX),
            tv_nsec: (nanoseconds % SECOND).cast_signed(),
        };
        ready.clear();
        match epoll::wait(&self.epoll, &mut self.events[..], Some(&timeout)) {
            Ok(count) => ready.extend(self.events[..count].iter().map(|event| {
                let data = event.data; // of a packed struct
                data.u64()
            })),
            Err(rustix::io::Errno::INTR) => {}
            // What confines a container may refuse a call that it does not know, as old kernels do.
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {
                return Err(Error::Unfit {
                    message: "the kernel lets nobody wait for sockets to the nanosecond (epoll_pwait2)",
                    remedy: "weigh load needs Linux 5.11 or newer, and in a container a seccomp profile that allows this call",
                });
            }
            Err(errno) => return Err(Error::system("epoll_pwait2")(errno)),
        }
        Ok(())
    }
}

fn interest(writing: bool) -> epoll::EventFlags {
    if writing { epoll::EventFlags::IN | epoll::EventFlags::OUT } else { epoll::EventFlags::IN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    #[test]
    fn a_socket_wakes_and_so_does_the_time() {
        let (mut near, far) = UnixStream::pair().unwrap();
        let mut poller = Poller::new(2).unwrap();
        let mut ready = vec![9];
        poller.add(&far, 7, false).unwrap();
        poller.wait(1_000, &mut ready).unwrap();
        assert!(ready.is_empty());
        near.write_all(b"x").unwrap();
        poller.wait(60 * SECOND, &mut ready).unwrap();
        assert_eq!(ready, [7]);
    }
}
