//! What can go wrong before and around a run. What goes wrong inside one is counted instead.

use std::fmt;

use crate::protocol::limits::beginning;

/// Bytes of a statement that an error quotes.
const SHOWN: usize = 200;

/// Where in a script something is. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptLine {
    /// The name of the script.
    pub script: String,
    /// The line.
    pub line: usize,
}

/// What a server was asked when it answered with an error.
#[derive(Debug)]
pub enum Asked {
    /// To log in, or something else around a run: in words.
    Task(String),
    /// To execute a statement.
    Execute(String),
    /// To execute a statement of a file that makes the data.
    Load {
        /// The statement.
        statement: String,
        /// Where it is written.
        at: Box<ScriptLine>,
    },
    /// To prepare a statement of a workload.
    Prepare {
        /// The statement, in which variables are `$1`, `$2` and so on.
        statement: String,
        /// Where it is written, if it is one of a script.
        at: Option<Box<ScriptLine>>,
    },
}

/// Why a run could not begin, or not go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A setting cannot be used. Remedy: the text says what it must be.
    Setting(String),
    /// A workload is none for this server.
    Unfit {
        /// Why.
        message: &'static str,
        /// What to take instead.
        remedy: &'static str,
    },
    /// A script is wrong. Remedy: mend it there.
    Script {
        /// Where.
        at: ScriptLine,
        /// The column, from 1, in characters.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// The server cannot be reached. Remedy: see whether it runs and listens there.
    Unreachable {
        /// Where it was looked for.
        target: String,
        /// What the system said.
        message: String,
        /// The name of SQLite's result; empty where there is none.
        code: String,
    },
    /// Before the run, connections got no answer to their login, or to what they prepare. Remedy: as many as got one.
    NoLogin {
        /// Where.
        target: String,
        /// For how long they waited.
        seconds: u64,
        /// How many logged in.
        open: usize,
        /// How many there are.
        all: usize,
        /// Whether one of them had logged in, and waited for its statements to be prepared.
        preparing: bool,
    },
    /// The server answered the greeting, the login, a statement or a preparation with an error. Remedy: by its code, or in
    /// its words.
    Refused {
        /// What was asked of it.
        asked: Asked,
        /// An SQLSTATE, the name of SQLite's result or the first word of a RESP error; empty where it has none.
        code: String,
        /// Its words.
        message: String,
        /// What to do, where that does not follow from the code.
        remedy: Option<&'static str>,
    },
    /// TLS could not be agreed on. Remedy: `tls` "off" for a server without it, `ca` for one with a private authority.
    Tls {
        /// Why.
        message: String,
        /// What rustls calls it, where that needs a remedy of its own; else empty.
        code: &'static str,
    },
    /// The server said something that its protocol does not allow. Remedy: see whether it is that kind of server.
    Protocol(String),
    /// The system refused something. Remedy: in its words.
    System {
        /// What was tried.
        doing: &'static str,
        /// What the system said.
        error: std::io::Error,
    },
    /// Whoever watches the loading of data ended it. Remedy: none is needed.
    Interrupted,
}

impl Error {
    pub(crate) fn system(doing: &'static str) -> impl FnOnce(rustix::io::Errno) -> Self {
        move |errno| Self::System { doing, error: errno.into() }
    }

    /// The same, of a statement that is written there.
    pub(crate) fn in_file(self, at: ScriptLine) -> Self {
        match self {
            Self::Refused { asked: Asked::Execute(statement), code, message, remedy } => {
                Self::Refused { asked: Asked::Load { statement, at: Box::new(at) }, code, message, remedy }
            }
            other => other,
        }
    }

    /// The same, where it may follow from what was left out before.
    pub(crate) fn after(mut self, skipped: &[String]) -> Self {
        if let (Self::Refused { message, .. }, [first, ..]) = (&mut self, skipped) {
            *message = format!("{message}; left out before, of {}: {first}", skipped.len());
        }
        self
    }

    /// The server closed the connection.
    pub(crate) fn hung_up() -> Self {
        let error = std::io::Error::new(std::io::ErrorKind::UnexpectedEof, "the server hung up");
        Self::System { doing: "reading", error }
    }

    pub(crate) fn protocol(error: impl fmt::Display) -> Self {
        Self::Protocol(error.to_string())
    }

    pub(crate) fn tls(error: impl fmt::Display) -> Self {
        Self::Tls { message: error.to_string(), code: "" }
    }

    pub(crate) fn unreachable(target: impl fmt::Display, message: impl fmt::Display) -> Self {
        Self::Unreachable { target: target.to_string(), message: message.to_string(), code: String::new() }
    }

