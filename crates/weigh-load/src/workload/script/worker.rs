//! One thread's share of a run of scripts.

use std::sync::Arc;
use std::time::Duration;

use crate::random::{Random, scatter};
use crate::workload::message::{PreparedStatement, Reply};
use crate::workload::units::{Unit, Units};
use crate::workload::{Next, Outcome, ScriptStatement, Scripted, Workload};

use super::evaluate::evaluate;
use super::expression::Expression;
use super::sampling::Sampler;
use super::step::Step;
use super::value::Value;
use super::{Program, Scripts};

/// Longest pause, in seconds; far longer than a run.
const LONGEST_PAUSE: f64 = 1e7;
/// Streams of random numbers beside those of the run: of what is asked outside the clock, and of what is kept.
const APART: u64 = 0x4F55_5453_4944_4521;
const SAMPLING: u64 = 0x5341_4D50_4C49_4E47;

/// One run of a script on a connection.
#[derive(Debug)]
struct Execution {
    script: usize,
    connection: usize,
    /// The step that is at work.
    step: usize,
    /// Whether the connection is inside a transaction block.
    open: bool,
}

#[derive(Debug)]
pub(crate) struct Worker {
    shared: Arc<Scripts>,
    random: Random,
    /// By connection, as long as it lives: `\set` outlives the script, as in pgbench. Empty of those that ran nothing.
    variables: Vec<Vec<Option<Value>>>,
    executions: Units<Execution>,
    sampler: Sampler,
}

impl Worker {
    pub(crate) fn new(shared: Arc<Scripts>, thread: usize) -> Self {
        let random = Random::stream(shared.seed, thread);
        Self::drawing(shared, random, thread)
    }

    /// For runs outside the clock, which draw other numbers than the run does.
    pub(crate) fn apart(shared: Arc<Scripts>) -> Self {
        let random = Random::new(scatter(shared.seed ^ APART));
        Self::drawing(shared, random, 0)
    }

    fn drawing(shared: Arc<Scripts>, random: Random, thread: usize) -> Self {
        let own = Random::new(scatter(shared.seed ^ SAMPLING ^ scatter(thread as u64)));
        let sampler = Sampler::new(own, shared.samples);
        Self { shared, random, variables: Vec::new(), executions: Units::new(), sampler }
    }

    /// Keeps the request that was just answered, if it is one to be kept.
    fn sample(&mut self, execution: &Execution, reply: &Reply<'_>) {
        if !self.sampler.wants() {
            return;
        }
        let program = &self.shared.programs[execution.script];
        let Some(Step::Sql { line, .. }) = program.steps.get(execution.step) else { return };
        // Its variables are still those that it was sent with.
        let variables = self.variables.get(execution.connection).map_or(&[][..], Vec::as_slice);
        let sending = program.sendings[execution.step].as_ref();
        if let Some(Ok(command)) = sending.map(|sending| sending.command(variables, &self.shared.names)) {
            self.sampler.keep(&program.name, *line, command, reply);
        }
    }

    fn script(&mut self) -> usize {
        let mut ticket = self.random.below(self.shared.weights);
        let weight = |program: &Program| u64::from(program.weight);
        for (number, program) in self.shared.programs.iter().enumerate() {
            match ticket.checked_sub(weight(program)) {
                Some(rest) => ticket = rest,
                None => return number,
            }
        }
        0
    }

    fn value(&mut self, execution: &Execution, expression: &Expression) -> Result<Value, String> {
        let variables = self.variables.get(execution.connection).map_or(&[][..], Vec::as_slice);
        evaluate(expression, variables, &self.shared.names, &mut self.random)
    }

    /// Goes on until the server has something to do, or the script is at its end.
    fn go_on(&mut self, execution: &mut Execution) -> Next {
        let shared = Arc::clone(&self.shared);
        let program = &shared.programs[execution.script];
        loop {
            let Some(step) = program.steps.get(execution.step) else {
                let outcome = if execution.open {
                    Outcome::Failed(format!(
                        "{}: the script ends inside a transaction; end it with COMMIT or END",
                        program.name
                    ))
                } else {
                    Outcome::Right { verified: 0 }
                };
                return Next::Done(outcome);
            };
            let (next, line) = match step {
                Step::Set { variable, value, line } => (self.set(execution, *variable, value), *line),
                Step::Unless { condition, target, line } => {
                    (self.branch(execution, condition, *target), *line)
                }
                Step::Jump { target } => {
                    execution.step = *target;
                    continue;
                }
                Step::Sleep { amount, unit, line } => (self.sleep(execution, amount, *unit), *line),
                Step::Sql { line, .. } => (self.send(execution), *line),
            };
            match next {
                Ok(None) => {}
                Ok(Some(next)) => return next,
                Err(why) => {
                    let outcome = Outcome::Failed(format!("{}, line {line}: {why}", program.name));
                    return Next::Done(outcome);
                }
            }
        }
    }

    fn set(
        &mut self,
        execution: &mut Execution,
        variable: usize,
        value: &Expression,
    ) -> Result<Option<Next>, String> {
        let value = self.value(execution, value)?;
        if let Some(variables) = self.variables.get_mut(execution.connection) {
            variables[variable] = Some(value);
        }
        execution.step += 1;
        Ok(None)
    }

    fn branch(
        &mut self,
        execution: &mut Execution,
        condition: &Expression,
        target: usize,
    ) -> Result<Option<Next>, String> {
        execution.step = if self.value(execution, condition)?.holds() { execution.step + 1 } else { target };
        Ok(None)
    }

