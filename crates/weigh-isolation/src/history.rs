//! Transactions as their clients saw them.

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The server acknowledged its commit.
    Committed,
    /// It certainly left nothing behind.
    Aborted,
    /// The commit was sent and never answered: either may be.
    Unknown,
}

/// What a transaction did. Elements and values are a key's own: no two writes of a key write the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Appended an element to a list.
    Append {
        /// Of the list.
        key: u32,
        /// What was appended.
        element: u32,
    },
    /// Read a whole list.
    List {
        /// Of the list.
        key: u32,
        /// Where it is in [`History::list`]; nothing where the answer never came.
        list: Option<(u32, u32)>,
    },
    /// Wrote a register.
    Write {
        /// Of the register.
        key: u32,
        /// What was written.
        value: u32,
    },
    /// Read a register.
    Register {
        /// Of the register.
        key: u32,
        /// What was read; inside, nothing where nobody has written it. Outside, nothing where the answer never came.
        value: Option<Option<u32>>,
    },
}

/// A transaction.
#[derive(Clone, Copy, Debug)]
pub struct Transaction {
    /// Whose it is: one process has one transaction at a time.
    pub process: u32,
    /// Nanoseconds since the run began, not later than its first statement was sent.
    pub begun: u64,
    /// Likewise, not earlier than its last answer came.
    pub ended: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// The level that the server named inside it, by its place in [`History::levels`].
    pub level: Option<u8>,
    first: u32,
    last: u32,
}

/// Transactions, in any order.
#[derive(Clone, Debug, Default)]
pub struct History {
    transactions: Vec<Transaction>,
    operations: Vec<Operation>,
    elements: Vec<u32>,
    levels: Vec<String>,
}

impl History {
    /// All of them.
    #[must_use]
    pub fn transactions(&self) -> &[Transaction] {
        &self.transactions
    }

    /// What one of them did.
    #[must_use]
    pub fn operations(&self, one: &Transaction) -> &[Operation] {
        &self.operations[one.first as usize..one.last as usize]
    }

    /// The elements of a list that was read.
    #[must_use]
    pub fn list(&self, at: (u32, u32)) -> &[u32] {
        &self.elements[at.0 as usize..(at.0 + at.1) as usize]
    }

    /// The levels that the server named, each once.
    #[must_use]
    pub fn levels(&self) -> &[String] {
        &self.levels
    }

    /// How much there is of everything: transactions, operations, elements of lists.
    #[must_use]
    pub fn sizes(&self) -> (usize, usize, usize) {
        (self.transactions.len(), self.operations.len(), self.elements.len())
    }

    /// Keeps a list that was read, for [`Operation::List`].
    pub fn keep(&mut self, list: impl IntoIterator<Item = u32>) -> (u32, u32) {
        let first = self.elements.len();
        self.elements.extend(list);
        (place(first), place(self.elements.len() - first))
    }

    /// The place of a level's name.
    pub fn level(&mut self, name: &str) -> Option<u8> {
        let found = self.levels.iter().position(|known| known == name).or_else(|| {
            let room = self.levels.len() < usize::from(u8::MAX);
            room.then(|| {
                self.levels.push(name.to_owned());
                self.levels.len() - 1
            })
        });
        found.and_then(|at| u8::try_from(at).ok())
    }

    /// Adds a transaction.
    pub fn add(
        &mut self,
        process: u32,
        (begun, ended): (u64, u64),
        outcome: Outcome,
        level: Option<u8>,
        operations: &[Operation],
    ) {
        let first = place(self.operations.len());
        self.operations.extend_from_slice(operations);
        let last = place(self.operations.len());
        self.transactions.push(Transaction { process, begun, ended, outcome, level, first, last });
    }

    /// Takes in what another one holds.
    pub fn join(&mut self, other: &Self) {
        let moved = place(self.elements.len());
        self.elements.extend_from_slice(&other.elements);
        for one in &other.transactions {
            let level = one.level.and_then(|at| self.level(&other.levels[usize::from(at)]));
            let operations: Vec<Operation> = other
                .operations(one)
                .iter()
                .map(|operation| match *operation {
                    Operation::List { key, list: Some((first, length)) } => {
                        Operation::List { key, list: Some((first + moved, length)) }
                    }
                    other => other,
                })
                .collect();
            self.add(one.process, (one.begun, one.ended), one.outcome, level, &operations);
        }
    }
}

/// A length as it is kept; histories of 2^32 elements are refused where they are read.
fn place(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
