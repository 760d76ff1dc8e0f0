//! Who we are, and how we prove it: SCRAM-SHA-256, MD5 or in clear text, as the server asks.

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use crate::error::{Asked, Error};

/// A user, a database, and the state of the proof.
pub(crate) struct Login {
    user: String,
    database: String,
    password: Option<String>,
    scram: Option<ScramSha256>,
}

impl Login {
    pub(crate) fn new(user: String, database: String, password: Option<String>) -> Self {
        Self { user, database, password, scram: None }
    }

    /// The same, before the proof.
    pub(crate) fn again(&self) -> Self {
        Self::new(self.user.clone(), self.database.clone(), self.password.clone())
    }

    pub(crate) fn describe(&self) -> String {
        format!("logging in as '{}' to database '{}'", self.user, self.database)
    }

    /// The first message.
    pub(crate) fn greet(&self, out: &mut BytesMut) -> Result<(), Error> {
        let parameters = [
            ("user", self.user.as_str()),
            ("database", self.database.as_str()),
            ("application_name", "weigh load"),
            ("client_encoding", "UTF8"),
        ];
        frontend::startup_message(parameters, out).map_err(Error::protocol)
    }

    /// Answers a message of the server about authentication.
    pub(crate) fn answer(&mut self, message: &Message, out: &mut BytesMut) -> Result<(), Error> {
        match message {
            Message::AuthenticationCleartextPassword => {
                frontend::password_message(self.secret()?.as_bytes(), out).map_err(Error::protocol)
            }
            Message::AuthenticationMd5Password(body) => {
                let hash = md5_hash(self.user.as_bytes(), self.secret()?.as_bytes(), body.salt());
                frontend::password_message(hash.as_bytes(), out).map_err(Error::protocol)
            }
            Message::AuthenticationSasl(body) => {
                let offered =
                    body.mechanisms().any(|name| Ok(name == SCRAM_SHA_256)).map_err(Error::protocol)?;
                if !offered {
                    return Err(self.refused("the server takes no proof that we know (SCRAM-SHA-256)"));
                }
                let scram = ScramSha256::new(self.secret()?.as_bytes(), ChannelBinding::unsupported());
                frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), out)
                    .map_err(Error::protocol)?;
                self.scram = Some(scram);
                Ok(())
            }
            Message::AuthenticationSaslContinue(body) => {
                let scram = self.scram.as_mut().ok_or_else(out_of_turn)?;
                scram.update(body.data()).map_err(Error::protocol)?;
                frontend::sasl_response(scram.message(), out).map_err(Error::protocol)
            }
            Message::AuthenticationSaslFinal(body) => {
                let scram = self.scram.as_mut().ok_or_else(out_of_turn)?;
                scram.finish(body.data()).map_err(Error::protocol)
            }
            _ => Err(self
                .refused("the server asks for a proof that we cannot give (not SCRAM, MD5 or a password)")),
        }
    }

    fn secret(&self) -> Result<&str, Error> {
        self.password
            .as_deref()
            .ok_or_else(|| self.refused("the server asks for a password, and none was given"))
    }

    fn refused(&self, text: &str) -> Error {
        Error::Refused {
            asked: Asked::Task(self.describe()),
            code: String::new(),
            message: text.to_owned(),
            remedy: None,
        }
    }
}

fn out_of_turn() -> Error {
    Error::Protocol("a step of SCRAM out of turn".to_owned())
}
