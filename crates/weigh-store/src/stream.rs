//! Where a store is, and connections to it, with TLS or without.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConnection, StreamOwned};

use crate::Error;

const CONNECT: Duration = Duration::from_secs(5);
/// A store that says nothing for so long is taken for dead.
const SILENCE: Duration = Duration::from_secs(30);
/// Where Linux distributions keep the authorities that the machine trusts.
const SYSTEM: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// A connection.
pub(crate) enum Stream {
    Plain(TcpStream),
    ToStore(Box<StreamOwned<ClientConnection, TcpStream>>),
    FromEngine(Box<StreamOwned<ServerConnection, TcpStream>>),
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(into),
            Self::ToStore(stream) => stream.read(into),
            Self::FromEngine(stream) => stream.read(into),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.write(bytes),
            Self::ToStore(stream) => stream.write(bytes),
            Self::FromEngine(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.flush(),
            Self::ToStore(stream) => stream.flush(),
            Self::FromEngine(stream) => stream.flush(),
        }
    }
}

/// Where a store is.
pub(crate) struct Address {
    host: String,
    port: u16,
    endpoint: String,
    tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
}

impl Address {
    /// From `http://HOST:PORT` or `https://HOST`.
    pub(crate) fn new(endpoint: &str, ca: Option<&Path>) -> Result<Self, Error> {
        let wrong = |why| Error::Endpoint { endpoint: endpoint.to_owned(), why };
        let (scheme, rest) = endpoint.split_once("://").ok_or_else(|| wrong("it begins with no http://"))?;
        let encrypted = match scheme {
            "http" => false,
            "https" => true,
            _ => return Err(wrong("it is neither http:// nor https://")),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if rest.contains(['/', '?', '#']) {
            return Err(wrong("it has a path"));
        }
        if rest.contains('@') {
            return Err(wrong("it names a user"));
        }
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => {
                (host, port.parse().map_err(|_| wrong("its port is no number"))?)
            }
            _ => (rest, if encrypted { 443 } else { 80 }),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err(wrong("it names no host"));
        }
        let tls = if encrypted {
            let name = ServerName::try_from(host.clone()).map_err(|_| wrong("its host is no name"))?;
            Some((client_config(ca)?, name))
        } else {
            None
        };
        Ok(Self { host, port, endpoint: format!("{scheme}://{rest}"), tls })
    }

    /// What requests name as their host: a part of every signature.
    pub(crate) fn host(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let usual = if self.tls.is_some() { 443 } else { 80 };
        if self.port == usual { host } else { format!("{host}:{}", self.port) }
    }

    /// A new connection; its handshake follows with the first bytes.
    pub(crate) fn connect(&self) -> Result<Stream, Error> {
        let socket = self.socket().map_err(|reason| self.unreachable(&reason))?;
        let Some((config, name)) = &self.tls else { return Ok(Stream::Plain(socket)) };
        let session = ClientConnection::new(Arc::clone(config), name.clone())
            .map_err(|error| Error::Tls(error.to_string()))?;
        Ok(Stream::ToStore(Box::new(StreamOwned::new(session, socket))))
    }

    fn socket(&self) -> io::Result<TcpStream> {
        let mut last = io::Error::new(io::ErrorKind::NotFound, "no such host");
        for address in (self.host.as_str(), self.port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, CONNECT) {
                Ok(socket) => {
                    socket.set_nodelay(true)?;
                    socket.set_read_timeout(Some(SILENCE))?;
                    socket.set_write_timeout(Some(SILENCE))?;
                    return Ok(socket);
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    pub(crate) fn unreachable(&self, reason: &io::Error) -> Error {
        let late = matches!(reason.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut);
        let reason = if late { "it says nothing".to_owned() } else { reason.to_string() };
        Error::Unreachable { endpoint: self.endpoint.clone(), reason }
    }
}

fn client_config(ca: Option<&Path>) -> Result<Arc<ClientConfig>, Error> {
    let tls = |error: rustls::Error| Error::Tls(error.to_string());
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(tls)?
        .with_root_certificates(authorities(ca)?)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

fn authorities(ca: Option<&Path>) -> Result<RootCertStore, Error> {
    let path = ca.or_else(|| SYSTEM.iter().map(Path::new).find(|path| path.exists()));
    let path =
        path.ok_or_else(|| Error::Tls("this machine has no list of trusted authorities".to_owned()))?;
    let unreadable =
        |error: rustls::pki_types::pem::Error| Error::Tls(format!("{}: {error}", path.display()));
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
        // Lists of machines contain old certificates that cannot be used; the others must not suffer.
        let _ = roots.add(certificate.map_err(unreadable)?);
    }
    if roots.is_empty() {
        return Err(Error::Tls(format!("{} holds no certificate of an authority", path.display())));
    }
    Ok(roots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_named_with_its_port_unless_that_is_the_usual_one() {
        for (endpoint, host) in [
            ("http://127.0.0.1:8333", "127.0.0.1:8333"),
            ("http://store.test/", "store.test"),
            ("http://store.test:80", "store.test"),
            ("http://[::1]:9000", "[::1]:9000"),
            ("http://[::1]", "[::1]"),
        ] {
            assert_eq!(Address::new(endpoint, None).unwrap().host(), host);
        }
    }

    #[test]
    fn what_is_no_endpoint_is_refused_with_the_reason() {
        for (endpoint, why) in [
            ("127.0.0.1:8333", "begins with no"),
            ("s3://bucket", "neither"),
            ("http://store.test/bucket", "path"),
            ("http://me:secret@store.test", "names a user"),
            ("http://:80", "no host"),
            ("http://store.test:eighty", "no number"),
        ] {
            let error = Address::new(endpoint, None).err().unwrap().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
