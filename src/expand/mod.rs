//! From a plan to releases: names, option values and expressions, as Greenhouse has them.

pub mod expression;
pub mod names;
pub mod strvals;
