//! How names, values and comments are written in the languages of test code.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_suite::steps::Cell;

/// A language that test code is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python 3.
    Python,
    /// Rust.
    Rust,
    /// C99.
    C,
    /// C++17.
    Cpp,
    /// Java 17.
    Java,
    /// Cells of a table in a text block of Java.
    JavaTable,
    /// Gherkin; values are cells of a table.
    Gherkin,
}

/// All languages, by the names that templates use.
pub const LANGUAGES: &[(&str, Language)] = &[
    ("python", Language::Python),
    ("rust", Language::Rust),
    ("c", Language::C),
    ("cpp", Language::Cpp),
    ("java", Language::Java),
    ("java-table", Language::JavaTable),
    ("gherkin", Language::Gherkin),
];

const PYTHON: &str = "False None True and as assert async await break class continue def del elif \
    else except finally for from global if import in is lambda nonlocal not or pass raise return try \
    while with yield match case type self";
const RUST: &str = "as async await become box break const continue crate do dyn else enum extern \
    false final fn for gen if impl in let loop macro match mod move mut override priv pub ref return \
    self Self static struct super trait true try type typeof unsafe unsized use virtual where while \
    yield abstract _";
const C: &str = "alignas alignof asm auto bool break case char const constexpr continue default do \
    double else enum extern false float for fortran goto if inline int long nullptr register restrict \
    return short signed sizeof static static_assert struct switch thread_local true typedef typeof \
    typeof_unqual union unsigned void volatile while main";
/// What headers define as macros although it has small letters.
const C_MACROS: &str = "assert bool complex errno false i386 imaginary linux math_errhandling noreturn \
    sa_handler sa_sigaction sched_priority si_addr si_addr_lsb si_arch si_band si_call_addr si_fd si_int \
    si_lower si_overrun si_pid si_pkey si_ptr si_status si_stime si_syscall si_timerid si_uid si_upper \
    si_utime si_value sigev_notify_attributes sigev_notify_function st_atime st_ctime st_mtime stderr \
    stdin stdout true unix P_tmpdir FloatPrintfFormat LargestIntegralType \
    LargestIntegralTypePrintfFormat LargestIntegralTypePrintfFormatDecimal";
/// How the names of many more such macros begin.
const C_MACRO_STARTS: &[&str] = &["PRI", "SCN", "M_", "L_"];
const CPP: &str = "and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return \
    co_yield compl concept const_cast consteval constinit decltype delete dynamic_cast explicit export \
    friend import module mutable namespace new noexcept not not_eq operator or or_eq private protected \
    public reinterpret_cast requires static_cast template this throw try typeid typename using virtual \
    wchar_t xor xor_eq std testing";
const JAVA: &str = "abstract assert boolean break byte case catch char class const continue default \
    do double else enum exports extends final finally float for goto if implements import instanceof \
    int interface long module native new non null open opens package permits private protected \
    provides public record requires return sealed short static strictfp super switch synchronized \
    this throw throws to transient transitive try true false uses var void volatile when while with \
    yield _";
/// Classes that tests and adapters use; one of the same name would hide them.
const JAVA_CLASSES: &str = "Adapter ArrayDeque ArrayList Arrays Assertions BigDecimal BigInteger Boolean \
    Byte Character Class Collection Collections Deprecated Disabled DisplayName Double Error Exception \
    Float FunctionalInterface HashMap HashSet IllegalArgumentException IllegalStateException Integer \
    Iterable Iterator LinkedHashMap List Long Map Math Number Object Objects Override Process Record \
    RuntimeException SafeVarargs Set Short String StringBuilder SuppressWarnings System Test Thread \
    Throwable UnsupportedOperationException Void";

impl Language {
    /// The language with this name.
    pub fn find(name: &str) -> Option<Language> {
        LANGUAGES.iter().find(|(known, _)| *known == name).map(|(_, language)| *language)
    }

    fn is_reserved(self, name: &str) -> bool {
        let lists: &[&str] = match self {
            Language::Python => &[PYTHON],
            Language::Rust => &[RUST],
            Language::C => &[C, C_MACROS],
            Language::Cpp => &[C, C_MACROS, CPP],
            Language::Java | Language::JavaTable => &[JAVA, JAVA_CLASSES],
            Language::Gherkin => &[],
        };
        lists.iter().any(|list| list.split_whitespace().any(|word| word == name))
            || matches!(self, Language::C | Language::Cpp) && is_like_macro(name)
    }

    /// A name as an identifier. Different names may become the same one.
    pub fn identifier(self, name: &str) -> String {
        let mut text = String::new();
        for c in name.chars() {
            // Two underscores side by side are reserved in C++.
            match c {
                c if c.is_ascii_alphanumeric() => text.push(c),
                _ if text.ends_with('_') => {}
                _ => text.push('_'),
            }
        }
        let text = text.trim_matches('_');
        let starts_well = text.starts_with(|c: char| c.is_ascii_alphabetic());
        // GoogleTest does not run what is called so.
        let starts_well = starts_well && !(self == Language::Cpp && text.starts_with("DISABLED_"));
        let text = if starts_well { text.to_string() } else { format!("v{text}") };
        if self.is_reserved(&text) { text + "_" } else { text }
    }

