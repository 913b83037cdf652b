//! Goals grouped by what they are about, for whoever reads lists of them.
//!
//! A variable of 256 values of which 8 can be reached has 248 infeasible goals that say one thing.
//! Goals of one criterion about the same variable, definition, constraint or property are a group,
//! as far as they share a verdict. What a goal is about stands in its id, whose grammar is promised
//! (`docs/manual/goals.md`), so suites can be grouped without their model.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use trapline_source::numbers::{counted, grouped};

/// Groups of at most so many goals are listed goal by goal.
const MAX_SINGLE: usize = 3;

/// If a criterion had more lines than this, it is one group.
const MAX_LINES: usize = 20;

/// Goals that are shown together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group<'g> {
    /// What they share: the id of a single goal, `value:data`, or `value`.
    pub name: &'g str,
    /// The goals, in order; at least one.
    pub goals: Vec<usize>,
    /// How many goals there are by this name, whatever is known of them.
    pub n_all: usize,
}

impl Group<'_> {
    /// What its goals are: the text of a single one, or how many of how many, the first and the
    /// last.
    pub fn text<'t>(&self, text: impl Fn(usize) -> &'t str) -> String {
        match self.goals.as_slice() {
            [] => String::new(),
            [goal] => text(*goal).into(),
            [first, .., last] => {
                let n_goals = grouped(self.goals.len());
                let all = counted(self.n_all, "goal");
                format!("{n_goals} of {all}: {}, ..., {}", text(*first), text(*last))
            }
        }
    }

    /// Why nothing covers its goals, if that is said: one reason, and how many others there are.
    pub fn reason<'t>(&self, reason: impl Fn(usize) -> Option<&'t str>) -> Option<String> {
        let reasons = || self.goals.iter().filter_map(|&goal| reason(goal));
        let first = reasons().find(|reason| !reason.is_empty())?;
        let distinct: HashSet<&str> = reasons().filter(|reason| !reason.is_empty()).collect();
        Some(match distinct.len() - 1 {
            0 => first.into(),
            n_others => format!("{first}; {}", counted(n_others, "other reason")),
        })
    }
}

/// Groups some of the goals with these ids. Groups come in the order of their first goals.
pub fn groups<'g>(ids: &[&'g str], is_meant: impl Fn(usize) -> bool) -> Vec<Group<'g>> {
    let mut n_lines: HashMap<&str, usize> = HashMap::new();
    for group in by(ids, &is_meant, |goal| (subject(ids[goal]), ())) {
        let n_own = if group.goals.len() <= MAX_SINGLE { group.goals.len() } else { 1 };
        *n_lines.entry(criterion(group.name)).or_default() += n_own;
    }
    let name = |goal: usize| {
        let subject = subject(ids[goal]);
        let is_long = n_lines.get(criterion(subject)).is_some_and(|n| *n > MAX_LINES);
        (if is_long { criterion(subject) } else { subject }, ())
    };
    by(ids, &is_meant, name).into_iter().flat_map(|group| apart(ids, group)).collect()
}

/// Groups goals that are about the same and stand in the same place.
pub fn groups_by_place<'g, P: Eq + Hash>(
    ids: &[&'g str],
    is_meant: impl Fn(usize) -> bool,
    place: impl Fn(usize) -> P,
) -> Vec<Group<'g>> {
    let key = |goal: usize| (subject(ids[goal]), place(goal));
    by(ids, &is_meant, key).into_iter().flat_map(|group| apart(ids, group)).collect()
}

/// Every goal on its own.
pub fn single<'g>(ids: &[&'g str], is_meant: impl Fn(usize) -> bool) -> Vec<Group<'g>> {
    let meant = (0..ids.len()).filter(|&goal| is_meant(goal));
    meant.map(|goal| alone(ids, goal)).collect()
}

/// Groups goals by a name and whatever else tells them apart.
fn by<'g, K: Eq + Hash>(
    ids: &[&'g str],
    is_meant: &impl Fn(usize) -> bool,
    key: impl Fn(usize) -> (&'g str, K),
) -> Vec<Group<'g>> {
    let mut places: HashMap<(&str, K), usize> = HashMap::new();
    let mut groups: Vec<Group<'g>> = Vec::new();
    for goal in 0..ids.len() {
        let key = key(goal);
        let name = key.0;
        let place = *places.entry(key).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Group { name, goals: Vec::new(), n_all: 0 });
        }
        groups[place].n_all += 1;
        if is_meant(goal) {
            groups[place].goals.push(goal);
        }
    }
    groups.retain(|group| !group.goals.is_empty());
    groups.sort_by_key(|group| group.goals[0]);
    groups
}

