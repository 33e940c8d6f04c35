//! When two scores are different decisions, the same in every runtime.
//!
//! A decision is a *side*: below or above a threshold, a band, a class. Where two numbers are compared
//! by a tolerance there are no sides, only pairs that differ.

use crate::decision::{Rule, class_of};
use crate::model::{UNDECIDED, canonical};

/// A decision, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Side(u16);

impl Side {
    /// Within numerical noise of a boundary, or not known: evidence of nothing.
    pub(crate) const UNDECIDED: Side = Side(u16::MAX);

    /// Whether two sides are different decisions.
    pub(crate) fn differs(self, other: Side) -> bool {
        self != other && self != Side::UNDECIDED && other != Side::UNDECIDED
    }

    /// The decision's place among their names.
    pub(crate) fn decision(self) -> Option<usize> {
        (self != Side::UNDECIDED).then_some(usize::from(self.0))
    }
}

/// Where one boundary cuts the scores.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    at: f32,
    /// Scores from here on are above.
    above: f32,
    /// Scores up to here are below.
    below: f32,
}

impl Cut {
    /// Canonical scores decide; they rise with the score, so the place where they cross can be found
    /// once and compared with from then on.
    fn new(boundary: f64) -> Self {
        let distance = |score: f32| f64::from(canonical(score)) - boundary;
        let noise = noise_at(boundary);
        Cut {
            at: boundary as f32,
            above: first(|score| distance(score) > noise),
            below: -first(|score| distance(-score) < -noise),
        }
    }
}

/// How far a score may lie from its canonical one: half of a step of the grid, which is wider for
/// large numbers. Nearer to a boundary than this, the grid alone says on which side a score is.
fn noise_at(score: f64) -> f64 {
    let magnitude = score.abs().max(1.0);
    UNDECIDED * magnitude.log2().floor().exp2()
}

/// The sides of a rule.
#[derive(Debug, Clone)]
pub(crate) enum Sides {
    /// Below and above one boundary.
    Two(Cut),
    /// Between several boundaries, rising.
    Bands(Vec<Cut>),
    /// Classes with their lead.
    Classes,
    /// No sides: numbers further apart than this differ.
    Apart(f32),
}

impl Sides {
    pub(crate) fn new(rule: &Rule) -> Self {
        match rule {
            Rule::Threshold(threshold) => Sides::Two(Cut::new(*threshold)),
            Rule::Bands(starts) => match starts.as_slice() {
                [start] => Sides::Two(Cut::new(*start)),
                starts => Sides::Bands(starts.iter().map(|&start| Cut::new(start)).collect()),
            },
            Rule::Classes(_) => Sides::Classes,
            Rule::Tolerance(tolerance) => Sides::Apart(*tolerance as f32),
        }
    }

    /// The side that a score lies on; all numbers on the same one where there are no sides.
    #[inline]
    pub(crate) fn side(&self, score: f32) -> Side {
        match self {
            Sides::Two(cut) => {
                if score >= cut.above {
                    Side(1)
                } else if score <= cut.below {
                    Side(0)
                } else {
                    Side::UNDECIDED
                }
            }
            Sides::Bands(cuts) => {
                let band = cuts.partition_point(|cut| score > cut.below);
                match band.checked_sub(1).map(|last| &cuts[last]) {
                    Some(cut) if score < cut.above => Side::UNDECIDED,
                    _ if score.is_nan() => Side::UNDECIDED,
                    _ => Side(band as u16),
                }
            }
            Sides::Classes => match class_of(canonical(score)) {
                (class, lead) if lead > UNDECIDED as f32 => Side(class as u16),
                _ => Side::UNDECIDED,
            },
            Sides::Apart(_) if score.is_nan() => Side::UNDECIDED,
            Sides::Apart(_) => Side(0),
        }
    }

    /// Whether two scores are different decisions.
    #[inline]
    pub(crate) fn differ(&self, one: f32, other: f32) -> bool {
        match self {
            Sides::Two(cut) => {
                (one >= cut.above) & (other <= cut.below)
                    | (one <= cut.below) & (other >= cut.above)
            }
            _ => self.differ_otherwise(one, other),
        }
    }

    /// Whether a score is another decision than any of these.
    #[inline]
    pub(crate) fn differs_from_any(&self, own: f32, scores: &[f32]) -> bool {
        match self {
            // Looking at all of them takes less time than guessing wrongly where to stop.
            Sides::Two(cut) => {
                let (mut above, mut below) = (false, false);
                for &score in scores {
                    above |= score >= cut.above;
                    below |= score <= cut.below;
                }
                (own >= cut.above) & below | (own <= cut.below) & above
            }
            _ => scores
                .iter()
                .any(|&score| self.differ_otherwise(own, score)),
        }
    }

