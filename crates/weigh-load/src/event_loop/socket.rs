//! Non-blocking sockets, and where to connect them.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SendFlags, SocketAddrUnix, SocketFlags, SocketType};

use crate::Error;
use crate::config::{Target, TargetKind, TlsUse};

/// How long to look for a server before the run.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Where a server is.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    Network(SocketAddr),
    Local(PathBuf),
}

impl Address {
    /// Finds every node of a target.
    pub(crate) fn all(target: &Target) -> Result<Vec<Self>, Error> {
        target.each_node().iter().map(Self::find).collect()
    }

    /// Finds the first node of a target that answers.
    pub(crate) fn first(target: &Target) -> Result<Self, Error> {
        let nodes = target.each_node();
        let mut found = nodes.iter().map(Self::find);
        let first = found.next().unwrap_or_else(|| Err(Error::Setting("a target without a node".into())));
        first.or_else(|error| found.find_map(Result::ok).ok_or(error))
    }

    /// Where a node of a cluster is; nothing is connected to. A name, as opposed to an address, is looked up.
    pub(crate) fn of_node(host: &str, port: u16) -> Result<Self, Error> {
        let unreachable = |why: String| Error::unreachable(format!("{host}:{port}"), why);
        let mut found = (host, port).to_socket_addrs().map_err(|error| unreachable(error.to_string()))?;
        found.next().map(Self::Network).ok_or_else(|| unreachable("its name has no address".to_owned()))
    }

    /// Finds the server of a target. Of several addresses of a name, takes the first that answers.
    pub(crate) fn find(target: &Target) -> Result<Self, Error> {
        let usual = match target.kind {
            TargetKind::Cql => 9042,
            TargetKind::MySql => 3306,
            TargetKind::Postgres => 5432,
            TargetKind::ClickHouse if target.tls == TlsUse::Off => 8123,
            TargetKind::ClickHouse => 8443,
            TargetKind::Http if target.tls == TlsUse::Off => 80,
            TargetKind::Http => 443,
            TargetKind::Redis | TargetKind::Sqlite => 6379,
        };
        let port = target.port.unwrap_or(usual);
        if let Some(path) = &target.socket {
            let inside = path.is_dir() && target.kind == TargetKind::Postgres;
            return Ok(Self::Local(if inside {
                path.join(format!(".s.PGSQL.{port}"))
            } else {
                path.clone()
            }));
        }
        let host = target.host.as_deref().unwrap_or("127.0.0.1");
        let unreachable = |why: String| Error::unreachable(format!("{host}:{port}"), why);
        let mut why = "its name has no address".to_owned();
        for address in (host, port).to_socket_addrs().map_err(|error| unreachable(error.to_string()))? {
            match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
                Ok(_) => return Ok(Self::Network(address)),
                Err(error) => why = error.to_string(),
            }
        }
        Err(unreachable(why))
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Network(address) => write!(f, "{address}"),
            Self::Local(path) => write!(f, "{}", path.display()),
        }
    }
}

/// A socket that never blocks.
pub(crate) struct Socket(OwnedFd);

impl Socket {
    /// Begins to connect. Whether it comes to anything shows when it can be written.
    pub(crate) fn connect(address: &Address) -> Result<Self, Errno> {
        let family = match address {
            Address::Local(_) => AddressFamily::UNIX,
            Address::Network(SocketAddr::V4(_)) => AddressFamily::INET,
            Address::Network(SocketAddr::V6(_)) => AddressFamily::INET6,
        };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
        let begun = match address {
            Address::Local(path) => rustix::net::connect(&socket, &SocketAddrUnix::new(path.as_path())?),
            Address::Network(address) => {
                // A request of two small writes would wait for an acknowledgement in between.
                rustix::net::sockopt::set_tcp_nodelay(&socket, true)?;
                rustix::net::connect(&socket, address)
            }
        };
        match begun {
            Ok(()) | Err(Errno::INPROGRESS) => Ok(Self(socket)),
            Err(errno) => Err(errno),
        }
    }

    /// Why connecting came to nothing, if it did.
    pub(crate) fn failure(&self) -> Result<(), Errno> {
        rustix::net::sockopt::socket_error(&self.0)?
    }

    /// Writes what it takes of `bytes`, which are removed; whether that was all.
    pub(crate) fn write(&self, bytes: &mut BytesMut) -> Result<bool, Errno> {
        while !bytes.is_empty() {
            match rustix::net::send(&self.0, bytes, SendFlags::NOSIGNAL) {
                Ok(count) => bytes.advance(count),
                Err(Errno::AGAIN) => return Ok(false),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(true)
    }

    /// Reads into `bytes`: how many, or nothing if there is nothing yet. 0 says that the server hung up.
    pub(crate) fn read(&self, bytes: &mut [u8]) -> Result<Option<usize>, Errno> {
        match rustix::io::read(&self.0, bytes) {
            Ok(count) => Ok(Some(count)),
            Err(Errno::AGAIN | Errno::INTR) => Ok(None),
            Err(errno) => Err(errno),
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
