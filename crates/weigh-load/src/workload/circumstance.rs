//! What of a dump is no data, and may be left out where a server lacks it.

/// What a dump says of the server that it comes from, and not of the data.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Circumstance {
    /// The database itself: the data goes where the connection is.
    Database,
    /// Roles, and who owns or may read something.
    Role,
    Extension,
    /// A setting of a session.
    Setting,
}

impl Circumstance {
    /// Whether a server refuses it because it has no such thing, by its SQLSTATE.
    pub(crate) fn is_absent(self, code: &str) -> bool {
        match self {
            Self::Database => true,
            // undefined_object, duplicate_object
            Self::Role => matches!(code, "42704" | "42710"),
            // feature_not_supported, undefined_file, undefined_object
            Self::Extension => matches!(code, "0A000" | "58P01" | "42704"),
            Self::Setting => code == "42704",
        }
    }
}
