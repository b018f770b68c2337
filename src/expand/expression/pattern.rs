//! Patterns of `matches`: the syntax of Go's `regexp`, which is not quite that of the crate
//! `regex`.

use std::iter::Peekable;
use std::str::Chars;

use regex::Regex;

/// Compiles a pattern of Go. The error says what is wrong with it.
pub(super) fn compile(pattern: &str) -> Result<Regex, String> {
    let translated = translate(pattern);
    let regex =
        translated.and_then(|pattern| Regex::new(&pattern).map_err(|error| error.to_string()));
    regex.map_err(|reason| format!("`{pattern}` is not a regular expression of Go: {reason}"))
}

/// The same pattern in the syntax of the crate: classes such as `\d` know only ASCII, `[` has no
/// meaning in a class, and so on.
fn translate(pattern: &str) -> Result<String, String> {
    let mut translated = String::new();
    let mut letters = pattern.chars().peekable();
    let mut repeated = false;
    while let Some(letter) = letters.next() {
        let repeats = matches!(letter, '*' | '+' | '?');
        if repeats && repeated {
            return Err(format!("`{letter}` follows another repetition"));
        }
        match letter {
            '\\' => translated.push_str(&escape(&mut letters, false)?),
            '[' => class(&mut letters, &mut translated)?,
            '(' => group(&mut letters, &mut translated)?,
            '{' => translated.push_str("\\{"),
            _ => translated.push(letter),
        }
        if repeats && letters.next_if_eq(&'?').is_some() {
            translated.push('?');
        }
        repeated = repeats;
    }
    Ok(translated)
}

/// What follows a backslash.
fn escape(letters: &mut Peekable<Chars>, in_class: bool) -> Result<String, String> {
    let letter = letters.next().ok_or("it ends in a backslash")?;
    let ascii = match letter.to_ascii_lowercase() {
        'd' => "0-9",
        'w' => "0-9A-Za-z_",
        's' => "\\t\\n\\x0c\\r ",
        _ => "",
    };
    Ok(match letter {
        _ if !ascii.is_empty() => {
            let not = if letter.is_ascii_uppercase() { "^" } else { "" };
            format!("[{not}{ascii}]")
        }
        'b' | 'B' if !in_class => format!("(?-u:\\{letter})"),
        'Q' if !in_class => {
            let rest: String = letters.clone().collect();
            let (literal, _) = rest.split_once("\\E").unwrap_or((&rest, ""));
            for _ in 0..literal.chars().count() + 2 {
                letters.next();
            }
            regex::escape(literal)
        }
        'u' | 'U' => return Err(format!("`\\{letter}` means nothing")),
        '<' | '>' => letter.to_string(),
        _ => format!("\\{letter}"),
    })
}

/// What follows a `[`, up to its `]`.
fn class(letters: &mut Peekable<Chars>, translated: &mut String) -> Result<(), String> {
    translated.push('[');
    if letters.next_if_eq(&'^').is_some() {
        translated.push('^');
    }
    let mut first = true;
    while let Some(letter) = letters.next() {
        match letter {
            ']' if !first => {
                translated.push(']');
                return Ok(());
            }
            '[' if letters.peek() == Some(&':') => {
                let rest: String = letters.clone().collect();
                let end = rest.find(":]").ok_or("`[:` has no `:]`")?;
                translated.push('[');
                translated.push_str(&rest[..end + 2]);
                for _ in 0..rest[..end + 2].chars().count() {
                    letters.next();
                }
            }
            '\\' => translated.push_str(&escape(letters, true)?),
            ']' | '[' | '&' | '~' => {
                translated.push('\\');
                translated.push(letter);
            }
            '-' if translated.ends_with('-') => translated.push_str("\\-"),
            _ => translated.push(letter),
        }
        first = false;
    }
    Err("a `[` has no `]`".to_owned())
}

/// What follows a `(`, up to the end of its flags.
fn group(letters: &mut Peekable<Chars>, translated: &mut String) -> Result<(), String> {
    translated.push('(');
    if letters.next_if_eq(&'?').is_none() {
        return Ok(());
    }
    translated.push('?');
    if matches!(letters.peek(), Some('P' | '<')) {
        return Ok(());
    }
    for letter in letters.by_ref() {
        translated.push(letter);
        match letter {
            ':' | ')' => return Ok(()),
            'i' | 'm' | 's' | 'U' | '-' => {}
            _ => return Err(format!("`(?{letter}` means nothing")),
        }
    }
    Err("a `(?` has no end".to_owned())
}
