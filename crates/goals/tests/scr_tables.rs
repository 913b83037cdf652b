//! Tables: their branches are those of the definitions, and each can be covered exactly if its cell, its
//! event or the lack of one occurs in the states and steps that the definitions allow.

use std::collections::BTreeMap;

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES};
use trapline_goals::decide::{Verdict, decide};
use trapline_goals::{Options, derive};
use trapline_lang::Options as Reading;
use trapline_testkit::read_tables;
use trapline_testkit::scr::interpret::{
    Behaviour, Overlap, Place, applies, behaviour, cells, happens_in,
};
use trapline_testkit::scr::random::random_spec;
use trapline_testkit::scr::write::{Form, shown, write};
use trapline_testkit::scr::{Event, Rows, Spec, Table};

/// The events that a cell joins by `OR`, each with what stands around it.
fn events(event: &Event) -> Vec<Event> {
    let around = |inner: &Event, put: &dyn Fn(Box<Event>) -> Event| -> Vec<Event> {
        events(inner).into_iter().map(|event| put(Box::new(event))).collect()
    };
    match event {
        Event::Or(a, b) => [events(a), events(b)].concat(),
        Event::When(inner, by) => around(inner, &|event| Event::When(event, by.clone())),
        Event::Where(inner, by) => around(inner, &|event| Event::Where(event, by.clone())),
        Event::While(inner, by) => around(inner, &|event| Event::While(event, by.clone())),
        other => vec![other.clone()],
    }
}

fn label(table: &Table, (row, column): Place) -> String {
    match table.rows {
        Rows::Mode(_) => format!("{}", row + 1),
        _ => format!("{}.{}", row + 1, column + 1),
    }
}

/// Every branch by its key, and whether it occurs.
fn branches(spec: &Spec, table: &Table, behaviour: &Behaviour) -> BTreeMap<String, bool> {
    let name = &spec.vars[table.var].name;
    let mut list = BTreeMap::new();
    let class = match table.rows {
        Rows::Mode(_) => Some(table.var),
        _ => table.class,
    };
    let cells = cells(table);
    if cells.is_empty() {
        // A table in which nothing happens has no branches.
        return list;
    }
    for &cell in &cells {
        let (modes, event) = match &table.rows {
            Rows::Condition(_) => {
                let occurs = |state| applies(spec, table, cell, None, state);
                let key = format!("{name}.{}", label(table, cell));
                list.insert(key, behaviour.states.iter().any(occurs));
                continue;
            }
            Rows::Mode(rows) => (&rows[cell.0].0, &rows[cell.0].1),
            Rows::Event(rows) => (&rows[cell.0].0, &rows[cell.0].1[cell.1]),
        };
        let own = events(event);
        let n_own = own.len();
        for (idx, event) in own.iter().enumerate() {
            let part = if n_own > 1 { format!(".event{}", idx + 1) } else { String::new() };
            let mut steps = behaviour.steps.iter();
            let occurs = steps.any(|(from, to)| happens_in(spec, class, modes, event, (from, to)));
            list.insert(format!("{name}.{}{part}", label(table, cell)), occurs);
        }
    }
    if matches!(table.rows, Rows::Condition(_)) {
        return list;
    }
    let nothing = behaviour
        .steps
        .iter()
        .filter(|(from, to)| !cells.iter().any(|&cell| applies(spec, table, cell, Some(from), to)));
    let nothing: Vec<_> = nothing.collect();
    let Some(class) = class else {
        list.insert(format!("{name}.unchanged"), !nothing.is_empty());
        return list;
    };
    for mode in spec.vars[class].ty.values() {
        let key = format!("{name}.unchanged.{}", shown(&spec.vars[class].ty, mode));
        list.insert(key, nothing.iter().any(|(from, _)| from[class] == mode));
    }
    list
}

#[test]
fn a_branch_is_coverable_exactly_if_its_cell_or_event_occurs() {
    let (mut n_covered, mut n_infeasible) = (0, 0);
    for seed in 1_000..1_200 {
        let spec = random_spec(&mut Rng::with_seed(seed));
        let text = write(&spec, Form::Plain);
        let (output, _) = read_tables(&text, "scr", Reading::default())
            .unwrap_or_else(|findings| panic!("{findings}\n{text}"));
        let behaviour = behaviour(&spec, Overlap::Wrong);
        let mut expected = BTreeMap::new();
        for table in &spec.tables {
            expected.extend(branches(&spec, table, &behaviour));
        }
        let set = derive(&output.model, &["branch"], &Options::default());
        let verdicts = decide(&set, &ENGINES[1], &Budget::unlimited()).verdicts;
        for (goal, verdict) in set.goals.iter().zip(&verdicts) {
            let key = goal.id.strip_prefix("branch:").unwrap_or(&goal.id);
            let occurs = expected.remove(key);
            let occurs = occurs.unwrap_or_else(|| panic!("{} is no branch of\n{text}", goal.id));
            match (verdict, occurs) {
                (Verdict::Covered(_), true) => n_covered += 1,
                (Verdict::Infeasible(_), false) => n_infeasible += 1,
                (verdict, _) => panic!("{}: {verdict:?}\n{text}", goal.id),
            }
        }
        assert!(expected.is_empty(), "no goal for {expected:?}\n{text}");
    }
    assert!(n_covered > 1_000 && n_infeasible > 50, "{n_covered}, {n_infeasible}");
}
