//! Kubernetes label selectors.

use std::collections::BTreeMap;

/// `matchLabels` and `matchExpressions`, all of which must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {
    /// Labels with exactly these values.
    pub match_labels: BTreeMap<String, String>,
    /// Further requirements.
    pub match_expressions: Vec<Requirement>,
}

/// One entry of `matchExpressions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The label's key.
    pub key: String,
    /// How `values` are compared.
    pub operator: Operator,
    /// Empty for `Exists` and `DoesNotExist`, otherwise at least one.
    pub values: Vec<String>,
}

/// The operators of a label selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The label is there with one of the values.
    In,
    /// The label is not there, or with none of the values.
    NotIn,
    /// The label is there.
    Exists,
    /// The label is not there.
    DoesNotExist,
}

impl LabelSelector {
    /// Whether it has no requirement, and so matches everything.
    pub fn is_empty(&self) -> bool {
        self.match_labels.is_empty() && self.match_expressions.is_empty()
    }

    /// How many requirements it has: the more, the more specific.
    pub fn specificity(&self) -> usize {
        self.match_labels.len() + self.match_expressions.len()
    }

    /// Whether an object with `labels` is selected, as `LabelSelectorAsSelector` of apimachinery
    /// decides it: an absent label satisfies `NotIn`.
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.match_labels
            .iter()
            .all(|(key, value)| labels.get(key) == Some(value))
            && self.match_expressions.iter().all(|requirement| {
                let value = labels.get(&requirement.key);
                match requirement.operator {
                    Operator::In => value.is_some_and(|value| requirement.values.contains(value)),
                    Operator::NotIn => {
                        value.is_none_or(|value| !requirement.values.contains(value))
                    }
                    Operator::Exists => value.is_some(),
                    Operator::DoesNotExist => value.is_none(),
                }
            })
    }
}
