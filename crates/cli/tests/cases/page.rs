//! Reports in expectations: the data that a page shows, without what shows it.

use serde_json::Value as Json;

/// How pages begin.
pub const START: &str = "<!DOCTYPE html>";

/// The data of a page, a member or an item a line; how it looks is for the browser's tests.
pub fn data(html: &str) -> Result<String, String> {
    let start = "<script type=\"application/json\" id=\"data\">";
    // A page that is no report has nothing else to show than itself.
    let Some((_, rest)) = html.split_once(start) else { return Ok(html.into()) };
    let (data, _) = rest.split_once("</script>").ok_or("the data of the page has no end")?;
    let json: Json =
        serde_json::from_str(data).map_err(|error| format!("the data is not JSON: {error}"))?;
    let members = json.as_object().ok_or("the data is no object")?;
    let mut text = String::from("[a page with this data]\n");
    for (name, member) in members {
        match member {
            Json::String(graph) if name == "graph" && !graph.is_empty() => {
                text += "graph: [a picture]\n";
            }
            Json::Array(items) if items.iter().any(|item| item.is_array() || item.is_object()) => {
                text += &format!("{name}:\n");
                items.iter().for_each(|item| text += &format!("  {item}\n"));
            }
            member => text += &format!("{name}: {member}\n"),
        }
    }
    Ok(text)
}
