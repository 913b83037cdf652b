//! Errors: what is said, where, and how the parser goes on.

use super::{check_all, declarations, errors, expression, module};

fn expression_errors(text: &str) -> String {
    expression(text).trim_end().into()
}

fn module_errors(text: &str) -> String {
    module(text).trim_end().into()
}

fn context_errors(text: &str) -> String {
    errors(text).trim_end().into()
}

#[test]
fn operators_of_other_languages_have_a_help() {
    check_all(
        expression_errors,
        &[
            ("a == b", "1:3 syntax: use `=`, not `==`"),
            ("a != b", "1:3 syntax: use `/=`, not `!=`"),
            ("a & b", "1:3 syntax: use `AND`, not `&`"),
            ("a && b | c", "1:3 syntax: use `AND`, not `&&`\n1:8 syntax: use `OR`, not `|`"),
            ("a || b", "1:3 syntax: use `OR`, not `||`"),
            ("!a", "1:1 syntax: use `NOT`, not `!`"),
            (
                "~a",
                "1:2 syntax: expected an operator or the end of the expression, found `a` (to negate a condition write `NOT`)",
            ),
            (
                "~ a b",
                "1:3 syntax: expected an operator or the end of the expression, found `a` (to negate a condition write `NOT`)",
            ),
            (
                "a And b",
                "1:3 syntax: expected an operator or the end of the expression, found `And` (operators are written all in upper case or all in lower case)",
            ),
            (
                "Not a",
                "1:5 syntax: expected an operator or the end of the expression, found `a` (operators are written all in upper case or all in lower case)",
            ),
            (
                "a -> b",
                "1:3 syntax: expected an operator or the end of the expression, found `->` (implication is written `=>`)",
            ),
            (
                "a ∧ b",
                "1:3 bad-character: unknown character `∧` (to join two conditions write `AND`)",
            ),
            (
                "a =< b",
                "1:4 syntax: expected an expression, found `<` (operators of two characters are `/=`, `<=`, `>=` and `=>`)",
            ),
            (
                "x = = y",
                "1:5 syntax: expected an expression, found `=` (operators of two characters are `/=`, `<=`, `>=` and `=>`)",
            ),
            (
                "a ^ b",
                "1:3 syntax: expected an operator or the end of the expression, found `^` (powers are written `exp(x, n)`)",
            ),
            ("a $ b", "1:3 syntax: expected an operator or the end of the expression, found `$`"),
        ],
    );
}

#[test]
fn every_part_of_a_condition_is_missed() {
    check_all(
        expression_errors,
        &[
            (
                "IF a THEN b ENDIF",
                "1:13 syntax: expected `ELSIF` or `ELSE`, found `ENDIF` (every `IF` needs an `ELSE`)",
            ),
            (
                "IF a THEN b ELSE c",
                "1:19 syntax: expected `ENDIF`, found the end of the text (is the `ENDIF` of this `IF` missing?)",
            ),
            (
                "IF a THEN b ELSE c ELSIF d",
                "1:20 syntax: expected `ENDIF`, found `ELSIF` (`ELSIF` must come before `ELSE`)",
            ),
            (
                "IF a THEN b ELSE c ENDIFF",
                "1:20 syntax: expected `ENDIF`, found `ENDIFF` (did you mean `ENDIF`?)",
            ),
            (
                "IF a THEN b; ",
                "1:12 syntax: expected `ELSIF` or `ELSE`, found `;` (is `ELSE ... ENDIF` missing?)",
            ),
            (
                "IF a THENN b ELSE c ENDIF",
                "1:6 syntax: expected `THEN`, found `THENN` (did you mean `THEN`?)",
            ),
            (
                "IF a THEN b ELS c ENDIF",
                "1:13 syntax: expected `ELSIF` or `ELSE`, found `ELS` (did you mean `ELSE`?)",
            ),
        ],
    );
}

