//! A language of counters, a statement a line:
//!
//! ```text
//! type NAME from NUMBER to NUMBER
//! input NAME
//! counter NAME of TYPE starts at NUMBER
//! when CONDITION it becomes SUM           for the counter above
//! never CONDITION
//!
//! CONDITION = ["not"] NAME [("is" | "below" | "above") OPERAND] ["and" CONDITION]
//! SUM       = OPERAND [("plus" | "minus") OPERAND]
//! ```
//!
//! A file of goals has lines `reach CONDITION` and `violate CONDITION`, each perhaps with `as NAME`.

mod print;

use trapline_lang::{FileGoal, Input, Language, Output};
use trapline_model::{
    Assign, AssignKind, AssignPart, BinaryOp, Clause, Domain, Expr, ExprId, Failure, FailureKind,
    Formula, Model, OccId, Property, PropertyKind, Role, Shape, UnaryOp, Value, Var, VarId,
    VarKind, decide,
};
use trapline_source::{Diagnostic, Diagnostics, SourceFile, Span};

/// The language, as a list of languages has it.
pub const LANGUAGE: Language = Language {
    name: "counter",
    ending: ".count",
    read,
    syntax: &print::Counter,
    goal_file: &[
        ("reach CONDITION", "a state or step to reach"),
        ("violate CONDITION", "one in which it is not so"),
        ("... as NAME", "with a name"),
    ],
};

fn read(input: &Input<'_>, diagnostics: &mut Diagnostics) -> Output {
    let mut output = Output::new(&print::Counter);
    let mut reader = Reader { model: &mut output.model, branches: Vec::new() };
    for (words, span, _) in lines(input.file) {
        if reader.statement(&words, span).is_none() {
            diagnostics.push(Diagnostic::error("not-counter", span, "no statement of a counter"));
        }
    }
    reader.finish();
    for (words, span, line) in input.goals.iter().flat_map(|file| lines(file)) {
        match reader.goal(&words, span, line) {
            Some(goal) => output.goals.push(goal),
            None => {
                let error = Diagnostic::error("not-counter", span, "no goal of a counter");
                output.goal_findings.push(error);
            }
        }
    }
    decide::find_sites(&mut output.model);
    output
}

/// The words of each line that has some, its span and its number.
fn lines(file: &SourceFile) -> Vec<(Vec<&str>, Span, usize)> {
    let mut lines = Vec::new();
    let mut start = file.base;
    for (idx, line) in file.text.split_inclusive('\n').enumerate() {
        let span = Span::new(start, start + line.trim_end().len() as u32);
        start += line.len() as u32;
        let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
        if !words.is_empty() {
            lines.push((words, span, idx + 1));
        }
    }
    lines
}

/// An expression, and where its occurrences begin.
type Written = (ExprId, usize);

struct Reader<'m> {
    model: &'m mut Model,
    /// Guard and value of the counter above, each with its line.
    branches: Vec<(Written, Written, Span)>,
}

