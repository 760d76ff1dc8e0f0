//! Scripts: which commands they send, with which values, and how mistakes in them are reported.

mod history;

use std::time::Duration;

use weigh_load::TargetKind;
use weigh_load::workload::message::{Bulk, Command, Parameter, ParameterType, Reply, Rows};
use weigh_load::workload::script::{Defined, Language, Script, Scripts, Settings};
use weigh_load::workload::{Next, Outcome, Source, Unit, Workload};

fn settings(text: &str) -> Settings {
    let script = Script { name: "pay.sql".into(), text: Some(text.into()), weight: 1 };
    Settings {
        scripts: vec![script],
        seed: 1,
        variables: vec![("limit".into(), Defined::Whole(5))],
        language: Language::Sql,
        prepared: true,
        samples: 0,
        history: None,
        prepare: None,
    }
}

fn worker(text: &str) -> Box<dyn Workload> {
    Scripts::new(&settings(text)).unwrap().worker(0)
}

fn fault(text: &str) -> String {
    Scripts::new(&settings(text)).unwrap_err().to_string()
}

/// Runs a script once against a server that has done everything well, and notes what it was sent.
fn sent(worker: &mut dyn Workload) -> (Vec<String>, Outcome) {
    let (_, unit, mut next) = worker.begin(0);
    let mut sent = Vec::new();
    loop {
        next = match next {
            Next::Done(outcome) => return (sent, outcome),
            Next::Sleep(time) => {
                sent.push(format!("sleep {time:?}"));
                worker.wake(&unit)
            }
            Next::Send(command) => {
                sent.push(shown(worker, &command));
                worker.reply(&unit, &Reply::Count(1), false)
            }
        };
    }
}

fn shown(worker: &dyn Workload, command: &Command) -> String {
    match command {
        Command::Simple(text) => text.clone(),
        Command::Prepared { statement, values } => {
            let values: Vec<String> = values
                .iter()
                .map(|value| match value {
                    Parameter::Null => "NULL".into(),
                    Parameter::Int(value) => value.to_string(),
                    Parameter::Float(value) => value.to_string(),
                    Parameter::Bool(value) => value.to_string(),
                    Parameter::Text(text) => format!("'{}'", String::from_utf8_lossy(text)),
                })
                .collect();
            format!("{} [{}]", worker.statements()[*statement].text, values.join(", "))
        }
        other => panic!("{other:?}"),
    }
}

fn answer(worker: &mut dyn Workload, unit: &Unit, names: &[&str], row: &[Option<&str>]) -> Next {
    let names: Vec<String> = names.iter().map(|name| (*name).into()).collect();
    let mut bytes = Vec::new();
    let cells: Vec<_> = row
        .iter()
        .map(|value| {
            value.map(|value| {
                let begin = u32::try_from(bytes.len()).unwrap();
                bytes.extend_from_slice(value.as_bytes());
                begin..u32::try_from(bytes.len()).unwrap()
            })
        })
        .collect();
    worker.reply(unit, &Reply::Rows(Rows::new(&names, &bytes, &cells, &[cells.len()])), false)
}

#[test]
fn statements_are_split_and_their_variables_become_parameters() {
    let mut worker = worker(
        "-- a comment; with a semicolon\n\\set a 1 + 2\nSELECT :a, ':b;' , x::text, '12:30', \"q;\" /* ; :a */;\n\
         INSERT INTO t VALUES (:a,\n  :limit);;\n\
         DO $body$ BEGIN; END $body$; SELECT E'it\\'s;', $1;SELECT f(1;2) WHERE at = '10:00'::time",
    );
    let (sent, outcome) = sent(worker.as_mut());
    assert_eq!(outcome, Outcome::Right { verified: 0 });
    assert_eq!(
        sent,
        [
            "SELECT $1, ':b;' , x::text, '12:30', \"q;\" /* ; :a */ [3]",
            "INSERT INTO t VALUES ($1,\n  $2) [3, 5]",
            "DO $body$ BEGIN; END $body$ []",
            "SELECT E'it\\'s;', $1 []",
            "SELECT f(1;2) WHERE at = '10:00'::time []",
        ]
    );
}

