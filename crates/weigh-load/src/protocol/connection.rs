//! A connection without a socket: TLS if asked for, a session of the server's protocol, and the bytes in between.

use std::sync::Arc;

use bytes::BytesMut;
use postgres_protocol::message::frontend;

use crate::Error;
use crate::config::{Target, TargetKind, TlsUse};
use crate::protocol::tls::{Tls, TlsPlan};
use crate::workload::message::{Command, PreparedStatement, Reply};

use super::limits::longest_message;
use super::{Step, cql, http, mysql, postgres, resp};

/// How to begin connections to one server.
pub(crate) struct Plan {
    login: LoginPlan,
    statements: Arc<[PreparedStatement]>,
    tls: Option<TlsPlan>,
    /// The longest message that a connection takes, in bytes.
    longest: usize,
}

enum LoginPlan {
    Cql(cql::Login),
    Http(http::Login),
    MySql(mysql::Login),
    Postgres(postgres::Login),
    Redis(resp::Login),
}

impl Plan {
    /// For a server, statements to prepare on every connection, and how many connections there will be.
    pub(crate) fn new(
        target: &Target,
        statements: &[PreparedStatement],
        connections: usize,
    ) -> Result<Self, Error> {
        let verify = target.tls == TlsUse::Verify;
        let host = target.host.as_deref().unwrap_or("localhost");
        let tls = match target.tls {
            TlsUse::Off => None,
            _ => Some(TlsPlan::new(host, verify, target.ca.as_deref())?),
        };
        let login = match target.kind {
            TargetKind::Cql => LoginPlan::Cql(cql::Login::new(
                target.user.clone(),
                target.password.clone(),
                target.database.clone(),
                &target.settings,
            )?),
            TargetKind::Postgres => {
                let user = target.user.clone().unwrap_or_else(|| "postgres".to_owned());
                let database = target.database.clone().unwrap_or_else(|| user.clone());
                LoginPlan::Postgres(postgres::Login::new(user, database, target.password.clone()))
            }
            TargetKind::ClickHouse | TargetKind::Http => LoginPlan::Http(http::Login::new(target)?),
            TargetKind::MySql => LoginPlan::MySql(mysql::Login {
                user: target.user.clone().unwrap_or_else(|| "root".to_owned()),
                database: target.database.clone(),
                password: target.password.clone(),
                private: tls.is_some() || target.socket.is_some(),
            }),
            TargetKind::Sqlite => {
                return Err(Error::Setting("SQLite is called, and not connected to".into()));
            }
            TargetKind::Redis => LoginPlan::Redis(resp::Login {
                user: target.user.clone(),
                password: target.password.clone(),
                database: target.database.clone(),
            }),
        };
        Ok(Self { login, statements: statements.into(), tls, longest: longest_message(connections) })
    }
}

enum Session {
    Cql(Box<cql::Session>),
    Http(Box<http::Session>),
    MySql(Box<mysql::Session>),
    Postgres(Box<postgres::Session>),
    Redis(Box<resp::Session>),
}

enum Stage {
    /// A MySQL server says first who it is.
    AwaitingGreeting,
    /// Asked a PostgreSQL server whether it knows TLS.
    AskingForTls,
    /// TLS is being agreed on.
    Handshaking,
    Open(Session),
}

/// One connection.
pub(crate) struct Connection {
    plan: Arc<Plan>,
    stage: Stage,
    tls: Option<Tls>,
    /// Of a MySQL server.
    greeting: Option<mysql::Greeting>,
    /// What the server said, in clear.
    inbox: BytesMut,
    /// What we say, in clear, on its way into TLS.
    plain: BytesMut,
    /// What is to be written to the socket.
    pub(crate) out: BytesMut,
}

impl Connection {
    /// Begins: the first bytes are in `out`.
    pub(crate) fn begin(plan: &Arc<Plan>) -> Result<Self, Error> {
        let mut connection = Self {
            plan: Arc::clone(plan),
            stage: Stage::Handshaking,
            tls: None,
            greeting: None,
            inbox: BytesMut::new(),
            plain: BytesMut::new(),
            out: BytesMut::new(),
        };
        match (&plan.tls, &plan.login) {
            (_, LoginPlan::MySql(_)) => connection.stage = Stage::AwaitingGreeting,
            (None, _) => connection.open()?,
            (Some(_), LoginPlan::Postgres(_)) => {
                frontend::ssl_request(&mut connection.out);
                connection.stage = Stage::AskingForTls;
            }
            (Some(tls), LoginPlan::Cql(_) | LoginPlan::Redis(_) | LoginPlan::Http(_)) => {
                connection.tls = Some(Tls::begin(tls, &mut connection.out)?);
            }
        }
        Ok(connection)
    }

