//! Value change dumps (IEEE 1364), as simulators and we write them.
//!
//! A time stamp begins a state, which has all values that were not changed since. A dump of ours may hold
//! several tests: a comment behind a time stamp names the one that begins there, and others say where a
//! loop goes back to. Signals that the model does not have are ignored, for a simulator dumps clocks and
//! much else. The scopes around the model may have any name.

mod value;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::{DefineId, VarId};

use super::names::Entity;
use super::nusmv::Places;
use super::{At, Document, Draft, Keeps, Location, PartialState, Reader, shortened};
use crate::signals;
use value::{Kind, Raw};

/// So many values of states are kept: a time stamp is short, and a state is not.
const MAX_VALUES: usize = 10_000_000;
/// So many signals are named in a message.
const MAX_NAMED: usize = 5;

pub(super) fn fits(text: &str) -> bool {
    text.contains("$enddefinitions")
}

pub(super) fn read(reader: &mut Reader<'_>, text: &str) -> Document {
    let places = Places::new(text);
    let mut dump = Dump { words: Words { text, offset: 0 }, places, reader, text };
    match dump.header() {
        Some(header) => dump.body(&header),
        None => Document::default(),
    }
}

/// What is declared.
#[derive(Default)]
struct Header<'t> {
    /// The signals that are read, by their codes.
    targets: FxHashMap<&'t str, Vec<Target>>,
    /// All codes.
    codes: FxHashSet<&'t str>,
    /// The name of the test, if the dump is ours and has one.
    title: Option<String>,
    is_ours: bool,
}

/// What a signal gives.
#[derive(Clone, Copy)]
struct Target {
    entity: Entity,
    kind: Kind,
}

/// The signal that gives something, so far.
struct Chosen<'t> {
    n_outside: usize,
    code: &'t str,
    kind: Kind,
    /// Is another one as near?
    is_ambiguous: bool,
}

struct Dump<'r, 'm, 't> {
    words: Words<'t>,
    places: Places<'t>,
    reader: &'r mut Reader<'m>,
    text: &'t str,
}

