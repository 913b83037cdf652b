//! Errors: what is said, where, and how the parser goes on.

use expect_test::expect;

use super::{declarations, errors, expression, listed, module};

#[test]
fn operators_of_other_languages_are_understood() {
    let texts = [
        "a == b",
        "a != b",
        "a & b",
        "a && b | c",
        "a || b",
        "!a",
        "~a",
        "~ a b",
        "a And b",
        "Not a",
        "a -> b",
        "a ∧ b",
        "a =< b",
        "x = = y",
        "a ^ b",
        "a $ b",
    ];
    expect![[r#"
        a == b
            1:3 syntax: use `=`, not `==`
        a != b
            1:3 syntax: use `/=`, not `!=`
        a & b
            1:3 syntax: use `AND`, not `&`
        a && b | c
            1:3 syntax: use `AND`, not `&&`
            1:8 syntax: use `OR`, not `|`
        a || b
            1:3 syntax: use `OR`, not `||`
        !a
            1:1 syntax: use `NOT`, not `!`
        ~a
            1:2 syntax: expected an operator or the end of the expression, found `a`
              help: to negate a condition write `NOT`
        ~ a b
            1:3 syntax: expected an operator or the end of the expression, found `a`
              help: to negate a condition write `NOT`
        a And b
            1:3 syntax: expected an operator or the end of the expression, found `And`
              help: operators are written all in upper case or all in lower case
        Not a
            1:5 syntax: expected an operator or the end of the expression, found `a`
              help: operators are written all in upper case or all in lower case
        a -> b
            1:3 syntax: expected an operator or the end of the expression, found `->`
              help: implication is written `=>`
        a ∧ b
            1:3 bad-character: unknown character `∧`
              help: to join two conditions write `AND`
        a =< b
            1:4 syntax: expected an expression, found `<`
              help: operators of two characters are `/=`, `<=`, `>=` and `=>`
        x = = y
            1:5 syntax: expected an expression, found `=`
              help: operators of two characters are `/=`, `<=`, `>=` and `=>`
        a ^ b
            1:3 syntax: expected an operator or the end of the expression, found `^`
              help: powers are written `exp(x, n)`
        a $ b
            1:3 syntax: expected an operator or the end of the expression, found `$`
    "#]]
    .assert_eq(&listed(expression, &texts));
}

#[test]
fn an_unfinished_condition_names_what_is_missing() {
    let texts = [
        "IF a THEN b ENDIF",
        "IF a THEN b ELSE c",
        "IF a THEN b ELSE c ELSIF d",
        "IF a THEN b ELSE c ENDIFF",
        "IF a THEN b;",
        "IF a THENN b ELSE c ENDIF",
        "IF a THEN b ELS c ENDIF",
    ];
    expect![[r#"
        IF a THEN b ENDIF
            1:13 syntax: expected `ELSIF` or `ELSE`, found `ENDIF`
              help: every `IF` needs an `ELSE`
        IF a THEN b ELSE c
            1:19 syntax: expected `ENDIF`, found the end of the text
              help: is the `ENDIF` of this `IF` missing?
        IF a THEN b ELSE c ELSIF d
            1:20 syntax: expected `ENDIF`, found `ELSIF`
              help: `ELSIF` must come before `ELSE`
        IF a THEN b ELSE c ENDIFF
            1:20 syntax: expected `ENDIF`, found `ENDIFF`
              help: did you mean `ENDIF`?
        IF a THEN b;
            1:12 syntax: expected `ELSIF` or `ELSE`, found `;`
              help: is `ELSE ... ENDIF` missing?
        IF a THENN b ELSE c ENDIF
            1:6 syntax: expected `THEN`, found `THENN`
              help: did you mean `THEN`?
        IF a THEN b ELS c ENDIF
            1:13 syntax: expected `ELSIF` or `ELSE`, found `ELS`
              help: did you mean `ELSE`?
    "#]]
    .assert_eq(&listed(expression, &texts));
}

#[test]
fn wrong_operands_and_brackets() {
    let texts = [
        "(a",
        "a b",
        "a[i]'",
        "[]",
        "[a]",
        "[[T, U -> V]]",
        "a WITH [i] = 3",
        "a WITH := 3",
        "{}",
        "0xZZ",
        "0b12",
        "99999999999999999999",
        "3 _",
        "LET x = 3 IN x",
        "(# f = 3 #)",
        "FORALL x: T: p",
        "\"open",
        "x''",
        "",
        "a = FORALL",
        "a.in",
        "[0..3",
        "c{3}",
        "(# a := 1",
        "INIT_PRED m",
    ];
    expect![[r#"
        (a
            1:3 syntax: expected `,` or `)`, found the end of the text
        a b
            1:3 syntax: expected an operator or the end of the expression, found `b`
        a[i]'
            1:5 syntax: expected an operator or the end of the expression, found `'`
              help: the quote goes right after the name, as in `a'[i]`
        []
            1:1 syntax: expected an expression, found `[]`
        [a]
            1:3 syntax: expected `..`, `,` or `->`, found `]`
              help: an array is written `[[i: T] e]`, a range type `[l .. h]`
        [[T, U -> V]]
            1:8 syntax: expected `,` or `]`, found `->`
              help: a function of several arguments takes a tuple: `[[T, U] -> V]`
        a WITH [i] = 3
            1:12 syntax: expected `:=`, found `=`
              help: after `WITH` the new value follows `:=`
        a WITH := 3
            1:8 syntax: expected `[`, `.` or `(`, found `:=`
        {}
            1:2 syntax: expected an expression, found `}`
              help: an empty set is written `{x: T | FALSE}`
        0xZZ
            1:1 bad-number: a hexadecimal number has the digits 0 to 9 and a to f
        0b12
            1:1 bad-number: a binary number has the digits 0 and 1
        99999999999999999999
            1:1 bad-number: the number does not fit 64 bits
        3 _
            1:3 syntax: expected an operator or the end of the expression, found `_`
        LET x = 3 IN x
            1:7 syntax: expected `:` and a type, found `=`
              help: write `LET x: T = e IN ...`
        (# f = 3 #)
            1:6 syntax: expected `:=`, found `=`
              help: a record is written `(# f := e, g := h #)`
        FORALL x: T: p
            1:8 syntax: expected `(` and typed names, as in `(x: T)`, found `x`
        "open
            1:1 bad-character: this text is not closed on its line
        x''
            1:3 syntax: expected an operator or the end of the expression, found `'`
              help: the quote goes right after the name, as in `a'[i]`

            1:1 syntax: expected an expression, found the end of the text
        a = FORALL
            1:11 syntax: expected `(` and typed names, as in `(x: T)`, found the end of the text
        a.in
            1:3 reserved-word: `in` is a reserved word; pick another name
        [0..3
            1:6 syntax: expected `]`, found the end of the text
        c{3}
            1:5 syntax: expected `!` and what of this context is meant, found the end of the text
        (# a := 1
            1:10 syntax: expected `,` or `#)`, found the end of the text
        INIT_PRED m
            1:11 syntax: expected `(` and a module, found `m`
    "#]]
    .assert_eq(&listed(expression, &texts));
}

#[test]
fn wrong_declarations() {
    let texts = [
        "m: MODUL = BEGIN END; x: T",
        "m: THEORM a |- b;",
        "x: T := 3;",
        "x: 0..3;",
        "x: {a, b};",
        "f(x: T) = 3;",
        "p: THEOREM = m |- q;",
        "INPUT x: T;",
        "x: T = BEGIN END;",
        "x, y: T;",
        "T: TYPE = ;  U: TYPE = 3; x: T;",
        "x: T y: U; z: V;",
        "x: TYPE = DATATYPE a; y: T; END; z: T;",
        "m: MODULE = a |; x: T = ; y: U = 3 3;",
        "",
        "x: [T, U -> V];",
        "end: T; y: T;",
        "output: T; y: T;",
        "T: TYPE = {a, in};",
        "x: T = (a; y: T;",
        "m: MODULE = BEGIN END\nn: MODULE = o;",
        "c: CONTEXT = d{3; m: MODULE = n;",
        "f(x: T, y): T; g: T;",
        "IMPORTING c WITH (a b); g: T = ;",
        "m[i]: MODULE = n; x: T = ;",
    ];
    expect![[r#"
        m: MODUL = BEGIN END; x: T
            constant x(): T
            1:31 syntax: expected an expression, found `BEGIN`
              help: a module is declared as in `m: MODULE = BEGIN ... END`
            1:47 syntax: expected `;` after the declaration, found `END`
        m: THEORM a |- b;
            constant m(): THEORM
            1:30 syntax: expected `;` after the declaration, found `a`
              help: did you mean `THEOREM`?
        x: T := 3;
            constant x(): T = 3
            1:25 syntax: use `=`, not `:=`
        x: 0..3;
            1:23 syntax: expected a type, found `0`
              help: a range is written `[0 .. 3]`
        x: {a, b};
            1:24 syntax: expected `x: T | e`, found `a`
              help: an enumeration needs a declaration of its own: `T: TYPE = {a, b}`
        f(x: T) = 3;
            1:28 syntax: expected `:` and the type of the result, found `=`
        p: THEOREM = m |- q;
            1:31 syntax: expected a module, found `=`
              help: write `THEOREM m |- e`, without `=`
        INPUT x: T;
            1:20 syntax: expected a declaration or `END`, found `INPUT`
              help: is there an extra `END` before this?
        x: T = BEGIN END;
            1:27 syntax: expected an expression, found `BEGIN`
              help: a module is declared as in `m: MODULE = BEGIN ... END`
        x, y: T;
            1:21 syntax: expected `:` after the name, found `,`
              help: declare each name on its own
        T: TYPE = ;  U: TYPE = 3; x: T;
            constant x(): T
            1:30 syntax: expected a type, found `;`
            1:43 syntax: expected a type, found `3`
              help: a range is written `[0 .. 3]`
        x: T y: U; z: V;
            constant x(): T
            constant z(): V
            1:25 syntax: expected `;` after the declaration, found `y`
        x: TYPE = DATATYPE a; y: T; END; z: T;
            constant z(): T
            1:40 syntax: expected `,` or the `END` of the datatype, found `;`
        m: MODULE = a |; x: T = ; y: U = 3 3;
            module m[] = a
            constant y(): U = 3
            1:34 syntax: expected `;` after the declaration, found `|`
            1:44 syntax: expected an expression, found `;`
            1:55 syntax: expected `;` after the declaration, found `3`

            1:21 syntax: expected a declaration, found `END`
        x: [T, U -> V];
            1:29 syntax: expected `,` or `]`, found `->`
              help: a function of several arguments takes a tuple: `[[T, U] -> V]`
        end: T; y: T;
            constant y(): T
            1:20 reserved-word: `end` is a reserved word; pick another name
        output: T; y: T;
            constant y(): T
            1:20 reserved-word: `output` is a reserved word; pick another name
        T: TYPE = {a, in};
            1:34 reserved-word: `in` is a reserved word; pick another name
        x: T = (a; y: T;
            constant y(): T
            1:29 syntax: expected `,` or `)`, found `;`
        m: MODULE = BEGIN END
        n: MODULE = o;
            module m[] = {}
            module n[] = o
            2:1 syntax: expected `;` after the declaration, found `n`
        c: CONTEXT = d{3; m: MODULE = n;
            1:39 syntax: expected `,` or `}` after an actual parameter, found `:`
        f(x: T, y): T; g: T;
            constant g(): T
            1:29 syntax: expected `,` and a name, or `:` and a type, found `)`
        IMPORTING c WITH (a b); g: T = ;
            1:40 syntax: expected `TO`, found `b`
            1:51 syntax: expected an expression, found `;`
        m[i]: MODULE = n; x: T = ;
            1:23 syntax: expected `,` and a name, or `:` and a type, found `]`
            1:45 syntax: expected an expression, found `;`
    "#]]
    .assert_eq(&listed(declarations, &texts));
}

#[test]
fn wrong_combinations_of_modules() {
    let texts = [
        "(a || b",
        "LOCAL x: T IN m",
        "(|| (i, j: T): m)",
        "RENAME x y IN m",
        "WITH LOCAL x: T m",
        "OBSERVE a b",
        "a ||",
        "m{3}",
        "WITH INPUT x: T OUTPUT y: U m",
        "BEGIN END BEGIN END",
    ];
    expect![[r#"
        (a || b
            1:8 syntax: expected `||`, `[]` or `)`, found the end of the text
        LOCAL x: T IN m
            1:8 syntax: expected `IN` and a module, found `:`
              help: variables are declared within `BEGIN ... END`
        (|| (i, j: T): m)
            1:7 syntax: expected `:`, found `,`
              help: only one index is allowed; nest them: `(|| (i: T): (|| (j: U): m))`
        RENAME x y IN m
            1:10 syntax: expected `TO`, found `y`
        WITH LOCAL x: T m
            1:6 syntax: expected `INPUT`, `OUTPUT` or `GLOBAL`, found `LOCAL`
        OBSERVE a b
            1:11 syntax: expected `WITH` and the module that observes, found `b`
        a ||
            1:5 syntax: expected a module, found the end of the text
        m{3}
            1:5 syntax: expected `!` and what of this context is meant, found the end of the text
        WITH INPUT x: T OUTPUT y: U m
            1:17 syntax: expected `;` or a module, found `OUTPUT`
              help: separate the kinds of variables with `;`
        BEGIN END BEGIN END
            1:11 syntax: expected `||`, `[]` or the end of the module, found `BEGIN`
    "#]]
    .assert_eq(&listed(module, &texts));
}

#[test]
fn wrong_sections() {
    let texts = [
        "BEGIN INPUT x: T; OUTPUT y: U; END",
        "BEGIN INPUT x: T y: U END",
        "BEGIN x = 3 END",
        "BEGIN TRANSITON x' = 3 END",
        "BEGIN INITIALIZATION x := 3; y == 4; z = ; w = 5; v + 3; END",
        "BEGIN LOCAL x: T INITIALIZATIN x = IF a THEN b; y = 3 END",
        "BEGIN TRANSITION END",
        "BEGIN DEFINITION [a -->] END",
        "BEGIN DEFINITION FORALL (i: T): x = 1 END",
        "BEGIN LOCAL x: T",
        "BEGIN TRANSITION a'[1, 2] = 3 END",
        "BEGIN LOCAL end: T, y: U TRANSITION y' = END",
        "BEGIN LOCAL x: T TRANSITION x' = 1; input' = 2; DEFINITION x END",
        "BEGIN TRANSITION x[1]' = 3; (FORALL (i: T): a'[i] = ); y = END",
    ];
    expect![[r#"
        BEGIN INPUT x: T; OUTPUT y: U; END
            1:17 syntax: expected a section of the module or its `END`, found `;`
              help: variable declarations do not end with `;`
            1:30 syntax: expected a section of the module or its `END`, found `;`
              help: variable declarations do not end with `;`
        BEGIN INPUT x: T y: U END
            1:18 syntax: expected a section of the module or its `END`, found `y`
              help: separate the variables of a section with `,`
        BEGIN x = 3 END
            1:7 syntax: expected a section of the module or its `END`, found `x`
              help: write `DEFINITION`, `INITIALIZATION` or `TRANSITION` before it
        BEGIN TRANSITON x' = 3 END
            1:7 syntax: expected a section of the module or its `END`, found `TRANSITON`
              help: did you mean `TRANSITION`?
        BEGIN INITIALIZATION x := 3; y == 4; z = ; w = 5; v + 3; END
            1:24 syntax: use `=`, not `:=`
            1:32 syntax: use `=`, not `==`
            1:42 syntax: expected an expression, found `;`
            1:53 syntax: expected `=` or `IN`, found `+`
        BEGIN LOCAL x: T INITIALIZATIN x = IF a THEN b; y = 3 END
            1:18 syntax: expected a section of the module or its `END`, found `INITIALIZATIN`
              help: did you mean `INITIALIZATION`?
            1:47 syntax: expected `ELSIF` or `ELSE`, found `;`
              help: is `ELSE ... ENDIF` missing?
        BEGIN TRANSITION END
            1:18 syntax: expected a definition, found `END`
        BEGIN DEFINITION [a -->] END
            1:18 syntax: expected a definition, found `[`
              help: command lists belong in `INITIALIZATION` or `TRANSITION`
        BEGIN DEFINITION FORALL (i: T): x = 1 END
            1:18 syntax: expected a definition, found `FORALL`
              help: write `(FORALL (i: T): ...)`, in parentheses
        BEGIN LOCAL x: T
            1:17 syntax: expected a section of the module or its `END`, found the end of the text
              help: is the `END` of this module missing?
        BEGIN TRANSITION a'[1, 2] = 3 END
            1:22 syntax: expected `]`, found `,`
              help: an array of arrays is indexed as in `a[i][j]`
        BEGIN LOCAL end: T, y: U TRANSITION y' = END
            1:13 reserved-word: `end` is a reserved word; pick another name
            1:42 syntax: expected an expression, found `END`
        BEGIN LOCAL x: T TRANSITION x' = 1; input' = 2; DEFINITION x END
            1:37 reserved-word: `input` is a reserved word; pick another name
            1:62 syntax: expected `=` or `IN`, found `END`
        BEGIN TRANSITION x[1]' = 3; (FORALL (i: T): a'[i] = ); y = END
            1:22 syntax: expected `=` or `IN`, found `'`
              help: the quote goes right after the name, as in `a'[i]`
            1:53 syntax: expected an expression, found `)`
            1:60 syntax: expected an expression, found `END`
    "#]]
    .assert_eq(&listed(module, &texts));
}

#[test]
fn wrong_commands() {
    let texts = [
        "BEGIN TRANSITION x' = y [a --> b' = 1 [] c --> d' = 2] END",
        "BEGIN TRANSITION [a -> b' = 1 [] c --> d' := 2; e = = 3; f'[ = 3; g' = ] END",
        "BEGIN TRANSITION [a --> b' = 1 c --> d' = 2 [] + --> [] e --> ] END",
        "BEGIN TRANSITION [] END",
        "BEGIN TRANSITION [ ] END",
        "BEGIN TRANSITION [a --> [] ] END",
        "BEGIN TRANSITION [l: ([] (i: T): a -->)] END",
        "BEGIN TRANSITION [a --> x' = 1; END",
        "BEGIN TRANSITION [ELSE a --> x' = 1 [] IF a THEN b ENDIF --> y' = 2] END",
        "BEGIN TRANSITION [([] (i: T): a --> x' = 1 [] b --> y' = ] END",
        "BEGIN TRANSITION [a --> x' = (1; y' = {2; [] b -> z' = 3 + ] END",
    ];
    expect![[r#"
        BEGIN TRANSITION x' = y [a --> b' = 1 [] c --> d' = 2] END
            1:28 syntax: expected `]`, found `-->`
              help: is a `;` missing before the list of commands?
        BEGIN TRANSITION [a -> b' = 1 [] c --> d' := 2; e = = 3; f'[ = 3; g' = ] END
            1:21 syntax: use `-->`, not `->`
            1:43 syntax: use `=`, not `:=`
            1:53 syntax: expected an expression, found `=`
              help: operators of two characters are `/=`, `<=`, `>=` and `=>`
            1:62 syntax: expected an expression, found `=`
              help: operators of two characters are `/=`, `<=`, `>=` and `=>`
            1:72 syntax: expected an expression, found `]`
        BEGIN TRANSITION [a --> b' = 1 c --> d' = 2 [] + --> [] e --> ] END
            1:32 syntax: expected `;` or `[]` after the definition, found `c`
              help: is the `[]` before the next command missing?
            1:48 syntax: expected an expression, found `+`
              help: there is no unary `+`
        BEGIN TRANSITION [] END
            1:18 syntax: expected `[` and a command, found `[]`
              help: a command list needs at least one command; otherwise leave it out
        BEGIN TRANSITION [ ] END
            1:20 syntax: expected a command, found `]`
              help: a command list needs at least one command; otherwise leave it out
        BEGIN TRANSITION [a --> [] ] END
            1:28 syntax: expected a command, found `]`
        BEGIN TRANSITION [l: ([] (i: T): a -->)] END
            1:22 syntax: expected a guard, found `(`
              help: put the label inside: `([] (i: T): label: ...)`
        BEGIN TRANSITION [a --> x' = 1; END
            1:33 syntax: expected `;`, `[]` or `]` after the command, found `END`
        BEGIN TRANSITION [ELSE a --> x' = 1 [] IF a THEN b ENDIF --> y' = 2] END
            1:24 syntax: expected `-->` after the guard, found `a`
            1:52 syntax: expected `ELSIF` or `ELSE`, found `ENDIF`
              help: every `IF` needs an `ELSE`
        BEGIN TRANSITION [([] (i: T): a --> x' = 1 [] b --> y' = ] END
            1:44 syntax: expected `;` or the `)` of `([] (i: T): ...)`, found `[]`
            1:58 syntax: expected an expression, found `]`
        BEGIN TRANSITION [a --> x' = (1; y' = {2; [] b -> z' = 3 + ] END
            1:32 syntax: expected `,` or `)`, found `;`
            1:41 syntax: expected `,` or `}`, found `;`
            1:48 syntax: use `-->`, not `->`
            1:60 syntax: expected an expression, found `]`
    "#]]
    .assert_eq(&listed(module, &texts));
}

#[test]
fn wrong_contexts() {
    let texts = [
        "c: CONTXT = BEGIN x: T; END",
        "c: CONTEXT = BEGN x: T; END",
        "c: CONTEXT x: T; y: ; END",
        "c: CONTEXT = BEGIN END",
        "c: CONTEXT = BEGIN m: MODULE = BEGIN LOCAL x: T\nn: MODULE = BEGIN END; y: = ; END",
        "c: CONTEXT = BEGIN m: MODULE = BEGIN END END; n: MODULE = BEGIN; END; END",
        "c: CONTEXT = BEGIN m: MODULE = BEGIN LOCAL x: T; END",
        "MODULE main",
        "",
        "c: CONTEXT = BEGIN x: T; END; foo",
        "c: CONTEXT = BEGIN -- a\n x: T; // b\n END",
        "c: CONTEXT = BEGIN m: MODULE = BEGIN TRANSITION x' = ; y' = 1 2;\n\
         [a b --> [] c --> d' = [] e --> f' = 1; g h] END;\nx: T = 1 +; n: MODULE = ||; END",
        "c{N: nat: CONTEXT = BEGIN x: T = ; END",
    ];
    expect![[r#"
        c: CONTXT = BEGIN x: T; END
            1:4 syntax: expected `CONTEXT`, found `CONTXT`
              help: did you mean `CONTEXT`?
        c: CONTEXT = BEGN x: T; END
            1:14 syntax: expected `BEGIN`, found `BEGN`
              help: did you mean `BEGIN`?
        c: CONTEXT x: T; y: ; END
            1:12 syntax: expected `=`, found `x`
        c: CONTEXT = BEGIN END
            1:20 syntax: expected a declaration, found `END`
        c: CONTEXT = BEGIN m: MODULE = BEGIN LOCAL x: T
        n: MODULE = BEGIN END; y: = ; END
            2:1 syntax: expected a section of the module or its `END`, found `n`
              help: is the `END` of this module missing?
            2:27 syntax: expected a type, found `=`
        c: CONTEXT = BEGIN m: MODULE = BEGIN END END; n: MODULE = BEGIN; END; END
            1:42 syntax: expected `;` after the declaration, found `END`
            1:64 syntax: expected a section of the module or its `END`, found `;`
              help: variable declarations do not end with `;`
        c: CONTEXT = BEGIN m: MODULE = BEGIN LOCAL x: T; END
            1:48 syntax: expected a section of the module or its `END`, found `;`
              help: variable declarations do not end with `;`
            1:53 syntax: expected `;` after the declaration, found the end of the text
              help: is an `END` before this missing?
        MODULE main
            1:1 syntax: expected the name of a context, found `MODULE`
              help: a context is written `c: CONTEXT = BEGIN ... END`

            1:1 syntax: expected the name of a context, found the end of the text
              help: a context is written `c: CONTEXT = BEGIN ... END`
        c: CONTEXT = BEGIN x: T; END; foo
            1:29 syntax: expected the end of the text, found `;`
              help: this `END` closes the context; is there an extra `END` before it?
            1:34 syntax: expected `:` after the name, found the end of the text
        c: CONTEXT = BEGIN -- a
         x: T; // b
         END
            1:20 syntax: expected a declaration or `END`, found `-`
              help: a comment begins with `%`
            2:8 syntax: expected a declaration or `END`, found `/`
              help: a comment begins with `%`
        c: CONTEXT = BEGIN m: MODULE = BEGIN TRANSITION x' = ; y' = 1 2;
        [a b --> [] c --> d' = [] e --> f' = 1; g h] END;
        x: T = 1 +; n: MODULE = ||; END
            1:54 syntax: expected an expression, found `;`
            1:63 syntax: expected `;` after the definition, found `2`
            2:4 syntax: expected `-->` after the guard, found `b`
            2:24 syntax: expected an expression, found `[]`
            2:43 syntax: expected `=` or `IN`, found `h`
            3:11 syntax: expected an expression, found `;`
            3:25 syntax: expected a module, found `||`
        c{N: nat: CONTEXT = BEGIN x: T = ; END
            1:9 syntax: expected `;` or `}` after the parameter, found `:`
            1:34 syntax: expected an expression, found `;`
    "#]]
    .assert_eq(&listed(errors, &texts));
}

#[test]
fn a_name_that_is_nearly_a_keyword_may_be_used() {
    let text = "BEGIN LOCAL inputs: T TRANSITION inputs[0] = 3; inptus[1] = 3 END";
    assert_eq!(module(text), "{Local inputs:T | Trans inputs[]<0>=3; inptus[]<1>=3}");
}
