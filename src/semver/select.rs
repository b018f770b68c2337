//! Picks the version that a request means among those that there are.

use super::constraint::Rejection;
use super::request::VersionRequest;
use super::version::Version;

/// All candidates, highest first, and which of them the request means.
#[derive(Clone, Debug)]
pub struct Selection<'a, T> {
    candidates: Vec<Candidate<'a, T>>,
    best: Vec<usize>,
}

/// A version that could be picked.
#[derive(Clone, Debug)]
pub struct Candidate<'a, T> {
    /// The version.
    pub version: &'a Version,
    /// What it is the version of.
    pub item: T,
    /// Why it is not admitted, if it is not.
    pub rejection: Option<Rejection>,
}

/// What a request means.
#[derive(Clone, Debug)]
pub enum Pick<'s, 'a, T> {
    /// No candidate is admitted.
    Nothing,
    /// The highest that is admitted.
    One(&'s Candidate<'a, T>),
    /// Several are the highest: they differ only in build metadata or spelling, which SemVer gives
    /// no order, so none of them may be picked.
    Ambiguous(Vec<&'s Candidate<'a, T>>),
}

impl<'a, T> Selection<'a, T> {
    /// What the request means.
    pub fn pick(&self) -> Pick<'_, 'a, T> {
        match self.best.as_slice() {
            [] => Pick::Nothing,
            [only] => Pick::One(&self.candidates[*only]),
            tied => Pick::Ambiguous(tied.iter().map(|at| &self.candidates[*at]).collect()),
        }
    }

    /// All candidates, highest first; of equal ones in the order given.
    pub fn candidates(&self) -> &[Candidate<'a, T>] {
        &self.candidates
    }

    /// The candidates that are admitted, highest first.
    pub fn admitted(&self) -> impl Iterator<Item = &Candidate<'a, T>> {
        let admitted = |candidate: &&Candidate<'a, T>| candidate.rejection.is_none();
        self.candidates.iter().filter(admitted)
    }
}

/// Picks the highest version, by precedence, that `request` admits.
///
/// Without a request that is any release, and with `prereleases` any version. A constraint says
/// itself whether it admits prereleases, so the flag does not count there. Of versions that are
/// equal but for build metadata or spelling, a concrete request picks the one spelled like itself,
/// then the one with its build metadata.
pub fn select<'a, T>(
    request: Option<&VersionRequest>,
    prereleases: bool,
    candidates: impl IntoIterator<Item = (&'a Version, T)>,
) -> Selection<'a, T> {
    let rejection = |version: &Version| match request {
        Some(request) => request.check(version).err(),
        None if version.is_prerelease() && !prereleases => Some(Rejection::PrereleaseUnasked),
        None => None,
    };
    let mut candidates: Vec<_> = candidates
        .into_iter()
        .map(|(version, item)| Candidate {
            version,
            item,
            rejection: rejection(version),
        })
        .collect();
    candidates.sort_by(|a, b| b.version.cmp(a.version));

    let mut best: Vec<usize> = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        if candidate.rejection.is_none()
            && best
                .first()
                .is_none_or(|first| candidates[*first].version == candidate.version)
        {
            best.push(index);
        }
    }
    if let Some(VersionRequest::Concrete(wanted)) = request {
        prefer(&mut best, |at| {
            candidates[at].version.as_str() == wanted.as_str()
        });
        prefer(&mut best, |at| {
            candidates[at].version.build() == wanted.build()
        });
    }
    Selection { candidates, best }
}

