//! `RolloutPolicy`.

use jiff::SignedDuration;
use jiff::civil::Date;

use super::{cron, once};
use crate::diagnostic::{Code, Diagnostic};
use crate::expand::names;
use crate::load::fields::{Fields, Item};
use crate::load::meta::meta;
use crate::load::selector::selector;
use crate::load::settings::{duration, percent, quota};
use crate::model::{LabelSelector, Quota, RolloutPolicy, Tier, Unmatched};
use crate::yaml::Content;

/// Gates that a forced revision may pass beside `Restart`.
const LIFTABLE: &[&str] = &["Soak", "Delay", "Window", "Calendar", "Approval"];

/// Reads a policy.
pub(in crate::load) fn policy(root: &Item<'_>) -> Option<RolloutPolicy> {
    let mut document = root.map()?;
    let meta = meta(root, &mut document, None);
    let spec_item = document.required("spec");
    document.finish();
    let mut spec = spec_item?.map()?;
    let preset_selector = match spec.optional("presetSelector") {
        Some(item) => selector(&item),
        None => Some(LabelSelector::default()),
    };
    let max_delay = spec.optional("maxDelay").and_then(|item| duration(&item));
    let tiers = spec
        .required("tiers")
        .and_then(|item| tiers(&item, max_delay));
    let unmatched = match spec.optional("unmatched") {
        Some(item) => item.choice(&[
            ("Last", Unmatched::Last),
            ("Ignore", Unmatched::Ignore),
            ("Error", Unmatched::Error),
        ]),
        None => Some(Unmatched::Last),
    };
    if let Some(list) = spec.optional("calendars") {
        let items = list.list().unwrap_or_default();
        let mut seen = Vec::new();
        for item in &items {
            calendar(item, &mut seen);
        }
    }
    if let Some(list) = spec.optional("maxDelayOverrides") {
        for gate in list.list().unwrap_or_default() {
            gate.word(LIFTABLE);
        }
    }
    if let Some(item) = spec.optional("onFailure") {
        item.word(&["Stop", "Rollback"]);
    }
    if let Some(item) = spec.optional("majorUpdates") {
        item.word(&["RequireAcceptance", "Allow"]);
    }
    if let Some(item) = spec.optional("prereleases") {
        item.boolean();
    }
    spec.finish();
    Some(RolloutPolicy {
        meta: meta?,
        preset_selector: preset_selector?,
        tiers: tiers?,
        unmatched: unmatched?,
    })
}

fn tiers(item: &Item<'_>, max_delay: Option<SignedDuration>) -> Option<Vec<Tier>> {
    let items = item.list()?;
    if items.is_empty() {
        item.invalid(format!("`{}` is empty", item.path), "at least one tier");
    }
    let mut seen = Vec::new();
    let tiers: Vec<_> = items
        .iter()
        .enumerate()
        .map(|(index, item)| tier(item, index == 0, items.len() == 1, max_delay, &mut seen))
        .collect();
    tiers.into_iter().collect()
}

fn tier<'a>(
    item: &Item<'a>,
    first: bool,
    only: bool,
    max_delay: Option<SignedDuration>,
    seen: &mut Vec<&'a str>,
) -> Option<Tier> {
    let mut fields = item.map()?;
    let name = fields.required("name").and_then(|item| {
        let name = item.text()?;
        once(seen, &item, name);
        item.name(names::label_value)
    });
    let cluster_selector = fields
        .required("clusterSelector")
        .and_then(|item| selector(&item));
    let delay = fields.optional("delay").and_then(|item| {
        let delay = duration(&item)?;
        if !first && !delay.is_zero() {
            item.invalid(
                format!("`{}` is not about the first tier", item.path),
                "`delay` on the first tier only, `soak` on those after it",
            );
        }
        if max_delay.is_some_and(|most| delay > most) {
            item.invalid(
                format!("`{}` is longer than `spec.maxDelay`", item.path),
                "a delay of at most `spec.maxDelay`",
            );
        }
        Some(delay)
    });
    let soak = fields.optional("soak").and_then(|item| {
        let soak = duration(&item)?;
        if first && !only && !soak.is_zero() {
            item.push(
                Diagnostic::warning(
                    Code::InvalidValue,
                    format!("`{}` has no effect: there is no tier before", item.path),
                )
                .at(&item.location())
                .expected("`delay` on the first tier"),
            );
        }
        Some(soak)
    });
    if let Some(item) = fields.optional("restartBudget") {
        restart_budget(&item);
    }
    let max_concurrent = fields.optional("maxConcurrent").and_then(|item| {
        let quota = quota(&item)?;
        if matches!(quota, Quota::Count(0) | Quota::Percent(0)) {
            item.invalid(
                format!("`{}` is 0: no cluster could ever update", item.path),
                "at least 1, or a share above 0%",
            );
        }
        Some(quota)
    });
    let max_unhealthy = fields
        .optional("maxUnhealthy")
        .and_then(|item| quota(&item));
    if let Some(item) = fields.optional("deadline")
        && duration(&item).is_some_and(|duration| duration.is_zero())
    {
        item.invalid(
            format!("`{}` is 0", item.path),
            "a time to become healthy in",
        );
    }
    if let Some(item) = fields.optional("evidence") {
        item.word(&["Release", "Workloads"]);
    }
    for window in fields
        .optional("windows")
        .and_then(|item| item.list())
        .unwrap_or_default()
    {
        window_fields(&window);
    }
    let approvals = fields.optional("approvals").and_then(|item| item.count());
    fields.finish();
    Some(Tier {
        name: name?.to_owned(),
        cluster_selector: cluster_selector?,
        delay: delay.unwrap_or_default(),
        soak: soak.unwrap_or_default(),
        max_concurrent: max_concurrent.unwrap_or(Quota::Percent(100)),
        max_unhealthy: max_unhealthy.unwrap_or(Quota::Count(0)),
        approvals: approvals.unwrap_or_default(),
        location: item.location(),
    })
}

