//! Tables that nobody writes: enormous, deep, cut off, in strange alphabets. Each is read in a moment,
//! whether or not it is right.

/// Where each begins.
const HEAD: &str = "MONITORED\n a, b : Boolean\n x : 0..9 INIT 0\nMODECLASS M {m, n} INIT m\n\
                    TERMS\n t : Boolean INIT False\nTABLE M MODE\n m | @T(a) | n\n n | @F(a) | m\n";

/// Names and texts in the plain form, in Markdown and in comma-separated values, by language.
pub fn texts() -> Vec<(String, &'static str, String)> {
    let mut texts = Vec::new();
    let mut plain = |name: &str, text: String| texts.push((name.to_string(), "scr", text));
    let event = |cell: &str| {
        format!("{HEAD}TABLE t EVENT CLASS M\n m, n | {cell} | NEVER\n t | True | False\n")
    };
    for (name, open, close) in [
        ("parentheses", "(", ")"),
        ("negations", "NOT ", ""),
        ("signs", "-", ""),
        ("bars", "|", "|"),
        ("sets", "{", "}"),
        ("minima", "MIN(1, ", ")"),
        ("absolute values", "ABS(", ")"),
    ] {
        for depth in [9_000, 200_000] {
            let deep = format!("{}a{}", open.repeat(depth), close.repeat(depth));
            plain(&format!("{depth} {name}"), event(&format!("@T({deep})")));
        }
    }
    plain("events in events", event(&format!("{}a{}", "@T(".repeat(5_000), ")".repeat(5_000))));
    let mode_events = ["@T(INMODE)", "@C(x)", "@T(a) WHEN b"].join(" OR ");
    for (name, part) in [
        ("WHEN", " WHEN b"),
        ("WHERE", " WHERE b"),
        ("WHILE", " WHILE b"),
        ("OR", " OR @T(b)"),
        ("AND", " AND @T(b)"),
        ("INMODE OR", " OR @T(INMODE) OR @T(x = 3)"),
        ("INMODE AND", " AND (@T(INMODE) OR @T(x = 3))"),
    ] {
        plain(&format!("a chain of {name}"), event(&format!("@T(a){}", part.repeat(20_000))));
        plain(&format!("{name} of all"), event(&format!("({mode_events}){}", part.repeat(3_000))));
    }
    let nested = format!("{}@T(a){}", "(".repeat(4_000), " OR @C(x)) WHEN b".repeat(4_000));
    plain("OR in WHEN in OR", event(&nested));
    let nested = format!("{}@T(INMODE){}", "(".repeat(4_000), " OR @C(x)) WHILE b".repeat(4_000));
    plain("OR in WHILE in OR", event(&nested));
    plain("a sum", event(&format!("@T(x{} > 3)", " + 1".repeat(100_000))));
    plain("a long condition", event(&format!("@T(a{})", " AND b OR a".repeat(50_000))));
    let cells = "@T(a) | ".repeat(100_000);
    plain("a row of 100,000 cells", event(&cells));
    let (cells, values) = ("| @T(x = 1) WHEN a ".repeat(5_000), "| True | False ".repeat(2_500));
    plain("a wide table", format!("{HEAD}TABLE t EVENT\n * {cells}\n t {values}\n"));
    let cells = "| x = 3 ".repeat(3_000);
    let values = (0..3_000).map(|idx| format!("| {} ", idx % 10)).collect::<String>();
    let wide = format!("{HEAD}CONTROLLED\n o : 0..9\nTABLE o CONDITION\n * {cells}\n o {values}\n");
    plain("a wide condition table", wide);
    let rows = " m | @T(x = 3) | n\n m | @T(x > 3) WHEN b | m\n".repeat(5_000);
    plain("10,000 transitions", format!("{HEAD}{rows}").replace("INIT False\n", "INIT False\n"));
    let rows = " m | @T(a) | @T(b)\n".repeat(10_000);
    plain("the same mode", format!("{HEAD}TABLE t EVENT CLASS M\n{rows} t | True | False\n"));
    let tables = "TABLE t EVENT\n * | @T(a)\n t | True\n".repeat(10_000);
    plain("10,000 tables", format!("{HEAD}{tables}"));
    many(&mut plain);
    strange(&mut plain);
    other_forms(&mut texts);
    texts
}

