//! Who we are, and how we prove it: as the server's greeting and what follows it ask.
//!
//! `mysql_native_password` is the proof of MariaDB and of MySQL up to 5.7, `caching_sha2_password` that of MySQL from 8.0,
//! `ed25519` another one of MariaDB's; over TLS or a Unix socket the password itself may be sent.

use bytes::{BufMut, BytesMut};
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::{Scalar, clamp_integer};
use ring::digest::{Algorithm, Digest, SHA1_FOR_LEGACY_USE_ONLY, SHA256, SHA512, digest};

use crate::error::{Asked, Error};

use super::packet::{Fields, Frames, put_length, put_text};

/// What a client and a server can (`CLIENT_...` of the protocol).
pub(super) mod can {
    pub(crate) const MYSQL: u64 = 1;
    pub(crate) const FOUND_ROWS: u64 = 1 << 1;
    pub(crate) const LONG_FLAG: u64 = 1 << 2;
    pub(crate) const CONNECT_WITH_DB: u64 = 1 << 3;
    pub(crate) const LOCAL_FILES: u64 = 1 << 7;
    pub(crate) const PROTOCOL_41: u64 = 1 << 9;
    pub(crate) const TLS: u64 = 1 << 11;
    pub(crate) const TRANSACTIONS: u64 = 1 << 13;
    pub(crate) const SECURE_CONNECTION: u64 = 1 << 15;
    pub(crate) const MULTI_RESULTS: u64 = 1 << 17;
    pub(crate) const PREPARED_MULTI_RESULTS: u64 = 1 << 18;
    pub(crate) const PLUGIN_AUTH: u64 = 1 << 19;
    pub(crate) const CONNECT_ATTRIBUTES: u64 = 1 << 20;
    pub(crate) const LONG_PROOF: u64 = 1 << 21;
    pub(crate) const NO_EOF: u64 = 1 << 24;
    /// MariaDB's: the columns of a prepared statement are not told again with every answer.
    pub(crate) const REMEMBERS_COLUMNS: u64 = 1 << 36;
}

/// What we ask for, of a server that has it.
const WANTED: u64 = can::FOUND_ROWS
    | can::LONG_FLAG
    | can::LOCAL_FILES
    | can::PROTOCOL_41
    | can::TRANSACTIONS
    | can::SECURE_CONNECTION
    | can::MULTI_RESULTS
    | can::PREPARED_MULTI_RESULTS
    | can::PLUGIN_AUTH
    | can::CONNECT_ATTRIBUTES
    | can::LONG_PROOF
    | can::NO_EOF
    | can::REMEMBERS_COLUMNS;
/// `utf8mb4_general_ci`, which both have.
const CHARACTERS: u8 = 45;
/// The longest payload that the server may send in one piece; larger ones it splits.
const LONGEST: u32 = 1 << 30;
const NATIVE: &str = "mysql_native_password";
const CACHING: &str = "caching_sha2_password";
const ED25519: &str = "client_ed25519";
const CLEAR: &str = "mysql_clear_password";
const GREETING: u8 = 10;
/// What the server says of a proof by `caching_sha2_password`: it is right; or it does not know the password by heart.
const PROVEN: u8 = 3;
const WHOLE_PASSWORD: u8 = 4;
const NONCE: usize = 20;
const NONCE_OF_ED25519: usize = 32;

/// A user and a database.
#[derive(Clone)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) database: Option<String>,
    pub(crate) password: Option<String>,
    /// Whether nobody can listen: TLS, or a Unix socket.
    pub(crate) private: bool,
}

/// What a server says first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Greeting {
    pub(super) can: u64,
    nonce: Vec<u8>,
    plugin: String,
}

impl Greeting {
    /// Reads it.
    pub(super) fn read(payload: &[u8]) -> Result<Self, Error> {
        let mut fields = Fields::new(payload);
        if fields.byte()? != GREETING {
            return Err(Error::protocol("a greeting of another version than 10"));
        }
        fields.zero_ended()?;
        fields.take(4)?;
        let mut nonce = fields.take(8)?.to_vec();
        fields.take(1)?;
        let mut can = fields.int(2)?;
        fields.take(3)?;
        can |= fields.int(2)? << 16;
        let length = usize::from(fields.byte()?);
        fields.take(6)?;
        let more = fields.int(4)?;
        // MySQL has zeros there, and says that it is no MariaDB.
        if can & can::MYSQL == 0 {
            can |= more << 32;
        }
        let rest = length.saturating_sub(8).max(13);
        nonce.extend_from_slice(fields.take(rest.min(fields.rest().len()))?);
        nonce.truncate(NONCE);
        let plugin = if can & can::PLUGIN_AUTH == 0 { NATIVE.into() } else { plugin(&mut fields) };
        if can & can::PROTOCOL_41 == 0 {
            return Err(Error::protocol("a server from before MySQL 4.1"));
        }
        Ok(Self { can, nonce, plugin })
    }