    fn sleep(
        &mut self,
        execution: &mut Execution,
        amount: &Expression,
        unit: f64,
    ) -> Result<Option<Next>, String> {
        let seconds = self.value(execution, amount)?.float()? * unit;
        if !(0.0..=LONGEST_PAUSE).contains(&seconds) {
            return Err(format!("\\sleep of {seconds} s"));
        }
        Ok(Some(Next::Sleep(Duration::from_secs_f64(seconds))))
    }

    fn send(&mut self, execution: &Execution) -> Result<Option<Next>, String> {
        let variables = self.variables.get(execution.connection).map_or(&[][..], Vec::as_slice);
        let sending = self.shared.programs[execution.script].sendings[execution.step].as_ref();
        let sending = sending.ok_or("a step that sends nothing")?;
        Ok(Some(Next::Send(sending.command(variables, &self.shared.names)?)))
    }

    /// Takes the only row of an answer into variables.
    fn gset(&mut self, execution: &Execution, prefix: &str, reply: &Reply<'_>) -> Result<(), String> {
        let Reply::Rows(rows) = reply else { return Err("\\gset after a command without rows".into()) };
        if rows.count() != 1 {
            return Err(format!("\\gset takes one row, and there are {}", rows.count()));
        }
        let Some(variables) = self.variables.get_mut(execution.connection) else { return Ok(()) };
        for (column, name) in rows.names().iter().enumerate() {
            // A name that no script uses needs none.
            let Some(variable) = self.shared.names.find(&format!("{prefix}{name}")) else { continue };
            variables[variable] = Some(match rows.get(0, column) {
                None => Value::Null,
                Some(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
            });
        }
        Ok(())
    }

    fn answered(&mut self, execution: &mut Execution, reply: &Reply<'_>) -> Next {
        let shared = Arc::clone(&self.shared);
        let program = &shared.programs[execution.script];
        let Some(Step::Sql { gset, line, .. }) = program.steps.get(execution.step) else {
            return self.go_on(execution);
        };
        self.sample(execution, reply);
        if let Reply::Error { code, text } = reply {
            let outcome = Outcome::Failed(format!("{}, line {line}: {text} ({code})", program.name));
            return Next::Done(outcome);
        }
        if let Some(prefix) = gset
            && let Err(why) = self.gset(execution, prefix, reply)
        {
            return Next::Done(Outcome::Failed(format!("{}, line {line}: {why}", program.name)));
        }
        execution.step += 1;
        self.go_on(execution)
    }

    /// Remembers the transaction of an execution that ended.
    fn note(&self, execution: &Execution, acknowledged: bool) {
        let program = &self.shared.programs[execution.script];
        if let Some(history) = self.shared.history.as_ref().filter(|_| program.writes_history)
            && let Some(variables) = self.variables.get(execution.connection)
        {
            history.note(variables, acknowledged);
        }
    }

    /// Remembers an execution, unless it is over.
    fn keep(&mut self, unit: &Unit, execution: Execution, next: Next) -> Next {
        if !matches!(next, Next::Done(_)) {
            self.executions.keep(unit, execution);
        }
        next
    }
}

impl Workload for Worker {
    fn operations(&self) -> &[String] {
        &self.shared.operations
    }

    fn statements(&self) -> &[PreparedStatement] {
        &self.shared.statements
    }

    fn begin(&mut self, connection: usize) -> (usize, Unit, Next) {
        let script = self.script();
        let (unit, next) = self.begin_script(script, connection);
        (script, unit, next)
    }

    fn reply(&mut self, unit: &Unit, reply: &Reply<'_>, open: bool) -> Next {
        let Some(mut execution) = self.executions.take(unit) else { return Next::unknown_unit() };
        execution.open = open;
        let next = self.answered(&mut execution, reply);
        if matches!(next, Next::Done(Outcome::Right { .. })) {
            self.note(&execution, true);
        }
        self.keep(unit, execution, next)
    }

    fn wake(&mut self, unit: &Unit) -> Next {
        let Some(mut execution) = self.executions.take(unit) else { return Next::unknown_unit() };
        execution.step += 1;
        let next = self.go_on(&mut execution);
        self.keep(unit, execution, next)
    }

    fn lost(&mut self, unit: Unit) {
        // Its variables belong to the connection, which is gone; its number it keeps.
        let Some(execution) = self.executions.take(&unit) else { return };
        // The last statement commits: before it nothing can have been.
        if execution.step + 1 == self.shared.programs[execution.script].steps.len() {
            self.note(&execution, false);
        }
        if let Some(variables) = self.variables.get_mut(execution.connection) {
            self.shared.forget(variables);
        }
    }

    fn finish(mut self: Box<Self>) {
        self.shared.keep(self.sampler.take());
    }
}

impl Scripted for Worker {
    fn script_statements(&self) -> Vec<ScriptStatement> {
        let programs = self.shared.programs.iter().enumerate();
        programs
            .flat_map(|(script, program)| (0..program.steps.len()).map(move |step| (script, step)))
            .filter_map(|(script, step)| self.shared.statement(script, step))
            .collect()
    }

    fn begin_script(&mut self, script: usize, connection: usize) -> (Unit, Next) {
        if self.variables.len() <= connection {
            self.variables.resize_with(connection + 1, Vec::new);
        }
        if self.variables[connection].is_empty() {
            self.variables[connection] = self.shared.client();
        }
        let mut execution = Execution { script, connection, step: 0, open: false };
        let next = self.go_on(&mut execution);
        let unit = self.executions.begin(execution);
        if matches!(next, Next::Done(_)) {
            self.executions.take(&unit);
        }
        (unit, next)
    }

    fn at(&self, unit: &Unit) -> Option<ScriptStatement> {
        let execution = self.executions.get(unit)?;
        self.shared.statement(execution.script, execution.step)
    }
}
