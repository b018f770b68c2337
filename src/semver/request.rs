//! What the `version` of a preset asks for: one version, or a constraint.

use std::fmt;
use std::str::FromStr;

use super::constraint::{Constraint, ConstraintError, Rejection};
use super::version::Version;

/// A `version` setting. Where there is none, any release is asked for.
#[derive(Clone, Debug)]
pub enum VersionRequest {
    /// A full three-part version without an operator: exactly that one.
    Concrete(Version),
    /// Anything else, `1.2` among it.
    Constraint(Constraint),
}

impl VersionRequest {
    /// Reads a `version` setting. Spaces around it have no meaning.
    pub fn parse(text: &str) -> Result<Self, ConstraintError> {
        if text.trim_ascii().is_empty() {
            return Err(ConstraintError {
                text: text.to_owned(),
                position: text.len(),
                expected: "a version or a constraint",
                hint: Some("leave `version` out to ask for any release"),
            });
        }
        match Version::parse(text.trim_ascii()) {
            Ok(version) if version.is_full() => Ok(Self::Concrete(version)),
            _ => Constraint::parse(text).map(Self::Constraint),
        }
    }

    /// The setting as it was spelled.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Concrete(version) => version.as_str(),
            Self::Constraint(constraint) => constraint.as_str(),
        }
    }

    /// Whether it admits a version. Build metadata has no meaning; where several versions differ
    /// in nothing else, [`select`](super::select) prefers the one spelled as a concrete request.
    pub fn admits(&self, version: &Version) -> bool {
        match self {
            Self::Concrete(wanted) => wanted == version,
            Self::Constraint(constraint) => constraint.matches(version),
        }
    }

    /// Whether it admits a version, and if not, why.
    pub fn check(&self, version: &Version) -> Result<(), Rejection> {
        match self {
            Self::Concrete(wanted) if wanted == version => Ok(()),
            Self::Concrete(wanted) => Err(Rejection::Different {
                wanted: wanted.to_string(),
            }),
            Self::Constraint(constraint) => constraint.check(version),
        }
    }
}

impl fmt::Display for VersionRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for VersionRequest {
    type Err = ConstraintError;

    fn from_str(text: &str) -> Result<Self, ConstraintError> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("1.2.3")]
    #[case("v1.2.3")]
    #[case("1.2.3-rc.1+build")]
    #[case("2025.02.03")]
    #[case(" 1.2.3\n")]
    fn only_a_full_version_without_an_operator_is_concrete(#[case] text: &str) {
        assert!(matches!(
            VersionRequest::parse(text),
            Ok(VersionRequest::Concrete(version)) if version.as_str() == text.trim()
        ));
    }

    #[rstest]
    #[case("1.2")]
    #[case("1")]
    #[case("=1.2.3")]
    #[case("1.2.x")]
    #[case("*")]
    #[case("1-a.b.c")]
    #[case("1.2.3, 1.2.3")]
    fn everything_else_is_a_constraint(#[case] text: &str) {
        assert!(matches!(
            VersionRequest::parse(text),
            Ok(VersionRequest::Constraint(constraint)) if constraint.as_str() == text
        ));
    }

    #[rstest]
    #[case("")]
    #[case("  ")]
    fn an_empty_one_is_an_error_with_a_hint(#[case] text: &str) {
        let error = VersionRequest::parse(text).unwrap_err();
        assert_eq!(
            error.hint,
            Some("leave `version` out to ask for any release")
        );
    }

    #[rstest]
    #[case("1.2.3", "v1.2.3", true)]
    #[case("1.2.3", "1.2.3+b", true)]
    #[case("1.2.3", "1.2.4", false)]
    #[case("1.2.3-rc.1", "1.2.3-rc.1", true)]
    #[case("1.2.3-rc.1", "1.2.3", false)]
    #[case("1.2", "1.2.9", true)]
    #[case("1.2", "1.3.0", false)]
    fn a_concrete_request_admits_the_versions_of_its_precedence(
        #[case] request: &str,
        #[case] version: &str,
        #[case] admitted: bool,
    ) {
        let request = VersionRequest::parse(request).unwrap();
        let version = Version::parse(version).unwrap();
        assert_eq!(request.admits(&version), admitted);
        assert_eq!(request.check(&version).is_ok(), admitted);
    }
}
