//! Defines and parameters: expressions with a name, lowered when they are needed.
//!
//! One define may depend on another that is declared below it, in another module, or behind a
//! parameter. An expression that meets a cell not lowered yet records it and continues with a dummy
//! operand; then the missing cells are lowered and the expression is retried. A work list instead
//! of recursion, so a chain of a million defines needs no stack.

use trapline_model::name;
use trapline_model::{Array, Clause, Define, DefineId, Expr, Role, Value, VarId};
use trapline_source::{Diagnostic, Span};

use super::super::syntax::Code;
use super::arrays::ArrayRef;
use super::declare::ScopeId;
use super::expression::Logic;
use super::scope::Entity;
use super::{Lowerer, Operand};

/// A define or parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellId(pub u32);

#[derive(Debug)]
pub(super) struct Cell {
    /// Where its names are resolved.
    pub scope: ScopeId,
    pub code: Code,
    /// The name of the define that it becomes; a parameter becomes none.
    pub define: Option<String>,
    pub is_define: bool,
    pub span: Span,
    pub state: State,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    Todo,
    /// On the work list: meeting it again is a circle.
    Active,
    Done(Operand),
}

impl Cell {
    /// What it denotes, once that is known.
    pub fn done(&self) -> Option<Operand> {
        match self.state {
            State::Done(operand) => Some(operand),
            State::Todo | State::Active => None,
        }
    }
}