    /// The variant, in lower case.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Setting(_) | Self::Unfit { .. } => "setting",
            Self::Script { .. } => "script",
            Self::Unreachable { .. } | Self::NoLogin { .. } => "unreachable",
            Self::Refused { .. } => "refused",
            Self::Tls { .. } => "tls",
            Self::Protocol(_) => "protocol",
            Self::System { .. } => "system",
            Self::Interrupted => "interrupted",
        }
    }

    /// The code of the server's error, or of what is wrong with TLS; empty where there is none.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Unreachable { code, .. } | Self::Refused { code, .. } => code,
            Self::Tls { code, .. } => code,
            _ => "",
        }
    }

    /// The statement that could not be prepared.
    #[must_use]
    pub fn statement(&self) -> Option<&str> {
        match self {
            Self::Refused { asked: Asked::Prepare { statement, .. }, .. } => Some(statement),
            _ => None,
        }
    }

    /// Where in a script it is.
    #[must_use]
    pub fn script_line(&self) -> Option<&ScriptLine> {
        match self {
            Self::Script { at, .. } => Some(at),
            Self::Refused { asked: Asked::Prepare { at, .. }, .. } => at.as_deref(),
            Self::Refused { asked: Asked::Load { at, .. }, .. } => Some(at.as_ref()),
            _ => None,
        }
    }

    /// The column in that line, if it is known.
    #[must_use]
    pub fn column(&self) -> Option<usize> {
        match self {
            Self::Script { column, .. } => Some(*column),
            _ => None,
        }
    }

    /// What to do, where that does not follow from kind and code.
    #[must_use]
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::Refused { remedy, .. } => remedy.map(str::to_owned),
            Self::Unfit { remedy, .. } => Some((*remedy).to_owned()),
            Self::NoLogin { preparing: true, .. } => Some(
                "see what the server waits for; Pgpool-II may wait for ever, unless enable_shared_relcache is off"
                    .to_owned(),
            ),
            Self::NoLogin { open: open @ 1.., .. } => Some(format!(
                "a pooler or the server's max_connections holds the rest: take --connections {open}, or raise it there"
            )),
            _ => None,
        }
    }

    /// What is wrong, without the place in a script.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::Setting(message) | Self::Script { message, .. } => message.clone(),
            Self::Unfit { message, .. } => (*message).to_owned(),
            Self::Unreachable { target, message, code } => {
                format!("{target} cannot be reached: {}", coded(message, code))
            }
            Self::NoLogin { target, seconds, open, all, preparing: true } => {
                let left = all - open;
                format!(
                    "{left} of {all} connections to {target} had no statements prepared within {seconds} s"
                )
            }
            Self::NoLogin { target, seconds, open: 0, .. } => {
                format!("{target} cannot be reached: no answer to the login within {seconds} s")
            }
            Self::NoLogin { target, seconds, open, all, .. } => {
                format!("{} of {all} connections to {target} got no login within {seconds} s", all - open)
            }
            Self::Refused { asked, message, code, .. } => format!("{asked}: {}", coded(message, code)),
            Self::Tls { message, .. } => format!("TLS: {message}"),
            Self::Protocol(message) => format!("the server does not keep to the protocol: {message}"),
            Self::System { doing, error } => format!("{doing}: {error}"),
            Self::Interrupted => "the loading was interrupted".to_owned(),
        }
    }
}

fn coded(message: &str, code: &str) -> String {
    if code.is_empty() { message.to_owned() } else { format!("{message} ({code})") }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In one line, however it is written.
        let line = |statement: &str| statement.split_whitespace().collect::<Vec<&str>>().join(" ");
        match self {
            Self::Task(task) => write!(f, "{task}"),
            Self::Execute(statement) => write!(f, "'{}'", line(statement)),
            Self::Load { statement, .. } => {
                // It may be all rows of a table.
                let whole = line(beginning(statement, SHOWN));
                write!(f, "'{whole}{}'", if statement.len() > SHOWN { " ..." } else { "" })
            }
            Self::Prepare { statement, .. } => write!(f, "preparing '{}'", line(statement)),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(ScriptLine { script, line }) = self.script_line() {
            write!(f, "script {script}, line {line}")?;
            if let Some(column) = self.column() {
                write!(f, ", column {column}")?;
            }
            write!(f, ": ")?;
        }
        write!(f, "{}", self.message())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_server_refused_is_said_in_one_line_with_its_place_and_code() {
        let error = Error::Refused {
            asked: Asked::Prepare {
                statement: " SELECT *\n  FROM nowhere".into(),
                at: Some(Box::new(ScriptLine { script: "look".into(), line: 3 })),
            },
            code: "42P01".into(),
            message: "relation \"nowhere\" does not exist".into(),
            remedy: None,
        };
        let text = "script look, line 3: preparing 'SELECT * FROM nowhere': relation \"nowhere\" does not exist (42P01)";
        assert_eq!(error.to_string(), text);
        assert_eq!((error.kind(), error.code(), error.column()), ("refused", "42P01", None));
        assert_eq!(error.statement(), Some(" SELECT *\n  FROM nowhere"));
    }

    #[test]
    fn without_a_code_there_are_no_brackets() {
        assert_eq!(Error::unreachable("here:1", "refused").to_string(), "here:1 cannot be reached: refused");
        assert_eq!(Error::tls("none offered").to_string(), "TLS: none offered");
    }

    #[test]
    fn a_login_without_prepared_statements_is_no_missing_login() {
        let error = |open, preparing| Error::NoLogin {
            target: "here:1".into(),
            seconds: 10,
            open,
            all: 8,
            preparing,
        };
        assert_eq!(error(7, false).to_string(), "1 of 8 connections to here:1 got no login within 10 s");
        assert_eq!(
            error(7, true).to_string(),
            "1 of 8 connections to here:1 had no statements prepared within 10 s"
        );
        assert!(error(0, true).to_string().starts_with("8 of 8 connections"));
        assert!(error(7, false).remedy().is_some_and(|one| one.contains("--connections 7")));
        assert!(error(7, true).remedy().is_some_and(|one| one.contains("enable_shared_relcache")));
    }
}