    /// Whether it has logged in, and waits for its statements to be prepared.
    pub(crate) fn is_preparing(&self) -> bool {
        match &self.stage {
            Stage::Open(Session::Cql(session)) => session.is_preparing(),
            Stage::Open(Session::MySql(session)) => session.is_preparing(),
            Stage::Open(Session::Postgres(session)) => session.is_preparing(),
            _ => false,
        }
    }

    /// Begins the session.
    fn open(&mut self) -> Result<(), Error> {
        let out = if self.tls.is_some() { &mut self.plain } else { &mut self.out };
        self.stage = Stage::Open(match &self.plan.login {
            LoginPlan::Cql(login) => {
                let statements = Arc::clone(&self.plan.statements);
                Session::Cql(Box::new(cql::Session::begin(login.clone(), statements, self.plan.longest, out)))
            }
            LoginPlan::Http(login) => Session::Http(Box::new(http::Session::begin(login.clone()))),
            LoginPlan::MySql(login) => {
                let greeting = self.greeting.as_ref().ok_or_else(|| Error::protocol("no greeting"))?;
                Session::MySql(Box::new(mysql::Session::begin(
                    login.clone(),
                    greeting,
                    self.tls.is_some(),
                    Arc::clone(&self.plan.statements),
                    self.plan.longest,
                    out,
                )?))
            }
            LoginPlan::Postgres(login) => {
                let statements = Arc::clone(&self.plan.statements);
                Session::Postgres(Box::new(postgres::Session::begin(
                    login.again(),
                    statements,
                    self.plan.longest,
                    out,
                )?))
            }
            LoginPlan::Redis(login) => {
                Session::Redis(Box::new(resp::Session::begin(login.clone(), self.plan.longest, out)))
            }
        });
        self.encrypt()
    }

    /// Takes a MySQL server's greeting, and begins what follows from it; whether it has come.
    fn greet(&mut self) -> Result<bool, Error> {
        let LoginPlan::MySql(login) = &self.plan.login else { return Ok(true) };
        let Some(greeting) = mysql::Session::greeting(login, &mut self.inbox)? else { return Ok(false) };
        if let Some(tls) = &self.plan.tls {
            // Nothing may follow before the handshake: it could come from a man in the middle.
            if !greeting.knows_tls() || !self.inbox.is_empty() {
                return Err(Error::tls("the server does not offer it"));
            }
            mysql::ask_for_tls(&greeting, &mut self.out);
            self.tls = Some(Tls::begin(tls, &mut self.out)?);
        }
        self.greeting = Some(greeting);
        self.stage = Stage::Handshaking;
        Ok(true)
    }

    /// Takes bytes that came from the socket. [`Connection::advance`] makes something of them.
    pub(crate) fn receive(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if let Some(tls) = &mut self.tls {
            return tls.receive(bytes, &mut self.inbox, &mut self.out);
        }
        self.inbox.extend_from_slice(bytes);
        Ok(())
    }

    /// Works off what has come, up to the next thing worth telling. There may be bytes to write afterwards.
    pub(crate) fn advance(&mut self) -> Result<Step, Error> {
        loop {
            match &mut self.stage {
                Stage::AwaitingGreeting => {
                    if !self.greet()? {
                        return Ok(Step::Wait);
                    }
                }
                Stage::AskingForTls => {
                    let Some(answer) = self.inbox.first() else { return Ok(Step::Wait) };
                    // Nothing may follow before the handshake: it could come from a man in the middle.
                    if *answer != b'S' || self.inbox.len() > 1 {
                        return Err(Error::tls("the server does not offer it"));
                    }
                    self.inbox.clear();
                    if let Some(plan) = &self.plan.tls {
                        self.tls = Some(Tls::begin(plan, &mut self.out)?);
                    }
                    self.stage = Stage::Handshaking;
                }
                Stage::Handshaking => {
                    if self.tls.as_ref().is_some_and(Tls::is_handshaking) {
                        return Ok(Step::Wait);
                    }
                    self.open()?;
                }
                Stage::Open(session) => {
                    let out = if self.tls.is_some() { &mut self.plain } else { &mut self.out };
                    let step = match session {
                        Session::Cql(session) => session.advance(&mut self.inbox, out)?,
                        Session::Http(session) => session.advance(&mut self.inbox)?,
                        Session::MySql(session) => session.advance(&mut self.inbox, out)?,
                        Session::Postgres(session) => session.advance(&mut self.inbox, out)?,
                        Session::Redis(session) => session.advance(&mut self.inbox, out)?,
                    };
                    self.encrypt()?;
                    return Ok(step);
                }
            }
        }
    }

