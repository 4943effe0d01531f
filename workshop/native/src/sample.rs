//! Positions near those of games, and some moves of each: what a search looks at.

use shakmaty::{Chess, Move, MoveList, Position};

use native::workshop::{Random, decode, parse};

/// Moves of a position whose ends are valued together.
const MOVES: usize = 8;
/// Share of the positions of a game that are drawn as they stand; the others get random moves first.
const AS_PLAYED: f64 = 0.45;
/// Of the others, the share that gets one move; the rest gets two, three or four.
const ONE_MOVE: f64 = 0.6;

/// A position and those of its moves that are to be valued.
pub(crate) struct Question {
    pub position: Chess,
    pub moves: Vec<Move>,
}

/// Questions about a game (its start, none for the usual one, and its moves as the library stores them): a share of its
/// positions, about half of them after a few random moves, so that blunders and one-sided material are seen as often as
/// a search sees them. What is no start or no legal move ends the game.
pub(crate) fn questions(start: Option<&str>, moves: &[u8], share: f64, random: &mut Random) -> Vec<Question> {
    let mut out = Vec::new();
    let Ok(mut chess) = start.map_or(Ok(Chess::default()), |fen| parse(fen).map(|found| found.chess)) else {
        return out;
    };
    for code in moves.as_chunks::<2>().0 {
        let Some(m) = decode(&chess, u16::from_le_bytes(*code)) else { break };
        chess.play_unchecked(m);
        if random.unit() >= share {
            continue;
        }
        let mut position = chess.clone();
        if random.unit() >= AS_PLAYED {
            let moves = if random.unit() < ONE_MOVE { 1 } else { 2 + random.below(3) };
            for _ in 0..moves {
                let legal = position.legal_moves();
                if legal.is_empty() {
                    break;
                }
                position.play_unchecked(legal[random.below(legal.len())]);
            }
        }
        let mut legal: MoveList = position.legal_moves();
        let count = legal.len().min(MOVES);
        for index in 0..count {
            let other = index + random.below(legal.len() - index);
            legal.swap(index, other);
        }
        if count > 0 {
            out.push(Question { position, moves: legal[..count].to_vec() });
        }
    }
    out
}
