//! THEMIS (Galhotra et al., ESEC/FSE 2017): people are drawn until it is known well enough how many
//! of them are discriminated.
//!
//! The published tool stops once a normal approximation of the interval is narrow. That one is empty
//! as long as nobody, or everybody, has been found, and it is looked at after every person. Here the
//! interval is exact, and it is looked at seldom: after so many people, then after twice as many.
//! Each look spends a part of the doubt that the confidence leaves, so that all of them hold at once.

use crate::model::meter::Halt;
use crate::search::drawing::Drawing;
use crate::search::random::{Purpose, stream};
use crate::search::{Estimate, Lockstep, Phase, Task, Walked};
use crate::share::{Share, clopper_pearson};

/// People that are drawn before the first look.
const FIRST_LOOK: u64 = 128;

/// Draws people until the interval is as narrow as wanted, or the budget ends.
pub(super) fn run(
    search: &mut Lockstep<'_, '_>,
    task: &Task<'_>,
    walked: &mut Walked,
) -> Result<(), Halt> {
    let mut looks = Looks::new(task);
    let ended = draw(search, task, walked, &mut looks);
    walked.estimate = Some(looks.estimate());
    ended
}

fn draw(
    search: &mut Lockstep<'_, '_>,
    task: &Task<'_>,
    walked: &mut Walked,
    looks: &mut Looks,
) -> Result<(), Halt> {
    let drawing = Drawing::new(task);
    let mut stream = stream(task.seed, task.benchmark, Purpose::Drawn, 0);
    let total = task.budget.people() as u64;
    while looks.share.of < total {
        search.tell(Phase::Global, looks.share.of as usize, total as usize);
        let until_look = looks.size().min(total) - looks.share.of;
        let portion = search.portion().min(until_look as usize);
        let people = drawing.draw(portion, &mut stream);
        let met = search.test(people.iter().map(|drawn| drawn.person.as_slice()))?;
        looks.share.of += met.len() as u64;
        looks.share.discriminated += met.iter().filter(|met| met.discriminated).count() as u64;
        walked.seeds += met.len();
        walked.global_found = search.tested.found().len();
        let nobody_more = people.len() < portion;
        if nobody_more || (looks.share.of == looks.size() && looks.is_enough()) {
            break;
        }
    }
    Ok(())
}

/// Looks at the interval at fixed sizes.
struct Looks {
    share: Share,
    /// Looks that are over.
    over: u32,
    confidence: f64,
    error_bound: f64,
}

impl Looks {
    fn new(task: &Task<'_>) -> Self {
        Looks {
            share: Share::default(),
            over: 0,
            confidence: task.confidence,
            error_bound: task.settings.error_bound,
        }
    }

    /// How many people there are at the next look.
    fn size(&self) -> u64 {
        FIRST_LOOK.saturating_mul(1_u64.checked_shl(self.over).unwrap_or(u64::MAX))
    }

    /// Whether the interval is narrow enough. If not, this look is over.
    fn is_enough(&mut self) -> bool {
        let enough = self.estimate().is_enough;
        self.over += u32::from(!enough);
        enough
    }

    /// What the next look says of the people so far. The parts of the doubt, 1/2, 1/6, 1/12 and so
    /// on, add up to one.
    fn estimate(&self) -> Estimate {
        let look = f64::from(self.over + 1);
        let doubt = (1.0 - self.confidence) / (look * (look + 1.0));
        let (lower, upper) = clopper_pearson(self.share, 1.0 - doubt);
        Estimate {
            share: self.share,
            lower,
            upper,
            is_enough: (upper - lower) / 2.0 <= self.error_bound,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::random::{Stream, unit};

    /// Draws with a known rate, as the method does.
    fn draw(rate: f64, error_bound: f64, stream: &mut Stream) -> Estimate {
        let mut looks = Looks {
            share: Share::default(),
            over: 0,
            confidence: 0.95,
            error_bound,
        };
        loop {
            looks.share.of += 1;
            looks.share.discriminated += u64::from(unit(stream) < rate);
            if looks.share.of == looks.size() && looks.is_enough() {
                return looks.estimate();
            }
        }
    }

    #[test]
    fn repeated_looks_keep_the_confidence() {
        let mut stream = stream(1, "themis", Purpose::Drawn, 0);
        for rate in [0.0, 0.003, 0.02, 0.3] {
            let missed = (0..400).filter(|_| {
                let estimate = draw(rate, 0.03, &mut stream);
                rate < estimate.lower || rate > estimate.upper
            });
            // One in twenty may be missed.
            let missed = missed.count();
            assert!(missed <= 20, "{rate}: {missed}");
        }
    }

    #[test]
    fn zero_found_is_no_certainty() {
        let mut stream = stream(1, "themis", Purpose::Drawn, 0);
        let loose = draw(0.0, 0.05, &mut stream);
        assert_eq!((loose.share.of, loose.lower), (128, 0.0));
        assert!(loose.upper > 0.02 && loose.upper <= 0.1, "{loose:?}");
        let strict = draw(0.0, 0.001, &mut stream);
        assert!(
            strict.share.of > 2000 && strict.upper <= 0.002,
            "{strict:?}"
        );
    }

    #[test]
    fn a_rate_in_the_middle_takes_more_people() {
        let mut stream = stream(1, "themis", Purpose::Drawn, 0);
        let of = |rate| draw(rate, 0.02, &mut stream.clone()).share.of;
        assert!(of(0.5) >= 8 * of(0.001), "{} {}", of(0.5), of(0.001));
        let estimate = draw(0.5, 0.02, &mut stream);
        assert!(estimate.upper - estimate.lower <= 0.04);
    }
}
