//! SAL contexts that nobody writes: deep, long, large, endless.

/// A module with one variable of each simple kind, and what is put into its steps.
fn module(step: &str) -> String {
    format!(
        "fuzz: CONTEXT = BEGIN\n m: MODULE = BEGIN INPUT a: BOOLEAN OUTPUT b: BOOLEAN, n: [0..3]\n \
         TRANSITION {step} END;\nEND\n"
    )
}

/// Names and texts.
pub fn texts() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    let mut add = |name: &str, text: String| texts.push((format!("SAL: {name}"), text));
    for (name, open, inner, close) in [
        ("parentheses", "(", "a", ")"),
        ("negations", "NOT ", "a", ""),
        ("signs", "-", "n", ""),
        ("IFs", "IF a THEN b ELSE ", "a", " ENDIF"),
        ("LETs", "LET x: BOOLEAN = a IN ", "a", ""),
        ("quantifiers", "FORALL (x: BOOLEAN): ", "a", ""),
        ("implications", "a => ", "a", ""),
        ("sets", "{", "a", "}"),
        ("array literals", "[[x: [0..1]] ", "a", "]"),
        ("tuples", "(a, ", "a", ")"),
        ("records", "(# f := ", "a", " #)"),
        ("updates", "b WITH [", "0", "] := a"),
    ] {
        for depth in [1_000, 100_000] {
            let deep = format!("b' = {}{inner}{}", open.repeat(depth), close.repeat(depth));
            add(&format!("{depth} {name}"), module(&deep));
        }
    }
    for (name, part) in [("AND", " AND b"), ("sums", " = n + 1"), ("XOR", " XOR a OR b")] {
        add(&format!("a chain of {name}"), module(&format!("b' = a{}", part.repeat(20_000))));
    }
    let commands = "[] a --> b' = NOT b ".repeat(5_000);
    add("5,000 commands", module(&format!("[ b --> n' = n + 1 {commands} ]")));
    let deep = format!("[ {} a --> {} ]", "([] (x: [0..0]): ".repeat(5_000), ")".repeat(5_000));
    add("commands in commands", module(&deep));
    add("wide commands", module("[ ([] (x: [0..1000000]): a --> n' = x) ]"));
    let vars: String = (0..10_000).map(|idx| format!(" OUTPUT v{idx}: BOOLEAN")).collect();
    add("10,000 variables", format!("fuzz: CONTEXT = BEGIN m: MODULE = BEGIN {vars} END; END"));
    let ring: String =
        (0..2_000).map(|idx| format!(" v{idx}' = NOT v{}';", (idx + 1) % 2_000)).collect();
    let vars: String = (0..2_000).map(|idx| format!(" OUTPUT v{idx}: BOOLEAN")).collect();
    let ring = format!("m: MODULE = BEGIN {vars} TRANSITION {ring} END;");
    add("a ring", format!("fuzz: CONTEXT = BEGIN {ring} END"));
    types(&mut add);
    modules(&mut add);
    add("one word", "x".repeat(1_000_000));
    add("comments", "% comment\n".repeat(200_000));
    add("brackets", "[[".repeat(500_000));
    add("primes", "'".repeat(1_000_000));
    add("operators", "$&@^~".repeat(200_000));
    add("digits", module(&format!("n' = {}", "9".repeat(100_000))));
    texts
}

fn types(add: &mut impl FnMut(&str, String)) {
    let with = |types: &str| {
        format!("fuzz: CONTEXT = BEGIN {types} m: MODULE = BEGIN OUTPUT v: T END; END")
    };
    add("10^12 values", with("T: TYPE = [0..1000000000000];"));
    add("an array of 10^12", with("T: TYPE = ARRAY [0..1000000000000] OF BOOLEAN;"));
    let deep = format!("T: TYPE = {}BOOLEAN;", "ARRAY [0..9] OF ".repeat(50));
    add("arrays of arrays", with(&deep));
    add("deep arrays", with(&format!("T: TYPE = {}BOOLEAN;", "ARRAY [0..0] OF ".repeat(20_000))));
    let tuples = format!("T: TYPE = {}BOOLEAN{};", "[BOOLEAN, ".repeat(5_000), "]".repeat(5_000));
    add("deep tuples", with(&tuples));
    let doubled: String =
        (1..60).map(|idx| format!(" T{idx}: TYPE = [T{}, T{}];", idx - 1, idx - 1)).collect();
    add("doubled types", with(&format!("T0: TYPE = BOOLEAN; {doubled} T: TYPE = T59;")));
    add("a type in itself", with("T: TYPE = ARRAY [0..1] OF T;"));
    add("endless data", with("T: TYPE = DATATYPE nil, cons(head: BOOLEAN, tail: T) END;"));
    let names: Vec<String> = (0..50_000).map(|idx| format!("e{idx}")).collect();
    add("50,000 elements", with(&format!("T: TYPE = {{{}}};", names.join(", "))));
    add("nothing in a subtype", with("T: TYPE = {x: [0..3] | x > 3};"));
    add("endless recursion", with("f(x: NATURAL): NATURAL = f(x + 1); T: TYPE = [0..f(0)];"));
    let twice = "f(x: NATURAL): NATURAL = IF x = 0 THEN 1 ELSE f(x - 1) + f(x - 1) ENDIF;";
    add("doubled recursion", with(&format!("{twice} T: TYPE = [0..f(60)];")));
    let chain: String =
        (1..5_000).map(|idx| format!(" c{idx}: NATURAL = c{} + 1;", idx - 1)).collect();
    add("a chain of constants", with(&format!("c0: NATURAL = 0;{chain} T: TYPE = [0..c4999];")));
}

fn modules(add: &mut impl FnMut(&str, String)) {
    let local = "l: MODULE = BEGIN LOCAL v: BOOLEAN TRANSITION v' = NOT v END;";
    let with = |text: &str| format!("fuzz: CONTEXT = BEGIN {local} s: MODULE = {text}; END");
    for (name, text) in [
        ("||", format!("l{}", " || l".repeat(5_000))),
        ("[]", format!("l{}", " [] l".repeat(5_000))),
        ("parentheses", format!("{}l{}", "(".repeat(20_000), ")".repeat(20_000))),
        ("hiding", format!("{}l", "LOCAL v IN ".repeat(5_000))),
        ("renaming", format!("{}l", "RENAME v TO v IN ".repeat(5_000))),
        ("WITH", format!("{}l", "WITH OUTPUT w: BOOLEAN ".repeat(5_000))),
        ("many modules", "(|| (i: [0..1000000]): l)".into()),
        ("modules of modules", format!("{}l{}", "(|| (i: [0..9]): ".repeat(50), ")".repeat(50))),
        ("itself", "s || l".into()),
    ] {
        add(name, with(&text));
    }
    let doubled: String =
        (1..60).map(|idx| format!(" s{idx}: MODULE = s{} || s{};", idx - 1, idx - 1)).collect();
    add("doubled modules", format!("fuzz: CONTEXT = BEGIN {local} s0: MODULE = l; {doubled} END"));
    add(
        "itself as a context",
        "fuzz: CONTEXT = BEGIN IMPORTING fuzz; f: CONTEXT = fuzz; END".into(),
    );
}