    /// What both can.
    pub(super) fn common(&self) -> u64 {
        self.can & WANTED
    }

    /// Whether the server knows TLS.
    pub(crate) fn knows_tls(&self) -> bool {
        self.can & can::TLS != 0
    }
}

fn plugin(fields: &mut Fields<'_>) -> String {
    let name = fields.rest();
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    String::from_utf8_lossy(&name[..end]).into_owned()
}

/// The beginning of the login, which is also what asks for TLS.
fn put_beginning(can: u64, out: &mut BytesMut) {
    #[expect(clippy::cast_possible_truncation, reason = "the low and the high half are meant")]
    let (low, high) = (can as u32, (can >> 32) as u32);
    out.put_u32_le(low);
    out.put_u32_le(LONGEST);
    out.put_u8(CHARACTERS);
    out.put_slice(&[0; 19]);
    out.put_u32_le(high);
}

/// Asks for TLS.
pub(crate) fn ask_for_tls(greeting: &Greeting, out: &mut BytesMut) {
    let mut frames = Frames { next: 1, ..Frames::default() };
    frames.write(out, |out| put_beginning(greeting.common() | can::TLS, out));
}

impl Login {
    pub(super) fn describe(&self) -> String {
        match &self.database {
            Some(database) => format!("logging in as '{}' to database '{database}'", self.user),
            None => format!("logging in as '{}'", self.user),
        }
    }

    /// Logs in; whether under TLS changes what both can.
    pub(super) fn answer_greeting(
        &self,
        greeting: &Greeting,
        encrypted: bool,
        frames: &mut Frames,
        out: &mut BytesMut,
    ) -> Result<(), Error> {
        let known = [NATIVE, CACHING];
        // Another proof is agreed on later: the user's own may be one of these.
        let plugin = known.into_iter().find(|name| *name == greeting.plugin).unwrap_or(NATIVE);
        let proof = self.proof(plugin, &greeting.nonce)?;
        let mut can = greeting.common();
        can |= if encrypted { can::TLS } else { 0 };
        can |= if self.database.is_some() { can::CONNECT_WITH_DB } else { 0 };
        frames.write(out, |out| {
            put_beginning(can, out);
            zero_ended(&self.user, out);
            put_text(out, &proof);
            if let Some(database) = &self.database {
                zero_ended(database, out);
            }
            if can & can::PLUGIN_AUTH != 0 {
                zero_ended(plugin, out);
            }
            if can & can::CONNECT_ATTRIBUTES != 0 {
                let (name, value) = ("program_name", "weigh load");
                put_length(out, 2 + name.len() + value.len());
                put_text(out, name.as_bytes());
                put_text(out, value.as_bytes());
            }
        });
        Ok(())
    }

    /// Answers what the server asks behind the login.
    pub(super) fn answer(
        &self,
        payload: &[u8],
        frames: &mut Frames,
        out: &mut BytesMut,
    ) -> Result<(), Error> {
        let mut fields = Fields::new(payload);
        let reply = match (fields.byte()?, fields.rest()) {
            (0xFE, []) => return Err(self.refused("the server asks for the proof of MySQL before 4.1", None)),
            (0xFE, _) => {
                let name = String::from_utf8_lossy(fields.zero_ended()?).into_owned();
                let (nonce, most) = (fields.rest(), if name == ED25519 { NONCE_OF_ED25519 } else { NONCE });
                self.proof(&name, &nonce[..nonce.len().min(most)])?
            }
            (1, [PROVEN]) => return Ok(()),
            (1, [WHOLE_PASSWORD]) => self.whole_password(CACHING)?,
            _ => return Err(Error::protocol("a step of the login that nobody asked for")),
        };
        frames.write(out, |out| out.put_slice(&reply));
        Ok(())
    }

