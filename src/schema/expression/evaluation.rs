//! Evaluating an expression for a person: steps on a stack of numbers, in one loop.
//!
//! True is 1 and false is 0. Nothing is skipped: no step can fail, and a branch costs more than most
//! steps do. A number that does not exist, such as `log(-1)`, is NaN, and every comparison with it
//! but `!=` is false.

use super::logarithm::natural_logarithm;
use super::tree::{Binary, Comparison};
use crate::schema::Code;

/// Expressions that need no more room than this are evaluated without asking for memory.
const ROOM: usize = 16;

/// What the codes of an attribute stand for in an expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Column {
    /// The code itself: for texts, and for truth values with false before true.
    Codes,
    /// Evenly spaced numbers: `(first + step * code) / per`.
    ///
    /// With whole numbers for all three, decimals come out as they are written: code 3 of
    /// 0, 0.1, 0.2 ... is `3 / 10`, which is 0.3, while `3 * 0.1` is not.
    Even {
        /// What code 0 stands for, times `per`.
        first: f64,
        /// What each further code adds, times `per`.
        step: f64,
        /// 1 for whole numbers, 10 for one digit after the point, and so on.
        per: f64,
    },
}

/// What the codes of every attribute stand for, in the order of a person's codes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Values {
    columns: Vec<Column>,
}

impl Values {
    /// One column for each attribute.
    pub(crate) fn new(columns: Vec<Column>) -> Self {
        Values { columns }
    }

    /// What a code of an attribute stands for.
    fn value(&self, attribute: usize, code: Code) -> f64 {
        match &self.columns[attribute] {
            Column::Codes => f64::from(code),
            Column::Even { first, step, per } => (first + step * f64::from(code)) / per,
        }
    }
}

/// One step: takes its operands from the stack and leaves one number there.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// This number.
    Number(f64),
    /// The value of an attribute.
    Attribute(usize),
    /// Whether an attribute has this code.
    Is {
        /// The place of the attribute.
        attribute: usize,
        /// The code.
        code: Code,
    },
    /// Whether an attribute has one of several codes.
    IsOneOf {
        /// The place of the attribute.
        attribute: usize,
        /// For each code whether it is one of them.
        codes: Box<[bool]>,
    },
    /// Whether two attributes have the same text, which may have another code in each.
    Alike {
        /// The place of the one attribute.
        left: usize,
        /// The place of the other.
        right: usize,
        /// For each code of the right one, the code of the left one that has the same name.
        translation: Box<[Option<Code>]>,
    },
    /// The opposite number.
    Negate,
    /// The opposite truth value.
    Not,
    /// An operator on two numbers.
    Binary(Binary),
    /// A chain of comparisons, each between neighbours.
    Compare(Box<[Comparison]>),
    /// Whether a number is in a list.
    Among(Box<[f64]>),
    /// The second or the third number, depending on the first.
    Choose,
    /// A function of so many numbers.
    Call(Function, usize),
}

impl Step {
    /// How many numbers the step takes from the stack.
    fn takes(&self) -> usize {
        match self {
            Step::Number(_)
            | Step::Attribute(_)
            | Step::Is { .. }
            | Step::IsOneOf { .. }
            | Step::Alike { .. } => 0,
            Step::Negate | Step::Not | Step::Among(_) => 1,
            Step::Binary(_) => 2,
            Step::Choose => 3,
            Step::Compare(comparisons) => comparisons.len() + 1,
            Step::Call(_, count) => *count,
        }
    }

    /// What a step without operands gives for a person.
    fn look(&self, values: &Values, person: &[Code]) -> f64 {
        match self {
            Step::Number(number) => *number,
            Step::Attribute(place) => values.value(*place, person[*place]),
            Step::Is { attribute, code } => truth(person[*attribute] == *code),
            Step::IsOneOf { attribute, codes } => {
                truth(codes.get(person[*attribute] as usize) == Some(&true))
            }
            Step::Alike {
                left,
                right,
                translation,
            } => {
                let same = translation.get(person[*right] as usize).copied().flatten();
                truth(same == Some(person[*left]))
            }
            // The others have operands.
            _ => f64::NAN,
        }
    }

