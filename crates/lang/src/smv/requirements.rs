//! Requirements in comments: `-- @req R1, R2 what they say`.
//!
//! At the end of a line such a comment applies to that line, and if something starts there and
//! continues, to all of it. Alone on its line it applies to what starts next: a module, a section,
//! an entry of one, a `case`, a branch; if nothing starts there, to the following line.

use std::ops::Range;

use trapline_source::{Diagnostic, Diagnostics, Requirement, SourceFile, Span};

use super::outline::{Outline, outline};
use crate::requirement;

/// Finds the requirements of a text.
pub fn find(file: &SourceFile, diagnostics: &mut Diagnostics) -> Vec<Requirement> {
    // Most texts have none, and need no outline.
    if !file.text.contains("@req") {
        return Vec::new();
    }
    let outline = outline(&file.text);
    let mut found = Vec::new();
    for (comment, n_before) in &outline.requirements {
        let written = file.text[comment.clone()].trim_end();
        let place = comment.start - "@req".len()..comment.start + written.len();
        let place = global(file, &place);
        let Some(about) = about(file, &outline, comment, *n_before) else {
            let message = "nothing stands behind this requirement";
            diagnostics.push(Diagnostic::warning("bad-requirement", place, message));
            continue;
        };
        found.extend(requirement::read(written, global(file, &about), place, diagnostics));
    }
    found
}

/// The part of the text that a comment is about.
fn about(
    file: &SourceFile,
    outline: &Outline,
    comment: &Range<usize>,
    n_before: usize,
) -> Option<Range<usize>> {
    let line_of = |position: usize| file.line_index(file.base + position as u32);
    let line = line_of(comment.start);
    let before = n_before.checked_sub(1).map(|idx| &outline.tokens[idx]);
    if let Some(last) = before.filter(|token| line_of(token.end) == line) {
        let first = outline.tokens.partition_point(|token| line_of(token.start) < line);
        let first = first.min(n_before - 1);
        let start = outline.tokens[first].start;
        let n_begun = outline.parts.partition_point(|part| part.start <= last.start);
        let begun = n_begun.checked_sub(1).map(|idx| &outline.parts[idx]);
        let end = begun.filter(|part| part.start >= start).map_or(last.end, |part| part.end);
        return Some(start..end.max(last.end));
    }
    let next = outline.tokens.get(n_before)?;
    let first = outline.parts.partition_point(|part| part.start < next.start);
    if let Some(part) = outline.parts.get(first).filter(|part| part.start == next.start) {
        return Some(part.clone());
    }
    let n_up_to =
        outline.tokens.partition_point(|token| line_of(token.start) <= line_of(next.start));
    // A line that only closes what began before is nothing to be about.
    let line = &outline.tokens[n_before..n_up_to];
    let closes = |token: &Range<usize>| matches!(&file.text[token.clone()], "esac" | ";" | ")");
    (!line.iter().all(closes)).then(|| next.start..outline.tokens[n_up_to - 1].end)
}

