//! Colours in text output.

/// Whether to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Yes, with the escape sequences of ANSI terminals.
    Ansi,
    /// No.
    Plain,
}

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A title.
    Heading,
    /// The title of a group.
    Group,
    /// A name that the tester sets.
    Input,
    /// Of less interest.
    Dim,
    /// What holds.
    Good,
    /// What does not hold.
    Bad,
    /// What is not known.
    Open,
}

impl Paint {
    /// The text, with its colour.
    pub fn paint(self, style: Style, text: &str) -> String {
        let code = match style {
            Style::Heading => "1",
            Style::Group => "36",
            Style::Input => "32",
            Style::Dim => "2",
            Style::Good => "32",
            Style::Bad => "31",
            Style::Open => "33",
        };
        match self {
            Paint::Ansi => format!("\x1b[{code}m{text}\x1b[0m"),
            Paint::Plain => text.into(),
        }
    }
}
