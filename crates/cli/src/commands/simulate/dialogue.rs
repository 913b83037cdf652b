//! The dialogue: shows the choices, takes one, goes back.
//!
//! A constraint that the user types is read together with the model, so the model is read anew
//! for each; its variables keep their ids, and the trace so far stays valid.

use std::path::Path;

use trapline_engine::simulate::{Choice, Simulator};
use trapline_engine::{Budget, Limits};
use trapline_model::Model;
use trapline_model::trace::Trace;
use trapline_report::formats::trace::json;

use super::constraint::{Constraints, When};
use super::request::{self, Request, Wish};
use super::walk::{self, End, Source};
use super::{Args, Runs};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::Extra;
use crate::load::{Loaded, Text};
use crate::paint::Style;
use crate::search;
use crate::terminal::Output;
use crate::trace_text::TraceText;

/// What the user can say.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Command {
    /// Take the choice with this number, from 1.
    Choose(usize),
    /// Take this many steps at random.
    Go(usize),
    Back,
    Constrain(String),
    /// Drop the constraints for the next step.
    Release,
    Show,
    Write(String),
    Help,
    Quit,
    /// Nothing that we understand, and why.
    Unknown(String),
}

/// What comes after a command.
enum Next {
    /// The same choices.
    Ask,
    /// New choices.
    Offer,
    /// The same with another model.
    Replace(Box<Request>),
    End,
}

/// What stays while models come and go.
struct Dialogue<'a> {
    args: &'a Args,
    text: &'a Text,
    context: &'a Context,
    output: Output,
    trace: Trace,
    rng: fastrand::Rng,
    /// Constraints for the next step.
    typed: Vec<String>,
}

const HELP: &str = "  N       take choice N
  Enter   take a random step
  g N     go N random steps
  b       go back one state
  c EXPR  let EXPR hold in the next state (or at the step into it); c alone drops it
  s       show the whole state
  w FILE  write the trace as JSON
  q       quit
  h       this list
";

/// Talks until the user quits.
pub fn run(args: &Args, text: &Text, request: Request, context: &Context) -> Result<Exit, Failure> {
    let mut dialogue = Dialogue {
        args,
        text,
        context,
        output: context.terminal.output(None)?,
        trace: Trace::default(),
        rng: fastrand::Rng::with_seed(args.seed),
        typed: Vec::new(),
    };
    dialogue.output.write("h shows the commands\n")?;
    let mut request = request;
    while let Some(replaced) = dialogue.talk(&mut request)? {
        request = replaced;
    }
    dialogue.output.flush()?;
    if context.output.is_some() && !dialogue.trace.states.is_empty() {
        let runs = Runs { traces: vec![dialogue.trace], end: End::Whole };
        super::check(&request.loaded, runs.found())?;
        super::show(args, &request.loaded, &runs, context)?;
    }
    Ok(Exit::Done)
}

