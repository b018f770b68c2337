//! Durations as people write them: `0`, `90s`, `36h`, `7d`, `2w`, `1d12h`.

use jiff::{SignedDuration, Span, SpanRelativeTo};

/// Reads a duration. A day has 24 hours and a week 7 days; months and years have no fixed length
/// and are refused, and so are negative durations.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn parse(text: &str) -> Result<SignedDuration, String> {
    if text == "0" {
        return Ok(SignedDuration::ZERO);
    }
    let expected = || {
        format!(
            "`{text}` is not a duration: write a number and a unit, such as 90s, 30m, 36h, 7d or 2w"
        )
    };
    if !text
        .chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '.')
        || text.contains("mo")
        || text.contains('y')
    {
        return Err(expected());
    }
    let span: Span = text.parse().map_err(|_| expected())?;
    let duration = span
        .to_duration(SpanRelativeTo::days_are_24_hours())
        .map_err(|_| expected())?;
    if duration.is_negative() {
        Err(expected())
    } else {
        Ok(duration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_weeks_have_a_fixed_length() {
        assert_eq!(parse("0"), Ok(SignedDuration::ZERO));
        assert_eq!(parse("0s"), Ok(SignedDuration::ZERO));
        assert_eq!(parse("36h"), Ok(SignedDuration::from_hours(36)));
        assert_eq!(parse("7d"), Ok(SignedDuration::from_hours(7 * 24)));
        assert_eq!(parse("2w"), Ok(SignedDuration::from_hours(14 * 24)));
        assert_eq!(parse("1d12h"), Ok(SignedDuration::from_hours(36)));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "", "7", "-1h", "1 mo", "1mo", "1y", "P1D", "1h ago", "h", "7D", "1x",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
