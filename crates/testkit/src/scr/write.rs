//! A specification as text: plain, as Markdown and as comma-separated values.

use super::{Compare, Cond, Event, Given, Inmode, Kind, Rows, Spec, Sum, Table, Ty};

/// A form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// With keywords and bars.
    Plain,
    /// With headings and tables.
    Markdown,
    /// For spreadsheets.
    Csv,
}

/// The specification in a form.
pub fn write(spec: &Spec, form: Form) -> String {
    let mut writer = Writer { form, text: String::new() };
    let classes = [
        (Kind::Monitored, ["MONITORED", "Monitored variables"]),
        (Kind::ModeClass, ["MODECLASS", "Mode class"]),
        (Kind::Term, ["TERMS", "Terms"]),
        (Kind::Controlled, ["CONTROLLED", "Controlled variables"]),
    ];
    for (kind, heading) in classes {
        writer.variables(spec, kind, heading);
    }
    let conditions = |list: &[Cond]| -> Vec<String> {
        list.iter().map(|cond| condition(spec, cond, 0)).collect()
    };
    writer.lines(["NAT", "Environmental assumptions"], &conditions(&spec.assumptions));
    writer.assertions(&conditions(&spec.assertions));
    writer.options(spec);
    for table in &spec.tables {
        writer.table(spec, table);
    }
    writer.text
}

struct Writer {
    form: Form,
    text: String,
}

impl Writer {
    fn heading(&mut self, [keyword, title]: [&str; 2]) {
        self.text += &match self.form {
            Form::Plain | Form::Csv => format!("{keyword}\n"),
            Form::Markdown => format!("\n## {title}\n\nIn words.\n\n"),
        };
    }

    /// A row of cells.
    fn row(&mut self, cells: &[String]) {
        let joined = match self.form {
            Form::Plain => format!("  {}", cells.join(" | ")),
            Form::Markdown => format!("| {} |", cells.join(" | ")),
            Form::Csv => cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(","),
        };
        self.text += &joined;
        self.text.push('\n');
    }

    /// The names of the columns, where a form has them.
    fn columns(&mut self, names: &[&str]) {
        if self.form == Form::Markdown {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            self.row(&names);
            self.row(&vec!["---".to_string(); names.len()]);
        }
    }

    fn variables(&mut self, spec: &Spec, kind: Kind, heading: [&str; 2]) {
        let own: Vec<_> = spec.vars.iter().filter(|var| var.kind == kind).collect();
        if own.is_empty() {
            return;
        }
        self.heading(heading);
        self.columns(&["Name", "Type", "Initial value"]);
        for var in own {
            let init: Vec<String> = var.init.iter().map(|&value| shown(&var.ty, value)).collect();
            let (ty, init) = (type_text(&var.ty), init.join(" or "));
            match self.form {
                Form::Plain => {
                    let init = if init.is_empty() { init } else { format!(" INIT {init}") };
                    self.text += &format!("  {} : {ty}{init}\n", var.name);
                }
                _ => self.row(&[var.name.clone(), ty, init]),
            }
        }
    }

    fn lines(&mut self, heading: [&str; 2], lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        self.heading(heading);
        for line in lines {
            self.text += &match self.form {
                Form::Plain => format!("  {line}\n"),
                Form::Markdown => format!("- {line}\n"),
                Form::Csv => format!("{}\n", quoted(line)),
            };
        }
    }

    fn assertions(&mut self, conditions: &[String]) {
        let named = conditions.iter().enumerate();
        let named: Vec<String> = named.map(|(idx, cond)| format!("claim{idx}: {cond}")).collect();
        self.lines(["ASSERT", "Assertions"], &named);
    }

    fn options(&mut self, spec: &Spec) {
        let inputs = if spec.any_inputs { "any" } else { "one" };
        let stutter = if spec.stutter { "yes" } else { "no" };
        let inmode = match spec.inmode {
            Inmode::Each => "each",
            Inmode::Group => "group",
            Inmode::Old => "old",
        };
        let lines = [
            format!("inputs: {inputs}"),
            format!("stutter: {stutter}"),
            format!("inmode: {inmode}"),
        ];
        self.lines(["OPTIONS", "Options"], &lines);
    }

