//! Names that would like to be markup or scripts.

use serde_json::json;

use super::browser::Browser;
use super::{folder, trapline, write};

const EVIL: &str =
    "<img src=x onerror='window.hacked=1'>\"><script>window.hacked=1</script> ünï\u{202e}水 &lt;";

#[test]
fn names_stay_names() {
    let folder = folder("hostile");
    // The slashes make folders, so that the path as a whole is markup.
    let model = "m</script><script>window.hacked=1</script>'\".smv";
    let text = format!(
        "MODULE main -- </script><script>window.hacked=1</script> {EVIL}\n\
         -- @req <script>window.hacked=1</script> {EVIL}\nVAR x : boolean; \
         y : {{a, b}};\nASSIGN init(x) := FALSE;\n  next(x) := case -- --> <!-- {EVIL}\n    \
         y = a & !x : TRUE;\n    TRUE : x;\n  esac;\n"
    );
    write(&folder.join(model), &text);
    let state = |x: bool, y: &str| json!({"x": x, "y": y});
    let goals = [json!({"id": "branch:x:2", "criterion": "branch", "text": EVIL,
                        "verdict": "infeasible", "tests": [], "reason": EVIL})];
    let suite = json!({
        "format": "trapline-suite/1",
        "goals": goals,
        "tests": [
            {"name": EVIL, "states": [state(false, "a"), state(true, "a")], "loop": null},
            {"name": "javascript:window.hacked=1", "states": [state(false, "a")], "loop": null},
        ],
    });
    write(&folder.join("suite.json"), &suite.to_string());
    let run = json!({
        "format": "trapline-run/1", "passed": 0, "failed": 1, "inconclusive": 0, "errors": 0,
        "tests": [{"name": EVIL, "verdict": "fail", "step": 1, "message": EVIL, "stderr": EVIL,
                   "expected": {EVIL: EVIL}, "observed": {EVIL: EVIL}, "allowed": [{EVIL: EVIL}], "branch": [1],
                   "places": [{"output": EVIL, "file": EVIL, "line": 1, "text": EVIL}],
                   "resembles": [{"goal": EVIL, "text": EVIL, "line": 1, "alike": EVIL}],
                   "exchanges": []}],
    });
    write(&folder.join("run.json"), &run.to_string());
    let compared = json!({
        "format": "trapline-comparison/1",
        "suites": [{"name": EVIL, "feasible": 1, "tests": 1, "steps": 1, "reached": {EVIL: 1}}],
    });
    write(&folder.join("matrix.json"), &compared.to_string());
    let others = ["--run", "run.json", "--compare", "matrix.json", "-o", "report.html"];
    trapline(&folder, &[&["report", model, "suite.json"], &others[..]].concat());

    let mut browser = Browser::start(&folder.join("profile"));
    browser.open(&folder.join("report.html"), "");
    assert_eq!(browser.value("document.querySelector('.model').textContent"), model);
    for n in 1..=9 {
        browser.press(&n.to_string());
        browser.until("document.querySelector('main h1')");
    }
    browser.press("4");
    browser.until("document.querySelector('main h1').textContent === 'Tests'");
    browser.click(".rows .row a");
    browser.until("document.querySelector('.wave')");
    let title = browser.value("document.querySelector('main h1').textContent");
    assert_eq!(title, EVIL.replace('\u{202e}', "⟨U+202E⟩"));
    browser.value("location.hash = document.querySelector('a[href^=\"#verdict/\"]').hash");
    browser.until("document.querySelector('.deviation')");
    let title = browser.value("document.querySelector('main h1').textContent");
    assert_eq!(title, EVIL.replace('\u{202e}', "⟨U+202E⟩"));
    let facts = browser.value("document.querySelector('main .title').textContent");
    assert!(facts.as_str().is_some_and(|facts| facts.contains("branch 1")), "{facts}");
    browser.value("window.dispatchEvent(new Event('beforeprint'))");
    assert!(browser.value("window.hacked ?? null").is_null());
    assert_eq!(browser.value("document.querySelectorAll('img, script:not([type])').length"), 1);
    assert_eq!(browser.complaints, Vec::<String>::new());
}
