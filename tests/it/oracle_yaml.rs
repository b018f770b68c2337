//! Every row of the oracle table that Go answers deterministically, read by our reader.

use crate::support;

use coldframe::yaml::{self, Value};

#[test]
fn we_read_what_go_reads() {
    let Some(path) = support::shared("oracles/yaml.jsonl") else {
        return;
    };
    let table = std::fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    for line in table.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        if row.get("nondeterministic").is_some() {
            continue;
        }
        let input = row["input"].as_str().unwrap();
        let expected = row.get("json").map(|json| json.as_str().unwrap());
        let found = yaml::parse(input).ok().map(|node| node.to_value());
        let expected: Option<Value> = expected.map(|json| serde_json::from_str(json).unwrap());
        if found != expected {
            wrong.push(format!(
                "{} {input:?}: Go {expected:?}, we {found:?}",
                row["id"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