impl Reader<'_> {
    fn statement(&mut self, words: &[&str], span: Span) -> Option<()> {
        match words {
            ["type", name, "from", lo, "to", hi] => {
                let domain = Domain::Range(lo.parse().ok()?, hi.parse().ok()?);
                self.model.types.push((name.to_string(), domain));
            }
            ["input", name] => self.var(name, VarKind::Input, Domain::Bool, span),
            ["counter", name, "of", ty, "starts", "at", first] => {
                self.finish();
                let types = &self.model.types;
                let domain = types.iter().find(|(known, _)| known == ty)?.1.clone();
                self.var(name, VarKind::State, domain, span);
                let first = self.operand(first, span)?;
                self.assign(AssignKind::Init, first, Shape::Leaf, span);
            }
            ["when", rest @ ..] => {
                let at = rest.windows(2).position(|pair| pair == ["it", "becomes"])?;
                let guard = self.condition(&rest[..at], span)?;
                let value = self.binary(&rest[at + 2..], span)?;
                self.branches.push((guard, value, span));
            }
            ["never", rest @ ..] => {
                self.finish();
                let (bad, start) = self.condition(rest, span)?;
                let expr = self.model.exprs.add(Expr::Unary(UnaryOp::Not, bad));
                let occ = self.model.occurrences.push(start, expr, span, Shape::Operator);
                let formula = Formula::Holds(Clause { expr, occ: Some(occ), span });
                let (kind, name, instance) = (PropertyKind::Invar, None, None);
                self.model.properties.push(Property { kind, name, formula, instance, span });
            }
            _ => return None,
        }
        Some(())
    }

    fn goal(&mut self, words: &[&str], span: Span, line: usize) -> Option<FileGoal> {
        let (words, name) = match words {
            [words @ .., "as", name] => (words, name.to_string()),
            words => (words, format!("line{line}")),
        };
        let claim = match *words.first()? {
            "reach" => None,
            "violate" => Some(PropertyKind::Invar),
            _ => return None,
        };
        let (expr, _) = self.condition(&words[1..], span)?;
        let clause = Some(Clause { expr, occ: None, span });
        Some(FileGoal { name, clause, claim })
    }

    fn var(&mut self, name: &str, kind: VarKind, domain: Domain, span: Span) {
        let role = if kind == VarKind::Input { Role::Input } else { Role::Output };
        self.model.vars.push(Var { name: name.into(), kind, domain, role, timing: None, span });
    }

    /// The counter above gets its branches as one decision.
    fn finish(&mut self) {
        let branches = std::mem::take(&mut self.branches);
        let Some(((_, start), _, span)) = branches.first().copied() else { return };
        let failure = Failure { kind: FailureKind::NotExhaustive, span };
        let nothing = self.model.exprs.fail(failure);
        let whole = branches.iter().rev().fold(nothing, |rest, ((guard, _), (value, _), _)| {
            self.model.exprs.add(Expr::Ite(*guard, *value, rest))
        });
        self.assign(AssignKind::Next, (whole, start), Shape::Case, span);
    }

    fn assign(&mut self, kind: AssignKind, (expr, start): Written, shape: Shape, span: Span) {
        let var = self.model.vars.iter().rposition(|var| var.kind == VarKind::State).unwrap_or(0);
        let occ = match shape {
            Shape::Leaf => OccId(start as u32),
            _ => self.model.occurrences.push(start, expr, span, shape),
        };
        let body = Clause { expr, occ: Some(occ), span };
        let parts = vec![AssignPart { body, when: None, target_span: span }];
        self.model.assigns.push(Assign { kind, var: VarId(var as u32), expr, parts });
    }

    fn condition(&mut self, words: &[&str], span: Span) -> Option<Written> {
        let mut whole: Option<Written> = None;
        for words in words.split(|word| *word == "and") {
            let (expr, start) = match words {
                ["not", rest @ ..] => {
                    let (inner, start) = self.binary(rest, span)?;
                    (self.made(Expr::Unary(UnaryOp::Not, inner), start, span)?, start)
                }
                _ => self.binary(words, span)?,
            };
            whole = Some(match whole {
                None => (expr, start),
                Some((left, first)) => {
                    let both = Expr::Binary(BinaryOp::And, left, expr);
                    (self.made(both, first, span)?, first)
                }
            });
        }
        whole
    }

    fn binary(&mut self, words: &[&str], span: Span) -> Option<Written> {
        let [left, rest @ ..] = words else { return None };
        let (left, start) = self.operand(left, span)?;
        let [op, right] = rest else { return rest.is_empty().then_some((left, start)) };
        let op = print::OPERATORS.iter().find(|(_, word)| word == op)?.0;
        let (right, _) = self.operand(right, span)?;
        Some((self.made(Expr::Binary(op, left, right), start, span)?, start))
    }

    fn operand(&mut self, word: &str, span: Span) -> Option<Written> {
        let expr = match word.parse() {
            Ok(number) => self.model.exprs.value(Value::Int(number)),
            Err(_) => {
                let var = self.model.find_var(word)?;
                self.model.var_expr(var)
            }
        };
        let start = self.model.occurrences.len();
        self.model.occurrences.push(start, expr, span, Shape::Leaf);
        Some((expr, start))
    }

    /// The model knows the types; what has none is wrong.
    fn made(&mut self, expr: Expr, start: usize, span: Span) -> Option<ExprId> {
        let expr = self.model.exprs.try_add(expr).ok()?;
        self.model.occurrences.push(start, expr, span, Shape::Operator);
        Some(expr)
    }
}
