//! An authority of the proxy's own, and a certificate for this machine that it signs.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;

use crate::Error;

/// What a server needs, and the authority's certificate as PEM for those who are to believe it.
pub(crate) fn make() -> Result<(Arc<ServerConfig>, String), Error> {
    let rcgen = |error: rcgen::Error| Error::Tls(error.to_string());
    let rustls = |error: rustls::Error| Error::Tls(error.to_string());
    let mut asked = CertificateParams::new(Vec::<String>::new()).map_err(rcgen)?;
    asked.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    asked.distinguished_name.push(rcgen::DnType::CommonName, "weigh's own authority");
    asked.key_usages = vec![rcgen::KeyUsagePurpose::KeyCertSign, rcgen::KeyUsagePurpose::CrlSign];
    let authority =
        CertifiedIssuer::self_signed(asked, KeyPair::generate().map_err(rcgen)?).map_err(rcgen)?;
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let mut leaf = CertificateParams::new(names).map_err(rcgen)?;
    leaf.distinguished_name.push(rcgen::DnType::CommonName, "localhost");
    leaf.use_authority_key_identifier_extension = true;
    leaf.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ServerAuth];
    let key = KeyPair::generate().map_err(rcgen)?;
    let certificate = leaf.signed_by(&key, &authority).map_err(rcgen)?;
    let private = PrivateKeyDer::try_from(key.serialize_der()).map_err(|why| Error::Tls(why.to_owned()))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(rustls)?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], private)
        .map_err(rustls)?;
    Ok((Arc::new(config), authority.pem()))
}
