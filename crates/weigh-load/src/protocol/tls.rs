//! TLS between the bytes of a socket and those of a protocol, without a socket.

use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::sync::Arc;

use bytes::{BufMut, BytesMut};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme,
};

use crate::Error;

/// Where Linux distributions keep the authorities that the machine trusts.
const SYSTEM: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// What every connection to a server needs to agree on TLS.
#[derive(Clone, Debug)]
pub(crate) struct TlsPlan {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl TlsPlan {
    /// Encrypts, and checks who the server is only if `verify`: against the authorities in the file `ca`, or those that
    /// the machine trusts.
    pub(crate) fn new(host: &str, verify: bool, ca: Option<&Path>) -> Result<Self, Error> {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| Error::tls(format!("'{host}' is no name that a certificate can be for")))?;
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(Error::tls)?;
        let config = if verify {
            builder.with_root_certificates(authorities(ca)?).with_no_client_auth()
        } else {
            builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(AcceptAny(provider)))
                .with_no_client_auth()
        };
        Ok(Self { config: Arc::new(config), name })
    }
}

fn authorities(ca: Option<&Path>) -> Result<RootCertStore, Error> {
    let path = match ca {
        Some(path) => path,
        None => SYSTEM.iter().map(Path::new).find(|path| path.exists()).ok_or_else(|| {
            Error::tls("this machine has no list of trusted authorities; name one with 'ca'")
        })?,
    };
    let unreadable =
        |error: rustls::pki_types::pem::Error| Error::tls(format!("{}: {error}", path.display()));
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
        // Lists of machines contain old certificates that cannot be used; the others must not suffer.
        let _ = roots.add(certificate.map_err(unreadable)?);
    }
    if roots.is_empty() {
        return Err(Error::tls(format!("{} holds no certificate of an authority", path.display())));
    }
    Ok(roots)
}

/// One connection's TLS.
#[derive(Debug)]
pub(crate) struct Tls(ClientConnection);

impl Tls {
    /// Begins the handshake: its first bytes are put into `out`.
    pub(crate) fn begin(plan: &TlsPlan, out: &mut BytesMut) -> Result<Self, Error> {
        let mut connection =
            ClientConnection::new(Arc::clone(&plan.config), plan.name.clone()).map_err(Error::tls)?;
        connection.set_buffer_limit(None);
        let mut tls = Self(connection);
        tls.flush(out)?;
        Ok(tls)
    }

    pub(crate) fn is_handshaking(&self) -> bool {
        self.0.is_handshaking()
    }

    /// Takes bytes from the socket; appends what they say to `plain`, and what must be answered to `out`.
    pub(crate) fn receive(
        &mut self,
        mut bytes: &[u8],
        plain: &mut BytesMut,
        out: &mut BytesMut,
    ) -> Result<(), Error> {
        while !bytes.is_empty() {
            self.0.read_tls(&mut bytes).map_err(Error::tls)?;
            let state = self.0.process_new_packets().map_err(|error| refused(&error))?;
            let begun = plain.len();
            plain.resize(begun + state.plaintext_bytes_to_read(), 0);
            match self.0.reader().read_exact(&mut plain[begun..]) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => plain.truncate(begun),
                Err(error) => return Err(Error::tls(error)),
            }
        }
        self.flush(out)
    }

    /// Encrypts `plain`, which is emptied, into `out`.
    pub(crate) fn send(&mut self, plain: &mut BytesMut, out: &mut BytesMut) -> Result<(), Error> {
        self.0.writer().write_all(plain).map_err(Error::tls)?;
        plain.clear();
        self.flush(out)
    }

    fn flush(&mut self, out: &mut BytesMut) -> Result<(), Error> {
        while self.0.wants_write() {
            self.0.write_tls(&mut (&mut *out).writer()).map_err(Error::tls)?;
        }
        Ok(())
    }
}

fn refused(error: &rustls::Error) -> Error {
    let code = match error {
        rustls::Error::InvalidCertificate(CertificateError::Other(other)) => {
            match other.0.downcast_ref::<webpki::Error>() {
                // Happens to whoever follows the first recipe for a certificate that a search finds.
                Some(webpki::Error::CaUsedAsEndEntity) => "CaUsedAsEndEntity",
                _ => "",
            }
        }
        _ => "",
    };
    Error::Tls { message: error.to_string(), code }
}

