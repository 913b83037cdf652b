//! What a tester can do next, and what may come back.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Edge, Exchange, Explicit, Inputs, Listed, Output, Outputs, Possible, StateList};
use crate::answer::Why;

/// Inputs that are enabled, with every answer that the model allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// What is sent.
    pub inputs: Inputs,
    /// What may come back; never empty.
    pub replies: Vec<Reply>,
}

/// An answer that the model allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// What is shown.
    pub outputs: Outputs,
    /// The steps that explain it.
    pub edges: Vec<Edge>,
}

impl Explicit<'_, '_> {
    /// Everything that a tester can send after a set that is not empty, unless more than so many answers
    /// are to be looked at for that. Some outputs may not be seen.
    ///
    /// # Errors
    /// See [`Possible`].
    pub fn moves(
        &self,
        set: &StateList,
        unseen: &[Output],
        limit: usize,
    ) -> Result<Option<Vec<Move>>, Why> {
        let Listed { list, is_complete } = self.edges(set, &Exchange::default(), limit)?;
        if !is_complete {
            return Ok(None);
        }
        let class_of = self.class_of(set);
        let classes: FxHashSet<usize> = class_of.iter().copied().collect();
        let mut ids: FxHashMap<Inputs, usize> = FxHashMap::default();
        let mut moves: Vec<(Move, FxHashSet<usize>)> = Vec::new();
        for edge in list {
            let inputs = self.ports().sent_in(&edge.current, &edge.next);
            let id = *ids.entry(inputs).or_insert_with_key(|inputs| {
                let it = Move { inputs: inputs.clone(), replies: Vec::new() };
                moves.push((it, FxHashSet::default()));
                moves.len() - 1
            });
            let (it, able) = &mut moves[id];
            able.insert(class_of[edge.from]);
            let mut outputs = self.ports().shown(&edge.next);
            outputs.retain(|(output, _)| !unseen.contains(output));
            match it.replies.iter_mut().find(|reply| reply.outputs == outputs) {
                Some(reply) => reply.edges.push(edge),
                None => it.replies.push(Reply { outputs, edges: vec![edge] }),
            }
        }
        let enabled = moves.into_iter().filter(|(_, able)| able.len() == classes.len());
        Ok(Some(enabled.map(|(it, _)| it).collect()))
    }
}
