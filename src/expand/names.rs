//! Names: what Kubernetes, Helm and Greenhouse allow, and how coldframe makes a name of its own.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use crate::hex::hex;

/// The longest label value and the longest name that becomes one, in bytes (Kubernetes).
pub const LABEL_LIMIT: usize = 63;
/// The longest name of an object, in bytes (Kubernetes).
pub const NAME_LIMIT: usize = 253;
/// The longest name of a Helm release, in bytes (Helm, and the CRD of HelmRelease).
pub const RELEASE_NAME_LIMIT: usize = 53;
/// The longest name of a Cluster, in bytes (Greenhouse's webhook).
pub const CLUSTER_NAME_LIMIT: usize = 40;

/// Hexadecimal digits of the hash at the end of a changed name, as many as Flux uses in release
/// names.
const HASH_DIGITS: usize = 12;

/// A name that breaks the rules for what it names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` cannot be {what}, {found}: {allowed}")]
pub struct NameError {
    /// The name.
    pub name: String,
    /// What it should be a name of.
    what: &'static str,
    /// What is wrong.
    found: String,
    /// What is allowed.
    allowed: &'static str,
}

impl NameError {
    /// What is wrong, without what is allowed.
    pub fn problem(&self) -> String {
        format!("`{}` cannot be {}, {}", self.name, self.what, self.found)
    }

    /// What is allowed.
    pub fn allowed(&self) -> &'static str {
        self.allowed
    }
}

/// The rules for a kind of name.
struct Rule {
    what: &'static str,
    allowed: &'static str,
    limit: usize,
    /// Whether upper case letters and `_` are allowed.
    label: bool,
    /// Whether dots are allowed between parts that each begin and end with a letter or digit.
    dots: bool,
}

const RELEASE_NAME: Rule = Rule {
    what: "the name of a Helm release",
    allowed: "use 1 to 53 lower case letters, digits, `-` and `.`, with a letter or digit at both \
              ends and on both sides of a dot",
    limit: RELEASE_NAME_LIMIT,
    label: false,
    dots: true,
};

const SUBDOMAIN: Rule = Rule {
    what: "the name of an object",
    allowed: "use 1 to 253 lower case letters, digits, `-` and `.`, with a letter or digit at \
              both ends and on both sides of a dot",
    limit: NAME_LIMIT,
    label: false,
    dots: true,
};

const DNS_LABEL: Rule = Rule {
    what: "the name of a namespace or a part of a domain",
    allowed: "use 1 to 63 lower case letters, digits and `-`, with a letter or digit at both ends",
    limit: LABEL_LIMIT,
    label: false,
    dots: false,
};

const CLUSTER_NAME: Rule = Rule {
    what: "the name of a Cluster",
    allowed: "use 1 to 40 lower case letters, digits, `-` and `.`, no two `-` in a row, with a \
              letter or digit at both ends and on both sides of a dot",
    limit: CLUSTER_NAME_LIMIT,
    label: false,
    dots: true,
};

const LABEL_VALUE: Rule = Rule {
    what: "the value of a label",
    allowed: "use at most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both \
              ends",
    limit: LABEL_LIMIT,
    label: true,
    dots: false,
};

const LABEL_KEY: Rule = Rule {
    what: "the key of a label",
    allowed: "use 1 to 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends, \
              after an optional domain and `/`",
    limit: LABEL_LIMIT,
    label: true,
    dots: false,
};

/// Checks the name of a Helm release: the pattern and length that Helm checks.
pub fn release_name(name: &str) -> Result<(), NameError> {
    RELEASE_NAME.check(name)
}

/// Checks the name of an object: a DNS-1123 subdomain, as the API server checks it.
pub fn dns1123_subdomain(name: &str) -> Result<(), NameError> {
    SUBDOMAIN.check(name)
}

/// Checks the name of a namespace: a DNS-1123 label, as the API server checks it.
pub fn dns1123_label(name: &str) -> Result<(), NameError> {
    DNS_LABEL.check(name)
}

/// Checks the name of a Cluster, as Greenhouse's webhook does when one is created.
pub fn cluster_name(name: &str) -> Result<(), NameError> {
    CLUSTER_NAME.check(name)?;
    if name.contains("--") {
        return Err(CLUSTER_NAME.error(name, "two `-` follow each other".to_owned()));
    }
    Ok(())
}

/// Checks the value of a label, as the API server does. It can be empty.
pub fn label_value(value: &str) -> Result<(), NameError> {
    if value.is_empty() {
        return Ok(());
    }
    LABEL_VALUE.check(value)
}

/// Checks the key of a label or annotation, as the API server does: a name, or
/// `<DNS-1123 subdomain>/<name>`.
pub fn label_key(key: &str) -> Result<(), NameError> {
    let Some((domain, name)) = key.split_once('/') else {
        return LABEL_KEY.check(key);
    };
    if let Err(error) = SUBDOMAIN.check(domain) {
        let found = format!("in the domain before the `/`, {}", error.found);
        return Err(LABEL_KEY.error(key, found));
    }
    LABEL_KEY
        .check(name)
        .map_err(|error| LABEL_KEY.error(key, format!("after the `/`, {}", error.found)))
}