    fn table(&mut self, spec: &Spec, table: &Table) {
        let own = &spec.vars[table.var];
        let kind = match table.rows {
            Rows::Mode(_) => "MODE",
            Rows::Event(_) => "EVENT",
            Rows::Condition(_) => "CONDITION",
        };
        let class = table.class.map(|class| spec.vars[class].name.as_str());
        self.text += &match (self.form, class) {
            (Form::Plain, Some(class)) => format!("TABLE {} {kind} CLASS {class}\n", own.name),
            (Form::Plain, None) => format!("TABLE {} {kind}\n", own.name),
            (Form::Csv, Some(class)) => format!("TABLE,{},{kind},CLASS,{class}\n", own.name),
            (Form::Csv, None) => format!("TABLE,{},{kind}\n", own.name),
            (Form::Markdown, class) => {
                let class = class.map_or(String::new(), |class| format!(" ({class})"));
                format!("\n## {} table: {}{class}\n\n", kind.to_lowercase(), own.name)
            }
        };
        let n_columns = match &table.rows {
            Rows::Mode(_) => 3,
            _ => table.values.len() + 1,
        };
        self.columns(&vec!["Modes"; n_columns]);
        let modes_of = table.class.unwrap_or(table.var);
        let rows: Vec<Vec<String>> = match &table.rows {
            Rows::Mode(rows) => rows
                .iter()
                .map(|(modes, at, to)| {
                    vec![
                        modes_text(spec, modes_of, modes),
                        event(spec, at, 0),
                        given(spec, table, to),
                    ]
                })
                .collect(),
            Rows::Event(rows) => rows
                .iter()
                .map(|(modes, cells)| {
                    let cells = cells.iter().map(|cell| event(spec, cell, 0));
                    self.with_modes(spec, table.class, modes, cells.collect())
                })
                .collect(),
            Rows::Condition(rows) => rows
                .iter()
                .map(|(modes, cells)| {
                    let cells = cells.iter().map(|cell| condition(spec, cell, 0));
                    self.with_modes(spec, table.class, modes, cells.collect())
                })
                .collect(),
        };
        for row in rows {
            self.row(&row);
        }
        if !matches!(table.rows, Rows::Mode(_)) {
            let values = table.values.iter().map(|value| given(spec, table, value));
            let row: Vec<String> = std::iter::once(own.name.clone()).chain(values).collect();
            self.row(&row);
        }
    }

    /// A row without modes has no cell for them in the plain form and in others a star.
    fn with_modes(
        &self,
        spec: &Spec,
        class: Option<usize>,
        modes: &Option<Vec<i64>>,
        mut cells: Vec<String>,
    ) -> Vec<String> {
        match class {
            Some(class) => cells.insert(0, modes_text(spec, class, modes)),
            None if self.form == Form::Plain => {}
            None => cells.insert(0, "*".into()),
        }
        cells
    }
}

fn modes_text(spec: &Spec, class: usize, modes: &Option<Vec<i64>>) -> String {
    match modes {
        None => "*".into(),
        Some(modes) => {
            let shown = modes.iter().map(|&mode| shown(&spec.vars[class].ty, mode));
            shown.collect::<Vec<_>>().join(", ")
        }
    }
}

fn given(spec: &Spec, table: &Table, list: &[Given]) -> String {
    let shown = list.iter().map(|given| match *given {
        Given::Value(value) => shown(&spec.vars[table.var].ty, value),
        Given::Var(var, is_new) => name(spec, Sum { var, is_new, plus: 0 }),
    });
    shown.collect::<Vec<_>>().join(" or ")
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', ';']) { format!("\"{cell}\"") } else { cell.into() }
}

