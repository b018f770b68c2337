//! Examples of emitting. The laws are in `laws`, killing in `tests/emit_kill.rs`.
#![allow(clippy::disallowed_methods)]

mod laws;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rstest::rstest;
use tempfile::TempDir;

use super::folder::Folder;
use super::{EmitError, HEADER, Outcome, TreeWriter, WriteOptions};
use crate::model::DeletionLimit;

const ALL: WriteOptions = WriteOptions {
    remove: true,
    deletion_limit: None,
    allow_deletions: None,
};

struct Repository {
    root: TempDir,
}

impl Repository {
    fn new() -> Self {
        Self {
            root: TempDir::new().unwrap(),
        }
    }

    /// With an output that has been rendered.
    fn with(files: &[(&str, &str)]) -> Self {
        let repository = Self::new();
        repository.render(files).unwrap();
        repository
    }

    fn output(&self) -> PathBuf {
        self.root.path().join("rendered")
    }

    fn path(&self, path: &str) -> PathBuf {
        self.output().join(path)
    }

    fn open(&self) -> TreeWriter {
        TreeWriter::open(&self.output(), ALL).unwrap()
    }

    fn render(&self, files: &[(&str, &str)]) -> Result<Outcome, EmitError> {
        self.render_with(files, ALL)
    }

    fn render_with(
        &self,
        files: &[(&str, &str)],
        options: WriteOptions,
    ) -> Result<Outcome, EmitError> {
        let writer = TreeWriter::open(&self.output(), options)?;
        for (path, content) in files {
            writer.put(path, content)?;
        }
        writer.commit()
    }

