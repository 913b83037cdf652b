//! A mutant as a change of the author's text: the fewest characters that make it, with the names that
//! are known there.

use rustc_hash::FxHashMap;
use trapline_model::{
    AssignKind, BinaryOp, Clause, Event, Expr, ExprId, Formula, Model, OccId, Shape, UnaryOp,
};
use trapline_source::{Sources, Span};

use super::{Mutant, Part, Rewrite, Subject, SubjectKind};

/// Another text in the place of some text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty if something is inserted.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// A mutant as a change of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The edits, in the order of the text.
    pub edits: Vec<Edit>,
    /// If other instances share the text: the only one that the mutant changes.
    pub instance: Option<String>,
    /// If other variables share the text, as those that are declared together: the only one that the
    /// mutant changes.
    pub variable: Option<String>,
    /// A name that is not known there: what is written then has no meaning.
    pub unknown: Option<String>,
}

/// What is needed to show the mutants of a model as changes of its text.
pub struct Texts<'m> {
    model: &'m Model,
    sources: &'m Sources,
    /// How many clauses have the same text: those of a module with several instances.
    n_clauses: FxHashMap<Span, usize>,
}

impl<'m> Texts<'m> {
    /// The texts of a model.
    pub fn new(model: &'m Model, sources: &'m Sources) -> Texts<'m> {
        let mut n_clauses = FxHashMap::default();
        let properties = model.properties.iter().filter_map(|property| match &property.formula {
            Formula::Holds(clause) => Some(clause),
            _ => None,
        });
        let assigned = model.assigns.iter().flat_map(|assign| &assign.parts).map(|part| &part.body);
        let written = |clause: &&Clause| clause.occ.is_some();
        let clauses = assigned
            .chain(model.defines.iter().map(|define| &define.body))
            .chain(model.constraints.iter().map(|constraint| &constraint.body))
            .chain(properties);
        for clause in clauses.filter(written) {
            *n_clauses.entry(clause.span).or_default() += 1;
        }
        Texts { model, sources, n_clauses }
    }

    /// A mutant as a change of the text; `None` if what it changes is not in the text.
    pub fn change(&self, subject: &Subject, mutant: &Mutant) -> Option<Change> {
        let is_group = matches!(subject.kind, SubjectKind::Group(..));
        if !is_group && matches!(mutant.part, Part::Guard(_) | Part::Value(_)) {
            return None;
        }
        let (_, root) = subject.parts().into_iter().find(|(part, _)| *part == mutant.part)?;
        let place = Place { texts: self, occ: mutant.place, root };
        self.sources.file_at(place.span().start)?;
        if !place.has_own_text() {
            return None;
        }
        let mut unknown = None;
        let edits = match mutant.rewrite {
            Rewrite::Negation => place.negated(),
            Rewrite::Operator(op) => place.with_operator(op)?,
            Rewrite::Operand(kept) => place.only(kept)?,
            Rewrite::Offset(op) => place.offset(op, mutant.new),
            Rewrite::Name => {
                let text;
                (text, unknown) = place.name(mutant.new);
                vec![Edit { span: place.span(), text }]
            }
        };
        let [instance, variable] = self.shared_by(subject);
        Some(Change { edits, instance, variable, unknown })
    }

    /// The instance, if others have the same text; without instances, the variable.
    fn shared_by(&self, subject: &Subject) -> [Option<String>; 2] {
        let n_clauses = self.n_clauses.get(&subject.span).copied().unwrap_or(0);
        if n_clauses < 2 {
            return [None, None];
        }
        let id = self.model.occurrences.instance(subject.whole);
        match (self.model.instances.get(id.0 as usize), subject.kind) {
            (Some(instance), _) => [Some(instance.name.clone()), None],
            (None, SubjectKind::Assign(_, var)) => [None, Some(self.model.var(var).name.clone())],
            (None, _) => [None, None],
        }
    }
}

/// An occurrence in its tree.
struct Place<'t> {
    texts: &'t Texts<'t>,
    occ: OccId,
    root: OccId,
}