/// The goals of a small group, each on its own.
fn apart<'g>(ids: &[&'g str], group: Group<'g>) -> Vec<Group<'g>> {
    if group.goals.len() > MAX_SINGLE {
        return vec![group];
    }
    let own = group.goals.into_iter();
    own.map(|goal| alone(ids, goal)).collect()
}

fn alone<'g>(ids: &[&'g str], goal: usize) -> Group<'g> {
    Group { name: ids[goal], goals: vec![goal], n_all: 1 }
}

/// What a goal is about: the beginning of its id up to the variable, definition, constraint or
/// property; of a product that of its first goal.
pub fn subject(id: &str) -> &str {
    let is_product = id.starts_with("product:");
    let own = id.strip_prefix("product:").unwrap_or(id);
    let n_parts = 2 + usize::from(is_product) + usize::from(own.starts_with("mutation:"));
    id.match_indices(':').nth(n_parts - 1).map_or(id, |(end, _)| &id[..end])
}

/// The subject without what it is about.
fn criterion(subject: &str) -> &str {
    subject.rsplit_once(':').map_or(subject, |(criterion, _)| criterion)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_say_what_goals_are_about() {
        let subjects = [
            ("value:data:0ud8_3", "value:data"),
            ("branch:pump.state:1", "branch:pump.state"),
            ("decision:invar.1:value1:true", "decision:invar.1"),
            ("mutation:stuck-at:trans.1:3", "mutation:stuck-at:trans.1"),
            ("trap:line1", "trap:line1"),
            ("product:value:gate:open*branch:gate:1", "product:value:gate"),
            ("product:mutation:negate:x:1*value:x:2", "product:mutation:negate:x"),
            ("nonsense", "nonsense"),
            ("", ""),
        ];
        for (id, expected) in subjects {
            assert_eq!(subject(id), expected, "{id}");
        }
    }

    #[test]
    fn many_goals_about_one_variable_are_one_line_and_few_are_listed() {
        let ids: Vec<String> = (0..10).map(|value| format!("value:data:{value}")).collect();
        let mut ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        ids.extend(["value:x:0", "value:x:1"]);
        let found = groups(&ids, |goal| goal != 4 && goal != 10);
        let goals = vec![0, 1, 2, 3, 5, 6, 7, 8, 9];
        assert_eq!(
            found,
            [
                Group { name: "value:data", goals, n_all: 10 },
                Group { name: "value:x:1", goals: vec![11], n_all: 1 },
            ]
        );
    }

    #[test]
    fn many_variables_are_one_line() {
        let ids: Vec<String> = (0..100).map(|var| format!("mutation:negate:x{var}:1")).collect();
        let mut ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        ids.push("mutation:remove:x:1");
        let found = groups(&ids, |goal| goal > 9);
        let names: Vec<(&str, usize)> = found.iter().map(|one| (one.name, one.n_all)).collect();
        assert_eq!(names, [("mutation:negate", 100), ("mutation:remove:x:1", 1)]);
        assert_eq!(found[0].goals, (10..100).collect::<Vec<_>>());
    }

    #[test]
    fn goals_in_other_places_are_apart() {
        let ids = ["branch:x:1", "branch:x:2", "branch:x:3", "branch:x:4", "branch:x:5"];
        let found = groups_by_place(&ids, |_| true, |goal| goal.min(1));
        let names: Vec<&str> = found.iter().map(|group| group.name).collect();
        assert_eq!(names, ["branch:x:1", "branch:x"]);
        let text = found[1].text(|goal| ids[goal]);
        assert_eq!(text, "4 of 4 goals: branch:x:2, ..., branch:x:5");
        let reasons = [Some("a"), None, Some("b"), Some(""), Some("b")];
        assert_eq!(found[1].reason(|goal| reasons[goal]), Some("b".into()));
        assert_eq!(found[0].reason(|_| None), None);
    }

    /// Each goal is in one group, whatever is asked for.
    #[test]
    fn no_goal_is_lost() {
        let ids: Vec<String> =
            (0..400).map(|n| format!("{}:x{}:{n}", ["value", "pair"][n % 2], n % 37)).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        for step in [1, 2, 3, 7, 100] {
            let found = groups(&ids, |goal| goal % step == 0);
            let mut goals: Vec<usize> = found.into_iter().flat_map(|group| group.goals).collect();
            goals.sort_unstable();
            assert_eq!(goals, (0..400).step_by(step).collect::<Vec<_>>());
        }
    }
}