impl<'t> Dump<'_, '_, 't> {
    fn header(&mut self) -> Option<Header<'t>> {
        let known = known(self.reader);
        let (mut header, mut chosen) = (Header::default(), FxHashMap::default());
        let (mut scopes, mut comments, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let Some((offset, word)) = self.words.next() else {
                self.malformed(self.text.len(), "there is no `$enddefinitions`");
                return None;
            };
            let section = self.section();
            match word {
                "$enddefinitions" => break,
                "$scope" => scopes.push(section.words().nth(1).unwrap_or_default()),
                "$upscope" => drop(scopes.pop()),
                "$version" => header.is_ours = section.text.trim().starts_with("trapline "),
                "$comment" => comments.push(section.text.trim()),
                "$var" => match Declared::new(&section) {
                    None => self.malformed(offset, "`$var` has a type, a width, a code and a name"),
                    Some(declared) => {
                        header.codes.insert(declared.code);
                        match known.find(&scopes, &declared.name) {
                            Some((entity, n_outside)) => {
                                choose(&mut chosen, entity, n_outside, &declared);
                            }
                            None if unknown.len() < MAX_NAMED => unknown.push(declared.name),
                            None => {}
                        }
                    }
                },
                word if word.starts_with('$') => {}
                word => {
                    let word = shortened(word);
                    self.malformed(offset, &format!("`{word}` is no part of a declaration"));
                    return None;
                }
            }
        }
        if header.is_ours {
            header.title = comments.get(1).map(|title| title.to_string());
        }
        self.take_chosen(&mut header, chosen, &unknown)
    }

    fn take_chosen(
        &mut self,
        header: &mut Header<'t>,
        chosen: FxHashMap<Entity, Chosen<'t>>,
        unknown: &[String],
    ) -> Option<Header<'t>> {
        if chosen.is_empty() {
            let text = match unknown {
                [] => "the dump has no signals".to_string(),
                names => format!("the model has none of the signals: {}", names.join(", ")),
            };
            self.malformed(self.words.offset, &text);
            return None;
        }
        let mut chosen: Vec<_> = chosen.into_iter().collect();
        chosen.sort_by_key(|(entity, _)| *entity);
        for (entity, it) in chosen {
            if it.is_ambiguous {
                let name = self.reader.name(entity).to_string();
                let text = format!("several signals could be `{name}`: leave all but one out");
                self.malformed(self.words.offset, &text);
            }
            header.targets.entry(it.code).or_default().push(Target { entity, kind: it.kind });
        }
        Some(std::mem::take(header))
    }

    fn body(&mut self, header: &Header<'t>) -> Document {
        let mut document = Document::default();
        let mut run = Run::new(self.reader, header.title.clone());
        while let Some((offset, word)) = self.words.next() {
            if self.reader.errors.is_full() {
                break;
            }
            let (first, rest) = split(word);
            match first {
                '#' => {
                    if !self.time(&mut run, rest, offset) {
                        return document;
                    }
                }
                '$' if word == "$comment" => {
                    let text = self.section().text.trim();
                    if header.is_ours {
                        self.comment(&mut document, &mut run, text);
                    }
                }
                // What is dumped at once is dumped.
                '$' => {}
                'b' | 'B' => self.change(header, &mut run, (Raw::Bits(rest), None), offset),
                'r' | 'R' => self.change(header, &mut run, (Raw::Real(rest), None), offset),
                's' | 'S' => self.change(header, &mut run, (Raw::Text(rest), None), offset),
                _ if value::is_bit(first) && !rest.is_empty() => {
                    let bit = &word[..first.len_utf8()];
                    self.change(header, &mut run, (Raw::Bits(bit), Some(rest)), offset);
                }
                _ => {
                    let word = shortened(word);
                    self.malformed(offset, &format!("`{word}` is neither a time nor a change"));
                    return document;
                }
            }
        }
        // A time stamp behind which nothing changes is the end of the last state.
        if run.has_changed {
            self.keep(&mut run);
        }
        self.end(&mut document, &mut run);
        if document.drafts.is_empty() && !self.reader.errors.has_any() {
            self.malformed(self.text.len(), "the dump has no state");
        }
        document
    }

    /// A time stamp; returns whether it is right.
    fn time(&mut self, run: &mut Run, digits: &str, offset: usize) -> bool {
        let Some(time) = digits.parse().ok().filter(|&time| run.time.is_none_or(|it| it <= time))
        else {
            let digits = shortened(digits);
            self.malformed(offset, &format!("`{digits}` is no time after the one before"));
            return false;
        };
        if run.time.is_some_and(|before| before < time) && !self.keep(run) {
            return false;
        }
        run.has_changed &= run.time.is_none() || run.time == Some(time);
        (run.time, run.is_new) = (Some(time), true);
        true
    }

    /// Keeps the state as it is; returns whether there is room.
    fn keep(&mut self, run: &mut Run) -> bool {
        self.reader.n_copied += self.reader.model.vars.len() + run.now.defines.len() + 1;
        if self.reader.n_copied > MAX_VALUES {
            let text = "the dump has too many states: cut it into pieces";
            self.malformed(self.words.offset, text);
            return false;
        }
        run.states.push(run.now.clone());
        true
    }

    /// A comment of ours.
    fn comment(&mut self, document: &mut Document, run: &mut Run, text: &str) {
        let back = text.strip_prefix("from here ").and_then(|it| it.split_once("goes on at time "));
        if let Some(start) = back.and_then(|(_, time)| time.parse::<u64>().ok()) {
            let start = start.checked_sub(run.first_time);
            run.loop_start = start.and_then(|start| usize::try_from(start).ok());
        } else if run.is_new {
            self.end(document, run);
            run.name = Some(text.to_string());
            run.first_time = run.time.unwrap_or(0);
        }
    }

    /// Ends a test.
    fn end(&mut self, document: &mut Document, run: &mut Run) {
        let states = std::mem::take(&mut run.states);
        let (name, loop_start) = (run.name.take(), run.loop_start.take());
        if !states.is_empty() {
            let name = name.unwrap_or_else(|| format!("t{}", document.drafts.len() + 1));
            let (keeps, open) = (Keeps::Inputs, Vec::new());
            self.reader.finish(
                document,
                Draft { name, states, loop_start, keeps, open, branch: Vec::new() },
            );
        }
    }

    /// A change of a signal, the code of which may come next.
    fn change(
        &mut self,
        header: &Header<'t>,
        run: &mut Run,
        (raw, code): (Raw<'t>, Option<&'t str>),
        offset: usize,
    ) {
        let Some(code) = code.or_else(|| self.words.next().map(|(_, word)| word)) else {
            return self.malformed(offset, "the dump ends in a change");
        };
        (run.has_changed, run.is_new) = (true, false);
        if !header.codes.contains(code) {
            let code = shortened(code);
            return self.malformed(offset, &format!("no signal has the code `{code}`"));
        }
        for &Target { entity, kind } in header.targets.get(code).into_iter().flatten() {
            forget(&mut run.now, entity);
            if let Some(text) = value::text(self.reader, entity, kind, raw) {
                let place = Some(self.places.at(offset));
                let at = At { test: None, state: Some(run.states.len()), place };
                self.reader.set(&mut run.now, entity, &text, at);
            }
        }
    }

    /// What comes up to the next `$end`.
    fn section(&mut self) -> Section<'t> {
        let start = self.words.offset;
        for (offset, word) in self.words.by_ref() {
            if word == "$end" {
                return Section { text: &self.text[start..offset] };
            }
        }
        Section { text: &self.text[start..] }
    }

    fn malformed(&mut self, offset: usize, text: &str) {
        let place: Location = self.places.at(offset);
        self.reader.malformed(At { place: Some(place), ..At::default() }, text);
    }
}