impl Rule {
    fn error(&self, name: &str, found: String) -> NameError {
        NameError {
            name: name.to_owned(),
            what: self.what,
            found,
            allowed: self.allowed,
        }
    }

    fn check(&self, name: &str) -> Result<(), NameError> {
        self.fault(name)
            .map_or(Ok(()), |found| Err(self.error(name, found)))
    }

    /// What is wrong with `name`, in words.
    fn fault(&self, name: &str) -> Option<String> {
        if name.is_empty() {
            return Some("it is empty".to_owned());
        }
        let allowed = |letter: char| match letter {
            'a'..='z' | '0'..='9' | '-' => true,
            'A'..='Z' | '_' => self.label,
            '.' => self.label || self.dots,
            _ => false,
        };
        if let Some(letter) = name.chars().find(|letter| !allowed(*letter)) {
            return Some(format!("it contains `{}`", letter.escape_debug()));
        }
        if name.len() > self.limit {
            return Some(format!("it has {} characters", name.len()));
        }
        let mut parts = name.split(|letter| self.dots && letter == '.');
        let edges_are_fine = parts.all(|part| {
            part.starts_with(|first: char| first.is_ascii_alphanumeric())
                && part.ends_with(|last: char| last.is_ascii_alphanumeric())
        });
        if edges_are_fine {
            None
        } else if self.dots && name.contains('.') {
            Some("a part of it begins or ends with something else".to_owned())
        } else {
            Some("it begins or ends with something else".to_owned())
        }
    }
}

