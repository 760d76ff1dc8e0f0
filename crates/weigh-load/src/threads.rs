//! The threads of a run: each prepares, reports that, and waits for the beginning.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{Builder, JoinHandle};

use crate::Error;
use crate::totals::Totals;

/// A thread of a run.
pub(crate) type Thread = JoinHandle<Result<Totals, Error>>;

/// Threads that get ready.
pub(crate) struct Threads {
    started: Vec<Thread>,
    gates: Vec<Sender<u64>>,
    outcome: Sender<Result<(), Error>>,
    outcomes: Receiver<Result<(), Error>>,
}

/// How a thread reports that it is ready, and what it waits for then.
pub(crate) struct Ready {
    outcome: Sender<Result<(), Error>>,
    begin: Receiver<u64>,
}

impl Ready {
    /// Reports that the thread is ready, and waits: when the run begins, in nanoseconds of its clock. Nothing, if another
    /// thread could not get ready: the run never begins.
    pub(crate) fn wait(self) -> Option<u64> {
        let _ = self.outcome.send(Ok(()));
        self.begin.recv().ok()
    }

    /// Reports that the thread could not get ready.
    pub(crate) fn fail(self, error: Error) {
        let _ = self.outcome.send(Err(error));
    }
}

impl Threads {
    pub(crate) fn new() -> Self {
        let (outcome, outcomes) = mpsc::channel();
        Self { started: Vec::new(), gates: Vec::new(), outcome, outcomes }
    }

    /// Adds a thread with this work.
    pub(crate) fn add(
        &mut self,
        name: String,
        work: impl FnOnce(Ready) -> Result<Totals, Error> + Send + 'static,
    ) -> Result<(), Error> {
        let (gate, begin) = mpsc::channel();
        let ready = Ready { outcome: self.outcome.clone(), begin };
        let spawned = Builder::new().name(name).spawn(move || work(ready));
        self.started.push(spawned.map_err(|error| Error::System { doing: "starting a thread", error })?);
        self.gates.push(gate);
        Ok(())
    }

    /// Waits until all are ready, and lets them begin at the moment that `begin` names then.
    ///
    /// # Errors
    ///
    /// One could not get ready.
    pub(crate) fn begin(self, begin: impl FnOnce() -> u64) -> Result<(u64, Vec<Thread>), Error> {
        drop(self.outcome);
        // Each sends one outcome, and then waits for the beginning.
        if let Err(error) = self.outcomes.iter().take(self.started.len()).collect::<Result<(), Error>>() {
            // What they have opened must be closed before anybody tidies up.
            drop(self.gates);
            for thread in self.started {
                let _ = thread.join();
            }
            return Err(error);
        }
        let begun = begin();
        for gate in self.gates {
            let _ = gate.send(begun);
        }
        Ok((begun, self.started))
    }
}
