//! The threads of a run: each gets ready, says so, and waits for the beginning.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{Builder, JoinHandle};

use crate::Error;
use crate::totals::Totals;

/// A thread of a run.
pub(crate) type Thread = JoinHandle<Result<Totals, Error>>;

/// Threads that get ready.
pub(crate) struct Crew {
    threads: Vec<Thread>,
    gates: Vec<Sender<u64>>,
    told: Sender<Result<(), Error>>,
    tell: Receiver<Result<(), Error>>,
}

/// What a thread says when it is ready, and waits for then.
pub(crate) struct Ready {
    told: Sender<Result<(), Error>>,
    begin: Receiver<u64>,
}

impl Ready {
    /// Says that the thread is ready, and waits: when the run begins, in nanoseconds of its clock. Nothing, if another
    /// thread could not get ready: the run never begins.
    pub(crate) fn wait(self) -> Option<u64> {
        let _ = self.told.send(Ok(()));
        self.begin.recv().ok()
    }

    /// Says that the thread could not get ready.
    pub(crate) fn fail(self, error: Error) {
        let _ = self.told.send(Err(error));
    }
}

impl Crew {
    pub(crate) fn new() -> Self {
        let (told, tell) = mpsc::channel();
        Self { threads: Vec::new(), gates: Vec::new(), told, tell }
    }

    /// Adds a thread with this work.
    pub(crate) fn add(
        &mut self,
        name: String,
        work: impl FnOnce(Ready) -> Result<Totals, Error> + Send + 'static,
    ) -> Result<(), Error> {
        let (gate, begin) = mpsc::channel();
        let ready = Ready { told: self.told.clone(), begin };
        let spawned = Builder::new().name(name).spawn(move || work(ready));
        self.threads.push(spawned.map_err(|error| Error::System { doing: "starting a thread", error })?);
        self.gates.push(gate);
        Ok(())
    }

    /// Waits until all are ready, and lets them begin at the moment that `begin` names then.
    ///
    /// # Errors
    ///
    /// One could not get ready.
    pub(crate) fn begin(self, begin: impl FnOnce() -> u64) -> Result<(u64, Vec<Thread>), Error> {
        drop(self.told);
        // Each tells once, and then waits for the beginning.
        if let Err(error) = self.tell.iter().take(self.threads.len()).collect::<Result<(), Error>>() {
            // What they have opened must be closed before anybody tidies up.
            drop(self.gates);
            for thread in self.threads {
                let _ = thread.join();
            }
            return Err(error);
        }
        let begun = begin();
        for gate in self.gates {
            let _ = gate.send(begun);
        }
        Ok((begun, self.threads))
    }
}