#[test]
fn a_variable_in_quotes_is_replaced_in_text() {
    let mut worker = worker("\\set a 7\nSELECT 'row :a', :a;\nSELECT :a;");
    assert_eq!(sent(worker.as_mut()).0, ["SELECT 'row 7', 7", "SELECT $1 [7]"]);
    // At the end of a name it is no parameter either.
    let mut worker = self::worker("\\set a 7\nSELECT * FROM part_:a WHERE x = :a;");
    assert_eq!(sent(worker.as_mut()).0, ["SELECT * FROM part_7 WHERE x = 7"]);
    let mut plain = settings("\\set a 7\nSELECT :a, :a / 2.0;\nSELECT ':other';");
    plain.prepared = false;
    let mut worker = Scripts::new(&plain).unwrap().worker(0);
    assert_eq!(sent(worker.as_mut()).0, ["SELECT 7, 7 / 2.0", "SELECT ':other'"]);
    assert!(worker.statements().is_empty());
}

#[test]
fn what_is_defined_is_a_number_or_stands_as_text() {
    let mut defined = settings(
        "\\set id int(random_zipfian(1, 1000, :skew) / 1e6)\n\\set twice :skew * 2\nSELECT :id, 5-:below, ':skew', 5-:n \
         FROM :table WHERE :yes AND x IS :nothing;\nSELECT :twice;",
    );
    let text = |name: &str, text: &str| (name.to_owned(), Defined::Text(text.into()));
    defined.variables = vec![
        text("skew", "11e-1"),
        text("below", "-1.5"),
        text("table", "shop.orders"),
        text("yes", "true"),
        text("nothing", "null"),
        ("n".into(), Defined::Whole(-3)),
    ];
    let mut worker = Scripts::new(&defined).unwrap().worker(0);
    let expected = [
        "SELECT $1, 5-(-1.5), '11e-1', 5-$2 FROM shop.orders WHERE true AND x IS null [0, -3]",
        "SELECT $1 [2.2]",
    ];
    assert_eq!(sent(worker.as_mut()).0, expected);
    let types: Vec<Vec<ParameterType>> = worker.statements().iter().map(|one| one.types.clone()).collect();
    assert_eq!(types, [vec![ParameterType::Bigint, ParameterType::Integer], vec![ParameterType::Numeric]]);
    defined.prepared = false;
    let mut worker = Scripts::new(&defined).unwrap().worker(0);
    let expected =
        ["SELECT 0, 5--1.5, '11e-1', 5--3 FROM shop.orders WHERE true AND x IS null", "SELECT 2.2"];
    assert_eq!(sent(worker.as_mut()).0, expected);
}

#[test]
fn a_text_where_a_number_is_needed_is_named() {
    let mut defined = settings("\\set a :table + 1\nSELECT :a;");
    defined.variables = vec![("table".into(), Defined::Text("orders".into()))];
    let (_, outcome) = sent(Scripts::new(&defined).unwrap().worker(0).as_mut());
    let Outcome::Failed(why) = outcome else { panic!("{outcome:?}") };
    assert_eq!(why, "pay.sql, line 1: variable table: \"orders\" is no number and no boolean");
}

#[test]
fn branches_go_where_their_conditions_lead() {
    for (value, expected) in [
        (1, &["SELECT 'one' []", "SELECT 'end' []"][..]),
        (2, &["SELECT 'two' []", "SELECT 'inner' []", "SELECT 'end' []"]),
        (3, &["sleep 2.5ms", "sleep 3s", "SELECT 'end' []"]),
    ] {
        let mut worker = worker(&format!(
            "\\set x {value}\n\\if :x = 1\n SELECT 'one';\n\\elif :x = 2\n SELECT 'two';\n \\if true\n SELECT 'inner';\n \
             \\else\n SELECT 'never';\n \\endif\n\\else\n \\sleep 2500us\n \\sleep :x s\n\\endif\nSELECT 'end';"
        ));
        assert_eq!(sent(worker.as_mut()).0, expected);
    }
}

