//! Cron schedules of five fields, as far as their form goes; when they open is decided elsewhere.

/// What each field counts, its bounds, and its names.
const FIELDS: [(&str, u32, u32, &[&str]); 5] = [
    ("minute", 0, 59, &[]),
    ("hour", 0, 23, &[]),
    ("day of the month", 1, 31, &[]),
    (
        "month",
        1,
        12,
        &[
            "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
        ],
    ),
    (
        "day of the week",
        0,
        7,
        &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"],
    ),
];

/// What is wrong with a schedule.
pub(super) fn problem(schedule: &str) -> Option<String> {
    let parts: Vec<_> = schedule.split_whitespace().collect();
    if parts.len() != FIELDS.len() {
        return Some(format!("it has {} fields, not five", parts.len()));
    }
    parts.iter().zip(FIELDS).find_map(|(part, field)| {
        let (name, low, high, _) = field;
        let fine = part.split(',').all(|term| is_term(term, field));
        (!fine).then(|| format!("`{part}` is no {name} from {low} to {high}"))
    })
}

/// `*`, a number or name, or a range, each with an optional step.
fn is_term(term: &str, (_, low, high, words): (&str, u32, u32, &[&str])) -> bool {
    let value = |text: &str| {
        let word = words
            .iter()
            .position(|word| word.eq_ignore_ascii_case(text))
            .and_then(|index| u32::try_from(index).ok());
        word.map(|index| index + low)
            .or_else(|| number(text))
            .filter(|value| (low..=high).contains(value))
    };
    let (range, step) = match term.split_once('/') {
        Some((range, step)) => (range, Some(step)),
        None => (term, None),
    };
    let range_is_fine = match range.split_once('-') {
        _ if range == "*" => true,
        Some((from, to)) => {
            matches!((value(from), value(to)), (Some(from), Some(to)) if from <= to)
        }
        None => value(range).is_some(),
    };
    range_is_fine && step.is_none_or(|step| number(step).is_some_and(|step| step > 0))
}

fn number(text: &str) -> Option<u32> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::problem;
    use rstest::rstest;

    #[rstest]
    #[case("0 8 * * MON-THU")]
    #[case("*/15 0-6,22-23 1 jan,JUL 0")]
    #[case("0 0 1-7/2 * 7")]
    fn five_fields_are_a_schedule(#[case] schedule: &str) {
        assert_eq!(problem(schedule), None);
    }

    #[rstest]
    #[case("0 8 * *", "it has 4 fields, not five")]
    #[case("@daily", "it has 1 fields, not five")]
    #[case("60 8 * * *", "`60` is no minute from 0 to 59")]
    #[case("0 8 * * THU-MON", "`THU-MON` is no day of the week from 0 to 7")]
    #[case("0 8 0 * *", "`0` is no day of the month from 1 to 31")]
    #[case("0/0 8 1 * *", "`0/0` is no minute from 0 to 59")]
    #[case("+1 8 1 * *", "`+1` is no minute from 0 to 59")]
    fn anything_else_is_not(#[case] schedule: &str, #[case] expected: &str) {
        assert_eq!(problem(schedule).as_deref(), Some(expected));
    }
}
