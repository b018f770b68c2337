//! What our writer writes, Go reads: `sigs.k8s.io/yaml`, which reads for the API server, Flux and
//! Helm, and go-yaml v3, which reads for kustomize.

use crate::support;

use std::io::Write;
use std::process::{Command, Stdio};

use coldframe::yaml::{self, Map, Value};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;

/// How Go reads each text: by sigs.k8s.io/yaml, and by go-yaml v3.
fn read_by_go(texts: &[String]) -> Option<Vec<[Option<Value>; 2]>> {
    let program = support::go_program("yaml")?;
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let questions: String = texts
        .iter()
        .map(|text| format!("{}\n", json!({"id": "", "yaml": text})))
        .collect();
    let writer = std::thread::spawn(move || stdin.write_all(questions.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    let value =
        |answer: &Value, key: &str| serde_json::from_str(answer[key].as_str().unwrap()).ok();
    let answers = answers.lines().map(|line| {
        let answer: Value = serde_json::from_str(line).unwrap();
        [value(&answer, "json"), value(&answer, "v3")]
    });
    Some(answers.collect())
}

fn written(value: &Value) -> String {
    let mut text = String::new();
    yaml::write(value, &mut text);
    text
}

fn assert_read_back(values: &[Value]) {
    let texts: Vec<String> = values.iter().map(written).collect();
    let Some(answers) = read_by_go(&texts) else {
        return;
    };
    assert_eq!(answers.len(), values.len());
    for ((value, text), answers) in values.iter().zip(&texts).zip(answers) {
        for answer in answers {
            assert_eq!(answer.as_ref(), Some(value), "{text}");
        }
    }
}

/// The string as a value, as an item, as a key, and below other keys.
fn everywhere(text: &str) -> Value {
    let mut map = Map::new();
    map.insert(
        "value".into(),
        json!({"deep": text, "list": [text, {"in": text}, [text]]}),
    );
    map.insert(text.to_owned(), json!({text: 1}));
    Value::Object(map)
}

#[test]
fn every_string_of_the_quoting_table_survives() {
    let Some(path) = support::shared("oracles/quoting.tsv") else {
        return;
    };
    let table = std::fs::read_to_string(path).unwrap();
    let strings = table
        .lines()
        .skip(1)
        .map(|line| line.split('\t').next().unwrap());
    let values: Vec<Value> = strings
        .map(|string| everywhere(serde_json::from_str::<String>(string).unwrap().as_str()))
        .collect();
    assert_read_back(&values);
}

#[test]
fn hostile_strings_survive() {
    let strategies = [
        "[ -~\n\t\r\u{85}\u{a0}\u{2028}é🌱\u{feff}]{0,12}",
        "[-+.0-9eExXob_:TZ ,#]{0,10}",
        "(a|\n| |\t|: |- |#|\"|'|\\||>|&|\\*|!|%|@|`|\\{|\\}|\\[|\\]|,|\\?){1,8}",
        "(?i)[-+]?(true|false|yes|no|on|off|y|n|null|~|\\.inf|\\.nan|<<|=|0x|0b1|0o7|1e5|1_0)[ :]?",
    ];
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut values = Vec::new();
    for pattern in strategies {
        let strategy = proptest::string::string_regex(pattern).unwrap();
        for _ in 0..2_500 {
            values.push(everywhere(
                &strategy.new_tree(&mut runner).unwrap().current(),
            ));
        }
    }
    assert_read_back(&values);
}

#[test]
fn numbers_survive() {
    let numbers = [0.25, -0.5, 1e21, 1.5e-7, 123_456_789.25, 1e300, 5e-324].map(Value::from);
    let integers = [0, -1, i64::MIN, i64::MAX].map(Value::from);
    let values: Vec<Value> = numbers
        .into_iter()
        .chain(integers)
        .map(|number| json!({"n": number}))
        .collect();
    assert_read_back(&values);
}
