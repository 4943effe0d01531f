//! Positions near those of games, in families: what a search looks at from one position.
//!
//! The members of a family differ from its root by a few pieces. So the sums over their inputs are made once, for the
//! root, and brought up to date for each member, in the teacher as in the training.

use shakmaty::{Board, Chess, Color, Move, Position};

use native::workshop::{Random, decode, parse, see};

/// Share of the roots that are positions as they were played; the others get random moves first.
const AS_PLAYED: f64 = 0.4;
/// Of the others, the share that gets one move; the rest gets two to five.
const ONE_MOVE: f64 = 0.55;
/// How often a random move makes way for the capture that wins most.
const CAPTURE: f64 = 0.25;
/// Moves of a root, each with a line behind it.
const MOVES: usize = 8;
/// Share of the lines that go on with a random move once they are quiet, to a second member.
const GO_ON: f64 = 0.5;
/// Share of the positions in which a capture wins that become members: a search asks for their values too.
const UNQUIET: f64 = 0.12;
/// Moves of a line at most.
const LONGEST: usize = 12;
/// Positions with fewer pieces are known to the core without a network.
const FEWEST: usize = 4;

/// A position whose value is learned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub board: Board,
    pub turn: Color,
}

/// A root and its members, none of them in check or at the end of the game.
#[derive(Debug)]
pub(crate) struct Family {
    pub root: Board,
    pub members: Vec<Member>,
}

impl Family {
    /// A position by itself.
    pub(crate) fn alone(board: Board, turn: Color) -> Family {
        Family { root: board.clone(), members: vec![Member { board, turn }] }
    }
}

/// A game: its start and its moves as the library stores them.
pub(crate) struct Game {
    start: Chess,
    moves: Vec<u8>,
}

impl Game {
    /// `start`: none for the usual one. `None` for a start that is no position.
    pub(crate) fn new(start: Option<&str>, moves: &[u8]) -> Option<Game> {
        let start = start.map_or(Some(Chess::default()), |fen| Some(parse(fen).ok()?.chess))?;
        Some(Game { start, moves: moves.to_vec() })
    }
}

/// A family of a random position of a random game; `None` if it has no members.
pub(crate) fn family(games: &[Game], random: &mut Random) -> Option<Family> {
    let game = games.get(random.below(games.len()))?;
    let mut root = game.start.clone();
    let codes = game.moves.as_chunks::<2>().0;
    for code in &codes[..random.below(codes.len() + 1)] {
        root.play_unchecked(decode(&root, u16::from_le_bytes(*code))?);
    }
    if random.unit() >= AS_PLAYED {
        let moves = if random.unit() < ONE_MOVE { 1 } else { 2 + random.below(4) };
        for _ in 0..moves {
            let m = any_move(&root, random)?;
            root.play_unchecked(m);
        }
    }
    let mut legal = root.legal_moves();
    let mut members = Vec::with_capacity(2 * MOVES);
    for index in 0..legal.len().min(MOVES) {
        let other = index + random.below(legal.len() - index);
        legal.swap(index, other);
        let mut position = root.clone();
        position.play_unchecked(legal[index]);
        line(position, &mut members, random);
    }
    let root = root.board().clone();
    (!members.is_empty()).then_some(Family { root, members })
}

/// A move as games have them after a mistake: often the capture that wins most, else any.
fn any_move(position: &Chess, random: &mut Random) -> Option<Move> {
    let capture = if random.unit() < CAPTURE { best_capture(position) } else { None };
    let legal = position.legal_moves();
    capture.or_else(|| legal.get(random.below(legal.len().max(1))).copied())
}

/// The capture that wins most material by static exchange.
fn best_capture(position: &Chess) -> Option<Move> {
    let captures = position.capture_moves().into_iter().map(|m| (see(position, m), m));
    captures.filter(|&(gain, _)| gain > 0).max_by_key(|&(gain, _)| gain).map(|(_, m)| m)
}

/// Plays captures out until the position is quiet, which is a member then; half of the time a move goes on from there.
fn line(mut position: Chess, members: &mut Vec<Member>, random: &mut Random) {
    let mut ends = if random.unit() < GO_ON { 2 } else { 1 };
    for _ in 0..LONGEST {
        let legal = position.legal_moves();
        if legal.is_empty() || position.board().occupied().count() < FEWEST {
            return;
        }
        let capture = best_capture(&position);
        let any = legal[random.below(legal.len())];
        if position.is_check() {
            position.play_unchecked(capture.unwrap_or(any));
            continue;
        }
        if capture.is_none() || random.unit() < UNQUIET {
            members.push(Member { board: position.board().clone(), turn: position.turn() });
        }
        if capture.is_none() {
            ends -= 1;
            if ends == 0 {
                return;
            }
        }
        position.play_unchecked(capture.unwrap_or(any));
    }
}

