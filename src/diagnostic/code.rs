//! The stable codes of all diagnostics, in one table.
//!
//! A code is never given to another meaning, and its number never changes: people search for it.
//! 1xxx reading files, 2xxx our own and Greenhouse's objects, 3xxx resolving and expanding,
//! 4xxx rendering, 5xxx emitting.

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! codes {
    ($($name:ident = $id:literal, $title:literal;)*) => {
        /// The stable code of a diagnostic.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $title] $name,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The code as printed, such as `CF1001`.
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// What it means, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }
        }
    };
}

codes! {
    Unreadable = "CF1001", "a file or folder could not be read";
    NotText = "CF1002", "a file is not text, or too large, and was skipped";
    InvalidYaml = "CF1003", "a document is not valid YAML";
    DuplicateKey = "CF1004", "a key stands twice in one mapping";
    TooDeep = "CF1005", "a document is nested or aliased beyond the limit";
    NothingFound = "CF1006", "a path has no object that coldframe knows";
    SymlinkSkipped = "CF1007", "a symbolic link leads out of the folder, or in a circle";
    SourceNotFetched = "CF1008", "a source in git is not fetched";

    UnknownField = "CF2001", "a field is unknown";
    MissingField = "CF2002", "a required field is missing";
    WrongType = "CF2003", "a field has the wrong type";
    InvalidValue = "CF2004", "a field has a value that is not allowed";
    InvalidName = "CF2005", "a name is not allowed";
    DuplicateObject = "CF2006", "an object is defined twice";
    UnknownVersion = "CF2007", "an apiVersion of a known kind is not supported";
    PrunedField = "CF2008", "a field that Greenhouse silently drops";
    ConflictingSettings = "CF2009", "a field and its annotation differ";
    DefaultType = "CF2010", "an option's default does not fit its type";
    MissingContent = "CF2011", "a definition has neither a chart nor a UI application";
    InvalidConstraint = "CF2012", "a version or constraint is not valid";
    InvalidSelector = "CF2013", "a label selector is not valid";
    UnknownOverride = "CF2014", "a catalog override names nothing that its source has";
    UnknownKind = "CF2015", "a kind of a known group is unknown";
    OrganizationAssumed = "CF2016", "the organization is not given and cannot be told";
    ConstraintTrap = "CF2017", "a constraint means something else than it looks";

    DefinitionNotFound = "CF3001", "a preset names a definition that does not exist";
    NoMatchingVersion = "CF3002", "no revision satisfies the constraint";
    NoClusterMatches = "CF3003", "no cluster matches the selector";
    UndeclaredOption = "CF3004", "an option that the definition does not declare, and that looks like a typo";
    RequiredOption = "CF3005", "a required option has no value";
    OptionType = "CF3006", "an option's value has the wrong type";
    OptionSource = "CF3007", "an option has not exactly one of value, valueFrom and expression";
    SecretValue = "CF3008", "a secret option has a plain value";
    ReferenceUnsupported = "CF3009", "valueFrom.ref is not supported";
    ExpressionFailed = "CF3010", "an expression could not be evaluated";
    ExpressionsDisabled = "CF3011", "expressions are turned off";
    OptionPath = "CF3012", "an option's name does not fit the value it leads into";
    RegexIgnored = "CF3013", "a value does not match the option's regex, which Greenhouse never checks";
    NotAnInteger = "CF3014", "an int option has a value that is not a whole number";
    InvalidReleaseName = "CF3015", "a Helm release name is not allowed";
    WaitFor = "CF3016", "a waitFor entry is not valid";
    OverrideIgnored = "CF3017", "an override has no effect";
    BooleanTrap = "CF3018", "YAML 1.1 reads a word as a boolean or number";
    TierUnmatched = "CF3019", "a cluster is in no tier";
    PolicyConflict = "CF3020", "two policies govern one preset";
    DependencyMissing = "CF3021", "waitFor names a release that is not rendered";
    TierOverlap = "CF3022", "a cluster matches more than one tier";
    DependencyCycle = "CF3023", "presets wait for each other";
    HelmReleaseShared = "CF3024", "two releases on one cluster are one Helm release";

    NameConflict = "CF4001", "two different objects would get one name";
    TemplateFailed = "CF4002", "a template could not be rendered";
    InvalidManifest = "CF4003", "a rendered document does not have the form of its kind";
    CanaryInvalid = "CF4004", "a canary's settings are not valid";

    EmptyInventory = "CF5001", "there is no cluster at all";
    DeletionBudget = "CF5002", "more releases would be removed than allowed";
    WriteFailed = "CF5003", "the tree could not be written";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}