impl Lowerer<'_> {
    pub fn add_define(&mut self, name: String, scope: ScopeId, code: Code, span: Span) -> CellId {
        self.add_cell(Cell {
            scope,
            code,
            define: Some(name),
            is_define: true,
            span,
            state: State::Todo,
        })
    }

    pub fn add_param(&mut self, scope: ScopeId, code: Code, span: Span) -> CellId {
        self.add_cell(Cell {
            scope,
            code,
            define: None,
            is_define: false,
            span,
            state: State::Todo,
        })
    }

    fn add_cell(&mut self, cell: Cell) -> CellId {
        self.cells.push(cell);
        CellId(self.cells.len() as u32 - 1)
    }

    /// Defines `running` of a process.
    pub fn define_running(&mut self, scope: ScopeId, selector: VarId, symbol: Value) {
        let left = self.var_expr(selector);
        let right = self.exprs().value(symbol);
        let expr = self.exprs().eq(left, right);
        let name = name::member(&self.instances[scope.0 as usize].name, "running");
        let body = Clause { expr, occ: None, span: Span::default() };
        let running = self.push_define(name, body);
        self.running.insert(scope, running);
    }

    /// The value of a cell, or a silent operand when it has to be lowered first.
    pub fn cell(&mut self, id: CellId) -> Operand {
        match self.cells[id.0 as usize].state {
            State::Done(operand) => operand,
            State::Todo | State::Active => {
                self.missing.push(id);
                Operand::Poison
            }
        }
    }

    /// Lowers every define. An unused parameter is never lowered, as in NuSMV.
    pub fn lower_all_cells(&mut self) {
        for idx in 0..self.cells.len() {
            if self.cells[idx].is_define {
                self.lower_cell(CellId(idx as u32));
            }
        }
    }

    /// Lowers code whose cells may not be lowered yet; for bounds and widths.
    pub fn lower_now(&mut self, code: Code, scope: ScopeId) -> Operand {
        loop {
            let occ_start = self.model.occurrences.len();
            let operand = self.lower_code(code, scope, Logic::None).operand;
            self.model.occurrences.truncate(occ_start);
            let missing = std::mem::take(&mut self.missing);
            if missing.is_empty() {
                return operand;
            }
            for cell in missing {
                self.lower_cell(cell);
            }
        }
    }

    pub fn lower_cell(&mut self, root: CellId) {
        let mut work = vec![root];
        while let Some(&id) = work.last() {
            let cell = &mut self.cells[id.0 as usize];
            if matches!(cell.state, State::Done(_)) {
                work.pop();
                continue;
            }
            cell.state = State::Active;
            let (code, scope) = (cell.code, cell.scope);
            let occ_start = self.model.occurrences.len();
            let item = self.lower_code(code, scope, Logic::None);
            let missing = std::mem::take(&mut self.missing);
            if missing.is_empty() {
                self.finish_cell(id, item.operand, occ_start);
                work.pop();
                continue;
            }
            self.model.occurrences.truncate(occ_start);
            let is_active = |id: &CellId| matches!(self.cells[id.0 as usize].state, State::Active);
            if let Some(&again) = missing.iter().find(|id| is_active(id)) {
                self.report_circle(again, &work);
                for &id in &work {
                    self.cells[id.0 as usize].state = State::Done(Operand::Poison);
                }
                return;
            }
            work.extend(missing);
        }
    }

    fn report_circle(&mut self, again: CellId, work: &[CellId]) {
        let start = work.iter().position(|&id| id == again).unwrap_or(0);
        // Cells that merely wait on the work list are not part of the cycle.
        let circle: Vec<&Cell> = work[start..]
            .iter()
            .map(|id| &self.cells[id.0 as usize])
            .filter(|cell| matches!(cell.state, State::Active) && cell.is_define)
            .collect();
        let first = &self.cells[again.0 as usize];
        let name = first.define.clone().unwrap_or_else(|| "a parameter".into());
        let mut error = Diagnostic::error(
            "circular-definition",
            first.span,
            format!("the definition of `{name}` goes round in a circle"),
        );
        for cell in circle.iter().filter(|cell| cell.span != first.span).take(5) {
            error = error.label(cell.span, "which goes through this definition");
        }
        self.report(
            error.help("a definition may not need its own value; use a variable with next()"),
        );
    }

    fn finish_cell(&mut self, id: CellId, operand: Operand, occ_start: usize) {
        let cell = &mut self.cells[id.0 as usize];
        let span = self.program.span(cell.code);
        let operand = match (operand, cell.define.take()) {
            (Operand::Expr(expr), Some(name)) => {
                let occ = self.last_occurrence(occ_start);
                let define = self.push_define(name, Clause { expr, occ, span });
                self.define_operand(define)
            }
            (Operand::Array(array), Some(name)) => {
                self.model.occurrences.truncate(occ_start);
                Operand::Array(self.define_elements(array, &name, span))
            }
            // A parameter is not a decision: it denotes its argument.
            (operand, _) => {
                self.model.occurrences.truncate(occ_start);
                operand
            }
        };
        self.cells[id.0 as usize].state = State::Done(operand);
    }

    /// An array define is a define for each element, unless it is another name of a variable.
    fn define_elements(&mut self, array: ArrayRef, name: &str, span: Span) -> ArrayRef {
        let elements = self.arrays.elements(array).to_vec();
        if elements.iter().all(|&e| matches!(self.model.exprs.get(e), Expr::Var(_))) {
            return array;
        }
        let dims = self.arrays.dims(array).to_vec();
        let mut defined = Vec::with_capacity(elements.len());
        let first = self.model.defines.len() as u32;
        for (position, expr) in elements.into_iter().enumerate() {
            let name = name::element_at(name, &dims, position as u64);
            let define = self.push_define(name, Clause { expr, occ: None, span });
            if let Operand::Expr(leaf) = self.define_operand(define) {
                defined.push(leaf);
            }
        }
        let elements = first..self.model.defines.len() as u32;
        self.model.define_arrays.push(Array { name: name.into(), dims: dims.clone(), elements });
        self.arrays.add(dims, defined)
    }

    fn push_define(&mut self, name: String, body: Clause) -> DefineId {
        self.model.defines.push(Define { name, body, role: Role::Output });
        DefineId(self.model.defines.len() as u32 - 1)
    }

    pub fn define_operand(&mut self, define: DefineId) -> Operand {
        Operand::Expr(self.model.define_expr(define))
    }

    /// What a name in a scope denotes.
    pub fn entity(&mut self, entity: Entity) -> Operand {
        match entity {
            Entity::Known(operand, _) => operand,
            Entity::Cell(cell, _) => self.cell(cell),
            Entity::Declared(span) => {
                let text = "this variable is used before its type is known";
                let help = "bounds and widths must be constants";
                self.report(Diagnostic::error("not-constant", span, text).help(help));
                Operand::Poison
            }
        }
    }
}