#[test]
fn operands_and_brackets() {
    check_all(
        expression_errors,
        &[
            ("(a", "1:3 syntax: expected `,` or `)`, found the end of the text"),
            ("a b", "1:3 syntax: expected an operator or the end of the expression, found `b`"),
            (
                "a[i]'",
                "1:5 syntax: expected an operator or the end of the expression, found `'` (the quote goes right after the name, as in `a'[i]`)",
            ),
            ("[]", "1:1 syntax: expected an expression, found `[]`"),
            (
                "[a]",
                "1:3 syntax: expected `..`, `,` or `->`, found `]` (an array is written `[[i: T] e]`, a range type `[l .. h]`)",
            ),
            (
                "[[T, U -> V]]",
                "1:8 syntax: expected `,` or `]`, found `->` (a function of several arguments takes a tuple: `[[T, U] -> V]`)",
            ),
            (
                "a WITH [i] = 3",
                "1:12 syntax: expected `:=`, found `=` (after `WITH` the new value follows `:=`)",
            ),
            ("a WITH := 3", "1:8 syntax: expected `[`, `.`, `(` or `:=`, found `:=`"),
            (
                "{}",
                "1:2 syntax: expected an expression, found `}` (an empty set is written `{x: T | FALSE}`)",
            ),
            ("0xZZ", "1:1 bad-number: a hexadecimal number has the digits 0 to 9 and a to f"),
            ("0b12", "1:1 bad-number: a binary number has the digits 0 and 1"),
            ("99999999999999999999", "1:1 bad-number: the number does not fit 64 bits"),
            ("3 _", "1:3 syntax: expected an operator or the end of the expression, found `_`"),
            (
                "LET x = 3 IN x",
                "1:7 syntax: expected `:` and a type, found `=` (write `LET x: T = e IN ...`)",
            ),
            (
                "(# f = 3 #)",
                "1:6 syntax: expected `:=`, found `=` (a record is written `(# f := e, g := h #)`)",
            ),
            (
                "FORALL x: T: p",
                "1:8 syntax: expected `(` and typed names, as in `(x: T)`, found `x`",
            ),
            ("\"open", "1:1 bad-character: this text is not closed on its line"),
            (
                "x''",
                "1:3 syntax: expected an operator or the end of the expression, found `'` (the quote goes right after the name, as in `a'[i]`)",
            ),
            ("", "1:1 syntax: expected an expression, found the end of the text"),
            (
                "a = FORALL",
                "1:11 syntax: expected `(` and typed names, as in `(x: T)`, found the end of the text",
            ),
            ("a.in", "1:3 reserved-word: `in` is a reserved word; pick another name"),
            ("[0..3", "1:6 syntax: expected `]`, found the end of the text"),
            (
                "c{3}",
                "1:5 syntax: expected `!` and what of this context is meant, found the end of the text",
            ),
            ("(# a := 1", "1:10 syntax: expected `,` or `#)`, found the end of the text"),
            ("INIT_PRED m", "1:11 syntax: expected `(` and a module, found `m`"),
        ],
    );
}

#[test]
fn declarations_go_on_behind_an_error() {
    check_all(
        declarations,
        &[
            (
                "m: MODUL = BEGIN END; x: T",
                "constant x(): T\n1:31 syntax: expected an expression, found `BEGIN` (a module is declared as in `m: MODULE = BEGIN ... END`)\n1:47 syntax: expected `;` after the declaration, found `END`",
            ),
            (
                "m: THEORM a |- b;",
                "constant m(): THEORM\n1:30 syntax: expected `;` after the declaration, found `a` (did you mean `THEOREM`?)",
            ),
            ("x: T := 3;", "constant x(): T = 3\n1:25 syntax: use `=`, not `:=`"),
            ("x: 0..3;", "1:23 syntax: expected a type, found `0` (a range is written `[0 .. 3]`)"),
            (
                "x: {a, b};",
                "1:24 syntax: expected `x: T | e`, found `a` (an enumeration needs a declaration of its own: `T: TYPE = {a, b}`)",
            ),
            ("f(x: T) = 3;", "1:28 syntax: expected `:` and the type of the result, found `=`"),
            (
                "p: THEOREM = m |- q;",
                "1:31 syntax: expected a module, found `=` (write `THEOREM m |- e`, without `=`)",
            ),
            (
                "INPUT x: T;",
                "1:20 syntax: expected a declaration or `END`, found `INPUT` (is there an extra `END` before this?)",
            ),
            (
                "x: T = BEGIN END;",
                "1:27 syntax: expected an expression, found `BEGIN` (a module is declared as in `m: MODULE = BEGIN ... END`)",
            ),
            (
                "x, y: T;",
                "1:21 syntax: expected `:` after the name, found `,` (declare each name on its own)",
            ),
            (
                "T: TYPE = ;  U: TYPE = 3; x: T;",
                "constant x(): T\n1:30 syntax: expected a type, found `;`\n1:43 syntax: expected a type, found `3` (a range is written `[0 .. 3]`)",
            ),
            (
                "end: T;",
                "1:20 syntax: expected a declaration, found `end`\n1:23 syntax: expected the end of the text, found `:` (this `END` closes the context; is there an extra `END` before it?)",
            ),
            (
                "x: T y: U; z: V;",
                "constant x(): T\nconstant z(): V\n1:25 syntax: expected `;` after the declaration, found `y`",
            ),
            (
                "x: TYPE = DATATYPE a; y: T; END; z: T;",
                "constant z(): T\n1:40 syntax: expected `,` or the `END` of the datatype, found `;`",
            ),
            (
                "m: MODULE = a |; x: T = ; y: U = 3 3;",
                "module m[] = a\nconstant y(): U = 3\n1:34 syntax: expected `;` after the declaration, found `|`\n1:44 syntax: expected an expression, found `;`\n1:55 syntax: expected `;` after the declaration, found `3`",
            ),
            ("", "1:21 syntax: expected a declaration, found `END`"),
            (
                "x: [T, U -> V];",
                "1:29 syntax: expected `,` or `]`, found `->` (a function of several arguments takes a tuple: `[[T, U] -> V]`)",
            ),
        ],
    );
}

