//! What is known of the model's own properties.
//!
//! With the criterion `trap` they are goals: a property is violated by a test, as a goal is covered
//! by one. But a test that violates a property is bad news and a proof that nothing does is good
//! news, so a property has a verdict of its own beside that of the goal.

use trapline_goals::Goal;

/// What is known of a property of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Property {
    /// Some path violates it.
    Violated,
    /// That is open.
    Undecided,
    /// No path does.
    Holds,
}

impl Property {
    /// All of them, the worst first.
    pub const ALL: [Property; 3] = [Property::Violated, Property::Undecided, Property::Holds];

    /// What the verdict on a goal, in a word, says of the property that it is, if it is one.
    pub fn of(goal: &Goal, verdict: &str, reason: Option<&str>) -> Option<Property> {
        // That no test can show a violation is no doubt about it.
        let is_unshown = reason
            .is_some_and(|text| text == NO_LOOP || text.ends_with(trapline_goals::decide::NO_PATH));
        let property = match verdict {
            "covered" | "not covered" => Property::Violated,
            "infeasible" => Property::Holds,
            _ if is_unshown => Property::Violated,
            _ => Property::Undecided,
        };
        goal.is_property.then_some(property)
    }

    /// The verdict in a word.
    pub fn word(self) -> &'static str {
        match self {
            Property::Violated => "violated",
            Property::Undecided => "undecided",
            Property::Holds => "holds",
        }
    }

    /// The verdict that a word is for.
    pub fn named(word: &str) -> Option<Property> {
        Property::ALL.into_iter().find(|property| property.word() == word)
    }
}

/// A claim is violated, and no test can show it.
pub const NO_LOOP: &str = "it is violated, but no loop was found that closes for all variables";

/// The formula of a property, whose text as a goal says that it is violated.
pub fn formula(text: &str) -> &str {
    text.strip_suffix(trapline_goals::goal::VIOLATED).unwrap_or(text)
}