/// Takes any certificate: `tls` "require" encrypts and does not ask who answers, as libpq's `sslmode=require`.
#[derive(Debug)]
struct AcceptAny(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAny {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::pki_types::PrivateKeyDer;
    use rustls::{ServerConfig, ServerConnection};

    /// A server's certificate, its key, and the authority's file; the certificate may be one for signing others.
    fn server(signs: bool) -> (Arc<ServerConfig>, String) {
        let mut asked = rcgen::CertificateParams::new(vec!["db.test".to_owned()]).unwrap();
        if signs {
            asked.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        }
        let key_pair = rcgen::KeyPair::generate().unwrap();
        let cert = asked.self_signed(&key_pair).unwrap();
        let key = PrivateKeyDer::try_from(key_pair.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        (Arc::new(config), cert.pem())
    }

    /// Says "ping" and hears "pong" through TLS, in pieces of so many bytes.
    fn talk(plan: &TlsPlan, server: &Arc<ServerConfig>, piece: usize) -> Result<(), Error> {
        let mut far = ServerConnection::new(Arc::clone(server)).unwrap();
        let (mut out, mut plain) = (BytesMut::new(), BytesMut::new());
        let mut tls = Tls::begin(plan, &mut out)?;
        let mut heard = Vec::new();
        let mut asked = false;
        for _ in 0..10 {
            if !tls.is_handshaking() && !asked {
                tls.send(&mut BytesMut::from(&b"ping"[..]), &mut out)?;
                asked = true;
            }
            let sent = out.split();
            let mut sent = &sent[..];
            while !sent.is_empty() {
                far.read_tls(&mut sent).unwrap();
                far.process_new_packets().map_err(Error::tls)?;
            }
            let mut buffer = [0; 16];
            if let Ok(count) = far.reader().read(&mut buffer) {
                heard.extend_from_slice(&buffer[..count]);
                far.writer().write_all(&vec![b'!'; 50_000]).unwrap();
            }
            let mut answer = Vec::new();
            while far.wants_write() {
                far.write_tls(&mut answer).unwrap();
            }
            for bytes in answer.chunks(piece) {
                tls.receive(bytes, &mut plain, &mut out)?;
            }
        }
        assert_eq!((&heard[..], plain.len()), (&b"ping"[..], 50_000));
        Ok(())
    }

    #[test]
    fn bytes_go_through_tls_whatever_pieces_they_come_in() {
        let (server, _) = server(false);
        let anybody = TlsPlan::new("other.test", false, None).unwrap();
        for piece in [1, 7, 100_000] {
            talk(&anybody, &server, piece).unwrap();
        }
    }

    #[test]
    fn verify_asks_who_the_server_is() {
        let (server, authority) = server(false);
        let path = std::env::temp_dir().join(format!("weigh-load-tls-{}.pem", std::process::id()));
        std::fs::write(&path, authority).unwrap();
        let known = TlsPlan::new("db.test", true, Some(&path));
        let misnamed = TlsPlan::new("other.test", true, Some(&path));
        std::fs::remove_file(&path).unwrap();
        talk(&known.unwrap(), &server, 1_000).unwrap();
        let refused = talk(&misnamed.unwrap(), &server, 1_000).unwrap_err().to_string();
        assert!(refused.contains("certificate not valid for name"), "{refused}");
        let missing = TlsPlan::new("db.test", true, Some(&path)).unwrap_err().to_string();
        assert!(missing.contains("weigh-load-tls"), "{missing}");
    }

    #[test]
    fn a_certificate_for_signing_others_is_refused_by_a_code() {
        let (server, authority) = server(true);
        let path = std::env::temp_dir().join(format!("weigh-load-tls-ca-{}.pem", std::process::id()));
        std::fs::write(&path, authority).unwrap();
        let plan = TlsPlan::new("db.test", true, Some(&path)).unwrap();
        std::fs::remove_file(&path).unwrap();
        let refused = talk(&plan, &server, 1_000).unwrap_err();
        assert_eq!(refused.code(), "CaUsedAsEndEntity", "{refused}");
    }
}