#[test]
fn a_row_becomes_variables() {
    let mut worker = worker("SELECT 40 AS a, NULL AS n \\gset p_\n\\set b :p_a + 2\nSELECT :b, :p_a, :p_n;");
    let (_, unit, next) = worker.begin(0);
    assert!(matches!(next, Next::Send(_)));
    let next = answer(worker.as_mut(), &unit, &["a", "n", "other"], &[Some("40"), None, Some("x")]);
    let Next::Send(command) = next else { panic!("{next:?}") };
    assert_eq!(shown(worker.as_ref(), &command), "SELECT $1, $2, $3 [42, '40', NULL]");
    // Within quotes, what a row has set is replaced, and the rest is left.
    let mut quoted = self::worker("SELECT 'zwei' AS two \\gset\nSELECT ':two', ':three', 'a::two';");
    let (_, unit, _) = quoted.begin(0);
    let next = answer(quoted.as_mut(), &unit, &["two"], &[Some("zwei")]);
    let Next::Send(command) = next else { panic!("{next:?}") };
    assert_eq!(shown(quoted.as_ref(), &command), "SELECT 'zwei', ':three', 'a::two'");
    // No row is an error of the unit, and so is a variable that no row has set.
    let (_, unit, _) = worker.begin(1);
    let next = worker.reply(&unit, &Reply::Rows(Rows::new(&[], &[], &[], &[])), false);
    assert!(
        matches!(&next, Next::Done(Outcome::Failed(text)) if text.contains("line 1") && text.contains("one row"))
    );
    let (_, unit, _) = worker.begin(2);
    let next = answer(worker.as_mut(), &unit, &["z"], &[Some("1")]);
    assert!(matches!(&next, Next::Done(Outcome::Failed(text)) if text.contains("p_a has no value")));
}

#[test]
fn errors_and_open_transactions_end_a_unit() {
    let mut worker = worker("BEGIN;\nSELECT 1 / :zero;\nEND;\\set zero 0");
    let (_, unit, next) = worker.begin(0);
    assert!(matches!(next, Next::Send(_)));
    // The variable is only set at the end, as it was not known when the script was read.
    let next = worker.reply(&unit, &Reply::Count(0), true);
    assert!(
        matches!(&next, Next::Done(Outcome::Failed(text)) if text.contains("line 2") && text.contains("zero"))
    );
    let mut worker = self::worker("BEGIN;");
    let (_, unit, _) = worker.begin(0);
    let next = worker.reply(&unit, &Reply::Count(0), true);
    assert!(matches!(&next, Next::Done(Outcome::Failed(text)) if text.contains("inside a transaction")));
    let (_, unit, _) = worker.begin(0);
    let next = worker.reply(&unit, &Reply::Error { code: "42P01", text: "no table" }, false);
    assert_eq!(format!("{next:?}"), "Done(Failed(\"pay.sql, line 1: no table (42P01)\"))");
}

#[test]
fn variables_belong_to_a_connection_and_outlive_the_script() {
    let mut worker = worker(
        "\\if :n is null\n\\set n 0\n\\endif\n\\set n :n + 1\nSELECT :n, :client_id;\n-- \\set n null",
    );
    let first = sent(worker.as_mut());
    assert!(matches!(&first.1, Outcome::Failed(text) if text.contains("n has no value")), "{first:?}");
    let mut defined = settings("\\set n :n + 1\nSELECT :n, :client_id;");
    defined.variables = vec![("n".into(), Defined::Whole(0))];
    let source = Scripts::new(&defined).unwrap();
    let (mut one, mut two) = (source.worker(0), source.worker(1));
    assert_eq!(sent(one.as_mut()).0, ["SELECT $1, $2 [1, 0]"]);
    assert_eq!(sent(one.as_mut()).0, ["SELECT $1, $2 [2, 0]"]);
    assert_eq!(sent(two.as_mut()).0, ["SELECT $1, $2 [1, 1]"]);
    let (_, unit, _) = one.begin(0);
    one.lost(unit);
    assert_eq!(sent(one.as_mut()).0, ["SELECT $1, $2 [1, 0]"]);
}