    fn proof(&self, plugin: &str, nonce: &[u8]) -> Result<Vec<u8>, Error> {
        let password = self.password.as_deref().unwrap_or_default().as_bytes();
        match plugin {
            NATIVE | CACHING | ED25519 if password.is_empty() => Ok(Vec::new()),
            NATIVE => Ok(native(password, nonce)),
            CACHING => Ok(caching(password, nonce)),
            ED25519 => Ok(signature(password, nonce)),
            CLEAR => self.whole_password(CLEAR),
            other => Err(self.refused(
                &format!("the server asks for a proof that we cannot give ({other})"),
                Some(
                    "take a user who is identified by mysql_native_password, ed25519 or caching_sha2_password: ALTER USER \
                     ... IDENTIFIED VIA mysql_native_password USING PASSWORD('...') in MariaDB",
                ),
            )),
        }
    }

    /// The password, where nobody can listen.
    fn whole_password(&self, plugin: &str) -> Result<Vec<u8>, Error> {
        if !self.private {
            return Err(self.refused(
                &format!("the server asks for the password itself ({plugin}), which is not sent in clear"),
                Some("encrypt the connection: ?sslmode=require in the target's URL"),
            ));
        }
        let mut password = self.password.clone().unwrap_or_default().into_bytes();
        password.push(0);
        Ok(password)
    }

    fn refused(&self, text: &str, remedy: Option<&'static str>) -> Error {
        let (asked, message) = (Asked::Task(self.describe()), text.to_owned());
        Error::Refused { asked, code: String::new(), message, remedy }
    }
}

fn zero_ended(text: &str, out: &mut BytesMut) {
    out.put_slice(text.as_bytes());
    out.put_u8(0);
}

fn joined(algorithm: &'static Algorithm, first: &[u8], second: &[u8]) -> Digest {
    digest(algorithm, &[first, second].concat())
}

fn mixed(one: &Digest, other: &Digest) -> Vec<u8> {
    one.as_ref().iter().zip(other.as_ref()).map(|(one, other)| one ^ other).collect()
}

/// SHA1(password) XOR SHA1(nonce, SHA1(SHA1(password))).
fn native(password: &[u8], nonce: &[u8]) -> Vec<u8> {
    let sha1 = &SHA1_FOR_LEGACY_USE_ONLY;
    let once = digest(sha1, password);
    let twice = digest(sha1, once.as_ref());
    mixed(&once, &joined(sha1, nonce, twice.as_ref()))
}

/// SHA256(password) XOR SHA256(SHA256(SHA256(password)), nonce).
fn caching(password: &[u8], nonce: &[u8]) -> Vec<u8> {
    let once = digest(&SHA256, password);
    let twice = digest(&SHA256, once.as_ref());
    mixed(&once, &joined(&SHA256, twice.as_ref(), nonce))
}

/// The nonce signed by Ed25519 (RFC 8032, 5.1.6), with the password in the place of the 32 bytes of a private key.
fn signature(password: &[u8], nonce: &[u8]) -> Vec<u8> {
    let wide = |parts: &[&[u8]]| {
        let mut bytes = [0; 64];
        bytes.copy_from_slice(digest(&SHA512, &parts.concat()).as_ref());
        Scalar::from_bytes_mod_order_wide(&bytes)
    };
    let expanded = digest(&SHA512, password);
    let (low, prefix) = expanded.as_ref().split_at(32);
    let mut secret = [0; 32];
    secret.copy_from_slice(low);
    let secret = Scalar::from_bytes_mod_order(clamp_integer(secret));
    let public = EdwardsPoint::mul_base(&secret).compress();
    let once = wide(&[prefix, nonce]);
    let first = EdwardsPoint::mul_base(&once).compress();
    let second = once + wide(&[first.as_bytes(), public.as_bytes(), nonce]) * secret;
    [first.to_bytes(), second.to_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
    }

    /// As the formulas of MySQL's manual give them with Python's hashlib.
    #[test]
    fn proofs_are_those_of_other_implementations() {
        let nonce: Vec<u8> = (1..=20).collect();
        assert_eq!(hex(&native(b"secret", &nonce)), "b32bb3a583e1340c0a1108d58b1be49781ad8c2f");
        assert_eq!(
            hex(&caching(b"secret", &nonce)),
            "746ebe205d56a0707acb3e796e834e0dd7b1d61743b26bd5202c7a623230c7c9"
        );
        let nonce: Vec<u8> = (1..=32).collect();
        assert_eq!(
            hex(&signature(b"secret", &nonce)),
            "60a0f4f8bcb6396043e44b2a25521af16f0815ff6369cc541c281e2c4455c8232b79b21ee5bb933507725db2f2919ea09e676f6abee19c5c7b98b40a627a9707"
        );
    }
}