impl Place<'_> {
    fn span(&self) -> Span {
        self.texts.model.occurrences.get(self.occ).span
    }

    /// Is its text not that of something around it or in it? A language may know only lines.
    fn has_own_text(&self) -> bool {
        let occurrences = &self.texts.model.occurrences;
        let is_other = |occ: OccId| occurrences.get(occ).span != self.span();
        // The modes of a row stand around a cell, and have their own text; that a condition holds before
        // and after a step has no text.
        let is_silent = |occ: OccId| {
            matches!(occurrences.get(occ).shape, Shape::Row | Shape::Event(Event::Stay))
        };
        self.above().all(|occ| is_silent(occ) || is_other(occ))
            && occurrences.children(self.occ).into_iter().all(is_other)
    }

    fn negated(&self) -> Vec<Edit> {
        let not = self.texts.model.syntax.unary_op(UnaryOp::Not);
        let gap = if not.ends_with(char::is_alphanumeric) { " " } else { "" };
        match self.is_atom() {
            true => vec![insert(self.span().start, format!("{not}{gap}"))],
            false => self.enclosed(&format!("{not}{gap}("), ")"),
        }
    }

    fn offset(&self, op: BinaryOp, new: ExprId) -> Vec<Edit> {
        let model = self.texts.model;
        let Expr::Binary(_, _, one) = model.exprs.get(new) else { return Vec::new() };
        let end = format!("{} {})", model.syntax.binary_op(op), model.show_expr(one));
        match self.is_atom() {
            true => self.enclosed("(", &format!(" {end}")),
            false => self.enclosed("((", &format!(") {end}")),
        }
    }

    fn with_operator(&self, new: BinaryOp) -> Option<Vec<Edit>> {
        let (left, token, is_left_enclosed) = self.operator()?;
        let text = self.texts.model.syntax.binary_op(new).to_string();
        let mut edits = vec![Edit { span: token, text }];
        let model = self.texts.model;
        // A disjunction binds less tightly than a conjunction.
        let is_loose = |occ: OccId| {
            let occurrence = model.occurrences.get(occ);
            use BinaryOp::{Or, Xnor, Xor};
            let expr = model.exprs.get(occurrence.expr);
            occurrence.shape == Shape::Operator && matches!(expr, Expr::Binary(Or | Xor | Xnor, ..))
        };
        if new == BinaryOp::And && !is_left_enclosed && is_loose(left) {
            let span = model.occurrences.get(left).span;
            edits.insert(0, insert(span.start, "(".into()));
            edits.insert(1, insert(span.end, ")".into()));
        }
        if new == BinaryOp::Or && self.is_in_conjunction() && !self.is_enclosed() {
            edits.insert(0, insert(self.span().start, "(".into()));
            edits.push(insert(self.span().end, ")".into()));
        }
        Some(edits)
    }

    /// The left operand, the token of the operator behind it, and whether a parenthesis is closed
    /// between them.
    fn operator(&self) -> Option<(OccId, Span, bool)> {
        let occurrences = &self.texts.model.occurrences;
        let [left, right] = occurrences.children(self.occ)[..] else { return None };
        let (start, end) = (occurrences.get(left).span.end, occurrences.get(right).span.start);
        if end <= start {
            return None;
        }
        let gap = self.without_comments(Span::new(start, end));
        // A backslash joins lines.
        let is_other = |c: char| c.is_whitespace() || "()\\".contains(c);
        let token = gap.trim_matches(is_other);
        if token.is_empty() || token.contains(is_other) {
            return None;
        }
        let token_start = start + gap.find(token)? as u32;
        let span = Span::new(token_start, token_start + token.len() as u32);
        Some((left, span, gap[..(token_start - start) as usize].contains(')')))
    }

    /// Without the operator and the other operand.
    fn only(&self, kept: OccId) -> Option<Vec<Edit>> {
        let (left, token, _) = self.operator()?;
        let sources = self.texts.sources;
        let is_space = |c: &char| matches!(c, ' ' | '\t');
        let span = if kept == left {
            let before = sources.text(Span::new(self.span().start, token.start));
            let n_spaces = before.chars().rev().take_while(is_space).count() as u32;
            Span::new(token.start - n_spaces, self.span().end)
        } else {
            let after = sources.text(Span::new(token.end, self.span().end));
            let n_spaces = after.chars().take_while(is_space).count() as u32;
            Span::new(self.span().start, token.end + n_spaces)
        };
        Some(vec![Edit { span, text: String::new() }])
    }

    /// A name or a constant as it is written here, and the name if it is not known here.
    fn name(&self, new: ExprId) -> (String, Option<String>) {
        let model = self.texts.model;
        let full = match model.exprs.get(new) {
            Expr::Var(var) | Expr::Next(var) => &model.var(var).name,
            Expr::Define(define) | Expr::NextDefine(define) => &model.define(define).name,
            _ => {
                let text = model.show_expr(new);
                // Two signs in a row may begin a comment.
                return (if text.starts_with('-') { format!("({text})") } else { text }, None);
            }
        };
        let local = model.local_name(model.occurrences.instance(self.occ), new);
        let unknown = local.is_none().then(|| full.clone());
        let text = local.unwrap_or_else(|| full.clone());
        let is_next = matches!(model.exprs.get(new), Expr::Next(_) | Expr::NextDefine(_));
        // Inside `next( )` names already denote the next state, and behind `WHERE`.
        let marks = |occ| matches!(model.occurrences.get(occ).shape, Shape::Next | Shape::When);
        let is_marked = self.above().any(marks);
        match is_next && !is_marked {
            true => (model.syntax.target(AssignKind::Next, &text), unknown),
            false => (text, unknown),
        }
    }

    /// What it is an operand of, what that is, and so on.
    fn above(&self) -> impl Iterator<Item = OccId> {
        let occurrences = &self.texts.model.occurrences;
        let first = self.occ.0 as usize;
        // Parents follow their operands.
        let behind = (self.occ.0 + 1..=self.root.0).map(OccId);
        behind.filter(move |&occ| occurrences.start(occ) <= first)
    }

    fn is_in_conjunction(&self) -> bool {
        let model = self.texts.model;
        let above = self.above().next().map(|occ| model.occurrences.get(occ));
        use BinaryOp::{And, Xnor, Xor};
        above.is_some_and(|above| {
            let expr = model.exprs.get(above.expr);
            let is_operator = above.shape == Shape::Operator;
            let is_tight = is_operator && matches!(expr, Expr::Binary(And | Xor | Xnor, ..));
            is_tight || above.shape == Shape::When
        })
    }

    /// Are parentheses right around it?
    fn is_enclosed(&self) -> bool {
        let Span { start, end } = self.span();
        let sources = self.texts.sources;
        let before = start.checked_sub(1).map(|before| sources.text(Span::new(before, start)));
        before == Some("(") && sources.text(Span::new(end, end + 1)) == ")"
    }

    /// A name, a constant or a call: whatever binds more tightly than every operator.
    fn is_atom(&self) -> bool {
        let shape = self.texts.model.occurrences.get(self.occ).shape;
        let is_plain = |c: char| c.is_alphanumeric() || "_.[]$#".contains(c);
        let is_name = || self.texts.sources.text(self.span()).chars().all(is_plain);
        shape == Shape::Next || shape == Shape::Leaf && is_name()
    }

    fn enclosed(&self, open: &str, close: &str) -> Vec<Edit> {
        let Span { start, end } = self.span();
        vec![insert(start, open.into()), insert(end, close.into())]
    }

    /// A text in which comments are blank, byte for byte.
    fn without_comments(&self, span: Span) -> String {
        let text = self.texts.sources.text(span);
        let comments = self.texts.model.syntax.comments();
        let mut blank = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let length = match comments {
                [_, open, close] if rest.starts_with(open) => {
                    let end = rest[open.len()..].find(close);
                    end.map_or(rest.len(), |end| open.len() + end + close.len())
                }
                [line, ..] if rest.starts_with(line) => rest.find('\n').unwrap_or(rest.len()),
                _ => {
                    blank.push(c);
                    rest = &rest[c.len_utf8()..];
                    continue;
                }
            };
            blank.extend(std::iter::repeat_n(' ', length));
            rest = &rest[length..];
        }
        blank
    }
}

fn insert(at: u32, text: String) -> Edit {
    Edit { span: Span::new(at, at), text }
}

impl Change {
    /// The text of a span that the edits lie in, changed.
    pub fn apply(&self, sources: &Sources, span: Span) -> String {
        let mut text = String::new();
        let mut position = span.start;
        for edit in &self.edits {
            text.push_str(sources.text(Span::new(position, edit.span.start)));
            text.push_str(&edit.text);
            position = edit.span.end;
        }
        text.push_str(sources.text(Span::new(position, span.end)));
        text
    }

    /// The lines that are changed, without the last line end.
    pub fn lines(&self, sources: &Sources) -> Option<Span> {
        let (first, last) = (self.edits.first()?.span.start, self.edits.last()?.span.end);
        let file = sources.file_at(first)?;
        let (_, start) = file.line(file.line_index(first));
        let (line, line_start) = file.line(file.line_index(last));
        Some(Span::new(start, line_start + line.len() as u32))
    }
}
