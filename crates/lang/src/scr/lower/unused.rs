//! Names that nothing reads.

use trapline_source::Diagnostic;

use super::Lowerer;
use crate::scr::syntax::{Name, VariableKind};

impl Lowerer<'_, '_> {
    /// Warns of types, constants and variables that nothing needs; controlled ones are for others.
    pub(super) fn check_unused(&mut self) {
        let spec = self.spec;
        let mut unused: Vec<(Name, &str)> = Vec::new();
        for variable in &spec.variables {
            let what = match variable.kind {
                VariableKind::Controlled => continue,
                kind => kind.name(),
            };
            unused.push((variable.name, what));
        }
        unused.extend(spec.constants.iter().map(|constant| (constant.name, "constant")));
        unused.extend(spec.types.iter().map(|declared| (declared.name, "type")));
        unused.retain(|(name, _)| !self.used[name.id.0 as usize]);
        unused.sort_by_key(|(name, _)| name.span);
        for (name, what) in unused {
            let message = format!("nothing uses the {what} `{}`", self.name(name));
            let warning = Diagnostic::warning("unused-name", name.span, message);
            self.error(warning.help("use it in a table or a rule, or remove it"));
        }
    }
}
