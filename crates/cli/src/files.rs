//! The files that are read: whole, bounded, as texts; and those that the text of a model names.

use std::cell::RefCell;
use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use trapline_lang::Loader;
use trapline_source::{Diagnostic, Diagnostics, SourceFile, Sources, Span};

use crate::context::Context;
use crate::failure::Failure;
use crate::suite_file::digest;

/// Files beyond this size are refused, and so are the files of a model that are larger together.
const MAX_MIB: u64 = 256;

/// The environment variables with the search path of SAL, the first that is set counts; the second is an old
/// name.
const CONTEXT_PATHS: [&str; 2] = ["SALCONTEXTPATH", "SALPATH"];

/// A text that the user gave.
#[derive(Clone, Debug)]
pub struct Extra {
    /// How messages refer to its position.
    pub place: String,
    /// The text.
    pub text: String,
}

/// A text in the language of a model, in UTF-8 or in Latin-1.
#[derive(Clone, Debug)]
pub struct ModelText {
    /// The path as the user gave it.
    pub place: String,
    /// The text.
    pub text: String,
    /// Where the first byte is that is not UTF-8, if it was read as Latin-1.
    pub not_utf8: Option<usize>,
}

impl ModelText {
    /// What is in the file.
    fn bytes(&self) -> Vec<u8> {
        match self.not_utf8 {
            None => self.text.clone().into_bytes(),
            Some(_) => self.text.chars().map(|c| c as u8).collect(),
        }
    }
}

/// Reads a text in UTF-8; its file is safe from being overwritten from here on.
pub fn read_text(path: &Path, context: &Context) -> Result<Extra, Failure> {
    context.protect(path)?;
    read_replaceable(path, context)
}

/// Reads a text in UTF-8 whose file the result may replace.
pub fn read_replaceable(path: &Path, context: &Context) -> Result<Extra, Failure> {
    let (place, bytes) = read_bytes(path)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Extra { place, text }),
        Err(error) => {
            let valid_up_to = error.utf8_error().valid_up_to();
            Err(report_bad_byte(&place, error.as_bytes(), valid_up_to, context))
        }
    }
}

/// Reads a text in the language of a model; its file is safe from being overwritten from here on.
pub fn read_model_text(path: &Path, context: &Context) -> Result<ModelText, Failure> {
    context.protect(path)?;
    let (place, bytes) = read_bytes(path)?;
    match decode(bytes) {
        Ok((text, not_utf8)) => Ok(ModelText { place, text, not_utf8 }),
        Err((bytes, bad)) => Err(report_bad_byte(&place, &bytes, bad, context)),
    }
}

/// The text, and where it stops being UTF-8 if it does: then it is Latin-1. No text has a zero byte in
/// it; then its bytes are given back, with the place of the first that is wrong.
fn decode(bytes: Vec<u8>) -> Result<(String, Option<usize>), (Vec<u8>, usize)> {
    let error = match String::from_utf8(bytes) {
        Ok(text) => return Ok((text, None)),
        Err(error) => error,
    };
    let bad = error.utf8_error().valid_up_to();
    let bytes = error.into_bytes();
    if bytes.contains(&0) {
        return Err((bytes, bad));
    }
    let not_utf8 = bytes[..bad].iter().map(|byte| char::from(*byte).len_utf8()).sum();
    Ok((bytes.iter().map(|byte| char::from(*byte)).collect(), Some(not_utf8)))
}

/// What is in a file, and what messages call it.
fn read_bytes(path: &Path) -> Result<(String, Vec<u8>), Failure> {
    let name = path.display().to_string();
    let bytes = if name == "-" {
        read_limited(&name, io::stdin().lock())?
    } else {
        let failed = |error| Failure::Io { action: "read", path: name.clone(), error };
        read_limited(&name, File::open(path).map_err(failed)?)?
    };
    Ok((name, bytes))
}

fn read_limited(path: &str, reader: impl Read) -> Result<Vec<u8>, Failure> {
    let max = MAX_MIB << 20;
    let mut bytes = Vec::new();
    match reader.take(max + 1).read_to_end(&mut bytes) {
        Err(error) => Err(Failure::Io { action: "read", path: path.into(), error }),
        Ok(_) if bytes.len() as u64 > max => {
            Err(Failure::refused(format!("`{path}` is larger than {MAX_MIB} MiB")))
        }
        Ok(_) => Ok(bytes),
    }
}

/// Shows the first byte that is no UTF-8.
fn report_bad_byte(path: &str, bytes: &[u8], valid_up_to: usize, context: &Context) -> Failure {
    /// How much of the text after the bad byte may be shown.
    const MAX_AFTER: usize = 100;
    let after = &bytes[valid_up_to..bytes.len().min(valid_up_to + MAX_AFTER)];
    let rest_of_line = after.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut text = String::from_utf8_lossy(&bytes[..valid_up_to]).into_owned();
    text += &String::from_utf8_lossy(rest_of_line);
    let mut sources = Sources::new();
    let mut diagnostics = Diagnostics::new();
    let (start, bad) = (valid_up_to as u32, bytes[valid_up_to]);
    let end = start + char::REPLACEMENT_CHARACTER.len_utf8() as u32;
    let message = format!("byte 0x{bad:02X} is not valid UTF-8");
    let error = Diagnostic::error("not-utf8", Span::new(start, end), message);
    diagnostics.push(error.help("save it as UTF-8"));
    if sources.add(path, &text).is_err() {
        return Failure::refused(format!("`{path}` is too large"));
    }
    context.terminal.report(&sources, &diagnostics);
    Failure::Reported
}