/// A test that is being read.
struct Run {
    name: Option<String>,
    states: Vec<PartialState>,
    /// All values as they are now.
    now: PartialState,
    time: Option<u64>,
    first_time: u64,
    /// Has something changed since the last time stamp?
    has_changed: bool,
    /// Was a time stamp the last thing?
    is_new: bool,
    loop_start: Option<usize>,
}

impl Run {
    fn new(reader: &Reader<'_>, name: Option<String>) -> Run {
        Run {
            name,
            states: Vec::new(),
            now: PartialState::unknown(reader.model),
            time: None,
            first_time: 0,
            has_changed: false,
            is_new: false,
            loop_start: None,
        }
    }
}

fn forget(state: &mut PartialState, entity: Entity) {
    match entity {
        Entity::Var(var) | Entity::Command(var, _) => state.vars[var.0 as usize] = None,
        Entity::Define(define) => state.defines.retain(|(known, _)| *known != define),
    }
}

/// What the model has, by the scopes and names of a dump.
struct Known {
    by_path: FxHashMap<String, Entity>,
    /// The most names that a path has.
    length: usize,
}

fn known(reader: &Reader<'_>) -> Known {
    let (mut by_path, mut length) = (FxHashMap::default(), 0);
    let n_vars = reader.model.vars.len();
    for (idx, path) in signals::paths(reader.model).into_iter().enumerate() {
        let Some(path) = path else { continue };
        let entity = match idx.checked_sub(n_vars) {
            None => Entity::Var(VarId(idx as u32)),
            Some(idx) => Entity::Define(DefineId(idx as u32)),
        };
        length = length.max(path.len());
        by_path.insert(path.join("."), entity);
    }
    Known { by_path, length }
}

impl Known {
    /// What a signal is, and how many scopes are around it: as few as possible.
    fn find(&self, scopes: &[&str], name: &str) -> Option<(Entity, usize)> {
        let n_inside = scopes.len().min(self.length.saturating_sub(1));
        (scopes.len() - n_inside..=scopes.len()).find_map(|n_outside| {
            let inside = scopes[n_outside..].iter().copied();
            let path: Vec<&str> = inside.map(plain).chain([name]).collect();
            Some((*self.by_path.get(&path.join("."))?, n_outside))
        })
    }
}

/// Of several signals that could be meant, the one with the fewest scopes around it is.
fn choose<'t>(
    chosen: &mut FxHashMap<Entity, Chosen<'t>>,
    entity: Entity,
    n_outside: usize,
    declared: &Declared<'t>,
) {
    let &Declared { code, kind, .. } = declared;
    let new = Chosen { n_outside, code, kind, is_ambiguous: false };
    match chosen.get_mut(&entity) {
        None => drop(chosen.insert(entity, new)),
        Some(known) if n_outside < known.n_outside => *known = new,
        Some(known) if n_outside == known.n_outside => known.is_ambiguous |= known.code != code,
        Some(_) => {}
    }
}

/// A signal as it is declared.
struct Declared<'t> {
    kind: Kind,
    code: &'t str,
    name: String,
}

impl<'t> Declared<'t> {
    fn new(section: &Section<'t>) -> Option<Declared<'t>> {
        let mut words = section.words();
        let (kind, width, code) = (words.next()?, words.next()?, words.next()?);
        let kind = Kind { is_signed: kind == "integer", width: width.parse().ok()? };
        let name: String = words.collect();
        let name = plain(&name);
        // A vector has the range of its bits behind its name.
        let range = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
        let name = match range {
            Some((name, range)) if range.contains(':') => name,
            _ => name,
        };
        (!name.is_empty()).then(|| Declared { kind, code, name: name.to_string() })
    }
}

/// A name that may be written as an escaped identifier.
fn plain(name: &str) -> &str {
    name.strip_prefix('\\').unwrap_or(name)
}

fn split(word: &str) -> (char, &str) {
    let mut chars = word.chars();
    let first = chars.next().unwrap_or(' ');
    (first, chars.as_str())
}

/// What stands between a keyword and its `$end`.
struct Section<'t> {
    text: &'t str,
}

impl<'t> Section<'t> {
    fn words(&self) -> impl Iterator<Item = &'t str> {
        self.text.split_ascii_whitespace()
    }
}

/// The words of a text, with where they begin.
struct Words<'t> {
    text: &'t str,
    offset: usize,
}

impl<'t> Iterator for Words<'t> {
    type Item = (usize, &'t str);

    fn next(&mut self) -> Option<(usize, &'t str)> {
        let is_space = |c: char| c.is_ascii_whitespace();
        let rest = &self.text[self.offset..];
        let start = self.offset + rest.find(|c| !is_space(c))?;
        let rest = &self.text[start..];
        let word = &rest[..rest.find(is_space).unwrap_or(rest.len())];
        self.offset = start + word.len();
        Some((start, word))
    }
}