    /// The same where there are more than two sides, or none.
    fn differ_otherwise(&self, one: f32, other: f32) -> bool {
        match self {
            // Not a number is further apart from nothing.
            Sides::Apart(tolerance) => {
                let (one, other) = (f64::from(canonical(one)), f64::from(canonical(other)));
                let noise = noise_at(one) + noise_at(other);
                (one - other).abs() > f64::from(*tolerance) + noise
            }
            _ => self.side(one).differs(self.side(other)),
        }
    }

    /// Whether numerical noise keeps a score from being a decision, or from differing from one of
    /// `others` where it may.
    pub(crate) fn undecided(
        &self,
        score: f32,
        mut others: impl Iterator<Item = f32> + Clone,
    ) -> bool {
        match self {
            Sides::Apart(tolerance) => {
                let decided = others.clone().any(|other| self.differ(score, other));
                let own = f64::from(canonical(score));
                let may_differ = |other: f32| {
                    let other = f64::from(canonical(other));
                    let noise = noise_at(own) + noise_at(other);
                    (own - other).abs() > f64::from(*tolerance) - noise
                };
                !decided && others.any(may_differ)
            }
            _ => !score.is_nan() && self.side(score) == Side::UNDECIDED,
        }
    }

    /// Whether these scores are certainly one decision. Saying no is always right; this is for looking at
    /// millions of people, most of whom are decided as all their counterparts are.
    pub(crate) fn all_alike(&self, scores: &[f32]) -> bool {
        match self {
            Sides::Two(cut) => {
                let above = |all, score: &f32| all & (*score >= cut.above);
                let below = |all, score: &f32| all & (*score <= cut.below);
                scores.iter().fold(true, above) || scores.iter().fold(true, below)
            }
            Sides::Bands(_) | Sides::Classes => {
                let first = scores.first().map(|&score| self.side(score));
                let mut sides = scores.iter().map(|&score| self.side(score));
                first != Some(Side::UNDECIDED) && sides.all(|side| Some(side) == first)
            }
            Sides::Apart(tolerance) => {
                let (least, most) = ends(scores);
                let (least, most) = (f64::from(canonical(least)), f64::from(canonical(most)));
                let noise = 2.0 * noise_at(least.abs().max(most.abs()));
                most - least <= f64::from(*tolerance) - noise
            }
        }
    }

    /// No two of these scores have a wider [`gap`](Self::gap) than this.
    pub(crate) fn widest_gap(&self, scores: &[f32]) -> f32 {
        match self {
            Sides::Classes => {
                let leads = scores.iter().map(|&score| class_of(canonical(score)).1);
                2.0 * leads.fold(0.0, f32::max)
            }
            _ => {
                let (least, most) = ends(scores);
                canonical(most) - canonical(least)
            }
        }
    }

    /// Of the scores of somebody who is decided differently with other protected values, the one
    /// furthest on the other side, where there are but two: canonical scores rise with the score, so
    /// only this one has to be rounded.
    pub(crate) fn furthest(&self, own: f32, scores: &[f32]) -> Option<f32> {
        let Sides::Two(cut) = self else {
            return None;
        };
        let (least, most) = ends(scores);
        Some(if own >= cut.above { least } else { most })
    }

    /// How clearly two scores differ: how far they are apart, or by how much each class leads.
    pub(crate) fn gap(&self, one: f32, other: f32) -> f32 {
        let (one, other) = (canonical(one), canonical(other));
        match self {
            Sides::Classes => {
                let ((class, lead), (other_class, other_lead)) = (class_of(one), class_of(other));
                if class == other_class {
                    (lead - other_lead).abs()
                } else {
                    lead + other_lead
                }
            }
            _ => (one - other).abs(),
        }
    }

    /// A score as people read it: the lead of a class, any other score as it is.
    pub(crate) fn shown(&self, score: f32) -> f32 {
        match self {
            Sides::Classes => class_of(canonical(score)).1,
            _ => canonical(score),
        }
    }

    /// How far a score lies from the nearest boundary; the lead of a class. Where two numbers are
    /// compared there is no boundary.
    pub(crate) fn boundary(&self, score: f32) -> Option<f32> {
        let canonical_score = canonical(score);
        match self {
            Sides::Two(cut) => Some((canonical_score - cut.at).abs()),
            Sides::Bands(cuts) => {
                let distances = cuts.iter().map(|cut| (canonical_score - cut.at).abs());
                distances.min_by(f32::total_cmp)
            }
            Sides::Classes => Some(class_of(canonical_score).1),
            Sides::Apart(_) => None,
        }
    }