impl Dialogue<'_> {
    /// Talks about one model, until the user quits or it is replaced.
    fn talk(&mut self, request: &mut Request) -> Result<Option<Request>, Failure> {
        let Request { loaded, constraints } = request;
        let simulator = Simulator::new(&loaded.model);
        let show = TraceText::new(&loaded.model, self.output.paint);
        let mut choices = self.offer(&simulator, constraints, &show, loaded)?;
        while let Some(line) = self.context.terminal.ask("> ", &mut self.output)? {
            let next = match parse(&line) {
                Command::Choose(number) => self.choose(number, &choices, constraints, &show)?,
                Command::Go(n_steps) => self.go(n_steps, &simulator, constraints, &show, loaded)?,
                Command::Back => self.back(&loaded.model, constraints, &show)?,
                Command::Constrain(text) => self.constrain(text)?,
                Command::Release => {
                    self.forget_typed(constraints);
                    Next::Offer
                }
                Command::Show => self.say(&show.last_state(&self.trace), Next::Ask)?,
                Command::Write(path) => self.write(&path, loaded)?,
                Command::Help => self.say(HELP, Next::Ask)?,
                Command::Unknown(why) => self.say(&format!("{why}\n"), Next::Ask)?,
                Command::Quit => Next::End,
            };
            match next {
                Next::Ask => {}
                Next::Offer => choices = self.offer(&simulator, constraints, &show, loaded)?,
                Next::Replace(request) => return Ok(Some(*request)),
                Next::End => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Looks for states. The user's time counts from now, not from the start of the dialogue.
    fn within<T>(&self, search: impl FnOnce(&Budget<'_>) -> T) -> T {
        let limits = Limits { work: Some(self.args.max_work), ..self.args.limit.limits() };
        let time = limits.time.map(|time| time.saturating_add(self.context.started.elapsed()));
        search::within(&Limits { time, ..limits }, self.context, search)
    }

    fn say(&mut self, text: &str, next: Next) -> Result<Next, Failure> {
        self.output.write(text)?;
        Ok(next)
    }

    /// Finds and shows the choices.
    fn offer(
        &mut self,
        simulator: &Simulator<'_>,
        constraints: &Constraints,
        show: &TraceText<'_>,
        loaded: &Loaded,
    ) -> Result<Vec<Choice>, Failure> {
        let max = self.args.max_choices.max(1);
        let wanted = constraints.at(self.trace.states.len());
        let last = self.trace.states.last();
        let found =
            self.within(|budget| simulator.choices(last, &wanted, max.saturating_add(1), budget));
        let mut choices = match found {
            Ok(choices) => choices,
            Err(stop) => {
                self.output.flush()?;
                super::stop::report(&stop, loaded, &self.trace, self.context);
                return Ok(Vec::new());
            }
        };
        let has_more = choices.len() > max;
        choices.truncate(max);
        let title = title(self.trace.states.len(), choices.len());
        self.output.write(&format!("{}\n", self.output.paint.paint(Style::Group, &title)))?;
        for (idx, line) in show.choices(&choices).iter().enumerate() {
            self.output.write(&format!("{:4}  {line}\n", idx + 1))?;
        }
        if has_more {
            self.output.write("      and more; --max-choices shows more, c EXPR picks\n")?;
        }
        Ok(choices)
    }

    fn choose(
        &mut self,
        number: usize,
        choices: &[Choice],
        constraints: &mut Constraints,
        show: &TraceText<'_>,
    ) -> Result<Next, Failure> {
        let Some(choice) = number.checked_sub(1).and_then(|idx| choices.get(idx)) else {
            let text = match choices.len() {
                0 => "there is nothing to choose\n".into(),
                n_choices => format!("there are choices 1 to {n_choices}\n"),
            };
            return self.say(&text, Next::Ask);
        };
        walk::take(&mut self.trace, choice.clone());
        self.forget_typed(constraints);
        self.say(&show.last_change(&self.trace), Next::Offer)
    }

    fn go(
        &mut self,
        n_steps: usize,
        simulator: &Simulator<'_>,
        constraints: &mut Constraints,
        show: &TraceText<'_>,
        loaded: &Loaded,
    ) -> Result<Next, Failure> {
        for _ in 0..n_steps {
            let n_states = self.trace.states.len() + 1;
            let (mut rng, mut trace) = (self.rng.clone(), std::mem::take(&mut self.trace));
            let max_work = self.args.max_work;
            let end = self.within(|budget| {
                let source = Source { rng: &mut rng, max_work, budget };
                walk::walk(simulator, constraints, n_states, &mut trace, source)
            });
            (self.rng, self.trace) = (rng, trace);
            match end {
                End::Whole => {}
                End::NoInitial => return self.say("no initial state is possible\n", Next::Ask),
                End::Stuck => return self.say("no step is possible\n", Next::Ask),
                End::Interrupted => return Ok(Next::End),
                End::Stopped(stop) => {
                    self.output.flush()?;
                    super::stop::report(&stop, loaded, &self.trace, self.context);
                    return Ok(Next::Offer);
                }
            }
            self.forget_typed(constraints);
            self.output.write(&show.last_change(&self.trace))?;
        }
        Ok(Next::Offer)
    }

    fn back(
        &mut self,
        model: &Model,
        constraints: &mut Constraints,
        show: &TraceText<'_>,
    ) -> Result<Next, Failure> {
        if self.trace.states.pop().is_none() {
            return self.say("this is the beginning\n", Next::Ask);
        }
        if let Some(last) = self.trace.states.last_mut() {
            last.drop_inputs(model);
        }
        self.forget_typed(constraints);
        self.say(&show.last_state(&self.trace), Next::Offer)
    }

    /// Reads the model again, with one constraint more.
    fn constrain(&mut self, text: String) -> Result<Next, Failure> {
        self.typed.push(text);
        let typed = self.typed.iter().enumerate().map(|(idx, text)| Wish {
            when: When::At(self.trace.states.len()),
            extra: Extra { place: format!("<typed {}>", idx + 1), text: text.clone() },
        });
        let wishes: Vec<Wish> = request::wishes(self.args).into_iter().chain(typed).collect();
        self.output.flush()?;
        match request::prepare(self.args, self.text, &wishes, self.context) {
            Ok((request, diagnostics)) if !diagnostics.has_errors() => {
                return Ok(Next::Replace(Box::new(request)));
            }
            Ok((request, diagnostics)) => {
                self.context.terminal.report(&request.loaded.sources, &diagnostics);
            }
            Err(failure) => self.output.write(&format!("{failure}\n"))?,
        }
        self.typed.pop();
        Ok(Next::Ask)
    }

    /// What was typed was about one step only.
    fn forget_typed(&mut self, constraints: &mut Constraints) {
        constraints.truncate(constraints.len() - self.typed.len());
        self.typed.clear();
    }

    fn write(&mut self, path: &str, loaded: &Loaded) -> Result<Next, Failure> {
        if self.trace.states.is_empty() {
            return self.say("there is no state yet\n", Next::Ask);
        }
        let runs = Runs { traces: vec![self.trace.clone()], end: End::Whole };
        super::check(loaded, runs.found())?;
        let document = json::write(&super::titled(loaded, &runs));
        let written = self.context.open(Path::new(path)).and_then(|mut file| {
            file.write(&document)?;
            file.finish()
        });
        match written {
            Ok(()) => self.say(&format!("wrote {path}\n"), Next::Ask),
            Err(failure) => self.say(&format!("{failure}\n"), Next::Ask),
        }
    }
}

/// The heading of the choices.
fn title(n_states: usize, n_choices: usize) -> String {
    match (n_states, n_choices) {
        (0, 0) => "no initial state is possible".into(),
        (_, 0) => "no step is possible; b goes back".into(),
        (0, 1) => "the initial state:".into(),
        (0, _) => "initial states, by what differs:".into(),
        _ => format!("steps from state {}, by what changes:", n_states - 1),
    }
}

fn parse(line: &str) -> Command {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let unknown = |text: &str| Command::Unknown(text.into());
    match (word, rest) {
        ("", _) => Command::Go(1),
        ("b", "") => Command::Back,
        ("s", "") => Command::Show,
        ("q", "") => Command::Quit,
        ("h" | "?", "") => Command::Help,
        ("c", "") => Command::Release,
        ("c", _) => Command::Constrain(rest.into()),
        ("w", "") => unknown("w needs the name of a file"),
        ("w", _) => Command::Write(rest.into()),
        ("g", _) => match rest.parse() {
            Ok(n_steps) => Command::Go(n_steps),
            Err(_) => unknown("g needs a number of steps, as in: g 5"),
        },
        (_, "") => match word.parse() {
            Ok(number) => Command::Choose(number),
            Err(_) => unknown("no such command; h shows them"),
        },
        _ => unknown("no such command; h shows them"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Command, parse};

    #[test]
    fn every_line_is_a_command_or_explained() {
        assert_eq!(parse(""), Command::Go(1));
        assert_eq!(parse("12"), Command::Choose(12));
        assert_eq!(parse("c x = 1"), Command::Constrain("x = 1".into()));
        assert_eq!(parse("g 5"), Command::Go(5));
        for line in ["g", "g x", "w", "frob", "1 2", "99999999999999999999999"] {
            assert!(matches!(parse(line), Command::Unknown(_)), "{line}");
        }
    }
}