#[test]
fn modules_of_modules() {
    check_all(
        module_errors,
        &[
            ("(a || b", "1:8 syntax: expected `||`, `[]` or `)`, found the end of the text"),
            (
                "LOCAL x: T IN m",
                "1:8 syntax: expected `IN` and a module, found `:` (variables are declared within `BEGIN ... END`)",
            ),
            (
                "(|| (i, j: T): m)",
                "1:7 syntax: expected `:`, found `,` (only one index is allowed; nest them: `(|| (i: T): (|| (j: U): m))`)",
            ),
            ("RENAME x y IN m", "1:10 syntax: expected `TO`, found `y`"),
            (
                "WITH LOCAL x: T m",
                "1:6 syntax: expected `INPUT`, `OUTPUT` or `GLOBAL`, found `LOCAL`",
            ),
            ("OBSERVE a b", "1:11 syntax: expected `WITH` and the module that observes, found `b`"),
        ],
    );
}

#[test]
fn sections_go_on_behind_an_error() {
    check_all(
        module_errors,
        &[
            (
                "BEGIN INPUT x: T; OUTPUT y: U; END",
                "1:17 syntax: expected a section of the module or its `END`, found `;` (variable declarations do not end with `;`)\n1:30 syntax: expected a section of the module or its `END`, found `;` (variable declarations do not end with `;`)",
            ),
            (
                "BEGIN INPUT x: T y: U END",
                "1:18 syntax: expected a section of the module or its `END`, found `y` (separate the variables of a section with `,`)",
            ),
            (
                "BEGIN x = 3 END",
                "1:7 syntax: expected a section of the module or its `END`, found `x` (write `DEFINITION`, `INITIALIZATION` or `TRANSITION` before it)",
            ),
            (
                "BEGIN TRANSITON x' = 3 END",
                "1:7 syntax: expected a section of the module or its `END`, found `TRANSITON` (did you mean `TRANSITION`?)",
            ),
            (
                "BEGIN INITIALIZATION x := 3; y == 4; z = ; w = 5; v + 3; END",
                "1:24 syntax: use `=`, not `:=`\n1:32 syntax: use `=`, not `==`\n1:42 syntax: expected an expression, found `;`\n1:53 syntax: expected `=` or `IN`, found `+`",
            ),
            (
                "BEGIN LOCAL x: T INITIALIZATIN x = IF a THEN b; y = 3 END",
                "1:18 syntax: expected a section of the module or its `END`, found `INITIALIZATIN` (did you mean `INITIALIZATION`?)\n1:47 syntax: expected `ELSIF` or `ELSE`, found `;` (is `ELSE ... ENDIF` missing?)",
            ),
            ("BEGIN TRANSITION END", "1:18 syntax: expected a definition, found `END`"),
            (
                "BEGIN DEFINITION [a -->] END",
                "1:18 syntax: expected a definition, found `[` (command lists belong in `INITIALIZATION` or `TRANSITION`)",
            ),
            (
                "BEGIN DEFINITION FORALL (i: T): x = 1 END",
                "1:18 syntax: expected a definition, found `FORALL` (write `(FORALL (i: T): ...)`, in parentheses)",
            ),
            (
                "BEGIN LOCAL x: T",
                "1:17 syntax: expected a section of the module or its `END`, found the end of the text (is the `END` of this module missing?)",
            ),
            (
                "BEGIN TRANSITION a'[1, 2] = 3 END",
                "1:22 syntax: expected `]`, found `,` (an array of arrays is indexed as in `a[i][j]`)",
            ),
        ],
    );
}