fn type_text(ty: &Ty) -> String {
    match ty {
        Ty::Bool => "Boolean".into(),
        Ty::Enum(names) => format!("{{{}}}", names.join(", ")),
        Ty::Range(lo, hi) => format!("{lo}..{hi}"),
    }
}

/// A value of a type.
pub fn shown(ty: &Ty, value: i64) -> String {
    match ty {
        Ty::Bool if value == 0 => "False".into(),
        Ty::Bool => "True".into(),
        Ty::Enum(names) => names[value as usize].clone(),
        Ty::Range(..) => value.to_string(),
    }
}

fn name(spec: &Spec, sum: Sum) -> String {
    let prime = if sum.is_new { "'" } else { "" };
    let name = format!("{}{prime}", spec.vars[sum.var].name);
    match sum.plus {
        0 => name,
        plus => format!("{name} + {plus}"),
    }
}

/// A condition; with a level above 0 it is in parentheses unless it binds tighter than everything.
pub fn condition(spec: &Spec, cond: &Cond, level: u8) -> String {
    let value = |sum: &Sum, value: i64| shown(&spec.vars[sum.var].ty, value);
    let text = match cond {
        Cond::Is(holds) => return if *holds { "True" } else { "False" }.into(),
        Cond::Holds(sum) => return name(spec, *sum),
        Cond::With(sum, by, with) => {
            format!("{} {} {}", name(spec, *sum), operator(*by), value(sum, *with))
        }
        Cond::Between(a, by, b) => {
            format!("{} {} {}", name(spec, *a), operator(*by), name(spec, *b))
        }
        Cond::In(sum, values) => {
            let values: Vec<String> = values.iter().map(|&v| value(sum, v)).collect();
            format!("{} IN {{{}}}", name(spec, *sum), values.join(", "))
        }
        Cond::Near(var, by) => {
            let name = &spec.vars[*var].name;
            return format!("ABS({name}' - {name}) <= {by}");
        }
        Cond::Not(a) => format!("NOT {}", condition(spec, a, 1)),
        Cond::And(a, b) => format!("{} AND {}", condition(spec, a, 1), condition(spec, b, 1)),
        Cond::Or(a, b) => format!("{} OR {}", condition(spec, a, 1), condition(spec, b, 1)),
        Cond::Implies(a, b) => format!("{} => {}", condition(spec, a, 1), condition(spec, b, 1)),
    };
    if level > 0 { format!("({text})") } else { text }
}

fn operator(by: Compare) -> &'static str {
    match by {
        Compare::Eq => "=",
        Compare::Ne => "/=",
        Compare::Lt => "<",
        Compare::Ge => ">=",
    }
}

/// An event. The levels are those of the notation: `OR` is looser than `WHEN`, which is looser than
/// `AND`, and the condition of an event goes on over `AND`.
pub fn event(spec: &Spec, event_: &Event, level: u8) -> String {
    let guarded = |inner: &Event, word: &str, cond: &Cond| {
        (1, format!("{} {word} {}", event(spec, inner, 1), condition(spec, cond, 1)))
    };
    let (own, text) = match event_ {
        Event::Never => return "NEVER".into(),
        Event::Rise(cond) => return format!("@T({})", condition(spec, cond, 0)),
        Event::Fall(cond) => return format!("@F({})", condition(spec, cond, 0)),
        Event::Change(var) => return format!("@C({})", spec.vars[*var].name),
        Event::Enter => return "@T(INMODE)".into(),
        Event::Leave => return "@F(INMODE)".into(),
        Event::When(inner, cond) => guarded(inner, "WHEN", cond),
        Event::Where(inner, cond) => guarded(inner, "WHERE", cond),
        Event::While(inner, cond) => guarded(inner, "WHILE", cond),
        Event::And(a, b) => (2, format!("{} AND {}", event(spec, a, 2), event(spec, b, 2))),
        Event::Or(a, b) => (0, format!("{} OR {}", event(spec, a, 0), event(spec, b, 0))),
    };
    if own < level { format!("({text})") } else { text }
}
