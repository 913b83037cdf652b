//! What a name means where it stands: what is bound around it, what its context declares, the prelude.

use trapline_source::{Diagnostic, Span};

use super::contexts::Member;
use super::term::{InstanceId, Place, Term};
use super::{Lowerer, builtin};
use crate::close::closest;
use crate::sal::syntax::Name;

impl Lowerer<'_> {
    /// What a name means.
    pub(super) fn named(&mut self, name: Name, place: &Place) -> Term {
        if let Some(binding) = place.find(name.id) {
            return binding.term.clone();
        }
        match self.member(place.instance, name.id) {
            Some((owner, member)) => self.meant(owner, member, name),
            None => {
                let text = self.text(name.id).to_string();
                match self.prelude(&text) {
                    Some(term) => term,
                    None => self.unknown(name, place),
                }
            }
        }
    }

    fn meant(&mut self, owner: InstanceId, member: Member, name: Name) -> Term {
        match member {
            Member::Term(term) => return term,
            Member::Open(idx) => return self.open_constant(owner, idx),
            Member::Unfinished => {
                let text = "a datatype that contains itself has infinitely many values: it is not supported";
                self.report(Diagnostic::error("unsupported", name.span, text));
            }
            Member::Context(_) => {
                let name_text = self.text(name.id);
                let text = format!("`{name_text}` is a context, and a value or a type is expected");
                self.report(Diagnostic::error("not-a-value", name.span, text));
            }
        }
        Term::Poison
    }

    /// What a variable means in the next state.
    pub(super) fn primed(&mut self, name: Name, place: &Place) -> Term {
        let quote = Span::new(name.span.start, name.span.end);
        let name = Name { id: name.id, span: Span::new(quote.start, quote.end.saturating_sub(1)) };
        let binding = match place.find(name.id) {
            Some(binding) => binding.clone(),
            None => {
                let term = self.named(name, place);
                if !term.is_poison() {
                    self.not_primed(name);
                }
                return Term::Poison;
            }
        };
        if !binding.is_variable {
            self.not_primed(name);
            return Term::Poison;
        }
        if !self.may_prime {
            let text = format!("`{}'` can't stand here", self.text(name.id));
            let help = "next values can only be read in TRANSITION";
            self.report(Diagnostic::error("misplaced-next", quote, text).help(help));
            return Term::Poison;
        }
        let exprs = &mut self.model.exprs;
        binding.term.map(&mut |expr| exprs.prime(expr))
    }

    fn not_primed(&mut self, name: Name) {
        let text = format!("`{}` is not a variable, and has no next value", self.text(name.id));
        self.report(Diagnostic::error("misplaced-next", name.span, text));
    }

    /// `c{actuals}!x`
    pub(super) fn qualified(
        &mut self,
        context: Name,
        actuals: Vec<Term>,
        member: Name,
        place: &Place,
    ) -> Term {
        let Some(id) = self.context_of(context, &actuals, place) else { return Term::Poison };
        if !self.instance(id).is_complete && id != place.instance {
            return Term::Poison;
        }
        match self.member(id, member.id) {
            Some((owner, found)) => self.meant(owner, found, member),
            None => self.unknown(member, &Place::of(id)),
        }
    }

    fn unknown(&mut self, name: Name, place: &Place) -> Term {
        let text = self.text(name.id).to_string();
        let instance = self.instance(place.instance);
        let later = instance.context.decls.iter().find(|decl| decl.name.id == name.id);
        let mut error =
            Diagnostic::error("unknown-name", name.span, format!("`{text}` is not declared"));
        error = match later {
            Some(later) => error
                .label(later.name.span, "declared here")
                .help("declare it before it is used: contexts are read from top to bottom"),
            None => match self.close_to(&text, place) {
                Some(close) => error.help(format!("did you mean `{close}`?")),
                None => error,
            },
        };
        self.report(error);
        Term::Poison
    }

    fn close_to<'s>(&'s self, text: &str, place: &'s Place) -> Option<String> {
        let mut known: Vec<&'s str> = Vec::new();
        let mut scope = place.scope.as_deref();
        while let Some(current) = scope {
            for binding in &current.bindings {
                known.push(self.text(binding.name));
            }
            scope = current.outer.as_deref();
        }
        let members = self.instance(place.instance).members.keys();
        let mut declared: Vec<&str> = members.map(|name| self.text(*name)).collect();
        declared.sort_unstable();
        known.extend(declared);
        for name in builtin::names() {
            known.push(name);
        }
        closest(text, known.into_iter()).map(str::to_string)
    }
}