    /// The number whose changes are looked at around somebody with this score: the lead of their own
    /// class, which is negative where another class leads; elsewhere the score itself.
    pub(crate) fn measured(&self, score: f32, around: f32) -> f32 {
        match self {
            Sides::Classes => lead_of(score, class_of(around).0),
            _ => score,
        }
    }

    /// Whether the confidence in one's own decision falls as the measured number rises.
    pub(crate) fn falls(&self, score: f32) -> bool {
        let score = canonical(score);
        match self {
            Sides::Two(cut) => score <= cut.at,
            Sides::Bands(cuts) => {
                let distance = |cut: &Cut| (score - cut.at).abs();
                let nearest = cuts
                    .iter()
                    .min_by(|a, b| distance(a).total_cmp(&distance(b)));
                nearest.is_some_and(|cut| score <= cut.at)
            }
            Sides::Classes | Sides::Apart(_) => false,
        }
    }

    /// The frame in which a person and a counterpart with these scores, who differ, keep differing.
    pub(crate) fn frame(&self, own: f32, other: f32) -> Frame {
        match self {
            Sides::Two(cut) => Frame::Cuts([cut.at; 2]),
            Sides::Bands(cuts) => {
                let band = |score: f32| cuts.partition_point(|cut| score > cut.below);
                let (own, other) = (band(own), band(other));
                // The boundaries of both bands that face each other.
                let facing = |from: usize, to: usize| {
                    let place = if from < to { from } else { from.max(1) - 1 };
                    cuts[place.min(cuts.len() - 1)].at
                };
                Frame::Cuts([facing(own, other), facing(other, own)])
            }
            Sides::Classes => Frame::Classes([class_of(own).0, class_of(other).0]),
            Sides::Apart(tolerance) => Frame::Apart(if canonical(own) > canonical(other) {
                *tolerance
            } else {
                -tolerance
            }),
        }
    }

    /// Whether there are but two decisions.
    pub(crate) fn are_two(&self) -> bool {
        matches!(self, Sides::Two(_))
    }

    /// Whether counterexamples are looked for by pulling two numbers apart.
    pub(crate) fn pulls_apart(&self) -> bool {
        matches!(self, Sides::Apart(_))
    }
}

/// The smallest and the largest of some numbers.
fn ends(scores: &[f32]) -> (f32, f32) {
    let least = scores.iter().copied().fold(f32::INFINITY, f32::min);
    (
        least,
        scores.iter().copied().fold(f32::NEG_INFINITY, f32::max),
    )
}

fn lead_of(score: f32, class: usize) -> f32 {
    match class_of(score) {
        (own, lead) if own == class => lead,
        (_, lead) => -lead,
    }
}

/// What a person and a counterpart must not cross, if they are to go on differing: of their two
/// distances one is positive and one is negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Frame {
    /// A boundary for each.
    Cuts([f32; 2]),
    /// A class for each.
    Classes([usize; 2]),
    /// How far the person's number must stay above the counterpart's; below it if this is negative.
    Apart(f32),
}

impl Default for Frame {
    fn default() -> Self {
        Frame::Cuts([0.0; 2])
    }
}

impl Frame {
    /// How far two canonical scores lie from what they must not cross.
    pub(crate) fn distances(&self, [own, other]: [f32; 2]) -> [f32; 2] {
        match self {
            Frame::Cuts(cuts) => [own - cuts[0], other - cuts[1]],
            Frame::Classes(classes) => [lead_of(own, classes[0]), -lead_of(other, classes[1])],
            Frame::Apart(least) => {
                let room = own - other - least;
                [room, -room]
            }
        }
    }

    /// How the slopes of the measured numbers become those of the distances.
    pub(crate) fn slopes(&self, own: f64, other: f64) -> [f64; 2] {
        match self {
            Frame::Cuts(_) => [own, other],
            Frame::Classes(_) => [own, -other],
            Frame::Apart(_) => [own - other, other - own],
        }
    }
}

