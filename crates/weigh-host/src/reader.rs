//! Files that are read again and again, and why some of them cannot be.

use std::collections::BTreeMap;
use std::path::Path;

use crate::proc_file::ProcFile;

/// Sources that cannot be read, and why.
#[derive(Default)]
pub(crate) struct Unreadable {
    known: BTreeMap<String, String>,
    unsaid: BTreeMap<String, String>,
}

impl Unreadable {
    /// Keeps a reason, the first one of each source.
    pub(crate) fn add(&mut self, source: &str, reason: &str) {
        if self.known.insert(source.to_owned(), reason.to_owned()).is_none() {
            self.unsaid.insert(source.to_owned(), reason.to_owned());
        }
    }

    /// What was not reported before.
    pub(crate) fn take(&mut self) -> BTreeMap<String, String> {
        std::mem::take(&mut self.unsaid)
    }
}

/// One file and its name; closed for good where it cannot be read.
pub(crate) struct Reader {
    name: &'static str,
    source: Option<ProcFile>,
}

impl Reader {
    /// Opens the file of a name below a root.
    pub(crate) fn open(root: &Path, name: &'static str, unreadable: &mut Unreadable) -> Self {
        let source = ProcFile::open(&root.join(&name[1..]));
        if let Err(error) = &source {
            unreadable.add(name, &error.to_string());
        }
        Self { name, source: source.ok() }
    }

    /// What `parse` makes of its text now; nothing where there is none, and the reason is kept.
    pub(crate) fn take<T>(
        &mut self,
        unreadable: &mut Unreadable,
        parse: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Option<T> {
        let read = match self.source.as_mut()?.read() {
            Ok(text) => parse(text).ok_or_else(|| "its text is not what it should be".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        read.inspect_err(|reason| {
            unreadable.add(self.name, reason);
            self.source = None;
        })
        .ok()
    }
}
