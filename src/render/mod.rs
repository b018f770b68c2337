//! From releases to manifests: the tree of design section 7, in memory.
//!
//! A [`Renderer`] knows every release beforehand ([`Renderer::jobs`]), renders each on its own
//! ([`Renderer::release`], from many threads at once), and at last, when it is known which of them
//! could be rendered, what belongs to all of them ([`Renderer::rest`]): sources, Kustomizations
//! and indexes. What is written where is the caller's business.

mod canary;
mod conflicts;
mod documents;
mod engine;
mod kinds;
mod plan;
mod release;
mod rest;
mod skeleton;
mod sources;
mod tree;

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::expand::{Expander, Release, Subject};
use crate::model::{CanarySettings, OutputFormat, Settings, World};
use crate::resolve::Revision;

pub use engine::{BUILT_IN, Engine, TemplateError};
pub use plan::{Folder, Job, Plan, Resolved, resolve};
pub use rest::{Kept, Outcome, Previous, Rest};
pub use sources::repository_name;
pub use tree::File;

/// Renders an organization.
#[derive(Debug)]
pub struct Renderer<'a> {
    world: &'a World,
    settings: &'a Settings,
    engine: &'a Engine,
    plan: Plan<'a>,
    expanders: Vec<Expander<'a>>,
    /// By subject: whether its chart can be rendered at all.
    sound: Vec<bool>,
}

impl<'a> Renderer<'a> {
    /// Plans what is rendered.
    pub fn new(
        world: &'a World,
        settings: &'a Settings,
        engine: &'a Engine,
        resolved: &'a [Resolved<'a>],
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let plan = plan::plan(world, resolved, diagnostics);
        let expanders = resolved
            .iter()
            .map(|one| Expander::new(one.subject, &one.revision, settings))
            .collect();
        let sound = resolved
            .iter()
            .map(|one| {
                let problems = sources::check(&one.revision.definition);
                let sound = problems.is_empty();
                diagnostics.extend(problems);
                sound
            })
            .collect();
        Self {
            world,
            settings,
            engine,
            plan,
            expanders,
            sound,
        }
    }

    /// The releases, ordered by preset, tier and cluster.
    pub fn jobs(&self) -> &[Job<'a>] {
        &self.plan.jobs
    }

    /// The path of a release in the tree.
    pub fn path(&self, job: &Job<'_>) -> String {
        self.plan.path(job)
    }

    /// The paths of the releases that were rendered.
    pub fn paths(&self, outcomes: &[Outcome]) -> BTreeSet<String> {
        let rendered = self
            .jobs()
            .iter()
            .zip(outcomes)
            .filter(|(_, outcome)| **outcome == Outcome::Rendered);
        rendered.map(|(job, _)| self.path(job)).collect()
    }

    /// The preset or Plugin of a release, and its tier.
    pub fn subject(&self, job: &Job<'_>) -> (Subject<'a>, &str) {
        (
            self.plan.subjects[job.subject].subject,
            &self.plan.folders[job.folder].tier,
        )
    }

    /// A release, expanded but not rendered.
    ///
    /// # Errors
    /// Everything for which Greenhouse would fail the Plugin.
    pub fn expand(&self, job: &Job<'a>) -> Result<Release<'a>, Vec<Diagnostic>> {
        self.expanders[job.subject].release(job.cluster)
    }

    /// Whether the chart of a release can be rendered: its name may not be allowed, which was
    /// reported.
    pub fn is_sound(&self, job: &Job<'_>) -> bool {
        self.sound[job.subject]
    }

    /// The files of one release: its own first, then those of its Canary. None at all for a plugin
    /// that has a user interface only, in the format `flux`, or whose chart has an invalid name,
    /// which is reported once.
    ///
    /// # Errors
    /// What [`Renderer::expand`] reports, or what a template printed is not valid.
    pub fn release(&self, job: &Job<'a>) -> Result<Vec<File>, Vec<Diagnostic>> {
        let revision = &self.plan.subjects[job.subject].revision;
        let release = self.expand(job)?;
        let name = release.name.clone();
        self.documents(job, revision, release).map_err(|problem| {
            let subject = self.plan.subjects[job.subject].subject;
            vec![problem.about(&subject.object()).release(name)]
        })
    }

    fn documents(
        &self,
        job: &Job<'a>,
        revision: &Revision,
        release: Release<'a>,
    ) -> Result<Vec<File>, Box<Diagnostic>> {
        let path = self.plan.path(job);
        if self.settings.output.format == OutputFormat::Greenhouse {
            return Ok(vec![File::new(
                path,
                &[release::plugin(self.engine, revision, &release)?],
            )]);
        }
        let Some(chart) = release.chart.filter(|_| self.sound[job.subject]) else {
            return Ok(Vec::new());
        };
        let canary = self.canary(job);
        let mut canary_files = Vec::new();
        if let Some(canary) = canary {
            let preset = &self.plan.subjects[job.subject].subject.meta().name;
            let tier = tree::kustomization_name(preset, &self.plan.folders[job.folder].name);
            canary_files = canary::files(
                self.engine,
                self.settings,
                revision,
                &release,
                canary,
                (preset, &tier),
            )?;
        }
        let document =
            release::helm_release(self.engine, self.settings, revision, release, chart, canary)?;
        let mut files = vec![File::new(path, &[document])];
        files.append(&mut canary_files);
        Ok(files)
    }

    /// The canary settings of a release: the preset's, else those of the definition.
    fn canary(&self, job: &Job<'_>) -> Option<&CanarySettings> {
        let resolved = &self.plan.subjects[job.subject];
        let of_preset = match resolved.subject {
            Subject::Preset(preset) => preset.canary.as_ref(),
            Subject::Plugin(_) => None,
        };
        of_preset
            .or(resolved.revision.definition.canary.as_ref())
            .filter(|_| job.cluster.is_some())
    }
}