/// A share of the soak, a duration, or `unlimited`.
fn restart_budget(item: &Item<'_>) {
    let text = match &item.node.content {
        Content::Number(number) => number.to_string(),
        Content::String(text) => text.clone(),
        _ => return item.wrong_type("a string such as 100%, 24h or unlimited"),
    };
    let fine = text == "unlimited"
        || percent(&text).is_some()
        || crate::model::duration::parse(&text).is_ok();
    if !fine {
        item.invalid(
            format!("`{}` is `{text}`", item.path),
            "a share of the soak such as 100%, a duration such as 24h, or unlimited",
        );
    }
}

fn window_fields(item: &Item<'_>) -> Option<()> {
    let mut fields = item.map()?;
    if let Some(item) = fields.required("schedule")
        && let Some(schedule) = item.text()
        && let Some(problem) = cron::problem(schedule)
    {
        item.invalid(
            format!("`{}` is `{schedule}`: {problem}", item.path),
            "minute, hour, day of the month, month, day of the week, such as `0 8 * * MON-THU`",
        );
    }
    if let Some(item) = fields.required("duration")
        && duration(&item).is_some_and(|duration| duration.is_zero())
    {
        item.invalid(
            format!("`{}` is 0: the window never opens", item.path),
            "how long the window stays open, such as 6h",
        );
    }
    time_zone(&mut fields);
    fields.finish();
    Some(())
}

/// The form of a name of the IANA database; whether the zone exists is decided with its rules.
fn time_zone(fields: &mut Fields<'_>) {
    let Some(item) = fields.optional("timeZone") else {
        return;
    };
    let Some(zone) = item.text() else { return };
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_+-/".contains(c);
    if !zone.chars().all(allowed) || !zone.starts_with(|c: char| c.is_ascii_alphabetic()) {
        item.invalid(
            format!("`{}` is `{zone}`", item.path),
            "a zone of the IANA database, such as Europe/Berlin or UTC",
        );
    }
}

fn calendar<'a>(item: &Item<'a>, seen: &mut Vec<&'a str>) -> Option<()> {
    let mut fields = item.map()?;
    if let Some(item) = fields.required("name")
        && let Some(name) = item.text()
    {
        once(seen, &item, name);
    }
    time_zone(&mut fields);
    let dates = fields.optional("dates");
    let file = fields.optional("file");
    fields.finish();
    if dates.is_some() == file.is_some() {
        item.invalid(
            format!("`{}` needs its dates from one place", item.path),
            "exactly one of `dates` and `file`",
        );
    }
    if let Some(file) = file {
        file.text();
    }
    for item in dates?.list()? {
        let Some(text) = item.string() else { continue };
        let (from, to) = text.split_once('/').unwrap_or((text, text));
        let range = from.parse::<Date>().ok().zip(to.parse::<Date>().ok());
        if range.is_none_or(|(from, to)| from > to) {
            item.invalid(
                format!("`{}` is `{text}`", item.path),
                "a date such as 2026-12-24, or a range such as 2026-12-24/2027-01-02",
            );
        }
    }
    Some(())
}
