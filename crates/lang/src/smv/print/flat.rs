//! The flat model as SMV text that NuSMV reads, with the same verdict for every property.
//!
//! One module, names in full, one assignment for each value of a variable. Reading the text and
//! printing it again gives the same text. Where the model says what NuSMV can't hear, it is said
//! in another way: an assignment to a variable of one value becomes a constraint, and so do next
//! values of several processes that go round in a circle.

use std::fmt::Write as _;
use trapline_model::name;

use rustc_hash::{FxHashMap, FxHashSet};

use trapline_model::{
    Array, Assign, AssignKind, BinaryOp, ConstraintKind, Domain, Expr, ExprId, Formula, Model,
    Property, PropertyKind, Reads, Statement, Syntax, Type, Value, VarId, VarKind, dependency,
};

use super::{Smv, binary_text, psl, right_operand_with_names, share};

/// The model as SMV text.
pub fn flat(model: &Model) -> String {
    flat_with_comments(model, &[])
}

/// The model as SMV text, with a comment before each of the first properties.
pub fn flat_with_comments(model: &Model, comments: &[String]) -> String {
    let mut flat = Flat {
        model,
        fresh: Fresh::new(model),
        names: FxHashMap::default(),
        text: String::from("MODULE main\n"),
    };
    let shared = share::worth_naming(model, &roots(model));
    for &id in &shared {
        let name = flat.fresh.name("__e");
        flat.names.insert(id, name);
    }
    // The atoms of PSL get their names before the defines are written.
    let (properties, atoms) = flat.properties(comments);
    flat.vars();
    flat.constants();
    flat.defines(&shared, &atoms);
    flat.assigns();
    flat.constraints();
    flat.fairness();
    if !properties.is_empty() {
        flat.text.push('\n');
        flat.text.push_str(&properties);
    }
    flat.text
}

/// Everything that is printed.
fn roots(model: &Model) -> Vec<ExprId> {
    let mut roots: Vec<ExprId> = model.defines.iter().map(|d| d.body.expr).collect();
    roots.extend(model.assigns.iter().map(|a| a.expr));
    roots.extend(model.constraints.iter().map(|c| c.body.expr));
    roots.extend(model.justice.iter().map(|p| p.expr));
    roots.extend(model.compassion.iter().flat_map(|(p, q)| [p.expr, q.expr]));
    for property in &model.properties {
        match property.formula {
            Formula::Holds(p) => roots.push(p.expr),
            Formula::Min(p, q) | Formula::Max(p, q) => roots.extend([p.expr, q.expr]),
            Formula::Unsupported(_) => {}
        }
    }
    roots
}

/// Names that the model does not use.
struct Fresh<'m> {
    model: &'m Model,
    /// The names of the model up to their first dot or bracket.
    used: FxHashSet<&'m str>,
    n_made: usize,
}

impl<'m> Fresh<'m> {
    fn new(model: &'m Model) -> Fresh<'m> {
        let vars = model.vars.iter().map(|v| v.name.as_str());
        let defines = model.defines.iter().map(|d| d.name.as_str());
        let used = vars.chain(defines).map(name::first_word).collect();
        Fresh { model, used, n_made: 0 }
    }

    fn name(&mut self, prefix: &str) -> String {
        loop {
            self.n_made += 1;
            let name = format!("{prefix}{}", self.n_made);
            if !self.used.contains(name.as_str()) && self.model.symbols.find(&name).is_none() {
                return name;
            }
        }
    }
}

struct Flat<'m> {
    model: &'m Model,
    fresh: Fresh<'m>,
    /// Expressions that have a name of their own.
    names: FxHashMap<ExprId, String>,
    text: String,
}

