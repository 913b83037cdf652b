//! Leaving out a part of a model.

use crate::model::Model;

/// The model with nothing but its variables, definitions and expressions, which keep their ids: in
/// each state every variable may have any value of its type. So each trace of the model is one of
/// the new model; which of the others go back is for replay to say.
pub fn without_rules(model: &Model) -> Model {
    Model {
        assigns: Vec::new(),
        constraints: Vec::new(),
        justice: Vec::new(),
        compassion: Vec::new(),
        properties: Vec::new(),
        sites: Vec::new(),
        selectors: Vec::new(),
        ..model.clone()
    }
}
