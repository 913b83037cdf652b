//! The page as a whole; what it looks like is for the browser's tests.

use crate::formats::report::html::write;
use crate::page::{ModelFacts, Page, Source, Test};

const HOSTILE: &str = "</script><script>alert(1)</script><!-- ]]> \" ' & \u{2028} äöü 水";

fn hostile() -> Page {
    Page {
        model: ModelFacts { path: HOSTILE.into(), ..ModelFacts::default() },
        sources: vec![Source { path: HOSTILE.into(), text: HOSTILE.into() }],
        tests: vec![Test { name: HOSTILE.into(), n_states: 1, ..Test::default() }],
        graph: HOSTILE.into(),
        ..Page::default()
    }
}

#[test]
fn names_become_no_markup() {
    let html = write(&hostile());
    let n_ends = html.matches("</script").count();
    assert_eq!(n_ends, 2, "the data and the script end once each");
    assert!(!html.contains("alert(1)</"), "{html}");
    assert!(html.contains("<title>&lt;/script&gt;"), "{html}");
}

#[test]
fn the_data_is_what_it_was() {
    let html = write(&hostile());
    let start = html.find("id=\"data\">").map(|at| at + "id=\"data\">".len());
    let data = start.and_then(|start| html[start..].split("</script>").next());
    let data: serde_json::Value =
        data.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    assert_eq!(data["model"]["path"], HOSTILE);
    assert_eq!(data["tests"][0][0], HOSTILE);
}

#[test]
fn nothing_is_fetched() {
    let html = write(&Page::default());
    for address in ["http:", "https:", "src=", "url("] {
        let known = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!known.contains(address), "{address}");
    }
}
