//! Tiers: an ordered partition of a preset's clusters.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::model::{Cluster, Preset, RolloutPolicy, Unmatched, World};

/// The one tier of a preset that no policy governs.
pub const DEFAULT_TIER: &str = "default";

/// A tier and those of a preset's clusters that are in it, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct TierClusters<'a> {
    /// Name of the tier.
    pub name: &'a str,
    /// Its clusters, ordered by name.
    pub clusters: Vec<&'a Cluster>,
}

/// The policy that governs `preset`: the one that it names, else the one whose selector matches
/// its labels with the most requirements; two with equally many are an error.
///
/// # Errors
/// The named policy does not exist, or two match equally well.
pub fn governing<'a>(
    world: &'a World,
    preset: &Preset,
) -> Result<Option<&'a RolloutPolicy>, Box<Diagnostic>> {
    let object = preset.meta.object("PluginPreset");
    let mut candidates = world
        .policies
        .values()
        .filter(|policy| policy.meta.namespace == preset.meta.namespace);
    if let Some(name) = &preset.policy {
        return candidates.find(|policy| policy.meta.name == *name).map(Some).ok_or_else(|| {
            Box::new(
                Diagnostic::error(Code::PolicyConflict, format!("there is no RolloutPolicy `{name}`"))
                    .at(&preset.meta.location)
                    .about(&object)
                    .hint("the annotation `coldframe.dev/policy` names a policy in the preset's namespace"),
            )
        });
    }
    let mut best: Option<&RolloutPolicy> = None;
    let mut tie: Option<&RolloutPolicy> = None;
    for policy in candidates.filter(|policy| policy.preset_selector.matches(&preset.meta.labels)) {
        let specificity = policy.preset_selector.specificity();
        match best.map(|best| specificity.cmp(&best.preset_selector.specificity())) {
            None | Some(std::cmp::Ordering::Greater) => (best, tie) = (Some(policy), None),
            Some(std::cmp::Ordering::Equal) => tie = Some(policy),
            Some(std::cmp::Ordering::Less) => {}
        }
    }
    match (best, tie) {
        (Some(one), Some(other)) => Err(Box::new(
            Diagnostic::error(
                Code::PolicyConflict,
                format!(
                    "the policies `{}` ({}) and `{}` ({}) match this preset equally well",
                    one.meta.name, one.meta.location, other.meta.name, other.meta.location
                ),
            )
            .at(&preset.meta.location)
            .about(&object)
            .expected("one policy whose `presetSelector` is the most specific")
            .hint("add a requirement to one of the selectors, or name a policy with the annotation `coldframe.dev/policy`"),
        )),
        _ => Ok(best),
    }
}

/// Divides `clusters` (ordered by name) into the policy's tiers, in their order. A cluster that
/// matches several is in the first, and that is reported; one that matches none is treated as
/// the policy says: where that is an error, it is reported and added to `refused`.
pub fn tiers<'a>(
    policy: Option<&'a RolloutPolicy>,
    clusters: &[&'a Cluster],
    refused: &mut Vec<&'a Cluster>,
    diagnostics: &mut Diagnostics,
) -> Vec<TierClusters<'a>> {
    let Some(policy) = policy else {
        return vec![TierClusters {
            name: DEFAULT_TIER,
            clusters: clusters.to_vec(),
        }];
    };
    let mut tiers: Vec<TierClusters<'a>> = policy
        .tiers
        .iter()
        .map(|tier| TierClusters {
            name: &tier.name,
            clusters: Vec::new(),
        })
        .collect();
    for cluster in clusters {
        let labels = &cluster.meta.labels;
        let mut matching = policy
            .tiers
            .iter()
            .enumerate()
            .filter(|(_, tier)| tier.cluster_selector.matches(labels));
        let first = matching.next();
        if let (Some((_, first)), Some((_, second))) = (first, matching.next()) {
            diagnostics.push(
                Diagnostic::error(
                    Code::TierOverlap,
                    format!(
                        "cluster `{}` is in the tiers `{}` and `{}` of policy `{}`",
                        cluster.meta.name, first.name, second.name, policy.meta.name
                    ),
                )
                .at(&second.location)
                .about(&policy.meta.object("RolloutPolicy"))
                .expected("selectors of which at most one matches each cluster"),
            );
        }
        match (first, policy.unmatched) {
            (Some((index, _)), _) => tiers[index].clusters.push(cluster),
            (None, Unmatched::Last) => {
                diagnostics.push(unmatched(
                    policy,
                    cluster,
                    Diagnostic::warning,
                    "so it is in the last",
                ));
                if let Some(last) = tiers.last_mut() {
                    last.clusters.push(cluster);
                }
            }
            (None, Unmatched::Ignore) => {}
            (None, Unmatched::Error) => {
                refused.push(cluster);
                diagnostics.push(unmatched(
                    policy,
                    cluster,
                    Diagnostic::error,
                    "and the policy says that this is an error",
                ));
            }
        }
    }
    tiers
}

fn unmatched(
    policy: &RolloutPolicy,
    cluster: &Cluster,
    severity: fn(Code, String) -> Diagnostic,
    consequence: &str,
) -> Diagnostic {
    let message = format!(
        "cluster `{}` is in no tier of policy `{}`, {consequence}",
        cluster.meta.name, policy.meta.name
    );
    severity(Code::TierUnmatched, message)
        .at(&cluster.meta.location)
        .about(&cluster.meta.object("Cluster"))
        .hint("give the cluster the labels of a tier, or set `unmatched: Ignore`")
}
