//! What a decision is: when two answers of a model are different ones.

/// How scores become decisions.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Rule {
    /// Above the threshold is class 1, all else class 0.
    Threshold(f64),
    /// One of so many classes; scores are made by [`class_score`].
    Classes(usize),
    /// Each of these numbers, which rise, starts a new band.
    Bands(Vec<f64>),
    /// Numbers that differ by more than this are different decisions.
    Tolerance(f64),
}

impl Default for Rule {
    fn default() -> Self {
        Rule::Threshold(0.5)
    }
}

impl Rule {
    /// How many decisions there are; a tolerance knows none by name.
    pub fn decisions(&self) -> usize {
        match self {
            Rule::Threshold(_) => 2,
            Rule::Classes(classes) => *classes,
            Rule::Bands(starts) => starts.len() + 1,
            Rule::Tolerance(_) => 0,
        }
    }

    /// The decision that a score is, as a place among the names; none for a tolerance.
    pub fn decision(&self, score: f32) -> Option<usize> {
        let score_64 = f64::from(score);
        match self {
            _ if score.is_nan() => None,
            Rule::Threshold(threshold) => Some(usize::from(score_64 > *threshold)),
            Rule::Classes(_) => Some(class_of(score).0),
            Rule::Bands(starts) => Some(starts.partition_point(|&start| start <= score_64)),
            Rule::Tolerance(_) => None,
        }
    }

    /// The decisions' names where nobody gave any.
    pub fn default_names(&self) -> Vec<String> {
        match self {
            Rule::Bands(starts) => band_names(starts),
            rule => (0..rule.decisions())
                .map(|class| class.to_string())
                .collect(),
        }
    }
}

fn band_names(starts: &[f64]) -> Vec<String> {
    let below = starts.first().map(|start| format!("below {start}"));
    let between = starts
        .windows(2)
        .map(|pair| format!("{} to {}", pair[0], pair[1]));
    let above = starts.last().map(|start| format!("{start} and above"));
    below.into_iter().chain(between).chain(above).collect()
}

/// A score that says which class won and by how much: an even number for the class, plus the lead
/// over the next class, from 0 to 1.
///
/// ```
/// use fairgate::decision::{class_of, class_score};
/// let score = class_score(2, 0.25);
/// assert_eq!(class_of(score), (2, 0.25));
/// ```
pub fn class_score(class: usize, lead: f32) -> f32 {
    2.0 * class as f32 + lead.clamp(0.0, 1.0)
}

/// The class of a score made by [`class_score`], and its lead.
pub fn class_of(score: f32) -> (usize, f32) {
    let class = (score / 2.0).floor().max(0.0);
    (class as usize, score - 2.0 * class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_and_its_lead_come_back() {
        for class in [0, 1, 7, 900] {
            for lead in [0.0, 0.5, 1.0] {
                assert_eq!(class_of(class_score(class, lead)), (class, lead));
            }
        }
    }

    #[test]
    fn bands_have_names() {
        let names = Rule::Bands(vec![20.0, 40.5]).default_names();
        assert_eq!(names, ["below 20", "20 to 40.5", "40.5 and above"]);
    }
}