#[test]
fn what_is_wrong_is_named_with_line_and_column() {
    for (text, place, words) in [
        ("SELECT 1;\n\\set x 1 +\nSELECT 2;", "line 2, column 11", "the end of the line"),
        ("SELECT 1;\n\\set x foo(1)", "line 2, column 8", "no function foo"),
        ("SELECT 1;\n\n  \\foo", "line 3, column 3", "no meta command \\foo"),
        ("\\setshell x date\nSELECT 1;", "line 1, column 1", "refused"),
        ("SELECT 1\\; SELECT 2;", "line 1, column 9", "one transaction"),
        ("\\startpipeline\nSELECT 1;", "line 1, column 1", "pipeline"),
        ("SELECT :missing;", "line 1, column 8", "set nowhere; add \\set missing"),
        ("SELECT 1;\n\\set a :gone * 2", "line 2, column 8", ":gone is set nowhere"),
        ("SELECT 1;\n\\sleep 5 minutes", "line 2, column 8", "us, ms and s"),
        ("\\if 1\nSELECT 1;", "line 1, column 1", "\\endif"),
        ("SELECT 1;\n\\endif", "line 2, column 1", "without an \\if"),
        ("\\if 1\n\\else\n\\elif 1\n\\endif\nSELECT 1;", "line 3, column 1", "after \\else"),
        ("SELECT 'open;\n", "line 1, column 8", "not closed"),
        ("SELECT /* open;\n", "line 1, column 8", "*/"),
        ("SELECT $a$ open;\n", "line 1, column 8", "$a$"),
        ("\\gset\nSELECT 1;", "line 1, column 1", "SQL command before"),
        ("\\set 1x 5\nSELECT 1;", "line 1, column 6", "the name of a variable"),
        ("-- nothing", "line 1, column 1", "sends nothing"),
    ] {
        let message = fault(text);
        assert!(message.starts_with(&format!("script pay.sql, {place}: ")), "{text}: {message}");
        assert!(message.contains(words), "{text}: {message}");
    }
}

#[test]
fn built_in_scripts_do_what_the_documentation_says() {
    let script = |name: &str, weight| Script { name: name.into(), text: None, weight };
    let scripts = vec![script("tpcb-like", 1), script("simple-update", 2), script("select-only", 7)];
    let settings = Settings {
        scripts,
        seed: 3,
        variables: vec![("scale".into(), Defined::Whole(4))],
        language: Language::Sql,
        prepared: true,
        samples: 0,
        history: None,
        prepare: None,
    };
    let source = Scripts::new(&settings).unwrap();
    let mut worker = source.worker(0);
    assert_eq!(worker.operations(), ["tpcb-like", "simple-update", "select-only"]);
    let mut counts = [0; 3];
    for _ in 0..10_000 {
        let (operation, unit, mut next) = worker.begin(0);
        counts[operation] += 1;
        let mut commands = 0;
        while let Next::Send(command) = next {
            commands += 1;
            if let Command::Prepared { values, .. } = &command
                && let Some(Parameter::Int(last)) = values.last()
            {
                assert!((-5_000..=400_000).contains(last));
            }
            next = worker.reply(&unit, &Reply::Count(1), false);
        }
        assert_eq!(commands, [7, 5, 1][operation]);
    }
    // Weights of 1, 2 and 7; five standard deviations are at most 250.
    for (count, expected) in counts.iter().zip([1_000_i32, 2_000, 7_000]) {
        assert!((count - expected).abs() < 250, "{counts:?}");
    }
    assert!(matches!(source.bulk(TargetKind::Postgres), Some(Bulk::Sql { rows: 400_044, .. })));
    let unknown = Settings { scripts: vec![script("tpcc", 1)], ..settings.clone() };
    assert!(
        Scripts::new(&unknown).unwrap_err().to_string().contains("tpcb-like, simple-update, select-only")
    );
    let idle = Settings { scripts: vec![script("tpcb-like", 0)], ..settings };
    assert!(Scripts::new(&idle).unwrap_err().to_string().contains("weight"));
}