fn global(file: &SourceFile, range: &Range<usize>) -> Span {
    Span::new(file.base + range.start as u32, file.base + range.end as u32)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use trapline_source::{Diagnostics, Sources};

    /// Each requirement with the part of the text that it is about, and what is wrong.
    fn check(text: &str, expect: Expect) {
        let mut sources = Sources::new();
        sources.add("other.smv", "MODULE other").expect("small");
        let file = sources.add("test.smv", text).expect("small").clone();
        let mut diagnostics = Diagnostics::new();
        let mut shown = String::new();
        for one in super::find(&file, &mut diagnostics) {
            let about: Vec<&str> = sources.text(one.span).split_whitespace().collect();
            shown += &format!("{} ({}): {}\n", one.id, one.text, about.join(" "));
        }
        for finding in diagnostics.list() {
            let place = sources.location(finding.labels[0].span.start).expect("in a text");
            shown += &format!("{}:{}: {}\n", place.line, place.column, finding.message);
        }
        expect.assert_eq(&shown);
    }

    #[test]
    fn alone_on_a_line_it_is_about_what_begins_next() {
        check(
            "-- @req M\n\nMODULE a VAR x : boolean;\n\
             -- @req N the other one\nMODULE main\n\
             -- @req V\nVAR x : boolean; y : boolean;\n\
             ASSIGN\n\
             -- @req X1\n-- and a word between\n-- @req X2\n\
             next(x) := case\n  a : TRUE;\n  -- @req B\n  b : case c : d; TRUE : e; esac;\n\
             TRUE : FALSE; esac;\n\
             next(y) := x;\n\
             -- @req S\nSPEC AG x\n\
             SPEC AG y",
            expect![[r#"
                M (): MODULE a VAR x : boolean;
                N (the other one): MODULE main -- @req V VAR x : boolean; y : boolean; ASSIGN -- @req X1 -- and a word between -- @req X2 next(x) := case a : TRUE; -- @req B b : case c : d; TRUE : e; esac; TRUE : FALSE; esac; next(y) := x; -- @req S SPEC AG x SPEC AG y
                V (): VAR x : boolean; y : boolean;
                X1 (): next(x) := case a : TRUE; -- @req B b : case c : d; TRUE : e; esac; TRUE : FALSE; esac;
                X2 (): next(x) := case a : TRUE; -- @req B b : case c : d; TRUE : e; esac; TRUE : FALSE; esac;
                B (): b : case c : d; TRUE : e; esac;
                S (): SPEC AG x
            "#]],
        );
    }

    #[test]
    fn at_the_end_of_a_line_it_is_about_the_line_and_what_begins_there() {
        check(
            "MODULE main VAR x : boolean; -- @req L\n\
             DEFINE d := a; e := b; -- @req D\n\
             f := c; ASSIGN\n next(x) := case -- @req A\n  a : TRUE; -- @req B\n\
             c & -- @req C\n  d : TRUE;\n  e | \n f -- @req F\n : FALSE;\n\
             esac; -- @req E",
            expect![[r#"
                L (): MODULE main VAR x : boolean;
                D (): DEFINE d := a; e := b;
                A (): next(x) := case -- @req A a : TRUE; -- @req B c & -- @req C d : TRUE; e | f -- @req F : FALSE; esac
                B (): a : TRUE;
                C (): c & -- @req C d : TRUE;
                F (): f
                E (): esac;
            "#]],
        );
    }

    #[test]
    fn a_line_in_which_nothing_begins_is_annotated_alone() {
        check(
            "MODULE main INVAR\n a &\n -- @req R\n b & c &\n d",
            expect![[r#"
                R (): b & c &
            "#]],
        );
    }

    #[test]
    fn ids_have_commas_between_them_and_a_text_behind_them() {
        check(
            "MODULE main -- @req: R-1.2, sys:7 ,R3: it goes on\r\n\
             --- @req R4 - dashes\n\
             /-- @req R5\n  * @req R6 more --/ VAR x : boolean; -- @req R7. End\n\
             -- see @req R8, @required R9\n-- @requirement R10\n-- @req_under R11\n-- @req-dash R12\n\
             INVAR x -- @req\u{a0}R13\u{a0}with\u{a0}blanks",
            expect![[r#"
                R-1.2 (it goes on): MODULE main -- @req: R-1.2, sys:7 ,R3: it goes on --- @req R4 - dashes /-- @req R5 * @req R6 more --/ VAR x : boolean; -- @req R7. End -- see @req R8, @required R9 -- @requirement R10 -- @req_under R11 -- @req-dash R12 INVAR x
                sys:7 (it goes on): MODULE main -- @req: R-1.2, sys:7 ,R3: it goes on --- @req R4 - dashes /-- @req R5 * @req R6 more --/ VAR x : boolean; -- @req R7. End -- see @req R8, @required R9 -- @requirement R10 -- @req_under R11 -- @req-dash R12 INVAR x
                R3 (it goes on): MODULE main -- @req: R-1.2, sys:7 ,R3: it goes on --- @req R4 - dashes /-- @req R5 * @req R6 more --/ VAR x : boolean; -- @req R7. End -- see @req R8, @required R9 -- @requirement R10 -- @req_under R11 -- @req-dash R12 INVAR x
                R4 (dashes): VAR x : boolean;
                R5 (): VAR x : boolean;
                R6 (more): VAR x : boolean;
                R7 (End): VAR x : boolean;
                R13 (with blanks): INVAR x
            "#]],
        );
    }

    #[test]
    fn one_without_an_id_or_a_part_is_warned_of() {
        check(
            "MODULE main -- @req\nVAR x : boolean; -- @req R1,\nVAR y : boolean; -- @req -- text\n\
             \"--@req R2\" : boolean;\n-- @req R3",
            expect![[r#"
                R1 (): VAR x : boolean;
                1:16: `@req` without an id
                2:21: `@req` without an id
                3:21: `@req` without an id
                5:4: nothing stands behind this requirement
            "#]],
        );
    }

    #[test]
    fn before_the_end_of_a_case_it_is_about_nothing() {
        check(
            "MODULE main ASSIGN next(x) := case\n a : b;\n-- @req R1\nesac;\n\
             next(y) := case\n a : b;\n-- @req R2\nesac + c;",
            expect![[r#"
                R2 (): esac + c;
                3:4: nothing stands behind this requirement
            "#]],
        );
    }

    #[test]
    fn ids_that_can_not_be_seen_or_quoted_are_warned_of() {
        check(
            "MODULE main -- @req R\"1, R'2, R\u{1b}[31m3, \u{202e}R4, R5",
            expect![[r#"
                R5 (): MODULE main
                1:16: the id of a requirement has a quote or an invisible character in it
            "#]],
        );
    }

    #[test]
    fn parts_lie_inside_of_any_text() {
        let mut random = fastrand::Rng::with_seed(7);
        let pieces = [
            "MODULE main",
            "VAR",
            "ASSIGN",
            "x",
            ":",
            ";",
            ":=",
            "case",
            "esac",
            "SPEC",
            "-- @req R\n",
            "/-- @req R\n @req --/",
            "-- @req\n",
            "\n",
            "\"",
            "é",
            "--",
            "/--",
            "PSLSPEC",
            "{",
            "#1",
        ];
        for _ in 0..20_000 {
            let n_pieces = random.usize(..20);
            let text: Vec<&str> =
                (0..n_pieces).map(|_| *random.choice(&pieces).expect("some")).collect();
            let text = text.join(" ");
            let mut sources = Sources::new();
            let file = sources.add("odd.smv", &text).expect("small");
            for one in super::find(file, &mut Diagnostics::new()) {
                assert!(
                    one.span.start < one.span.end && one.span.end <= text.len() as u32,
                    "{text}"
                );
                assert!(text.is_char_boundary(one.span.start as usize), "{text}");
            }
        }
    }

    #[test]
    fn no_text_is_too_odd() {
        for text in ["@req", "-- @req R", "esac ; -- @req R\n esac", "case case -- @req R\n esac;;"]
        {
            let mut sources = Sources::new();
            let file = sources.add("odd.smv", text).expect("small");
            let found = super::find(file, &mut Diagnostics::new());
            assert!(found.iter().all(|one| one.span.end <= text.len() as u32), "{text}");
        }
        let deep =
            format!("{}-- @req R\n{}", "case a : ".repeat(100_000), "b; esac".repeat(100_000));
        let mut sources = Sources::new();
        let file = sources.add("deep.smv", &deep).expect("small");
        assert_eq!(super::find(file, &mut Diagnostics::new()).len(), 1);
    }
}
