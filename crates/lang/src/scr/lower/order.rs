//! Do tables depend on each other in a circle? Each new value must follow from values that are known.

use rustc_hash::FxHashMap;
use trapline_model::dependency::{circles, support};
use trapline_model::{AssignKind, VarId};
use trapline_source::{Diagnostic, Span};

use super::Lowerer;

impl Lowerer<'_, '_> {
    /// Reports each circle once.
    pub(super) fn check_order(&mut self) {
        let mut reads: Vec<(u32, u32)> = Vec::new();
        for assign in &self.model.assigns {
            let support = support(&self.model, [assign.expr]);
            let new = match assign.kind {
                AssignKind::Next => support.next,
                AssignKind::Current => support.current,
                AssignKind::Init => continue,
            };
            reads.extend(new.into_iter().map(|var| (assign.var.0, var.0)));
        }
        for circle in circles(reads.into_iter()) {
            let tables: FxHashMap<VarId, Span> = self.table_places();
            let vars: Vec<VarId> = circle.iter().map(|&var| VarId(var)).collect();
            let names: Vec<String> =
                vars.iter().map(|var| format!("`{}`", self.model.var(*var).name)).collect();
            let place = |var: &VarId| tables.get(var).copied().unwrap_or(self.model.var(*var).span);
            let message = match names.as_slice() {
                [one] => format!("the new value of {one} depends on itself"),
                _ => format!("the new values of {} depend on each other", names.join(", ")),
            };
            let mut error = Diagnostic::error("circular", place(&vars[0]), message);
            for (var, name) in vars.iter().zip(&names).skip(1).take(4) {
                error = error.label(place(var), format!("the table of {name}"));
            }
            let help = "let one of them read old values: WHEN instead of WHERE, or an event of a \
                        variable that comes before it";
            self.error(error.help(help));
        }
    }

    /// Where the tables of variables stand.
    fn table_places(&self) -> FxHashMap<VarId, Span> {
        let tables = self.spec.tables.iter().filter_map(|table| {
            let var = self.model.find_var(self.spec.name(table.name.id))?;
            Some((var, table.name.span))
        });
        tables.collect()
    }
}