#[test]
fn commands_go_on_behind_an_error() {
    check_all(
        module_errors,
        &[
            (
                "BEGIN TRANSITION x' = y [a --> b' = 1 [] c --> d' = 2] END",
                "1:28 syntax: expected `]`, found `-->` (is a `;` missing before the list of commands?)",
            ),
            (
                "BEGIN TRANSITION [a -> b' = 1 [] c --> d' := 2; e = = 3; f'[ = 3; g' = ] END",
                "1:21 syntax: use `-->`, not `->`\n1:43 syntax: use `=`, not `:=`\n1:53 syntax: expected an expression, found `=` (operators of two characters are `/=`, `<=`, `>=` and `=>`)\n1:62 syntax: expected an expression, found `=` (operators of two characters are `/=`, `<=`, `>=` and `=>`)\n1:72 syntax: expected an expression, found `]`",
            ),
            (
                "BEGIN TRANSITION [a --> b' = 1 c --> d' = 2 [] + --> [] e --> ] END",
                "1:32 syntax: expected `;` or `[]` after the definition, found `c` (is the `[]` before the next command missing?)\n1:48 syntax: expected an expression, found `+` (there is no unary `+`)",
            ),
            (
                "BEGIN TRANSITION [] END",
                "1:18 syntax: expected `[` and a command, found `[]` (a command list needs at least one command; otherwise leave it out)",
            ),
            (
                "BEGIN TRANSITION [ ] END",
                "1:20 syntax: expected a command, found `]` (a command list needs at least one command; otherwise leave it out)",
            ),
            ("BEGIN TRANSITION [a --> [] ] END", "1:28 syntax: expected a command, found `]`"),
            (
                "BEGIN TRANSITION [l: ([] (i: T): a -->)] END",
                "1:22 syntax: expected a guard, found `(` (put the label inside: `([] (i: T): label: ...)`)",
            ),
            (
                "BEGIN TRANSITION [a --> x' = 1; END",
                "1:33 syntax: expected `;`, `[]` or `]` after the command, found `END`",
            ),
        ],
    );
}

#[test]
fn contexts_go_on_behind_an_error() {
    check_all(
        context_errors,
        &[
            (
                "c: CONTXT = BEGIN x: T; END",
                "1:4 syntax: expected `CONTEXT`, found `CONTXT` (did you mean `CONTEXT`?)",
            ),
            (
                "c: CONTEXT = BEGN x: T; END",
                "1:14 syntax: expected `BEGIN`, found `BEGN` (did you mean `BEGIN`?)",
            ),
            ("c: CONTEXT x: T; y: ; END", "1:12 syntax: expected `=`, found `x`"),
            ("c: CONTEXT = BEGIN END", "1:20 syntax: expected a declaration, found `END`"),
            (
                "c: CONTEXT = BEGIN m: MODULE = BEGIN LOCAL x: T\nn: MODULE = BEGIN END; y: = ; END",
                "2:1 syntax: expected a section of the module or its `END`, found `n` (is the `END` of this module missing?)\n2:27 syntax: expected a type, found `=`",
            ),
            (
                "c: CONTEXT = BEGIN m: MODULE = BEGIN END END; n: MODULE = BEGIN; END; END",
                "1:42 syntax: expected `;` after the declaration, found `END`\n1:64 syntax: expected a section of the module or its `END`, found `;` (variable declarations do not end with `;`)",
            ),
            (
                "c: CONTEXT = BEGIN m: MODULE = BEGIN LOCAL x: T; END",
                "1:48 syntax: expected a section of the module or its `END`, found `;` (variable declarations do not end with `;`)\n1:53 syntax: expected `;` after the declaration, found the end of the text (is an `END` before this missing?)",
            ),
            (
                "MODULE main",
                "1:1 syntax: expected the name of a context, found `MODULE` (a context is written `c: CONTEXT = BEGIN ... END`)",
            ),
            (
                "",
                "1:1 syntax: expected the name of a context, found the end of the text (a context is written `c: CONTEXT = BEGIN ... END`)",
            ),
            (
                "c: CONTEXT = BEGIN x: T; END; foo",
                "1:29 syntax: expected the end of the text, found `;` (this `END` closes the context; is there an extra `END` before it?)\n1:34 syntax: expected `:` after the name, found the end of the text",
            ),
            (
                "c: CONTEXT = BEGIN -- a\n x: T; // b\n END",
                "1:20 syntax: expected a declaration or `END`, found `-` (a comment begins with `%`)\n2:8 syntax: expected a declaration or `END`, found `/` (a comment begins with `%`)",
            ),
            (
                "c: CONTEXT = BEGIN m: MODULE = BEGIN TRANSITION x' = ; y' = 1 2; [a b --> [] c --> d' = [] e --> f' = 1; g h] END; x: T = 1 +; n: MODULE = ||; END",
                "1:54 syntax: expected an expression, found `;`\n1:63 syntax: expected `;` after the definition, found `2`\n1:69 syntax: expected `-->` after the guard, found `b`\n1:89 syntax: expected an expression, found `[]`\n1:108 syntax: expected `=` or `IN`, found `h`\n1:126 syntax: expected an expression, found `;`\n1:140 syntax: expected a module, found `||`",
            ),
        ],
    );
}

#[test]
fn a_name_that_is_nearly_a_keyword_may_be_used() {
    let text = "BEGIN LOCAL inputs: T TRANSITION inputs[0] = 3; inptus[1] = 3 END";
    assert_eq!(module(text), "{Local inputs:T | Trans inputs[]<0>=3; inptus[]<1>=3}");
}
