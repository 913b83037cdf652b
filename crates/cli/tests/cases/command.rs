//! One line of a `cmd` file.
//!
//! ```text
//! trapline check model.smv --parse-only # exit 2
//! trapline simulate model.smv --interactive < answers
//! trapline graph model.smv --format svg # svg
//! SALCONTEXTPATH=parts trapline check model.sal
//! same one.json two.json
//! ```
//!
//! There is no shell: words are split at blanks, `'...'` and `"..."` keep them together, and
//! `< FILE` is the standard input. Behind a lone `#` stands what must hold whatever `expected`
//! says: `exit N` (0 if nothing is said), and `svg` for a picture whose bytes do not matter.

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Run trapline.
    Run(Run),
    /// Two files must have the same bytes.
    Same(String, String),
}

/// A call of trapline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// What is set in its environment.
    pub env: Vec<(String, String)>,
    /// The arguments.
    pub args: Vec<String>,
    /// The file that is its standard input.
    pub stdin: Option<String>,
    /// How it must end.
    pub exit: i32,
    /// Is what it prints a picture, which must be well-formed and is not compared?
    pub is_picture: bool,
}

/// Reads a `cmd` file; blank lines are skipped.
pub fn parse(text: &str) -> Result<Vec<(String, Command)>, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let parsed = lines.map(|line| match parse_line(line) {
        Ok(command) => Ok((line.to_string(), command)),
        Err(why) => Err(format!("cmd: {why}: {line}")),
    });
    let commands: Vec<_> = parsed.collect::<Result<_, _>>()?;
    if commands.is_empty() { Err("cmd: there is no command".into()) } else { Ok(commands) }
}

fn parse_line(line: &str) -> Result<Command, String> {
    let words = split(line)?;
    let is_mark = |word: &&Word| !word.is_quoted && word.text == "#";
    let mark = words.iter().position(|word| is_mark(&word)).unwrap_or(words.len());
    let (words, wishes) = words.split_at(mark);
    let is_setting = |word: &Word| !word.is_quoted && word.text.contains('=');
    let n_settings = words.iter().take_while(|word| is_setting(word)).count();
    let (settings, words) = words.split_at(n_settings);
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    match texts.as_slice() {
        ["trapline", ..] => {
            let mut run = parse_run(&words[1..])?;
            let pairs = settings.iter().filter_map(|word| word.text.split_once('='));
            run.env = pairs.map(|(name, value)| (name.into(), value.into())).collect();
            parse_wishes(wishes.iter().skip(1).map(|word| word.text.as_str()), &mut run)?;
            Ok(Command::Run(run))
        }
        ["same", one, other] if wishes.is_empty() && settings.is_empty() => {
            Ok(Command::Same(one.to_string(), other.to_string()))
        }
        _ => Err("a line is `trapline ...` or `same FILE FILE`".into()),
    }
}

fn parse_run(words: &[Word]) -> Result<Run, String> {
    let mut run = Run::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word.is_quoted || word.text != "<" {
            run.args.push(word.text.clone());
            continue;
        }
        let file = words.next().ok_or("`<` needs a file")?;
        if run.stdin.replace(file.text.clone()).is_some() {
            return Err("there is more than one `<`".into());
        }
    }
    Ok(run)
}

fn parse_wishes<'a>(mut words: impl Iterator<Item = &'a str>, run: &mut Run) -> Result<(), String> {
    while let Some(word) = words.next() {
        match word {
            "exit" => {
                let code = words.next().and_then(|code| code.parse().ok());
                run.exit = code.ok_or("`exit` needs a number")?;
            }
            "svg" => run.is_picture = true,
            other => return Err(format!("`{other}` is nothing to expect")),
        }
    }
    Ok(())
}

struct Word {
    text: String,
    is_quoted: bool,
}

fn split(line: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let (text, is_quoted, after) = match first {
            '\'' | '"' => {
                let (text, after) =
                    rest[1..].split_once(first).ok_or("a quotation mark is not closed")?;
                (text, true, after)
            }
            _ => {
                let (text, after) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
                (text, false, after)
            }
        };
        words.push(Word { text: text.into(), is_quoted });
        rest = after.trim_start();
    }
    Ok(words)
}