/// A name for something that coldframe invents, made of `original`.
///
/// It is `original` where that is a DNS-1123 subdomain of at most `limit` bytes. Else it is
/// lower-cased, other characters become `-`, and after a cut `-` and the first 12 hexadecimal
/// digits of the SHA-256 of `original` are added, the way Flux shortens release names. `limit` is
/// [`LABEL_LIMIT`] for what becomes a label and [`NAME_LIMIT`] for the rest.
///
/// This function is frozen: a change would reinstall releases.
pub fn safe_name(original: &str, limit: usize) -> Cow<'_, str> {
    if original.len() <= limit && dns1123_subdomain(original).is_ok() {
        return Cow::Borrowed(original);
    }
    let plain: String = original
        .chars()
        .map(|letter| match letter.to_ascii_lowercase() {
            letter @ ('a'..='z' | '0'..='9' | '-' | '.') => letter,
            _ => '-',
        })
        .collect();
    let parts: Vec<&str> = plain
        .split('.')
        .map(|part| part.trim_matches('-'))
        .filter(|part| !part.is_empty())
        .collect();
    let mut name = parts.join(".");
    name.truncate(limit.saturating_sub(HASH_DIGITS + 1));
    name.truncate(name.trim_end_matches(['-', '.']).len());
    if !name.is_empty() {
        name.push('-');
    }
    name.push_str(&hex(&Sha256::digest(original))[..HASH_DIGITS]);
    Cow::Owned(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("a", true)]
    #[case("cert-manager", true)]
    #[case("1a.b-c.0", true)]
    #[case(&"a".repeat(53), true)]
    #[case(&"a".repeat(54), false)]
    #[case("", false)]
    #[case("A", false)]
    #[case("a_b", false)]
    #[case("a/b", false)]
    #[case("-a", false)]
    #[case("a-", false)]
    #[case("a..b", false)]
    #[case("a.-b", false)]
    #[case("a.", false)]
    #[case("ä", false)]
    #[case("a\n", false)]
    fn helm_takes_release_names(#[case] name: &str, #[case] valid: bool) {
        assert_eq!(release_name(name).is_ok(), valid);
    }

    #[rstest]
    #[case("", true)]
    #[case("a.b_c-D", true)]
    #[case("a..b", true)]
    #[case(&"a".repeat(63), true)]
    #[case(&"a".repeat(64), false)]
    #[case("a/b", false)]
    #[case(".a", false)]
    #[case("a_", false)]
    fn kubernetes_takes_label_values(#[case] value: &str, #[case] valid: bool) {
        assert_eq!(label_value(value).is_ok(), valid);
    }

    #[rstest]
    #[case("region", true)]
    #[case("greenhouse.sap/owned-by", true)]
    #[case("a.b/c.D_e", true)]
    #[case(&format!("{}/{}", "a".repeat(253), "b".repeat(63)), true)]
    #[case(&format!("{}/b", "a".repeat(254)), false)]
    #[case(&format!("a/{}", "b".repeat(64)), false)]
    #[case("", false)]
    #[case("/a", false)]
    #[case("a/", false)]
    #[case("a/b/c", false)]
    #[case("A.b/c", false)]
    #[case("-a", false)]
    fn kubernetes_takes_label_keys(#[case] key: &str, #[case] valid: bool) {
        assert_eq!(label_key(key).is_ok(), valid);
    }

    #[rstest]
    #[case("obs-eu-de-1", true)]
    #[case(&"a".repeat(40), true)]
    #[case(&"a".repeat(41), false)]
    #[case("a--b", false)]
    #[case("A", false)]
    fn greenhouse_takes_cluster_names(#[case] name: &str, #[case] valid: bool) {
        assert_eq!(cluster_name(name).is_ok(), valid);
    }

    #[rstest]
    #[case("a-b", true)]
    #[case("a.b", false)]
    #[case(&"a".repeat(63), true)]
    #[case(&"a".repeat(64), false)]
    fn kubernetes_takes_dns_labels(#[case] name: &str, #[case] valid: bool) {
        assert_eq!(dns1123_label(name).is_ok(), valid);
    }

    #[rstest]
    #[case(
        release_name("a_b"),
        "`a_b` cannot be the name of a Helm release, it contains `_`: use 1 to 53 lower case letters, digits, `-` and `.`, with a letter or digit at both ends and on both sides of a dot"
    )]
    #[case(
        dns1123_subdomain(""),
        "`` cannot be the name of an object, it is empty: use 1 to 253 lower case letters, digits, `-` and `.`, with a letter or digit at both ends and on both sides of a dot"
    )]
    #[case(
        cluster_name("a--b"),
        "`a--b` cannot be the name of a Cluster, two `-` follow each other: use 1 to 40 lower case letters, digits, `-` and `.`, no two `-` in a row, with a letter or digit at both ends and on both sides of a dot"
    )]
    #[case(
        label_value("-"),
        "`-` cannot be the value of a label, it begins or ends with something else: use at most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends"
    )]
    #[case(
        label_key("A/b"),
        "`A/b` cannot be the key of a label, in the domain before the `/`, it contains `A`: use 1 to 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends, after an optional domain and `/`"
    )]
    fn a_message_says_what_is_allowed(#[case] result: Result<(), NameError>, #[case] text: &str) {
        assert_eq!(result.unwrap_err().to_string(), text);
    }

    #[rstest]
    #[case("obs-eu-de-1", 63, "obs-eu-de-1")]
    #[case("cert-manager-1.2.3", 63, "cert-manager-1.2.3")]
    #[case(
        "cert-manager-1.2.3+build.5",
        253,
        "cert-manager-1.2.3-build.5-1974eb7b2032"
    )]
    #[case("Cert-Manager", 63, "cert-manager-80471b0c4b0e")]
    #[case("a_b", 63, "a-b-648fa9b31bc7")]
    #[case("größe", 63, "gr--e-d353a2671b67")]
    #[case("", 63, "e3b0c44298fc")]
    #[case("---", 63, "cb3f91d54eee")]
    #[case("-a.-b-.c..", 63, "a.b.c-274d7ca0aee1")]
    #[case("日本", 63, "cf2abf0c5be3")]
    #[case(
        "long-name-that-becomes-a-label-and-is-longer-than-what-fits-in-one",
        63,
        "long-name-that-becomes-a-label-and-is-longer-than-611a10f492ca"
    )]
    #[case(
        "long-name-that-becomes-a-label-and-is-longer-than-what-fits-in-one",
        253,
        "long-name-that-becomes-a-label-and-is-longer-than-what-fits-in-one"
    )]
    #[case(
        "a-name-that-is-cut-right-after-a-dash-or-a-dot-no-rest--.-and-so-on-and-on",
        63,
        "a-name-that-is-cut-right-after-a-dash-or-a-dot-no-d808d4f201b6"
    )]
    fn invented_names_are_frozen(
        #[case] original: &str,
        #[case] limit: usize,
        #[case] expected: &str,
    ) {
        assert_eq!(safe_name(original, limit), expected);
    }

    proptest! {
        #[test]
        fn an_invented_name_is_valid(original in ".{0,80}", label in any::<bool>()) {
            let limit = if label { LABEL_LIMIT } else { NAME_LIMIT };
            let name = safe_name(&original, limit);
            prop_assert_eq!(dns1123_subdomain(&name), Ok(()));
            prop_assert!(name.len() <= limit);
            prop_assert_eq!(safe_name(&name, limit), name.clone());
        }

        #[test]
        fn a_valid_name_stays(name in "[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?(\\.[a-z0-9]{1,9})?") {
            prop_assert_eq!(safe_name(&name, LABEL_LIMIT), name.clone());
        }

        #[test]
        fn different_things_get_different_names(
            one in "[aAbB._/-]{0,4}", two in "[aAbB._/-]{0,4}",
        ) {
            let same = safe_name(&one, LABEL_LIMIT) == safe_name(&two, LABEL_LIMIT);
            prop_assert_eq!(same, one == two);
        }
    }
}
