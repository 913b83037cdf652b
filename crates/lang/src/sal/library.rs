//! Contexts that come with the language.

use trapline_source::SourceFile;

/// The patterns of properties that people call by their names.
const LTLLIB: &str = "\
ltllib: CONTEXT = BEGIN
  always_before(p, q: BOOLEAN): BOOLEAN = W(NOT q, p);
  absent(p: BOOLEAN): BOOLEAN = G(NOT p);
  universal(p: BOOLEAN): BOOLEAN = G(p);
  eventually(p: BOOLEAN): BOOLEAN = F(p);
  precedes(p, q: BOOLEAN): BOOLEAN = W(NOT q, p);
  responds_to(q, p: BOOLEAN): BOOLEAN = G(p => F(q));
  infinitely_often(p: BOOLEAN): BOOLEAN = G(F(p));
  eventually_always(p: BOOLEAN): BOOLEAN = F(G(p));
  absent_before(p, r: BOOLEAN): BOOLEAN = F(r) => U(NOT p, r);
  absent_after(p, q: BOOLEAN): BOOLEAN = G(q => G(NOT p));
  absent_between(p, q, r: BOOLEAN): BOOLEAN = G((q AND NOT r AND F(r)) => U(NOT p, r));
  universal_before(p, r: BOOLEAN): BOOLEAN = F(r) => U(p, r);
  universal_after(p, q: BOOLEAN): BOOLEAN = G(q => G(p));
  BF(n: NATURAL, p: BOOLEAN): BOOLEAN = IF n = 0 THEN p ELSE p OR X(BF(n - 1, p)) ENDIF;
  BG(n: NATURAL, p: BOOLEAN): BOOLEAN = IF n = 0 THEN p ELSE p AND X(BG(n - 1, p)) ENDIF;
  BU(n: NATURAL, p, q: BOOLEAN): BOOLEAN =
    IF n = 0 THEN q ELSE q OR (p AND X(BU(n - 1, p, q))) ENDIF;
END
";

/// The context with this name, if it comes with the language.
pub fn find(name: &str) -> Option<SourceFile> {
    (name == "ltllib").then(|| SourceFile::built_in("ltllib.sal", LTLLIB))
}
