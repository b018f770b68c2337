//! Every command and flag. The doc comments are the help texts.

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Decides which revision of each plugin every cluster of a fleet should run now, and renders that
/// to Flux and Flagger manifests.
#[derive(Debug, Parser)]
#[command(name = "coldframe", version, styles = STYLES, max_term_width = 100, after_help = EXIT_CODES)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 fine, 1 differences, 2 usage or invalid input, 3 I/O, network or cluster, 4 a safety limit";

#[derive(Args, Debug)]
pub(super) struct Global {
    /// Colour the output
    #[arg(long, value_enum, default_value_t = When::Auto, global = true, value_name = "WHEN")]
    pub(super) color: When,
    /// Say nothing but errors
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,
    /// Say more: notes too, and every release that a problem affects
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(super) verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum When {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Render(Render),
    Validate(Validate),
    Explain(Explain),
    Schema(Schema),
    Completion(Completion),
    Man(Man),
    Version(Version),
}

/// What is read, and the settings of a Fleet, which flags override.
#[derive(Args, Debug)]
pub(super) struct Inputs {
    /// One more place to read: a file or folder; may be repeated
    #[arg(long, value_name = "PATH")]
    pub(super) source: Vec<PathBuf>,
    /// The namespace of objects that name none
    #[arg(long, value_name = "NAMESPACE")]
    pub(super) organization: Option<String>,
    /// The value of global.greenhouse.baseDomain
    #[arg(long, value_name = "DOMAIN")]
    pub(super) base_domain: Option<String>,
    /// Evaluate expressions; `false` makes each an error, as in a Greenhouse without that feature
    #[arg(long, value_name = "BOOL", default_value_t = true, num_args = 0..=1, default_missing_value = "true", action = ArgAction::Set, require_equals = true)]
    pub(super) expressions: bool,
    /// What is rendered: objects of Flux, or of a Greenhouse that deploys itself
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(super) format: Option<Format>,
    /// The Flux source that holds the tree, such as GitRepository/flux-system
    #[arg(long, value_name = "KIND/[NAMESPACE/]NAME")]
    pub(super) source_ref: Option<String>,
    /// Where the tree lies inside that source
    #[arg(long, value_name = "PATH")]
    pub(super) source_path: Option<String>,
    /// The key of the kubeconfig in the Secret named like a cluster
    #[arg(long, value_name = "KEY")]
    pub(super) kube_config_key: Option<String>,
    /// The Flux release whose controllers read the tree, such as 2.9
    #[arg(long, value_name = "VERSION")]
    pub(super) flux_version: Option<String>,
    /// A folder of templates that override built-in ones by name
    #[arg(long, value_name = "DIR")]
    pub(super) templates: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Flux,
    Greenhouse,
}

/// Render the tree of manifests
///
/// Reads presets, clusters, definitions and policies, and writes one HelmRelease for each preset and
/// cluster, with the sources, Kustomizations and Canaries that go with it. Nothing is written where
/// anything is wrong, unless --keep-going is given. The old tree is replaced in one step.
#[derive(Args, Debug)]
pub(super) struct Render {
    /// Files and folders to read
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) inputs: Inputs,
    /// The folder to write, or `-` for stdout
    #[arg(long, value_name = "DIR", default_value = "rendered")]
    pub(super) output: PathBuf,
    /// Render what can be rendered; what cannot keeps its files, and the exit code is 2 all the same
    #[arg(long)]
    pub(super) keep_going: bool,
    /// Only this preset; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(super) preset: Vec<String>,
    /// Only this cluster; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(super) cluster: Vec<String>,
    /// Only this tier; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(super) tier: Vec<String>,
    /// How many releases a render may remove: a count or a percentage
    #[arg(long, value_name = "LIMIT")]
    pub(super) deletion_limit: Option<String>,
    /// Let this many releases be removed this once
    #[arg(long, value_name = "N")]
    pub(super) allow_deletions: Option<usize>,
}

/// Report every problem of every document
///
/// Each with file, line and column, what was expected and what to do. Exit code 2 where there is an
/// error.
#[derive(Args, Debug)]
pub(super) struct Validate {
    /// Files and folders to read
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) inputs: Inputs,
    /// Treat warnings as errors
    #[arg(long)]
    pub(super) strict: bool,
    /// How to print them
    #[arg(short, value_enum, value_name = "FORMAT", default_value_t = Report::Text)]
    pub(super) o: Report,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Report {
    /// For people
    #[value(alias = "table")]
    Text,
    /// One JSON array
    Json,
    /// Annotations for GitHub Actions
    Github,
}

/// Say where each value of a release comes from
///
/// For every value: the file and line that give it, and what it took the place of.
#[derive(Args, Debug)]
pub(super) struct Explain {
    /// The preset, or a standalone Plugin
    #[arg(value_name = "PRESET")]
    pub(super) preset: String,
    /// The cluster; not needed where there is only one
    #[arg(value_name = "CLUSTER")]
    pub(super) cluster: Option<String>,
    /// The folder to read
    #[arg(short = 'C', value_name = "DIR", default_value = ".")]
    pub(super) directory: PathBuf,
    #[command(flatten)]
    pub(super) inputs: Inputs,
    /// How to print it
    #[arg(short, value_enum, value_name = "FORMAT", default_value_t = View::Table)]
    pub(super) o: View,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum View {
    Table,
    Json,
    Yaml,
}

/// Print the JSON Schema of one of our kinds, for editors
#[derive(Args, Debug)]
pub(super) struct Schema {
    /// The kind; without it the kinds are listed
    #[arg(value_name = "KIND")]
    pub(super) kind: Option<String>,
}

/// Print a completion script for a shell
#[derive(Args, Debug)]
pub(super) struct Completion {
    #[arg(value_enum)]
    pub(super) shell: clap_complete::Shell,
}

/// Print the manual page, or write one for every command
#[derive(Args, Debug)]
pub(super) struct Man {
    /// A folder for the pages of all commands
    #[arg(long, value_name = "DIR")]
    pub(super) output: Option<PathBuf>,
}

/// Print the version
#[derive(Args, Debug)]
pub(super) struct Version {
    /// How to print it
    #[arg(short, value_enum, value_name = "FORMAT", default_value_t = View::Table)]
    pub(super) o: View,
}
