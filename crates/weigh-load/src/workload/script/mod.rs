//! Scripts in the language of pgbench, so that existing ones run as they are.
//!
//! `docs/reference/workloads.md#scripts` says what of the language there is. Expressions are worked out, and statements split, before the
//! clock runs as far as that is possible: what is left for a run is to draw numbers and to fill in parameters.

mod builtin;
mod distributions;
mod durability;
mod evaluate;
mod expression;
mod functions;
mod kinds;
mod lexer;
mod parse;
mod position;
mod sampling;
mod statement;
mod step;
mod value;
mod variables;
mod worker;

use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::ask::Sample;
use crate::cluster::unfit;
use crate::config::TargetKind;
use crate::error::{Error, ScriptLine};
use crate::protocol::http::Request;
use crate::protocol::resp::words::{endless, words};
use crate::random::scatter;
use crate::workload::durability::Examiner;
use crate::workload::message::{Bulk, ParameterType, PreparedStatement};
use crate::workload::{ScriptStatement, Scripted, Source, Workload};

use serde::Deserialize;

use durability::{History, Transactions};
use functions::DEFAULT_SEED;
use kinds::Kind;
use position::{Position, ScriptError};
use statement::Sending;
use step::Step;
use value::Value;
use variables::Variables;
use worker::Worker;

/// The highest number of a connection: between two addresses there are no more.
const MOST_CLIENTS: i64 = 65_535;

/// A script, and how often it is run among others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Its name in reports and errors.
    pub name: String,
    /// Its text; nothing for the one of `tpcb-like`, `simple-update` and `select-only` that has the name.
    pub text: Option<String>,
    /// Its share is this out of the sum of all; with 0 it is never run.
    pub weight: u32,
}

/// What to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The scripts, one at least.
    pub scripts: Vec<Script>,
    /// Of all random numbers.
    pub seed: u64,
    /// Variables that are there at the beginning, as `--define` has them.
    pub variables: Vec<(String, Defined)>,
    /// What the statements are.
    pub language: Language,
    /// Whether statements are prepared once for each connection, or sent as text each time.
    pub prepared: bool,
    /// Requests that each thread keeps with their answers, drawn at random.
    pub samples: usize,
    /// Whether to remember every transaction of the built-in scripts that write, and then whether all that is in their
    /// tables is of this run.
    pub history: Option<bool>,
    /// A file of SQL that makes the data.
    pub prepare: Option<PathBuf>,
}

/// What a variable is defined as.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Defined {
    /// A whole number.
    Whole(i64),
    /// What stands in its place in SQL; in an expression another number, a boolean or NULL, if it reads as one.
    Text(String),
}

/// What stands between the commands of a script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// SQL.
    #[default]
    Sql,
    /// Requests of HTTP: method and path, headers, an empty line, a body.
    Http,
    /// Commands of Redis and Valkey, as their client takes them.
    Resp {
        /// Whether each goes to the node of a cluster that has its keys.
        cluster: bool,
    },
}

/// A script that is ready to run.
#[derive(Debug)]
struct Program {
    name: String,
    steps: Vec<Step>,
    /// How the SQL of a step is sent; nothing for the other steps.
    sendings: Vec<Option<Sending>>,
    weight: u32,
    /// Whether it is a built-in one that writes `pgbench_history`.
    writes_history: bool,
}

/// A run of scripts: what its threads share.
#[derive(Debug)]
pub struct Scripts {
    programs: Vec<Program>,
    names: Variables,
    /// The values at the beginning of every connection.
    initial: Vec<Option<Value>>,
    client_id: usize,
    /// Connections that have a number.
    clients: AtomicI64,
    statements: Vec<PreparedStatement>,
    operations: Vec<String>,
    weights: u64,
    seed: u64,
    /// Where the built-in scripts are run, and nothing else: the scale of their tables.
    scale: Option<u64>,
    samples: usize,
    /// What the threads have kept, when they have ended.
    kept: Mutex<Vec<Sample>>,
    /// Where it is kept: the transactions of the built-in scripts.
    history: Option<History>,
    prepare: Option<PathBuf>,
}