/// Keeps only those for which `better` holds, if there are any.
fn prefer(best: &mut Vec<usize>, better: impl Fn(usize) -> bool) {
    if best.iter().any(|at| better(*at)) {
        best.retain(|at| better(*at));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn versions(texts: &[&str]) -> Vec<Version> {
        texts
            .iter()
            .map(|text| Version::parse(text).unwrap())
            .collect()
    }

    fn picked(request: &str, prereleases: bool, texts: &[&str]) -> Vec<String> {
        let versions = versions(texts);
        let request = (!request.is_empty()).then(|| VersionRequest::parse(request).unwrap());
        let candidates = versions.iter().map(|version| (version, ()));
        match select(request.as_ref(), prereleases, candidates).pick() {
            Pick::Nothing => Vec::new(),
            Pick::One(candidate) => vec![candidate.version.to_string()],
            Pick::Ambiguous(tied) => tied.iter().map(|c| c.version.to_string()).collect(),
        }
    }

    #[rstest]
    #[case("^1.2", &["1.2.0", "1.10.0", "1.9.0", "2.0.0"], &["1.10.0"])]
    #[case("", &["1.0.0", "2.0.0-rc.1"], &["1.0.0"])]
    #[case("*", &["1.0.0", "2.0.0-rc.1"], &["1.0.0"])]
    #[case("*-0", &["1.0.0", "2.0.0-rc.1"], &["2.0.0-rc.1"])]
    #[case("^3", &["1.0.0"], &[])]
    #[case("1.2.3", &["1.2.3", "1.9.0"], &["1.2.3"])]
    #[case("", &[], &[])]
    fn the_highest_that_is_admitted_is_picked(
        #[case] request: &str,
        #[case] texts: &[&str],
        #[case] expected: &[&str],
    ) {
        assert_eq!(picked(request, false, texts), expected);
    }

    #[rstest]
    #[case("", &["1.2.3+a", "1.2.3+b", "1.0.0"], &["1.2.3+a", "1.2.3+b"])]
    #[case("^1", &["1.2.3", "v1.2.3"], &["1.2.3", "v1.2.3"])]
    #[case("^1", &["1.2.3+a", "1.2.3+b", "1.4.0"], &["1.4.0"])]
    #[case("1.2.3", &["1.2.3+a", "1.2.3+b"], &["1.2.3+a", "1.2.3+b"])]
    fn equal_precedence_is_ambiguous_where_it_decides(
        #[case] request: &str,
        #[case] texts: &[&str],
        #[case] expected: &[&str],
    ) {
        assert_eq!(picked(request, false, texts), expected);
    }

    #[rstest]
    #[case("1.2.3+b", &["1.2.3+a", "1.2.3+b"], &["1.2.3+b"])]
    #[case("v1.2.3+b", &["1.2.3+a", "1.2.3+b"], &["1.2.3+b"])]
    #[case("v1.2.3", &["1.2.3", "v1.2.3"], &["v1.2.3"])]
    #[case("1.2.3", &["1.2.3+a", "v1.2.3"], &["v1.2.3"])]
    fn a_concrete_request_prefers_its_own_spelling(
        #[case] request: &str,
        #[case] texts: &[&str],
        #[case] expected: &[&str],
    ) {
        assert_eq!(picked(request, false, texts), expected);
    }

    #[test]
    fn prereleases_are_picked_without_a_request_only_where_they_are_allowed() {
        let texts = ["1.0.0", "2.0.0-rc.1"];
        assert_eq!(picked("", true, &texts), ["2.0.0-rc.1"]);
        assert_eq!(picked("*", true, &texts), ["1.0.0"]);
    }

    #[test]
    fn every_candidate_is_listed_with_the_reason_against_it() {
        let versions = versions(&["1.1.0", "1.3.0-rc.1", "1.2.5", "2.0.0", "1.2.0"]);
        let request = VersionRequest::parse("^1.2, !=1.2.5").unwrap();
        let candidates = versions.iter().map(|version| (version, ()));
        let selection = select(Some(&request), false, candidates);
        let lines: Vec<_> = selection
            .candidates()
            .iter()
            .map(|candidate| match &candidate.rejection {
                Some(rejection) => format!("{}: {rejection}", candidate.version),
                None => format!("{}: admitted", candidate.version),
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        2.0.0: it is higher than `^1.2` admits
        1.3.0-rc.1: it is a prerelease, and the constraint names none; `^1.2-0, !=1.2.5` would admit it
        1.2.5: `!=1.2.5` excludes it
        1.2.0: admitted
        1.1.0: it is lower than `^1.2` admits
        ");
        assert_eq!(selection.admitted().count(), 1);
    }

    proptest! {
        #[test]
        fn nothing_admitted_is_higher_than_what_is_picked(
            texts in prop::collection::vec("[0-2]\\.[0-3]\\.[0-3](-rc\\.[0-2])?(\\+[ab])?", 0..12),
            request in prop::sample::select(vec!["*", "^1", "~1.2", "<2-0", "1.2.3", "!=1"]),
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let versions = versions(&texts);
            let request = VersionRequest::parse(request).unwrap();
            let candidates = versions.iter().map(|version| (version, ()));
            let selection = select(Some(&request), false, candidates);
            let highest = versions.iter().filter(|version| request.admits(version)).max();
            match selection.pick() {
                Pick::Nothing => prop_assert!(highest.is_none()),
                Pick::One(candidate) => prop_assert_eq!(Some(candidate.version), highest),
                Pick::Ambiguous(tied) => {
                    prop_assert!(tied.len() > 1);
                    prop_assert!(tied.iter().all(|c| Some(c.version) == highest));
                }
            }
            prop_assert_eq!(selection.candidates().len(), versions.len());
        }
    }
}
