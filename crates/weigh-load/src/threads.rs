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

/// Threads that are ready, and wait for the beginning.
pub(crate) struct ReadyThreads {
    started: Vec<Thread>,
    gates: Vec<Sender<u64>>,
}

impl ReadyThreads {
    /// Lets them begin at a moment, in nanoseconds of the run's clock.
    pub(crate) fn begin(self, begun: u64) -> Vec<Thread> {
        for gate in self.gates {
            let _ = gate.send(begun);
        }
        self.started
    }

    /// They never begin. What they have opened is closed when this returns: whoever tidies up comes after it.
    pub(crate) fn end(self) {
        drop(self.gates);
        for thread in self.started {
            let _ = thread.join();
        }
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

    /// Waits until all are ready.
    ///
    /// # Errors
    ///
    /// One could not get ready.
    pub(crate) fn ready(self) -> Result<ReadyThreads, Error> {
        drop(self.outcome);
        // Each sends one outcome, and then waits for the beginning.
        let waiting = ReadyThreads { started: self.started, gates: self.gates };
        match self.outcomes.iter().take(waiting.started.len()).collect::<Result<(), Error>>() {
            Ok(()) => Ok(waiting),
            Err(error) => {
                waiting.end();
                Err(error)
            }
        }
    }
}