impl Scripts {
    /// Reads the scripts.
    ///
    /// # Errors
    ///
    /// [`Error::Script`]: a script has an error. [`Error::Setting`]: no script has a weight, or there is no built-in
    /// script of a name.
    pub fn new(settings: &Settings) -> Result<Arc<Self>, Error> {
        let mut names = Variables::default();
        let defaults = defaults(settings);
        for (name, _) in &defaults {
            names.set(name);
        }
        let client_id = names.set("client_id");
        let (mut programs, mut own) = (Vec::new(), false);
        for (number, script) in settings.scripts.iter().enumerate() {
            let text = match &script.text {
                Some(text) => {
                    own = true;
                    text.clone()
                }
                None => builtin::text(&script.name).ok_or_else(|| {
                    let known = builtin::NAMES.join(", ");
                    Error::Setting(format!("no built-in script {}; there are {known}", script.name))
                })?,
            };
            let steps = parse::parse(&text, &mut names).map_err(|error| error.of(&script.name))?;
            match settings.language {
                Language::Sql => Ok(()),
                Language::Http => check(&steps, |text| Request::read(text).map(drop)),
                Language::Resp { cluster } => check(&steps, |text| {
                    let words = words(text)?;
                    if let Some(why) = endless(&words) {
                        return Err(why);
                    }
                    if cluster { unfit(&words).map_or(Ok(()), Err) } else { Ok(()) }
                }),
            }
            .map_err(|error| error.of(&script.name))?;
            names.in_script(number);
            let Script { name, weight, .. } = script.clone();
            let writes_history = script.text.is_none() && builtin::writes_history(&name) && weight > 0;
            programs.push(Program { name, steps, sendings: Vec::new(), weight, writes_history });
        }
        let weights = programs.iter().map(|program| u64::from(program.weight)).sum();
        if weights == 0 {
            return Err(Error::Setting("no script has a weight above 0".into()));
        }
        check_names(&programs, &names)?;
        let initial = initial(&defaults, &programs, &mut names);
        let steps: Vec<&[Step]> = programs.iter().map(|program| program.steps.as_slice()).collect();
        let mut first: Vec<Kind> =
            initial.iter().map(|value| value.as_ref().map_or(Kind::Nothing, Kind::read)).collect();
        if initial[client_id].is_none() {
            first[client_id] = Kind::Whole { least: 0, most: MOST_CLIENTS };
        }
        let types: Vec<ParameterType> =
            kinds::kinds(&steps, first, &names).into_iter().map(Kind::parameter).collect();
        let mut statements = Vec::new();
        for program in &mut programs {
            program.sendings = sendings(
                program,
                &names,
                (settings.prepared && settings.language == Language::Sql).then_some(&types),
                &mut statements,
            );
        }
        let scale = names.find("scale").and_then(|scale| match initial[scale] {
            Some(Value::Int(scale)) if !own => u64::try_from(scale).ok(),
            _ => None,
        });
        let history = settings
            .history
            .filter(|_| programs.iter().any(|program| program.writes_history))
            .and_then(|whole| History::new(whole && !own, |name| names.find(name)));
        let operations = programs.iter().map(|program| program.name.clone()).collect();
        let seed = settings.seed;
        Ok(Arc::new(Self {
            programs,
            names,
            initial,
            client_id,
            clients: AtomicI64::new(0),
            statements,
            operations,
            weights,
            seed,
            scale,
            samples: settings.samples,
            kept: Mutex::default(),
            history,
            prepare: settings.prepare.clone(),
        }))
    }
}

impl Scripts {
    /// Whether no other script writes than the built-in one of this name.
    fn runs_only(&self, name: &str) -> bool {
        self.programs.iter().all(|program| !program.writes_history || program.name == name)
    }

    /// The variables of a new connection, which gets the next number.
    fn client(&self) -> Vec<Option<Value>> {
        let mut variables = self.initial.clone();
        // As in pgbench, a number that was defined stays.
        variables[self.client_id]
            .get_or_insert_with(|| Value::Int(self.clients.fetch_add(1, Ordering::Relaxed)));
        variables
    }

    /// Takes what a thread has kept.
    fn keep(&self, samples: Vec<Sample>) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).extend(samples);
    }

    /// The statement of a step.
    fn statement(&self, script: usize, step: usize) -> Option<ScriptStatement> {
        let program = self.programs.get(script)?;
        let Step::Sql { statement, line, .. } = program.steps.get(step)? else { return None };
        Some(ScriptStatement { script: program.name.clone(), line: *line, text: statement.text() })
    }

    /// Sets the variables of a connection back to those at the beginning.
    fn forget(&self, variables: &mut [Option<Value>]) {
        let client_id = variables[self.client_id].take();
        variables.clone_from_slice(&self.initial);
        variables[self.client_id] = client_id;
    }
}