impl Flat<'_> {
    fn expr(&self, id: ExprId) -> String {
        match self.names.get(&id) {
            Some(name) => name.clone(),
            None => self.body(id),
        }
    }

    /// The expression itself, even if it has a name.
    fn body(&self, id: ExprId) -> String {
        Smv.expr_with_names(self.model, id, &|id| self.names.get(&id).cloned())
    }

    /// A right-hand side: a `case` has a line for each branch.
    fn right_side(&self, id: ExprId) -> String {
        if self.names.contains_key(&id) {
            return self.expr(id);
        }
        self.lines(id)
    }

    fn lines(&self, id: ExprId) -> String {
        let exprs = &self.model.exprs;
        if !matches!(exprs.get(id), Expr::Ite(..)) {
            return self.body(id);
        }
        let mut text = String::from("case\n");
        let mut rest = id;
        loop {
            match exprs.get(rest) {
                Expr::Ite(c, t, e) if rest == id || !self.names.contains_key(&rest) => {
                    let _ = writeln!(text, "      {} : {};", self.expr(c), self.expr(t));
                    rest = e;
                }
                Expr::Fail(_) => break,
                _ => {
                    let _ = writeln!(text, "      TRUE : {};", self.expr(rest));
                    break;
                }
            }
        }
        text.push_str("    esac");
        text
    }

    /// The variables in the order of the model: names that are also constants elsewhere are
    /// legal only in that order.
    fn vars(&mut self) {
        let model = self.model;
        let arrays: FxHashMap<usize, &Array> =
            model.arrays.iter().map(|array| (array.elements.start as usize, array)).collect();
        let mut section = None;
        let mut var_idx = 0;
        while let Some(var) = model.vars.get(var_idx) {
            if section != Some(var.kind) {
                section = Some(var.kind);
                let keyword = match var.kind {
                    VarKind::State => "VAR",
                    VarKind::Input => "IVAR",
                    VarKind::Frozen => "FROZENVAR",
                };
                let _ = writeln!(self.text, "\n{keyword}");
            }
            let (mut name, mut dims) = (&var.name, String::new());
            var_idx += match arrays.get(&var_idx) {
                Some(array) => {
                    name = &array.name;
                    for (lo, hi) in &array.dims {
                        let _ = write!(dims, "array {lo}..{hi} of ");
                    }
                    array.elements.len().max(1)
                }
                None => 1,
            };
            let domain = Smv.domain(model, &var.domain);
            let _ = writeln!(self.text, "  {name} : {dims}{domain};");
        }
    }

    /// Symbols that occur in expressions and in no type.
    fn constants(&mut self) {
        let model = self.model;
        let mut known = FxHashSet::default();
        for var in &model.vars {
            if let Domain::Enum(values) = &var.domain {
                known.extend(values.iter().copied());
            }
        }
        let mut names = Vec::new();
        for id in model.exprs.reachable(roots(model)) {
            if let Some(value @ Value::Symbol(symbol)) = model.exprs.as_const(id)
                && known.insert(value)
            {
                names.push(model.symbols.name(symbol));
            }
        }
        names.sort_unstable();
        if !names.is_empty() {
            let _ = writeln!(self.text, "\nCONSTANTS {};", names.join(", "));
        }
    }

    /// The defines of the model and those for shared expressions, each below those it needs, then
    /// the atoms of PSL.
    fn defines(&mut self, shared: &[ExprId], atoms: &[(String, ExprId)]) {
        let model = self.model;
        if model.defines.is_empty() && shared.is_empty() && atoms.is_empty() {
            return;
        }
        self.text.push_str("\nDEFINE\n");
        let bodies = model.defines.iter().map(|d| d.body.expr);
        for item in share::in_order(model, &bodies.collect::<Vec<_>>(), shared) {
            let (name, body) = match item {
                share::Item::Define(define_idx) => {
                    let define = &model.defines[define_idx];
                    (&define.name, self.right_side(define.body.expr))
                }
                share::Item::Shared(id) => (&self.names[&id], self.lines(id)),
            };
            let line = format!("  {name} := {body};\n");
            self.text.push_str(&line);
        }
        for (name, atom) in atoms {
            let line = format!("  {name} := {};\n", self.right_side(*atom));
            self.text.push_str(&line);
        }
    }

    fn assigns(&mut self) {
        let model = self.model;
        let circular = [circular_first(model), circular_next(model)];
        let (assigns, others): (Vec<&Assign>, Vec<&Assign>) =
            model.assigns.iter().partition(|assign| {
                let in_circle = match assign.kind {
                    AssignKind::Init => circular[0].contains(&assign.var),
                    AssignKind::Current => false,
                    AssignKind::Next => circular[1].contains(&assign.var),
                };
                !in_circle && model.var(assign.var).domain.size() != Some(1)
            });
        if !assigns.is_empty() {
            self.text.push_str("\nASSIGN\n");
        }
        for assign in assigns {
            let name = &model.var(assign.var).name;
            let body = self.right_side(assign.expr);
            let line = Smv.statement(&Statement::Assign(assign.kind, name, &body));
            let line = format!("  {line}\n");
            self.text.push_str(&line);
        }
        for assign in others {
            self.assign_as_constraint(assign);
        }
    }

    fn assign_as_constraint(&mut self, assign: &Assign) {
        let model = self.model;
        let var = model.var(assign.var);
        let is_single = var.domain.size() == Some(1);
        if is_single && model.exprs.as_const(assign.expr) == Some(var.domain.value(0)) {
            return;
        }
        let (kind, value) = match assign.kind {
            AssignKind::Init => (ConstraintKind::Init, var.name.clone()),
            AssignKind::Current => (ConstraintKind::Invar, var.name.clone()),
            AssignKind::Next if is_single => (ConstraintKind::Trans, var.name.clone()),
            AssignKind::Next => (ConstraintKind::Trans, Smv.target(assign.kind, &var.name)),
        };
        let is_set = matches!(model.exprs.ty(assign.expr), Type::Set(_));
        let op = if is_set { BinaryOp::In } else { BinaryOp::Eq };
        let names = |id| self.names.get(&id).cloned();
        let body = right_operand_with_names(model, op, assign.expr, &names);
        let body = format!("{value} {} {body}", binary_text(op));
        let line = format!("\n{}\n", Smv.statement(&Statement::Constraint(kind, &body)));
        self.text.push_str(&line);
    }

    fn constraints(&mut self) {
        for constraint in &self.model.constraints {
            let body = self.expr(constraint.body.expr);
            let line = Smv.statement(&Statement::Constraint(constraint.kind, &body));
            let line = format!("\n{line}\n");
            self.text.push_str(&line);
        }
    }

    fn fairness(&mut self) {
        for clause in &self.model.justice {
            let line = format!("\nJUSTICE {};\n", self.expr(clause.expr));
            self.text.push_str(&line);
        }
        for (p, q) in &self.model.compassion {
            let line = format!("\nCOMPASSION ({}, {});\n", self.expr(p.expr), self.expr(q.expr));
            self.text.push_str(&line);
        }
    }

    /// All properties, and the atoms of those in PSL with the names that they were given.
    fn properties(&mut self, comments: &[String]) -> (String, Vec<(String, ExprId)>) {
        let mut text = String::new();
        let mut atoms = Vec::new();
        for (idx, property) in self.model.properties.iter().enumerate() {
            if let Some(comment) = comments.get(idx) {
                let _ = writeln!(text, "{}", Smv.comment(comment));
            }
            let keyword = Smv.property(property.kind);
            let name = match &property.name {
                Some(name) => format!("NAME {name} := "),
                None => String::new(),
            };
            let _ = match self.formula(property, &mut atoms) {
                Ok(formula) => writeln!(text, "{keyword} {name}{formula};"),
                Err(why) => writeln!(text, "-- {keyword} {name}left out: {why}"),
            };
        }
        (text, atoms)
    }

    fn formula(
        &mut self,
        property: &Property,
        atoms: &mut Vec<(String, ExprId)>,
    ) -> Result<String, &'static str> {
        match property.formula {
            Formula::Holds(p) if property.kind == PropertyKind::Psl => {
                psl::formula(self.model, p.expr, |atom| self.atom(atom, atoms))
            }
            Formula::Holds(p) => Ok(self.expr(p.expr)),
            Formula::Min(p, q) => {
                Ok(format!("MIN [{} , {}]", self.expr(p.expr), self.expr(q.expr)))
            }
            Formula::Max(p, q) => {
                Ok(format!("MAX [{} , {}]", self.expr(p.expr), self.expr(q.expr)))
            }
            Formula::Unsupported(why) => Err(why),
        }
    }

    /// The name that represents an atom in PSL.
    fn atom(&mut self, id: ExprId, atoms: &mut Vec<(String, ExprId)>) -> String {
        if let Some(name) = self.names.get(&id) {
            return name.clone();
        }
        let model = self.model;
        let plain = match model.exprs.get(id) {
            Expr::Const(c) => Some(Smv.value(model, model.exprs.constant(c))),
            Expr::Var(var) => Some(model.var(var).name.clone()),
            Expr::Define(define) => Some(model.define(define).name.clone()),
            _ => None,
        };
        if let Some(name) = plain.filter(|name| psl::is_plain(name)) {
            return name;
        }
        if let Some((name, _)) = atoms.iter().find(|(_, atom)| *atom == id) {
            return name.clone();
        }
        let name = self.fresh.name("__p");
        atoms.push((name.clone(), id));
        name
    }
}

/// The variables whose first values depend on each other: each mutant beside a model may know another
/// order.
fn circular_first(model: &Model) -> FxHashSet<VarId> {
    let is_first = |assign: &&Assign| assign.kind != AssignKind::Next;
    let arrows = model.assigns.iter().filter(is_first).flat_map(|assign| {
        let on = dependency::support(model, [assign.expr]).current;
        on.into_iter().map(|on| (assign.var.0, on.0))
    });
    dependency::circles(arrows).into_iter().flatten().map(VarId).collect()
}

/// The variables whose next values depend on each other: inside one process they may not, but
/// the processes together may.
fn circular_next(model: &Model) -> FxHashSet<VarId> {
    let mut arrows = Vec::new();
    for assign in &model.assigns {
        let reads_next = model.exprs.info(assign.expr).reads.any(Reads::NEXT);
        if assign.kind == AssignKind::Next && reads_next {
            let support = dependency::support(model, [assign.expr]);
            arrows.extend(support.next.iter().map(|on| (assign.var.0, on.0)));
        }
    }
    dependency::circles(arrows.into_iter()).into_iter().flatten().map(VarId).collect()
}