/// The texts of a model: those that the user gave, and further ones that these name.
#[derive(Debug)]
pub struct Files<'c> {
    context: &'c Context,
    texts: RefCell<Texts>,
}

#[derive(Debug, Default)]
struct Texts {
    sources: Sources,
    /// The files among them, as the system knows them, each with its base.
    known: Vec<(PathBuf, u32)>,
    /// What was named, in the order in which it was asked for.
    further: Vec<ModelText>,
    warnings: Diagnostics,
}

impl Files<'_> {
    /// No texts yet.
    pub fn new(context: &Context) -> Files<'_> {
        Files { context, texts: RefCell::default() }
    }

    /// Adds a text that the user gave elsewhere than in a file.
    pub fn add(&self, extra: &Extra) -> Result<SourceFile, Failure> {
        let mut texts = self.texts.borrow_mut();
        let added = texts.sources.add(&extra.place, &extra.text).cloned();
        added.map_err(|_| Failure::refused("the texts are too large together"))
    }

    /// Adds a text that the user named.
    pub fn add_model_text(&self, text: &ModelText) -> Result<SourceFile, Failure> {
        let path = Path::new(&text.place).canonicalize().ok();
        let added = self.texts.borrow_mut().add(text, path);
        added.ok_or_else(|| Failure::refused("the texts are too large together"))
    }

    /// What a model is known by, besides its name: the digest of its text, or of its text and those that
    /// it names, with a zero byte before each of these.
    pub fn sha256(&self, model: &ModelText) -> String {
        let mut bytes = model.bytes();
        for text in &self.texts.borrow().further {
            bytes.push(0);
            bytes.extend(text.bytes());
        }
        digest(&bytes)
    }

    /// All texts, and what is to be said about them.
    pub fn finish(self, diagnostics: &mut Diagnostics) -> Sources {
        let Texts { sources, warnings, .. } = self.texts.into_inner();
        warnings.list().iter().for_each(|warning| diagnostics.push(warning.clone()));
        sources
    }
}

impl Texts {
    fn add(&mut self, text: &ModelText, path: Option<PathBuf>) -> Option<SourceFile> {
        let file = self.sources.add(&text.place, &text.text).ok()?.clone();
        self.known.extend(path.map(|path| (path, file.base)));
        if let Some(at) = text.not_utf8 {
            let start = file.base + at as u32;
            let bad = text.text[at..].chars().next().unwrap_or_default();
            let span = Span::new(start, start + bad.len_utf8() as u32);
            let message = format!(
                "byte 0x{:02X} is not valid UTF-8: the whole text is read as Latin-1",
                bad as u32
            );
            let warning = Diagnostic::warning("not-utf8", span, message);
            self.warnings.push(warning.help("save it as UTF-8"));
        }
        Some(file)
    }
}

/// Where a text that another one names is: beside that one, or if it is a context of SAL that is not there,
/// in the first folder of the search path that has it.
fn place(path: &Path, from: &SourceFile) -> PathBuf {
    let beside = Path::new(&from.path).parent().unwrap_or(Path::new("")).join(path);
    if path.extension() != Some(OsStr::new("sal")) || beside.is_file() {
        return beside;
    }
    let folders = CONTEXT_PATHS.iter().find_map(env::var_os).unwrap_or_default();
    let elsewhere = env::split_paths(&folders).map(|folder| folder.join(path));
    elsewhere.into_iter().find(|path| path.is_file()).unwrap_or(beside)
}

impl Loader for Files<'_> {
    /// A path is relative to the file that names it; where that is standard input, to the current folder.
    /// Contexts of SAL are looked for along the search path too.
    fn load(&self, path: &str, from: &SourceFile) -> Result<SourceFile, String> {
        let path = place(Path::new(path), from);
        let shown = path.display();
        let failed = |error| Failure::Io { action: "read", path: shown.to_string(), error };
        let whole = path.canonicalize().map_err(|error| failed(error).to_string())?;
        let mut texts = self.texts.borrow_mut();
        let known = texts.known.iter().find(|(known, _)| *known == whole);
        if let Some(file) = known.and_then(|(_, base)| texts.sources.file_at(*base)) {
            return Ok(file.clone());
        }
        if !whole.is_file() {
            return Err(format!("`{shown}` is not a file"));
        }
        self.context.protect(&path).map_err(|failure| failure.to_string())?;
        let (place, bytes) = read_bytes(&path).map_err(|failure| failure.to_string())?;
        let n_bytes: u64 = texts.sources.files().iter().map(|file| file.text.len() as u64).sum();
        if n_bytes + bytes.len() as u64 > MAX_MIB << 20 {
            return Err(format!("with `{shown}` the texts are larger than {MAX_MIB} MiB"));
        }
        let (text, not_utf8) = decode(bytes).map_err(|_| format!("`{shown}` is not a text"))?;
        let text = ModelText { place, text, not_utf8 };
        let added = texts.add(&text, Some(whole));
        texts.further.push(text);
        added.ok_or_else(|| "the texts are too large together".into())
    }
}