/// Whether every statement is one of its language, whatever number stands for its variables.
fn check(steps: &[Step], read: impl Fn(&str) -> Result<(), String>) -> Result<(), ScriptError> {
    for step in steps {
        if let Step::Sql { statement, line, .. } = step {
            let position = Position { line: *line, column: 1 };
            read(&statement.filled("0")).map_err(|why| ScriptError::new(position, why))?;
        }
    }
    Ok(())
}

/// Variables of every run, and those that were defined, which come last and so stay.
fn defaults(settings: &Settings) -> Vec<(String, Defined)> {
    let seed = settings.seed.cast_signed();
    let hash_seed = scatter(settings.seed).cast_signed();
    let own = [("scale", 1), ("random_seed", seed), (DEFAULT_SEED, hash_seed)];
    own.into_iter()
        .map(|(name, value)| (name.into(), Defined::Whole(value)))
        .chain(settings.variables.iter().cloned())
        .collect()
}

/// The values at the beginning. A text that nothing changes is fixed; one that something does is what it reads as.
fn initial(
    defaults: &[(String, Defined)],
    programs: &[Program],
    names: &mut Variables,
) -> Vec<Option<Value>> {
    let steps: Vec<&[Step]> = programs.iter().map(|program| program.steps.as_slice()).collect();
    let changed = kinds::set(&steps, names);
    let mut initial = vec![None; names.count()];
    for (name, value) in defaults {
        let number = names.set(name);
        initial[number] = Some(match value {
            Defined::Whole(value) => Value::Int(*value),
            Defined::Text(text) if changed.contains(&number) => {
                Value::read(text).unwrap_or_else(|_| Value::Text(text.clone()))
            }
            Defined::Text(text) => {
                names.fix(number, text);
                Value::Text(text.clone())
            }
        });
    }
    initial
}

/// A variable that nothing sets is an error, unless a row may set it: of `\gset`, the names are not known before.
fn check_names(programs: &[Program], names: &Variables) -> Result<(), Error> {
    match names.unset() {
        Some((name, script, position)) if !names.are_set_by_rows() => {
            let what = format!("variable :{name} is set nowhere; add \\set {name}, or --define {name}=...");
            Err(ScriptError::new(position, what).of(programs.get(script).map_or("", |program| &program.name)))
        }
        _ => Ok(()),
    }
}

fn sendings(
    program: &Program,
    names: &Variables,
    prepared: Option<&Vec<ParameterType>>,
    statements: &mut Vec<PreparedStatement>,
) -> Vec<Option<Sending>> {
    let sending = |step: &Step| {
        let Step::Sql { statement, line, .. } = step else { return None };
        let Some(types) = prepared else { return Some(statement.sending(names, None)) };
        // The same statement elsewhere is prepared once.
        let mut number = |text: String, parameters: &[usize]| {
            let types: Vec<ParameterType> = parameters.iter().map(|number| types[*number]).collect();
            let known = |other: &PreparedStatement| other.text == text && other.types == types;
            statements.iter().position(known).unwrap_or_else(|| {
                let at = Some(ScriptLine { script: program.name.clone(), line: *line });
                statements.push(PreparedStatement { text, types, at });
                statements.len() - 1
            })
        };
        Some(statement.sending(names, Some(&mut number)))
    };
    program.steps.iter().map(sending).collect()
}

impl Source for Arc<Scripts> {
    fn worker(&self, thread: usize) -> Box<dyn Workload> {
        Box::new(Worker::new(Arc::clone(self), thread))
    }

    fn bulk(&self, kind: TargetKind) -> Option<Bulk> {
        match &self.prepare {
            Some(file) => Some(Bulk::File(file.clone())),
            None => self.scale.map(|scale| builtin::bulk(scale, kind)),
        }
    }

    fn scripted(&self) -> Option<Box<dyn Scripted>> {
        Some(Box::new(Worker::apart(Arc::clone(self))))
    }

    fn samples(&self) -> Vec<Sample> {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn examiner(&self) -> Option<Box<dyn Examiner>> {
        Transactions::of(self).map(|reader| Box::new(reader) as Box<dyn Examiner>)
    }
}