    /// What a step makes of its operands, of which there is at least one.
    fn apply(&self, operands: &[f64]) -> f64 {
        match (self, operands) {
            (Step::Negate, [number]) => -number,
            (Step::Not, [number]) => truth(*number == 0.0),
            (Step::Compare(comparisons), _) => truth(
                comparisons
                    .iter()
                    .zip(operands.windows(2))
                    .all(|(comparison, pair)| comparison.holds(pair[0], pair[1])),
            ),
            (Step::Among(numbers), [number]) => truth(numbers.contains(number)),
            (Step::Choose, [condition, then, otherwise]) => {
                if *condition == 0.0 {
                    *otherwise
                } else {
                    *then
                }
            }
            (Step::Call(function, _), _) => function.apply(operands),
            // The checker gives every step its operands.
            _ => f64::NAN,
        }
    }
}

/// True and false as numbers.
fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

impl Binary {
    /// What the operator makes of two numbers.
    fn apply(self, left: f64, right: f64) -> f64 {
        match self {
            Binary::Add => left + right,
            Binary::Subtract => left - right,
            Binary::Multiply => left * right,
            Binary::Divide => left / right,
            Binary::And => truth((left != 0.0) & (right != 0.0)),
            Binary::Or => truth((left != 0.0) | (right != 0.0)),
            Binary::Implies => truth((left == 0.0) | (right != 0.0)),
        }
    }
}

impl Comparison {
    /// Whether the comparison holds between two numbers.
    fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::Unequal => left != right,
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
            Comparison::Greater => left > right,
            Comparison::AtLeast => left >= right,
        }
    }
}

/// A function of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    /// The smallest number.
    Min,
    /// The largest number.
    Max,
    /// The number without its sign.
    Abs,
    /// The next whole number below.
    Floor,
    /// The nearest whole number; halves go away from zero.
    Round,
    /// The natural logarithm.
    Log,
    /// The square root.
    Sqrt,
}

impl Function {
    /// The function of this name.
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "min" => Function::Min,
            "max" => Function::Max,
            "abs" => Function::Abs,
            "floor" => Function::Floor,
            "round" => Function::Round,
            "log" => Function::Log,
            "sqrt" => Function::Sqrt,
            _ => return None,
        })
    }

    /// Whether it can take so many numbers.
    pub(super) fn takes(self, count: usize) -> bool {
        match self {
            Function::Min | Function::Max => count > 0,
            _ => count == 1,
        }
    }

    /// What the function makes of its numbers.
    fn apply(self, operands: &[f64]) -> f64 {
        let Some((&first, rest)) = operands.split_first() else {
            return f64::NAN;
        };
        // What does not exist is neither small nor large, and stays when it has come up.
        let pick = |better: fn(f64, f64) -> bool| {
            rest.iter().fold(first, |best, &next| {
                if better(next, best) || next.is_nan() {
                    next
                } else {
                    best
                }
            })
        };
        match self {
            Function::Min => pick(|next, best| next < best),
            Function::Max => pick(|next, best| next > best),
            Function::Abs => first.abs(),
            Function::Floor => first.floor(),
            Function::Round => first.round(),
            Function::Log => natural_logarithm(first),
            Function::Sqrt => first.sqrt(),
        }
    }
}

/// Steps with the room that they need.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Program {
    steps: Box<[Step]>,
    room: usize,
}

impl Program {
    /// A program of these steps, which leave one number.
    pub(super) fn new(steps: Vec<Step>) -> Self {
        let (mut height, mut room) = (0_usize, 1);
        for step in &steps {
            height = (height + 1).saturating_sub(step.takes());
            room = room.max(height);
        }
        Program {
            steps: steps.into(),
            room,
        }
    }

    /// What the steps come to for a person.
    pub(super) fn run(&self, values: &Values, person: &[Code]) -> f64 {
        if self.room <= ROOM {
            self.run_in(&mut [0.0; ROOM], values, person)
        } else {
            self.run_in(&mut vec![0.0; self.room], values, person)
        }
    }

    /// Runs the steps on a stack that is large enough.
    fn run_in(&self, stack: &mut [f64], values: &Values, person: &[Code]) -> f64 {
        let mut height = 0;
        for step in &self.steps {
            // Most steps are operators or look something up: these two ways are the short ones.
            if let Step::Binary(operator) = step {
                height -= 1;
                stack[height - 1] = operator.apply(stack[height - 1], stack[height]);
                continue;
            }
            let takes = step.takes();
            if takes == 0 {
                stack[height] = step.look(values, person);
                height += 1;
                continue;
            }
            let base = height - takes;
            stack[base] = step.apply(&stack[base..height]);
            height = base + 1;
        }
        stack[0]
    }
}