    /// Puts a command into `out`.
    pub(crate) fn send(&mut self, command: &Command) -> Result<(), Error> {
        let out = if self.tls.is_some() { &mut self.plain } else { &mut self.out };
        match &mut self.stage {
            Stage::Open(Session::Cql(session)) => session.send(command, out)?,
            Stage::Open(Session::Http(session)) => session.send(command, out)?,
            Stage::Open(Session::MySql(session)) => session.send(command, out)?,
            Stage::Open(Session::Postgres(session)) => session.send(command, out)?,
            Stage::Open(Session::Redis(session)) => session.send(command, out)?,
            _ => return Err(Error::protocol("a command before the login")),
        }
        self.encrypt()
    }

    /// Puts the statement of a COPY into `out`.
    pub(crate) fn begin_copy(&mut self, statement: &str) -> Result<(), Error> {
        let out = if self.tls.is_some() { &mut self.plain } else { &mut self.out };
        match &mut self.stage {
            Stage::Open(Session::Cql(session)) => session.begin_rows(statement, out),
            _ => return self.send(&Command::Simple(statement.to_owned())),
        }
        self.encrypt()
    }

    /// As [`Connection::send`], to the node of a cluster to which the slot is on its way.
    pub(crate) fn send_asking(&mut self, command: &Command) -> Result<(), Error> {
        let out = if self.tls.is_some() { &mut self.plain } else { &mut self.out };
        match &mut self.stage {
            Stage::Open(Session::Redis(session)) => session.send_asking(command, out)?,
            _ => return Err(Error::protocol("a redirection of what is no node of a cluster")),
        }
        self.encrypt()
    }

    /// Whether the server answers each row of a COPY: what was sent is waited for before there is more.
    pub(crate) fn answers_rows(&self) -> bool {
        matches!(&self.stage, Stage::Open(Session::Cql(_)))
    }

    /// Puts bytes that are commands already into `out`; so many replies will come to them, as one answer.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8], replies: u64) -> Result<(), Error> {
        let out = if self.tls.is_some() { &mut self.plain } else { &mut self.out };
        match &mut self.stage {
            Stage::Open(Session::Postgres(_)) => {
                frontend::CopyData::new(bytes).map_err(Error::protocol)?.write(out);
            }
            Stage::Open(Session::Cql(session)) => session.send_rows(bytes, out)?,
            Stage::Open(Session::MySql(session)) => session.send_rows(bytes, out)?,
            Stage::Open(Session::Redis(session)) => {
                session.expect_batch(replies);
                out.extend_from_slice(bytes);
            }
            Stage::Open(Session::Http(_)) => {
                return Err(Error::Setting("a server of HTTP takes requests, and no rows".to_owned()));
            }
            _ => return Err(Error::protocol("rows before the login")),
        }
        self.encrypt()
    }

    /// Ends a COPY.
    pub(crate) fn end_copy(&mut self) -> Result<(), Error> {
        let out = if self.tls.is_some() { &mut self.plain } else { &mut self.out };
        match &mut self.stage {
            Stage::Open(Session::Cql(session)) => session.end_rows(),
            Stage::Open(Session::MySql(session)) => session.end_rows(out),
            _ => frontend::copy_done(out),
        }
        self.encrypt()
    }

    /// The answer to the last command.
    pub(crate) fn reply(&self) -> Reply<'_> {
        match &self.stage {
            Stage::Open(Session::Cql(session)) => session.reply(),
            Stage::Open(Session::Http(session)) => session.reply(),
            Stage::Open(Session::MySql(session)) => session.reply(),
            Stage::Open(Session::Postgres(session)) => session.reply(),
            Stage::Open(Session::Redis(session)) => session.reply(),
            _ => Reply::Nil,
        }
    }

    /// The types of the columns of the answer to the last command; empty where the server does not say.
    pub(crate) fn types(&self) -> &[u32] {
        match &self.stage {
            Stage::Open(Session::Postgres(session)) => session.types(),
            _ => &[],
        }
    }

    /// Whether the server closes it behind the last answer.
    pub(crate) fn is_closing(&self) -> bool {
        matches!(&self.stage, Stage::Open(Session::Http(session)) if session.is_closing())
    }

    /// Whether the session is inside a transaction block.
    pub(crate) fn in_block(&self) -> bool {
        match &self.stage {
            Stage::Open(Session::MySql(session)) => session.in_block(),
            Stage::Open(Session::Postgres(session)) => session.in_block(),
            _ => false,
        }
    }

    fn encrypt(&mut self) -> Result<(), Error> {
        match &mut self.tls {
            Some(tls) if !self.plain.is_empty() => tls.send(&mut self.plain, &mut self.out),
            _ => Ok(()),
        }
    }
}