    /// Puts somebody else's file into the output.
    fn add(&self, path: &str, content: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Without the header, if it has one.
    fn content(&self, path: &str) -> String {
        let text = fs::read_to_string(self.path(path)).unwrap();
        text.strip_prefix(HEADER).unwrap_or(&text).to_owned()
    }

    /// What lies beside the output.
    fn beside(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.root.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn identity(path: &Path) -> (u64, i64, i64) {
    let metadata = fs::symlink_metadata(path).unwrap();
    (metadata.ino(), metadata.mtime(), metadata.mtime_nsec())
}

#[test]
fn a_file_is_the_header_and_its_content() {
    let repository = Repository::new();
    let outcome = repository.render(&[("releases/a.yaml", "a: 1\n")]).unwrap();
    assert_eq!(outcome.written, 1);
    assert_eq!(
        fs::read_to_string(repository.path("releases/a.yaml")).unwrap(),
        "# Rendered by coldframe. Do not edit.\na: 1\n"
    );
    assert_eq!(repository.beside(), ["rendered"]);
}

#[test]
fn the_folders_around_the_output_are_made() {
    let root = TempDir::new().unwrap();
    let output = root.path().join("a/b/c");
    let writer = TreeWriter::open(&output, ALL).unwrap();
    writer.put("x", "").unwrap();
    writer.commit().unwrap();
    assert!(output.join("x").is_file());
}

#[test]
fn a_changed_file_is_written_and_the_others_stay_the_same_files() {
    let repository = Repository::with(&[("a/x", "1"), ("a/y", "1"), ("b/z", "1")]);
    let before = ["a/x", "b/z"].map(|path| identity(&repository.path(path)));
    let outcome = repository
        .render(&[("a/x", "1"), ("a/y", "2"), ("c/new", "1")])
        .unwrap();
    assert_eq!(
        outcome,
        Outcome {
            written: 2,
            unchanged: 1,
            removed: vec!["b/z".into()],
            kept_foreign: 0
        }
    );
    assert_eq!(identity(&repository.path("a/x")), before[0]);
    assert_eq!(repository.content("a/y"), "2");
    assert!(!repository.path("b").exists(), "an emptied folder goes");
}

#[test]
fn where_nothing_changed_the_output_is_not_even_replaced() {
    let repository = Repository::with(&[("a/x", "1")]);
    let before = identity(&repository.output());
    let outcome = repository.render(&[("a/x", "1")]).unwrap();
    assert_eq!((outcome.written, outcome.unchanged), (0, 1));
    assert_eq!(identity(&repository.output()), before);
}

#[rstest]
#[case::longer("1", "12")]
#[case::shorter("12", "1")]
#[case::emptied("1", "")]
fn a_file_that_begins_like_the_old_one_has_changed(#[case] old: &str, #[case] new: &str) {
    let repository = Repository::with(&[("x", old)]);
    assert_eq!(repository.render(&[("x", new)]).unwrap().written, 1);
    assert_eq!(repository.content("x"), new);
}

#[test]
fn a_filtered_render_removes_nothing() {
    let repository = Repository::with(&[("a", "1"), ("b", "1")]);
    let options = WriteOptions {
        remove: false,
        ..ALL
    };
    let outcome = repository.render_with(&[("a", "2")], options).unwrap();
    assert_eq!((outcome.written, outcome.unchanged), (1, 1));
    assert_eq!(repository.content("b"), "1");
}

#[test]
fn what_is_not_ours_stays_where_it_is() {
    let repository = Repository::with(&[("releases/a", "1"), ("b", "1")]);
    repository.add("releases/NOTES.md", "mine");
    repository.add(".sourceignore", "");
    fs::create_dir_all(repository.path("empty/folder")).unwrap();
    symlink("/nowhere", repository.path("releases/link")).unwrap();
    fs::write(repository.output().join(raw_name()), "bytes").unwrap();
    let before = identity(&repository.path("releases/NOTES.md"));

    let outcome = repository.render(&[("c", "1")]).unwrap();
    assert_eq!(outcome.removed, ["b", "releases/a"]);
    assert_eq!(outcome.kept_foreign, 4);
    assert_eq!(identity(&repository.path("releases/NOTES.md")), before);
    assert_eq!(
        fs::read_link(repository.path("releases/link")).unwrap(),
        Path::new("/nowhere")
    );
    assert!(repository.path("empty/folder").is_dir());
    assert!(repository.path(".sourceignore").is_file());
    assert!(repository.output().join(raw_name()).is_file());
}

/// A file name that is no text.
fn raw_name() -> &'static OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(b"\xff\xfe")
}

#[test]
fn what_comes_into_the_output_during_a_render_is_kept_too() {
    let repository = Repository::with(&[("a/x", "1")]);
    let writer = repository.open();
    repository.add("a/late", "mine");
    repository.add("late/folder/file", "mine");
    writer.put("b", "1").unwrap();
    writer.commit().unwrap();
    assert_eq!(repository.content("a/late"), "mine");
    assert_eq!(repository.content("late/folder/file"), "mine");
    assert!(!repository.path("a/x").exists());
    assert_eq!(repository.beside(), ["rendered"]);
}

#[test]
fn somebody_elses_file_is_never_overwritten() {
    let repository = Repository::new();
    repository.add("releases/a", "mine");
    let error = repository.render(&[("releases/a", "1")]).unwrap_err();
    insta::assert_snapshot!(error, @"`releases/a` in the output is in the way, and not coldframe's (its first line is not `# Rendered by coldframe. Do not edit.`): move it elsewhere, or choose another output");
    assert_eq!(repository.content("releases/a"), "mine");
    assert_eq!(repository.beside(), ["rendered"]);
}

#[test]
fn an_empty_file_that_a_power_cut_left_is_overwritten() {
    let repository = Repository::new();
    repository.add("a", "");
    assert_eq!(repository.render(&[("a", "1")]).unwrap().written, 1);
}

#[rstest]
#[case::file("a", "a/b")]
#[case::deep("a/b", "a/b/c/d")]
fn a_foreign_file_where_a_folder_has_to_go_is_an_error(#[case] foreign: &str, #[case] ours: &str) {
    let repository = Repository::new();
    repository.add(foreign, "mine");
    let error = repository.render(&[(ours, "1")]).unwrap_err();
    assert!(matches!(error, EmitError::Foreign { path } if path == foreign));
}

#[rstest]
#[case::with_a_file("a/b/mine", "a")]
#[case::at_the_top("a/mine", "a")]
fn a_folder_with_foreign_files_is_not_replaced_by_a_file(
    #[case] foreign: &str,
    #[case] ours: &str,
) {
    let repository = Repository::new();
    repository.add(foreign, "mine");
    let error = repository.render(&[(ours, "1")]).unwrap_err();
    assert!(matches!(error, EmitError::Foreign { .. }), "{error}");
    assert_eq!(repository.content(foreign), "mine");
}

#[test]
fn an_empty_folder_is_not_replaced_by_a_file() {
    let repository = Repository::new();
    fs::create_dir_all(repository.path("a")).unwrap();
    let error = repository.render(&[("a", "1")]).unwrap_err();
    assert!(matches!(error, EmitError::Foreign { path } if path == "a"));
}

#[test]
fn our_files_and_folders_may_take_each_others_places() {
    let repository = Repository::with(&[("a/b", "1"), ("c", "1")]);
    repository.render(&[("a", "2"), ("c/d", "2")]).unwrap();
    assert_eq!(repository.content("a"), "2");
    assert_eq!(repository.content("c/d"), "2");
}

#[rstest]
#[case::twice(&[("a", "1"), ("a", "1")])]
#[case::twice_changed(&[("a", "2"), ("a", "3")])]
#[case::file_then_folder(&[("b", "1"), ("b/c", "1")])]
#[case::folder_then_file(&[("b/c", "1"), ("b", "1")])]
fn files_that_exclude_each_other_are_an_error(#[case] files: &[(&str, &str)]) {
    let repository = Repository::with(&[("a", "1")]);
    let error = repository.render(files).unwrap_err();
    assert!(matches!(error, EmitError::Clash { .. }), "{error}");
    assert_eq!(repository.content("a"), "1");
    assert_eq!(repository.beside(), ["rendered"]);
}

#[rstest]
#[case("")]
#[case("/etc/passwd")]
#[case("../x")]
#[case("a/../../x")]
#[case("a/./x")]
#[case("a//x")]
#[case("a/")]
#[case(".git/config")]
#[case("a/.x")]
#[case("a\\..\\x")]
#[case("a\0b")]
#[case("a\nb")]
fn a_path_that_could_lead_out_is_an_error(#[case] path: &str) {
    let repository = Repository::new();
    let error = repository.open().put(path, "").unwrap_err();
    assert!(matches!(error, EmitError::PathEscape { .. }), "{error}");
    assert!(repository.beside().is_empty());
}

#[test]
fn nothing_is_read_or_written_through_a_link_in_the_output() {
    let repository = Repository::new();
    let elsewhere = repository.root.path().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::write(elsewhere.join("a"), format!("{HEADER}1")).unwrap();
    fs::create_dir_all(repository.output()).unwrap();
    symlink(&elsewhere, repository.path("releases")).unwrap();
    symlink(elsewhere.join("a"), repository.path("b")).unwrap();

    for path in ["releases/a", "releases/new", "b"] {
        let error = repository.render(&[(path, "1")]).unwrap_err();
        assert!(
            matches!(error, EmitError::Foreign { .. }),
            "{path}: {error}"
        );
    }
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 1);
}

#[test]
fn kept_files_stay_byte_for_byte_and_do_not_count_as_removed() {
    let repository = Repository::with(&[
        ("releases/p/qa/a", "1"),
        ("releases/p/qa/b", "1"),
        ("releases/p-2/qa/a", "1"),
        ("z", "1"),
    ]);
    repository.add("releases/p/NOTES.md", "mine");
    let writer = TreeWriter::open(
        &repository.output(),
        WriteOptions {
            deletion_limit: Some(DeletionLimit::Count(1)),
            ..ALL
        },
    )
    .unwrap();
    assert_eq!(
        writer.keep_under("releases/p").unwrap(),
        ["releases/p/qa/a", "releases/p/qa/b"]
    );
    assert!(writer.keep("z").unwrap());
    assert!(!writer.keep("releases/p/NOTES.md").unwrap(), "not ours");
    assert!(!writer.keep("releases/p").unwrap(), "a folder");
    assert!(!writer.keep("../rendered/z").unwrap());
    let outcome = writer.commit().unwrap();
    assert_eq!(outcome.removed, ["releases/p-2/qa/a"]);
    assert_eq!((outcome.unchanged, outcome.kept_foreign), (3, 1));
}

#[test]
fn the_previous_files_are_listed() {
    let repository = Repository::with(&[("b/c", "1"), ("a", "1")]);
    repository.add("b/mine", "");
    let writer = repository.open();
    assert_eq!(
        writer.previous().collect::<Vec<_>>(),
        ["a", "b/c", "b/mine"]
    );
}

#[rstest]
#[case::no_limit(None, None, true)]
#[case::at_the_limit(Some(DeletionLimit::Count(2)), None, true)]
#[case::beyond_it(Some(DeletionLimit::Count(1)), None, false)]
#[case::share_rounded_up(Some(DeletionLimit::Percent(34)), None, true)]
#[case::share_too_small(Some(DeletionLimit::Percent(33)), None, false)]
#[case::allowed_once(Some(DeletionLimit::Count(0)), Some(2), true)]
#[case::allowed_too_few(Some(DeletionLimit::Count(0)), Some(1), false)]
#[case::never_less_than_the_limit(Some(DeletionLimit::Count(2)), Some(0), true)]
fn releases_go_only_within_the_budget(
    #[case] deletion_limit: Option<DeletionLimit>,
    #[case] allow_deletions: Option<usize>,
    #[case] passes: bool,
) {
    // Two of three releases go. The source and the foreign file are none.
    let repository = Repository::with(&[
        ("releases/a", "1"),
        ("releases/b", "1"),
        ("releases/c", "1"),
        ("sources/d", "1"),
    ]);
    repository.add("releases/mine", "");
    let options = WriteOptions {
        remove: true,
        deletion_limit,
        allow_deletions,
    };
    let result = repository.render_with(&[("releases/c", "2")], options);
    if passes {
        assert_eq!(result.unwrap().removed.len(), 3);
        return;
    }
    let Err(EmitError::Deletions { removed, total, .. }) = result else {
        panic!("{result:?}");
    };
    assert_eq!(removed, ["releases/a", "releases/b"]);
    assert_eq!(total, 3);
    assert_eq!(repository.content("releases/c"), "1", "nothing was written");
    assert_eq!(repository.beside(), ["rendered"]);
}

#[test]
fn a_tree_can_become_empty() {
    let repository = Repository::with(&[("a", "1")]);
    assert_eq!(repository.render(&[]).unwrap().removed, ["a"]);
    assert_eq!(fs::read_dir(repository.output()).unwrap().count(), 0);
}

#[test]
fn a_dry_run_says_the_same_and_does_nothing() {
    let repository = Repository::with(&[("a", "1"), ("b", "1")]);
    let before = identity(&repository.output());
    let writer = repository.open().dry_run();
    writer.put("a", "2").unwrap();
    writer.put("c", "1").unwrap();
    let beside = repository.beside();
    let said = writer.commit().unwrap();
    assert_eq!(beside, ["rendered"]);
    assert_eq!(identity(&repository.output()), before);
    assert_eq!(repository.render(&[("a", "2"), ("c", "1")]).unwrap(), said);
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing() {
    let repository = Repository::with(&[("a", "1")]);
    let writer = repository.open();
    writer.put("a", "2").unwrap();
    assert_eq!(repository.beside().len(), 2);
    drop(writer);
    assert_eq!(repository.beside(), ["rendered"]);
    assert_eq!(repository.content("a"), "1");
}

#[test]
fn two_renders_into_one_output_exclude_each_other() {
    let repository = Repository::with(&[("a", "1")]);
    let first = repository.open();
    let second = TreeWriter::open(&repository.output(), ALL);
    assert!(matches!(second, Err(EmitError::Locked { path }) if path.ends_with("rendered")));
    first.put("a", "2").unwrap();
    first.commit().unwrap();
    assert_eq!(repository.render(&[("a", "3")]).unwrap().written, 1);
}

#[test]
fn of_two_first_renders_one_wins() {
    let repository = Repository::new();
    let (first, second) = (repository.open(), repository.open());
    first.put("a", "1").unwrap();
    let error = second.put("a", "2").unwrap_err();
    assert!(matches!(error, EmitError::Locked { path } if path == repository.output()));
    first.commit().unwrap();
    assert_eq!(repository.content("a"), "1");
}

#[test]
fn an_output_that_appeared_during_the_first_render_is_not_replaced() {
    let repository = Repository::new();
    let writer = repository.open();
    writer.put("a", "1").unwrap();
    repository.add("mine", "mine");
    let error = writer.commit().unwrap_err();
    assert!(matches!(error, EmitError::Locked { .. }), "{error}");
    assert_eq!(repository.beside(), ["rendered"]);
    assert_eq!(repository.content("mine"), "mine");
}

#[test]
fn what_a_killed_render_left_is_removed_and_what_only_looks_like_it_is_not() {
    let repository = Repository::with(&[("a", "1")]);
    let beside = |name: &str| repository.root.path().join(name);
    fs::create_dir_all(beside(".rendered.coldframe-123/releases")).unwrap();
    fs::write(beside(".rendered.coldframe-123/releases/a"), "half").unwrap();
    fs::create_dir_all(beside(".rendered.coldframe-mine")).unwrap();
    fs::create_dir_all(beside(".other.coldframe-123")).unwrap();
    fs::write(beside(".rendered.coldframe-124"), "a file").unwrap();
    let living = Folder::create(&beside(".rendered.coldframe-125")).unwrap();
    repository.render(&[("a", "1")]).unwrap();
    assert_eq!(
        repository.beside(),
        [
            ".other.coldframe-123",
            ".rendered.coldframe-124",
            ".rendered.coldframe-125",
            ".rendered.coldframe-mine",
            "rendered"
        ]
    );
    drop(living);
}

#[test]
fn behind_a_link_the_folder_is_replaced_and_not_the_link() {
    let repository = Repository::with(&[("a", "1")]);
    let link = repository.root.path().join("link");
    symlink("rendered", &link).unwrap();
    let writer = TreeWriter::open(&link, ALL).unwrap();
    writer.put("a", "2").unwrap();
    writer.commit().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(repository.content("a"), "2");
}

#[test]
fn an_output_that_cannot_be_replaced_is_an_error() {
    let repository = Repository::new();
    let file = repository.root.path().join("file");
    fs::write(&file, "").unwrap();
    let clone = repository.root.path().join("clone");
    fs::create_dir_all(clone.join(".git")).unwrap();
    let dangling = repository.root.path().join("dangling");
    symlink("nowhere", &dangling).unwrap();
    let reason = |path: &Path| match TreeWriter::open(path, ALL) {
        Err(EmitError::Unsuitable { reason, .. }) => reason.to_owned(),
        other => format!("{other:?}"),
    };
    assert_eq!(reason(&file), "it is a file, so give a folder");
    assert_eq!(
        reason(&clone),
        "it is the root of a git repository, so give a folder in it"
    );
    assert!(reason(Path::new("/")).starts_with("it has no folder around it"));
    assert!(reason(&dangling).starts_with("Err(Io"));
}

#[test]
fn folders_keep_their_mode() {
    let repository = Repository::with(&[("a/b/x", "1"), ("c", "1")]);
    let set = |path: PathBuf, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    set(repository.output(), 0o750);
    set(repository.path("a/b"), 0o2775);
    repository.render(&[("a/b/x", "2")]).unwrap();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().mode() & 0o7777;
    assert_eq!(mode(repository.output()), 0o750);
    assert_eq!(mode(repository.path("a/b")), 0o2775);
}

#[test]
fn where_hard_links_are_impossible_a_copy_is_the_same_to_its_readers() {
    let root = TempDir::new().unwrap();
    let from = Folder::create(&root.path().join("from")).unwrap();
    let to = Folder::create(&root.path().join("to")).unwrap();
    let file = from.path().join("a");
    fs::write(&file, "mine").unwrap();
    let then = SystemTime::UNIX_EPOCH + Duration::new(1_000_000, 5);
    fs::File::options()
        .write(true)
        .open(&file)
        .unwrap()
        .set_modified(then)
        .unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o440)).unwrap();
    symlink("a", from.path().join("link")).unwrap();

    to.copy(&from, OsStr::new("a")).unwrap();
    to.copy(&from, OsStr::new("link")).unwrap();
    let copied = fs::metadata(to.path().join("a")).unwrap();
    assert_eq!(copied.modified().unwrap(), then);
    assert_eq!(copied.mode() & 0o7777, 0o440);
    assert_eq!(
        fs::read_link(to.path().join("link")).unwrap(),
        Path::new("a")
    );
}