/// The smallest number for which `holds` does, if it holds for every larger one.
fn first(holds: impl Fn(f32) -> bool) -> f32 {
    // The bits of floats sort as the floats do, once those of negative ones are turned round.
    let float = |order: i32| f32::from_bits((order ^ ((order >> 31) & i32::MAX)) as u32);
    let order = |float: f32| {
        let bits = float.to_bits() as i32;
        bits ^ ((bits >> 31) & i32::MAX)
    };
    let (mut low, mut high) = (order(f32::MIN), order(f32::MAX));
    while low < high {
        let middle = low + ((i64::from(high) - i64::from(low)) / 2) as i32;
        if holds(float(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    float(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::class_score;

    fn threshold(threshold: f64) -> Sides {
        Sides::new(&Rule::Threshold(threshold))
    }

    #[test]
    fn a_flip_within_noise_of_the_threshold_does_not_count() {
        let sides = threshold(0.5);
        assert!(!sides.differ(0.5, 0.9));
        assert!(!sides.differ(0.500_01, 0.1));
        assert!(sides.differ(0.500_1, 0.499_9));
        assert_eq!(sides.side(f32::NAN), Side::UNDECIDED);
    }

    #[test]
    fn the_cuts_are_where_canonical_scores_cross() {
        for boundary in [0.5, 0.3, 0.001, 0.0, -2.5, 17.0] {
            let sides = threshold(boundary);
            let bands = Sides::new(&Rule::Bands(vec![boundary, boundary + 100.0]));
            for step in -20_000..20_000 {
                let score = boundary as f32 + step as f32 * 1e-8;
                let distance = f64::from(canonical(score)) - boundary;
                let side = if distance > UNDECIDED {
                    Side(1)
                } else if distance < -UNDECIDED {
                    Side(0)
                } else {
                    Side::UNDECIDED
                };
                assert_eq!(sides.side(score), side, "{score} against {boundary}");
                assert_eq!(bands.side(score), side, "{score} against {boundary}");
            }
        }
    }

    #[test]
    fn bands_classes_and_tolerances_have_differences() {
        let bands = Sides::new(&Rule::Bands(vec![20.0, 40.0]));
        assert_eq!(bands.side(39.0).decision(), Some(1));
        assert!(bands.differ(39.0, 41.0) && !bands.differ(21.0, 39.0));
        assert_eq!(bands.side(f32::NAN), Side::UNDECIDED);
        let classes = Sides::new(&Rule::Classes(3));
        assert!(classes.differ(class_score(0, 0.2), class_score(2, 0.1)));
        assert!(
            !classes.differ(class_score(0, 0.0), class_score(2, 0.1)),
            "level"
        );
        let gap = classes.gap(class_score(0, 0.2), class_score(2, 0.1));
        assert!((gap - 0.3).abs() < 1e-3, "{gap}");
        let apart = Sides::new(&Rule::Tolerance(5.0));
        assert!(apart.differ(10.0, 15.1) && !apart.differ(10.0, 15.0));
        assert!(apart.differ(15.1, 10.0) && !apart.differ(15.0, 10.0));
        assert!(!apart.differ(f32::NAN, 15.0));
    }

    #[test]
    fn what_the_grid_does_to_large_numbers_is_no_difference() {
        // Around five million the grid has steps of 128.
        let apart = Sides::new(&Rule::Tolerance(100.0));
        let steps = (0..4000).map(|step| 5_000_000.0 + step as f32);
        for own in steps {
            assert!(!apart.differ(own, own + 99.0), "{own}");
            assert!(apart.differ(own, own + 400.0), "{own}");
        }
        // Around forty thousand it has whole numbers.
        let bands = Sides::new(&Rule::Bands(vec![30_000.0, 40_000.3]));
        for step in -400..400 {
            let score = 40_000.3 + step as f32 / 100.0;
            let truth = usize::from(score > 40_000.3) + 1;
            let said = bands.side(score).decision();
            assert!(said.is_none() || said == Some(truth), "{score}: {said:?}");
            assert_eq!(said.is_none(), bands.side(score) == Side::UNDECIDED);
        }
        assert_eq!(bands.side(40_002.0).decision(), Some(2));
        assert_eq!(bands.side(39_999.0).decision(), Some(1));
    }

    #[test]
    fn a_frame_moves_with_both_numbers() {
        let frame = Sides::new(&Rule::Tolerance(5.0)).frame(30.0, 20.0);
        assert_eq!(
            frame.distances([130.0, 120.0]),
            frame.distances([30.0, 20.0])
        );
        assert_eq!(frame.slopes(10.0, 10.0), [0.0, 0.0]);
    }

    #[test]
    fn in_a_frame_one_distance_is_positive_and_one_negative() {
        let cases = [
            (Rule::Threshold(0.5), [0.7, 0.2]),
            (Rule::Bands(vec![20.0, 40.0, 60.0]), [10.0, 50.0]),
            (Rule::Bands(vec![20.0, 40.0, 60.0]), [70.0, 50.0]),
            (Rule::Classes(4), [class_score(3, 0.4), class_score(1, 0.2)]),
            (Rule::Tolerance(5.0), [30.0, 20.0]),
            (Rule::Tolerance(5.0), [20.0, 30.0]),
        ];
        for (rule, scores) in cases {
            let sides = Sides::new(&rule);
            assert!(sides.differ(scores[0], scores[1]));
            let [own, other] = sides.frame(scores[0], scores[1]).distances(scores);
            assert!(own * other < 0.0, "{rule:?}: {own} {other}");
        }
    }
}
