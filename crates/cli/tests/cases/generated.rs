//! Input files that are too large or too odd for git, one a line of a `gen` file: the file's
//! name, a recipe, and what the recipe takes.

use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Writes the files that a `gen` file describes.
pub fn write_all(text: &str, folder: &Path) -> Result<(), String> {
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = line.splitn(3, ' ');
        let (Some(file), Some(recipe), argument) =
            (words.next(), words.next(), words.next().unwrap_or_default())
        else {
            return Err(format!("gen: expected a file and a recipe: {line}"));
        };
        let bytes = bytes(recipe, argument).map_err(|why| format!("gen: {why}: {line}"))?;
        let path = folder.join(file);
        let written = match path.parent() {
            Some(folder) => fs::create_dir_all(folder).and_then(|()| fs::write(&path, bytes)),
            None => fs::write(&path, bytes),
        };
        written.map_err(|error| format!("gen: {file}: {error}"))?;
    }
    Ok(())
}

/// What a recipe makes.
pub fn bytes(recipe: &str, argument: &str) -> Result<Vec<u8>, String> {
    if recipe == "bytes" {
        return unescape(argument);
    }
    let n: usize = argument.parse().map_err(|_| "expected a number")?;
    let text = match recipe {
        "nested-parens" => invariant(&format!("{}b{}", "(".repeat(n), ")".repeat(n))),
        "scr-nested-parens" => {
            let event = format!("@T({}b{})", "(".repeat(n), ")".repeat(n));
            format!(
                "MONITORED\n  b : Boolean\nTERMS\n  t : Boolean INIT False\nTABLE t EVENT\n  {event}\n  t | b\n"
            )
        }
        "open-parens" => invariant(&"(".repeat(n)),
        "nested-not" => invariant(&format!("{}b", "!".repeat(n))),
        "nested-case" => {
            let open = "case b : TRUE; TRUE : ".repeat(n);
            invariant(&format!("{open}b{}", "; esac".repeat(n)))
        }
        "nested-next" => format!("{HEAD}TRANS {}b{}\n", "next(".repeat(n), ")".repeat(n)),
        "nested-index" => invariant(&format!("{}b{}", "a[".repeat(n), "]".repeat(n))),
        "nested-braces" => format!("MODULE main VAR x : {}a{};\n", "{".repeat(n), "}".repeat(n)),
        "nested-arrays" => format!("MODULE main VAR x : {}boolean;\n", "array 0..0 of ".repeat(n)),
        "nested-psl" => format!("{HEAD}PSLSPEC {}b{};\n", "always (".repeat(n), ")".repeat(n)),
        "includes" => format!("{}{HEAD}", "#include \"part.smv\"\n".repeat(n)),
        "arrows" => invariant(&format!("{}b", "b -> ".repeat(n))),
        "sum" => invariant(&format!("{}0 = 0", "0 + ".repeat(n))),
        "long-line" => invariant(&format!("b{}", " & b".repeat(n.saturating_sub(1) / 4))),
        "long-wrong-line" => invariant(&format!("b{} & c", " & b".repeat(n / 4))),
        "long-name" => invariant(&"n".repeat(n)),
        "long-comment" => format!("{HEAD}-- {}\n", "c".repeat(n)),
        "unclosed-comment" => format!("{HEAD}/-- {}", "c ".repeat(n / 2)),
        "doubling-modules" => doubling_modules(n),
        "doubling-defines" => doubling_defines(n),
        "chained-defines" => chained_defines(n),
        "chained-modules" => chained_modules(n),
        "wrong-names" => lines(n, |idx| format!("INVAR unknown{idx};\n")),
        "wrong-syntax" => lines(n, |_| "INVAR & b;\n".into()),
        "old-numbers" => lines(n, |_| "INVAR 1;\n".into()),
        "variables" => lines(n, |idx| format!("VAR x{idx} : boolean;\n")),
        "enumeration" => {
            let values: Vec<String> = (0..n).map(|idx| format!("v{idx}")).collect();
            format!("MODULE main VAR e : {{{}}};\n", values.join(", "))
        }
        _ => return Err(format!("there is no recipe `{recipe}`")),
    };
    Ok(text.into_bytes())
}

const HEAD: &str = "MODULE main VAR b : boolean; ";

fn invariant(expression: &str) -> String {
    format!("{HEAD}INVAR {expression}\n")
}

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    format!("{HEAD}\n{}", (0..n).map(line).collect::<String>())
}

/// Each module has two instances of the next: 2^n in all.
fn doubling_modules(n: usize) -> String {
    let mut text = "MODULE main VAR m : m0;\n".to_string();
    for idx in 0..n {
        let next = idx + 1;
        writeln!(text, "MODULE m{idx} VAR l : m{next}; r : m{next};").expect("memory takes it");
    }
    text + &format!("MODULE m{n} VAR x : boolean;\n")
}

/// Each definition uses the one before twice: 2^n uses in all, n if they are shared.
fn doubling_defines(n: usize) -> String {
    let mut text = format!("{HEAD}\nDEFINE d0 := b;\n");
    for idx in 1..=n {
        let last = idx - 1;
        writeln!(text, "d{idx} := d{last} xor (b -> d{last});").expect("memory takes it");
    }
    text + &format!("INVARSPEC d{n}\n")
}

fn chained_defines(n: usize) -> String {
    let mut text = format!("{HEAD}\nDEFINE d{n} := b;\n");
    for idx in (0..n).rev() {
        writeln!(text, "d{idx} := !d{};", idx + 1).expect("memory takes it");
    }
    text + "INVARSPEC d0\n"
}

fn chained_modules(n: usize) -> String {
    let mut text = "MODULE main VAR m : m0(TRUE);\n".to_string();
    for idx in 0..n {
        let next = idx + 1;
        writeln!(text, "MODULE m{idx}(p) VAR m : m{next}(!p);").expect("memory takes it");
    }
    text + &format!("MODULE m{n}(p) VAR x : boolean; INVARSPEC p\n")
}

/// `\n`, `\r`, `\t`, `\\` and `\xHH`.
fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let (byte, length) = match after.chars().next() {
            Some('n') => (b'\n', 1),
            Some('r') => (b'\r', 1),
            Some('t') => (b'\t', 1),
            Some('\\') => (b'\\', 1),
            Some('x') => {
                let digits = after.get(1..3).ok_or("`\\x` needs two digits")?;
                (u8::from_str_radix(digits, 16).map_err(|_| "`\\x` needs two digits")?, 3)
            }
            _ => return Err("only \\n, \\r, \\t, \\\\ and \\xHH are known".into()),
        };
        bytes.push(byte);
        rest = &after[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}
