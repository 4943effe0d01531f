//! What the searches saw of the moves of a game, stage by stage: what the stated probability is fitted to.

use crate::judge::game_losses::GameLosses;
use crate::judge::losses::COLLECTING;
use crate::judge::losses::suspicion::Evidence;
use crate::judge::workspace::Workspace;
use crate::pgn::reader::Game;
use crate::pgn::records::games;
use crate::pgn::splitter::Batch;

/// What was seen of one move at one stage.
pub(crate) struct SeenMove {
    /// From 0.
    pub decision: usize,
    /// 0 for the pass, then those of the proof.
    pub stage: usize,
    /// In the order of [`FEATURES`](crate::judge::losses::suspicion::FEATURES).
    pub features: Vec<f64>,
    /// As it is stated after this stage.
    pub probability: f64,
}

/// What was seen of the moves of every readable game of a batch, with its number.
pub(crate) fn loss_evidence_of_batch(batch: &Batch, work: &mut Workspace) -> Vec<(u64, Vec<SeenMove>)> {
    games(batch).filter_map(|(piece, game)| Some((piece.number, loss_evidence(&game.ok()?, work)))).collect()
}

/// Every move of a game after the pass, and those that it suspects after each stage of the proof, as it would be made.
/// Ends early where the work is stopped.
pub(crate) fn loss_evidence(game: &Game, work: &mut Workspace) -> Vec<SeenMove> {
    let mut losses = GameLosses::new(game, COLLECTING, work);
    losses.pass(work);
    let mut found = Vec::new();
    for decision in 0..game.moves.len() {
        if work.is_stopped() {
            break;
        }
        let mut see = |stage: usize, evidence: &Evidence| {
            let (features, probability) = (evidence.features().to_vec(), evidence.probability(stage));
            found.push(SeenMove { decision, stage, features, probability });
        };
        let Some(evidence) = losses.evidence(decision) else { continue };
        see(0, &evidence);
        if evidence.probability(0) >= COLLECTING.suspected {
            losses.examine(decision, work, see);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::losses::suspicion::{FEATURES, STAGES};
    use crate::pgn::reader::GameReader;

    #[test]
    fn every_move_is_seen_by_the_pass_and_suspects_by_the_proof() {
        let text = b"1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 h6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n";
        let game = GameReader::new().read(text).ok().unwrap();
        let seen = loss_evidence(&game, &mut Workspace::default());
        let by_pass: Vec<usize> = seen.iter().filter(|one| one.stage == 0).map(|one| one.decision).collect();
        assert_eq!(by_pass, (0..13).collect::<Vec<_>>());
        assert!(seen.iter().all(|one| one.features.len() == FEATURES.len() && one.stage < STAGES));
        let stages: Vec<(usize, f64)> =
            seen.iter().filter(|one| one.decision == 9).map(|one| (one.stage, one.probability)).collect();
        assert!(stages.len() > 1 && stages.last().unwrap().1 > 0.5, "the queen is taken and Black mated: {stages:?}");
    }
}
