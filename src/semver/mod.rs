//! shim
#[derive(Debug)]
pub struct Version(semver::Version);
impl std::str::FromStr for Version { type Err = semver::Error; fn from_str(s: &str) -> Result<Self, semver::Error> { Ok(Self(s.trim_start_matches('v').parse()?)) } }
impl std::fmt::Display for Version { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { self.0.fmt(f) } }
pub struct VersionRequest;
impl VersionRequest { pub fn parse(_: &str) -> Result<Self, semver::Error> { Ok(Self) } pub fn admits(&self, _: &Version) -> bool { true } }