#[test]
fn sleeping_is_left_to_the_loop() {
    let mut worker = worker("\\sleep 1 ms\nSELECT 1;");
    let (_, unit, next) = worker.begin(0);
    assert!(matches!(next, Next::Sleep(time) if time == Duration::from_millis(1)));
    assert!(matches!(worker.wake(&unit), Next::Send(_)));
}

#[test]
fn requests_of_http_are_read_before_the_run() {
    let with =
        |text: &str| Scripts::new(&Settings { language: Language::Http, ..settings(text) }).map(|_| ());
    assert!(with("\\set id random(1, 9)\nGET /items/:id;\nPOST /q?a=:id\nX-A: b\n\nSELECT :id;").is_ok());
    assert!(with("GET;").is_ok());
    for (text, line, words) in [
        ("SELECT 1;", 1, "begins with its method"),
        ("GET /a;\n\nget /b;", 3, "begins with its method"),
        ("GET items;", 1, "begins with a slash"),
        ("GET /a b;", 1, "%-encoded"),
        ("POST /\nSELECT 1;", 1, "is no header"),
        ("POST /\nHost: here\n\nx;", 1, "weigh's to send"),
        ("POST /\ncontent-length: 3\n\nx;", 1, "weigh's to send"),
    ] {
        let error = with(text).unwrap_err();
        assert_eq!(error.script_line().unwrap().line, line, "{text:?}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let mut worker = Scripts::new(&Settings {
        language: Language::Http,
        ..settings("POST /a/:limit\n\n{\"n\": :limit};")
    })
    .unwrap()
    .worker(0);
    let (_, _, next) = worker.begin(0);
    let Next::Send(Command::Simple(text)) = next else { panic!("{next:?}") };
    assert_eq!(text, "POST /a/5\n\n{\"n\": 5}");
}

#[test]
fn a_batch_of_cql_is_one_statement() {
    let batch = "BEGIN UNLOGGED BATCH\n INSERT INTO t (k) VALUES (:limit);\n UPDATE t SET v = 1 WHERE k = 2;\nAPPLY BATCH";
    let mut worker = worker(&format!("{batch};\nSELECT 1;\nBEGIN;\nCOMMIT;"));
    let (sent, _) = sent(worker.as_mut());
    assert_eq!(sent.len(), 4, "{sent:?}");
    assert!(sent[0].contains("VALUES ($1);") && sent[0].contains("APPLY BATCH"), "{sent:?}");
    assert!(
        fault("SELECT 1;\nBEGIN BATCH INSERT INTO t (k) VALUES (1);").contains("without its APPLY BATCH")
    );
}

#[test]
fn commands_after_which_no_answer_has_an_end_are_refused() {
    let of = |text: &str| {
        let settings = Settings { language: Language::Resp { cluster: false }, ..settings(text) };
        Scripts::new(&settings).err().map(|error| error.to_string())
    };
    for text in ["subscribe news;", "PSUBSCRIBE n*;", "MONITOR;", "CLIENT REPLY OFF;", "HELLO 3;", "QUIT;"] {
        assert!(of(text).is_some_and(|why| why.contains("leave it out")), "{text}");
    }
    assert_eq!(of("CLIENT INFO;\nPUBLISH news 1;\nGET monitor;"), None);
}
