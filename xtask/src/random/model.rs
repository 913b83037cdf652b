//! Random small models as SMV text, one item per line, so that lines can be removed.

use fastrand::Rng;

use super::module::{Builder, Param, Plan, Template};
use super::temporal::KINDS;
use super::types::NAMES;

/// The text of the model with this seed.
pub fn model(seed: u64) -> String {
    let rng = &mut Rng::with_seed(seed);
    let mut templates: Vec<Template> = Vec::new();
    let n_templates = [0, 0, 0, 1, 1, 2][rng.usize(..6)];
    for idx in 0..n_templates {
        let template = template(rng, &templates, &format!("k{idx}"));
        templates.push(template);
    }
    let main = main_module(rng, &templates);
    let mut text = String::new();
    for template in &templates {
        if main.uses(&template.name) || templates.iter().any(|other| other.uses(&template.name)) {
            text += &format!("MODULE {}{}\n", template.name, formals(&template.params));
            text += &(template.lines.join("\n") + "\n");
        }
    }
    // A define or a parameter may know symbols that no variable has.
    text += &format!("MODULE main\nCONSTANTS {};\n", NAMES.join(", "));
    text + &main.lines.join("\n") + "\n"
}

fn formals(params: &[Param]) -> String {
    let names: Vec<String> = (0..params.len()).map(|idx| format!("p{idx}")).collect();
    if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) }
}

fn template(rng: &mut Rng, templates: &[Template], name: &str) -> Template {
    let is_process = rng.u8(..4) == 0;
    let plan = Plan { max_states: 64, is_process };
    let mut builder = Builder::new(rng, templates, plan);
    let params = builder.params();
    if is_process {
        builder.running();
    }
    for _ in 0..builder.writer.rng.usize(1..3) {
        builder.item();
    }
    builder.assignments();
    if builder.writer.one_in(2) {
        builder.constraints();
    }
    builder.fairness();
    if builder.writer.one_in(4) {
        builder.property();
    }
    builder.finish(name, params)
}

fn main_module(rng: &mut Rng, templates: &[Template]) -> Template {
    let max_states = if rng.u8(..5) == 0 { 1 << 14 } else { 1 << 11 };
    let mut builder = Builder::new(rng, templates, Plan { max_states, is_process: false });
    for _ in 0..builder.writer.rng.usize(2..6) {
        builder.item();
    }
    if builder.has_processes() {
        builder.running();
    }
    builder.assignments();
    builder.constraints();
    if builder.writer.rng.bool() {
        builder.fairness();
    }
    for _ in 0..builder.writer.rng.usize(3..9) {
        builder.property();
    }
    builder.finish("main", Vec::new())
}

impl Builder<'_, '_> {
    /// Adds a property, now and then with a name.
    fn property(&mut self) {
        let kind = KINDS[self.writer.rng.usize(..KINDS.len())];
        let line = kind(&mut self.writer);
        let line = match line.split_once(' ') {
            Some((keyword, body)) if self.writer.one_in(10) => {
                format!("{keyword} NAME n{} := {body}", self.lines.len())
            }
            _ => line,
        };
        self.lines.push(line);
    }

    fn has_processes(&self) -> bool {
        self.writer.leaves.iter().any(|leaf| leaf.name.ends_with(".running"))
    }
}

impl Template {
    fn uses(&self, name: &str) -> bool {
        let calls = [format!(" {name};"), format!(" {name}(")];
        self.lines.iter().any(|line| {
            line.starts_with("VAR m") && calls.iter().any(|call| line.contains(call.as_str()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::{How, read};

    #[test]
    fn a_seed_gives_the_same_model_every_time() {
        assert_eq!(model(7), model(7));
        assert_ne!(model(7), model(8));
    }

    #[test]
    fn nearly_all_models_are_accepted() {
        let accepted = (0..400).filter(|&seed| {
            read("random", &model(seed), How { strict: true, quick: false }).is_accepted()
        });
        let n_accepted = accepted.count();
        assert!(n_accepted > 390, "only {n_accepted} of 400");
    }
}