    /// Names as identifiers, each different from the others.
    pub fn identifiers<'n>(self, names: impl Iterator<Item = &'n str>) -> Vec<String> {
        let mut taken: FxHashSet<String> = FxHashSet::default();
        let mut n_same: FxHashMap<String, usize> = FxHashMap::default();
        let mut unique = |name: &str| {
            let plain = self.identifier(name);
            let mut text = plain.clone();
            let n_same = n_same.entry(plain.clone()).or_insert(1);
            while !taken.insert(text.clone()) {
                *n_same += 1;
                text = self.identifier(&format!("{plain}_{n_same}"));
            }
            text
        };
        names.map(&mut unique).collect()
    }

    /// A value as it is written in code; with `None`, what stands for no value.
    pub fn literal(self, cell: Option<&Cell>) -> String {
        match (self, cell) {
            (Language::Python, None) => "None".into(),
            (Language::Java, None) => "null".into(),
            (Language::JavaTable, None) => "-".into(),
            (_, None) => String::new(),
            (Language::Python, Some(Cell::Bool(true))) => "True".into(),
            (Language::Python, Some(Cell::Bool(false))) => "False".into(),
            // There is no literal for the least number: it would be a minus before one too large.
            (Language::C | Language::Cpp, Some(Cell::Int(i64::MIN))) => "INT64_MIN".into(),
            (Language::C | Language::Cpp, Some(Cell::Unsigned(number))) => format!("{number}u"),
            (Language::Java, Some(Cell::Int(number))) => format!("{number}L"),
            (_, Some(Cell::Text(text))) => self.quote(text),
            (_, Some(cell)) => cell.show(),
        }
    }

    /// A text as it is written in code.
    pub fn quote(self, text: &str) -> String {
        let escape: fn(&mut String, char) = match self {
            Language::Python => escape_python,
            Language::Rust => escape_rust,
            Language::C | Language::Cpp => escape_c,
            Language::Java => escape_java,
            Language::JavaTable => return java_cell(text),
            Language::Gherkin => return gherkin_cell(text),
        };
        let mut quoted = String::with_capacity(text.len() + 2);
        quoted.push('"');
        for c in text.chars() {
            match c {
                '"' | '\\' => quoted.extend(['\\', c]),
                '\n' => quoted += "\\n",
                c => escape(&mut quoted, c),
            }
        }
        quoted.push('"');
        quoted
    }

    /// A text in a comment, which it can't end; one line.
    pub fn comment(self, text: &str) -> String {
        let text: String = text.chars().map(|c| if is_plain(c) { c } else { ' ' }).collect();
        match self {
            Language::C | Language::Cpp => text.replace("*/", "* /").replace("/*", "/ *"),
            // Java reads `\u000a` as the end of a line, even in comments.
            Language::Java | Language::JavaTable => {
                let text = text.replace("*/", "* /").replace('\\', "\\ ");
                let mut safe = String::with_capacity(text.len());
                text.chars().for_each(|c| escape_java(&mut safe, c));
                safe
            }
            Language::Python | Language::Rust | Language::Gherkin => text,
        }
    }
}

/// Might it be a macro of some header? By custom these have no small letters.
fn is_like_macro(name: &str) -> bool {
    !name.contains(|c: char| c.is_ascii_lowercase())
        || C_MACRO_STARTS.iter().any(|start| name.starts_with(start))
}

/// The name of a test in the Test Anything Protocol, where `#` begins a directive.
pub fn tap(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '#' | '\\' => text.extend(['\\', c]),
            c if is_plain(c) => text.push(c),
            _ => text.push(' '),
        }
    }
    text
}

/// Is it a character that changes nothing around it? Some turn the direction of a text.
fn is_plain(c: char) -> bool {
    let turns =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !c.is_control() && !turns && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

fn escape_python(text: &mut String, c: char) {
    match u32::from(c) {
        _ if is_plain(c) => text.push(c),
        code @ 0..=0xff => *text += &format!("\\x{code:02x}"),
        code => *text += &format!("\\u{code:04x}"),
    }
}

fn escape_rust(text: &mut String, c: char) {
    if is_plain(c) { text.push(c) } else { *text += &c.escape_unicode().to_string() }
}

/// Bytes that are not ASCII are octal, which is three digits and no more. Two question marks begin a
/// trigraph.
fn escape_c(text: &mut String, c: char) {
    match c {
        '?' => *text += "\\?",
        ' '..='~' => text.push(c),
        _ => {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                *text += &format!("\\{byte:03o}");
            }
        }
    }
}

/// A cell of a table in a text block: first escaped for the table, then for Java.
fn java_cell(text: &str) -> String {
    let is_special = |c: char| matches!(c, '|' | '\\' | '-');
    let mut cell = String::new();
    let n_chars = text.chars().count();
    for (idx, c) in text.chars().enumerate() {
        match c {
            '\n' => cell += "\\n",
            ' ' if idx == 0 || idx + 1 == n_chars => cell += "\\s",
            // A dash alone stands for no value.
            '-' if n_chars > 1 => cell.push('-'),
            c if is_special(c) => cell.extend(['\\', c]),
            c => cell.push(c),
        }
    }
    if cell.is_empty() {
        cell += "\\e";
    }
    let mut quoted = String::new();
    for c in cell.chars() {
        match c {
            '\\' | '"' => quoted.extend(['\\', c]),
            c => escape_java(&mut quoted, c),
        }
    }
    quoted
}

/// What is not ASCII is written so that the encoding of the file does not matter.
fn escape_java(text: &mut String, c: char) {
    match c {
        ' '..='~' => text.push(c),
        '\0'..='\x1f' | '\x7f' => *text += &format!("\\{:03o}", u32::from(c)),
        _ => {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                *text += &format!("\\u{unit:04x}");
            }
        }
    }
}

fn gherkin_cell(text: &str) -> String {
    let mut cell = String::new();
    for c in text.chars() {
        match c {
            '\n' => cell += "\\n",
            '|' | '\\' => cell.extend(['\\', c]),
            c if is_plain(c) => cell.push(c),
            _ => cell.push(' '),
        }
    }
    cell
}