/// A lot of names, types and values.
fn many(plain: &mut impl FnMut(&str, String)) {
    let variables: String = (0..50_000).map(|idx| format!(" v{idx} : Boolean\n")).collect();
    plain("50,000 inputs", format!("{HEAD}MONITORED\n{variables}"));
    let terms: String = (0..5_000).map(|idx| format!(" t{idx} : Boolean\n")).collect();
    let table = |idx: usize| {
        format!(
            "TABLE t{} CONDITION\n * | t{idx} | NOT t{idx}\n t{} | True | False\n",
            idx + 1,
            idx + 1
        )
    };
    let tables: String = (0..4_999).map(table).collect();
    let first = "TABLE t0 CONDITION\n * | a | NOT a\n t0 | True | False\n";
    plain("a chain of terms", format!("{HEAD}TERMS\n{terms}{first}{tables}"));
    let ring = "TABLE t0 CONDITION\n * | t4999 | NOT t4999\n t0 | True | False\n";
    plain("a ring of terms", format!("{HEAD}TERMS\n{terms}{ring}{tables}"));
    let names: Vec<String> = (0..50_000).map(|idx| format!("s{idx}")).collect();
    plain("50,000 modes", format!("MODECLASS M {{{}}} INIT s0\n", names.join(", ")));
    let types: String = (0..5_000).map(|idx| format!(" T{} = T{idx}\n", idx + 1)).collect();
    plain("a chain of types", format!("TYPES\n{types} T0 = {{p, q}}\n{HEAD}"));
    let constants: String = (0..5_000).map(|idx| format!(" C{idx} = C{}\n", idx + 1)).collect();
    plain("a chain of constants", format!("CONSTANTS\n{constants} C5000 = 1\n{HEAD}"));
    let constants: String =
        (0..5_000).map(|idx| format!(" D{} = D{idx} + D{idx}\n", idx + 1)).collect();
    plain("doubling constants", format!("CONSTANTS\n{constants} D0 = 1\n{HEAD}"));
    let sets =
        format!("{{{}}}", (0..20_000).map(|idx| idx.to_string()).collect::<Vec<_>>().join(", "));
    plain("a large set", format!("MONITORED\n z : {sets}\n{HEAD}"));
    plain("a large range", format!("MONITORED\n z : 0..9223372036854775807\n{HEAD}"));
    plain("large parts", format!("MONITORED\n z : {{0..99999, 100000..199999}}\n{HEAD}"));
    let claims = "ASSERT a => b\n".repeat(20_000);
    plain("20,000 claims", format!("{HEAD}{claims}"));
    let named: String = (0..5_000).map(|idx| format!("ASSERT c{idx}: a => b\n")).collect();
    plain("5,000 named claims", format!("{HEAD}{named}"));
    let required = "-- @req R1 wanted\n".repeat(20_000);
    plain(
        "20,000 requirements",
        format!("{HEAD}{required}{}", " m | @T(b) | n -- @req R2\n".repeat(5_000)),
    );
}

/// Ends of lines, alphabets, bytes.
fn strange(plain: &mut impl FnMut(&str, String)) {
    plain("Windows", HEAD.replace('\n', "\r\n"));
    plain("a mark", format!("\u{feff}{HEAD}"));
    plain("marks", format!("{}{HEAD}{}", "\u{feff}".repeat(1_000), "\u{feff}".repeat(1_000)));
    plain("letters", HEAD.replace('a', "ä").replace('m', "模").replace('t', "🚀"));
    plain("combining", format!("{HEAD}ASSERT a{}", "\u{301}".repeat(10_000)));
    plain("spaces", HEAD.replace(' ', "\u{2003}"));
    plain("zeros", HEAD.replace(' ', "\0"));
    plain("nothing", String::new());
    plain("line ends", "\n".repeat(1_000_000));
    plain("backslashes", format!("{HEAD}{}", "\\\n".repeat(500_000)));
    plain("bars", format!("{HEAD}TABLE t EVENT\n{}", "|".repeat(1_000_000)));
    plain("dashes", format!("{HEAD}{}", "-".repeat(1_000_000)));
    plain("comments", format!("{HEAD}{}", "-- comment\n".repeat(200_000)));
    plain("one word", "x".repeat(1_000_000));
    plain(
        "digits",
        format!("CONSTANTS\n c = {}\n d = 0.{}\n", "9".repeat(100_000), "1".repeat(100_000)),
    );
}

fn other_forms(texts: &mut Vec<(String, &'static str, String)>) {
    let mut csv = |name: &str, text: String| texts.push((name.to_string(), "scr-csv", text));
    csv("an unclosed quote", format!("MONITORED\n\"{}", "a,b\n".repeat(200_000)));
    csv("quotes", "\"".repeat(1_000_001));
    csv("separators", format!("TABLE,t,EVENT\n{}", ",".repeat(1_000_000)));
    csv("semicolons", format!("MONITORED;\na;Boolean;\n{}", ";\n".repeat(300_000)));
    csv("headings", "TABLE,t,EVENT\n".repeat(50_000));
    csv("letters", "MONITORED\nä,Boolean,\"模\"\u{feff}\n\u{feff}TABLE,é,EVENT".into());
    let mut markdown =
        |name: &str, text: String| texts.push((name.to_string(), "scr-markdown", text));
    markdown("fences", "```\n".repeat(200_001));
    markdown("headings", "## Event table: t\n".repeat(50_000));
    markdown("hashes", "#".repeat(1_000_000));
    markdown("rulers", format!("## Types\n{}", "|---|\n".repeat(200_000)));
    markdown("a long row", format!("## Event table: t\n|{}\n", "*`_`*|".repeat(200_000)));
    markdown("marks", format!("## Types\n| {} |\n", "*".repeat(500_000)));
    markdown(
        "letters",
        "## Monitored variables\n| ä | 模 | 🚀 |\n|-|-|-|\n| *é* | `\u{301}` | _ |".into(),
    );
}
