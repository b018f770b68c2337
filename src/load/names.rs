//! What Kubernetes and Helm allow as a name, label or release name.

/// What an RFC 1123 subdomain is, in words.
pub(super) const SUBDOMAIN: &str =
    "lower-case letters, digits, `-` and `.`, beginning and ending with a letter or digit, at most 253 characters";
/// What an RFC 1123 label is, in words.
pub(super) const DNS_LABEL: &str =
    "lower-case letters, digits and `-`, beginning and ending with a letter or digit, at most 63 characters";
/// What a label's value is, in words.
pub(super) const LABEL_VALUE: &str =
    "letters, digits, `-`, `_` and `.`, beginning and ending with a letter or digit, at most 63 characters, or nothing";
/// What a label's key is, in words.
pub(super) const QUALIFIED_NAME: &str =
    "a name of at most 63 letters, digits, `-`, `_` and `.`, with a DNS name and `/` before it if you like";
/// What a Helm release name is, in words; the rule of Greenhouse's webhook.
pub(super) const RELEASE_NAME: &str =
    "lower-case letters, digits, `-` and `.`, beginning and ending with a letter or digit, at most 53 characters";

/// An RFC 1123 label.
pub(super) fn is_dns_label(name: &str) -> bool {
    name.len() <= 63 && is_dns_part(name)
}

/// An RFC 1123 subdomain: the name of a custom resource.
pub(super) fn is_subdomain(name: &str) -> bool {
    name.len() <= 253 && name.split('.').all(is_dns_part)
}

/// A Helm release name.
pub(super) fn is_release_name(name: &str) -> bool {
    name.len() <= 53 && name.split('.').all(is_dns_part)
}

/// The value of a label.
pub(super) fn is_label_value(value: &str) -> bool {
    value.is_empty() || is_label_name(value)
}

/// The key of a label or annotation.
pub(super) fn is_qualified_name(key: &str) -> bool {
    match key.split_once('/') {
        None => is_label_name(key),
        Some((prefix, name)) => is_subdomain(prefix) && is_label_name(name),
    }
}

fn is_dns_part(part: &str) -> bool {
    framed(part, |byte| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit()
    }, b"-")
}

fn is_label_name(name: &str) -> bool {
    name.len() <= 63 && framed(name, |byte| byte.is_ascii_alphanumeric(), b"-_.")
}

fn framed(text: &str, edge: impl Fn(u8) -> bool, inside: &[u8]) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|byte| edge(*byte))
        && bytes.last().is_some_and(|byte| edge(*byte))
        && bytes
            .iter()
            .all(|byte| edge(*byte) || inside.contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_kubernetes() {
        assert!(is_subdomain("a.b-c.d0"));
        for name in ["", "A", "-a", "a-", "a..b", "a_b", "ä", &"a".repeat(254)] {
            assert!(!is_subdomain(name), "{name}");
        }
        assert!(is_dns_label("a-0"));
        assert!(!is_dns_label("a.b"));
        assert!(is_release_name(&"a".repeat(53)));
        assert!(!is_release_name(&"a".repeat(54)));
    }

    #[test]
    fn labels_are_those_of_kubernetes() {
        for key in ["tier", "greenhouse.sap/cluster", "A_b.c"] {
            assert!(is_qualified_name(key), "{key}");
        }
        for key in ["", "/a", "a/", "a/b/c", "A.b/c_/", "Upper/x", "a b"] {
            assert!(!is_qualified_name(key), "{key}");
        }
        assert!(is_label_value(""));
        assert!(is_label_value("v1.2_3"));
        assert!(!is_label_value("a b"));
        assert!(!is_label_value(&"a".repeat(64)));
    }
}
