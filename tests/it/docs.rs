//! Every relative link in the documentation leads to a file that is there.

use std::path::{Path, PathBuf};

use regex::Regex;

#[test]
fn every_relative_link_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = pages(root);
    assert!(
        pages
            .iter()
            .any(|page| page.ends_with("docs/development.md"))
    );

    let broken: Vec<String> = pages
        .iter()
        .flat_map(|page| {
            let text = std::fs::read_to_string(page).unwrap();
            let folder = page.parent().unwrap().to_owned();
            let name = page.strip_prefix(root).unwrap().display().to_string();
            links(&text)
                .into_iter()
                .filter(move |link| !folder.join(link).exists())
                .map(move |link| format!("{name}: {link}"))
        })
        .collect();
    assert!(
        broken.is_empty(),
        "links that lead nowhere:\n{}",
        broken.join("\n")
    );
}

#[test]
fn links_are_found_in_text_and_in_definitions_but_not_in_code() {
    let text = "See [one](a.md), ![two](b.svg \"title\") and [three][3]; [web](https://example.com), [here](#top).\n\
                ```\n[code](none.md)\n```\n\
                [3]: c/d.md#part\n";
    assert_eq!(links(text), ["a.md", "b.svg", "c/d.md"]);
}

/// The Markdown files at the root and below `docs/`.
fn pages(root: &Path) -> Vec<PathBuf> {
    let top = walkdir::WalkDir::new(root).max_depth(1);
    let docs = walkdir::WalkDir::new(root.join("docs"));
    top.into_iter()
        .chain(docs)
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect()
}

/// What the links of a Markdown text point at, without links to the web and within the page.
fn links(text: &str) -> Vec<String> {
    let link = Regex::new(r"(?m)\]\(([^)\s]+)[^)]*\)|^\[[^\]]+\]:\s*(\S+)").unwrap();
    let mut in_code = false;
    let prose: String = text
        .split_inclusive('\n')
        .filter(|line| {
            let fence = line.trim_start().starts_with("```");
            in_code ^= fence;
            !fence && !in_code
        })
        .collect();
    link.captures_iter(&prose)
        .filter_map(|found| found.get(1).or_else(|| found.get(2)))
        .map(|target| target.as_str())
        .filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
        .map(|target| target.split('#').next().unwrap_or_default().to_owned())
        .filter(|target| !target.is_empty())
        .collect()
}