/// How the inputs of a member come from those of its root.
#[derive(Debug, Default)]
pub(crate) struct Change {
    /// All inputs are in `added`: the root has too few of them.
    pub anew: bool,
    pub added: Vec<u32>,
    pub removed: Vec<u32>,
}

/// Compares inputs with those of a root.
pub(crate) struct Differ {
    root: Vec<u32>,
    member: Vec<u32>,
    /// By input: the last time that it was seen, by the counter; even for the root, odd for a member.
    seen: Vec<u32>,
    counter: u32,
}

impl Differ {
    pub(crate) fn new(inputs: usize) -> Differ {
        Differ { root: Vec::with_capacity(32), member: Vec::with_capacity(32), seen: vec![0; inputs], counter: 0 }
    }

    pub(crate) fn set_root(&mut self, root: impl Iterator<Item = usize>) -> &[u32] {
        self.root.clear();
        self.root.extend(root.map(|input| input as u32));
        &self.root
    }

    pub(crate) fn root(&self) -> &[u32] {
        &self.root
    }

    pub(crate) fn change(&mut self, member: impl Iterator<Item = usize>, change: &mut Change) {
        if self.counter >= u32::MAX - 2 {
            self.seen.fill(0);
            self.counter = 0;
        }
        self.counter += 2;
        let (root, kept) = (self.counter, self.counter + 1);
        for &input in &self.root {
            self.seen[input as usize] = root;
        }
        change.added.clear();
        change.removed.clear();
        self.member.clear();
        for input in member {
            self.member.push(input as u32);
            if self.seen[input] == root { self.seen[input] = kept } else { change.added.push(input as u32) }
        }
        change.removed.extend(self.root.iter().filter(|&&input| self.seen[input as usize] == root));
        change.anew = change.added.len() + change.removed.len() >= self.member.len();
        if change.anew {
            change.added.clone_from(&self.member);
            change.removed.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use native::workshop::{INPUTS, features};

    use super::*;

    #[test]
    fn members_are_positions_that_a_search_values_and_mostly_quiet() {
        let codes: Vec<u8> = [(12_u16, 28_u16), (52, 36), (6, 21), (57, 42)]
            .into_iter()
            .flat_map(|(from, to)| (from | to << 6).to_le_bytes())
            .collect();
        let games = [Game::new(None, &codes).unwrap()];
        let mut random = Random(3);
        let (mut quiet, mut all) = (0, 0);
        for _ in 0..300 {
            let Some(family) = family(&games, &mut random) else { continue };
            for member in &family.members {
                let setup =
                    shakmaty::Setup { board: member.board.clone(), turn: member.turn, ..shakmaty::Setup::empty() };
                let chess = native::workshop::playable(setup, shakmaty::CastlingMode::Standard).unwrap();
                assert!(!chess.is_check() && !chess.legal_moves().is_empty());
                quiet += usize::from(best_capture(&chess).is_none());
                all += 1;
            }
        }
        assert!(all > 3000 && quiet * 10 > all * 8, "{quiet} of {all}");
    }

    #[test]
    fn a_change_makes_the_inputs_of_a_member_from_those_of_the_root() {
        let board = |fen: &str| parse(fen).unwrap().chess.board().clone();
        let root = board("r1bqk2r/pppp1ppp/2n5/2b1p3/2BnP3/2N2N2/PPPP1PPP/R1BQ1RK1 w kq - 0 1");
        let mut differ = Differ::new(INPUTS);
        let mut change = Change::default();
        for (fen, anew) in [
            ("r1bqk2r/pppp1ppp/2n5/2b1p3/2BNP3/2N5/PPPP1PPP/R1BQ1RK1 b kq - 0 1", false),
            ("8/5k2/3p4/1P1P4/8/2K5/8/8 b - - 0 1", true),
        ] {
            let member = board(fen);
            let mut inputs = differ.set_root(features(&root, Color::White)).to_vec();
            differ.change(features(&member, Color::White), &mut change);
            assert_eq!(change.anew, anew);
            if anew {
                inputs.clear();
            }
            inputs.retain(|input| !change.removed.contains(input));
            inputs.extend(&change.added);
            inputs.sort_unstable();
            let mut wanted: Vec<u32> = features(&member, Color::White).map(|input| input as u32).collect();
            wanted.sort_unstable();
            assert_eq!(inputs, wanted);
        }
    }
}
