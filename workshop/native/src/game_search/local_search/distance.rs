//! Static distance of moves: the fewest turns before both can touch the same square or goal, by the rules alone.
//!
//! A move *touches* the squares whose contents it changes. What it makes true can make other moves of its player legal,
//! which touch squares in their turn. The move itself is the first turn, so that two moves on one square are 1 apart.

use crate::game_search::games::local::{Propositions, StaticMove, Statics};

/// Most further moves that are followed; also the longest forced win that is searched for.
pub(crate) const MOST_MOVES: usize = 24;

/// Local search pays in games whose moves are so far apart on the average: where everything is near, nothing can be left
/// out. The boundary is ours; it lies between chess and the smallest Breakthrough.
pub(crate) const PAYS: f64 = 2.25;

/// The squares that a move and its player's next 0, 1, … moves can touch.
type Reach = [u64; MOST_MOVES];

/// Distances of the moves of a game.
pub(crate) struct Distances {
    reach: Vec<Reach>,
    players: Vec<usize>,
    goals: [Vec<u64>; 2],
    /// Further moves before a goal of the player can be touched.
    to_goal: Vec<u8>,
    /// Of moves of one player; 0 where there is no move, or it is the same.
    between: Vec<u8>,
}

impl Distances {
    pub(crate) fn new(statics: &Statics) -> Distances {
        let reach = reaches(statics);
        let touches_goal = |(made, reach): (&StaticMove, &Reach)| {
            let goals = &statics.goals[made.player];
            reach.iter().position(|reach| goals.iter().any(|goal| goal & reach != 0)).unwrap_or(MOST_MOVES) as u8
        };
        Distances {
            to_goal: statics.moves.iter().zip(&reach).map(touches_goal).collect(),
            reach,
            players: statics.moves.iter().map(|made| made.player).collect(),
            goals: statics.goals.clone(),
            between: Vec::new(),
        }
    }

    /// With the table of distances that [`Distances::between`] reads.
    pub(crate) fn for_search(statics: &Statics) -> Distances {
        let mut found = Distances::new(statics);
        let count = statics.moves.len();
        found.between = vec![0; count * count];
        for one in (0..count).filter(|&number| statics.moves[number].touches != 0) {
            for other in (0..one).filter(|&number| statics.moves[number].touches != 0) {
                if found.players[one] == found.players[other] {
                    let distance = found.turns(one, other).unwrap_or(u8::MAX);
                    found.between[one * count + other] = distance;
                    found.between[other * count + one] = distance;
                }
            }
        }
        found
    }

    fn is_move(&self, number: usize) -> bool {
        self.reach[number][0] != 0
    }

    /// Whether both touch a square or a goal, after so many further moves each.
    fn meet(&self, (one, further): (usize, usize), (other, others): (usize, usize)) -> bool {
        let (first, second) = (self.reach[one][further], self.reach[other][others]);
        first & second != 0 || self.goals.iter().flatten().any(|goal| goal & first != 0 && goal & second != 0)
    }

    /// The distance of two moves: one player makes his moves one after the other, two players make theirs by turns. None
    /// if they never meet.
    pub(crate) fn turns(&self, one: usize, other: usize) -> Option<u8> {
        let turns = |further: &usize| {
            let further = *further;
            if self.players[one] == self.players[other] {
                (0..=further).any(|first| self.meet((one, first), (other, further - first)))
            } else {
                self.meet((one, further), (other, further))
            }
        };
        (0..MOST_MOVES).find(turns).map(|further| further as u8 + 1)
    }

    /// The distance of two moves of one player; only of [`Distances::for_search`].
    pub(crate) fn between(&self, one: usize, other: usize) -> u32 {
        self.between[one * self.players.len() + other].into()
    }

    /// Further moves of its player before a goal of his can be touched.
    pub(crate) fn to_goal(&self, number: usize) -> u32 {
        self.to_goal[number].into()
    }

    /// The squares that a move and so many further moves of its player can touch.
    pub(crate) fn reach(&self, number: usize) -> &Reach {
        &self.reach[number]
    }

    /// The mean distance of two different moves; pairs that never meet count as one more than the farthest.
    pub(crate) fn mean(&self) -> f64 {
        let (mut sum, mut pairs, mut apart, mut farthest) = (0.0, 0.0, 0.0, 0.0f64);
        for one in (0..self.players.len()).filter(|&number| self.is_move(number)) {
            for other in (0..one).filter(|&number| self.is_move(number)) {
                match self.turns(one, other) {
                    Some(turns) => {
                        sum += f64::from(turns);
                        farthest = farthest.max(turns.into());
                    }
                    None => apart += 1.0,
                }
                pairs += 1.0;
            }
        }
        (sum + apart * (farthest + 1.0)) / f64::max(pairs, 1.0)
    }
}

/// The squares that each move can reach, and its player's moves that it makes legal, directly or not.
fn reaches(statics: &Statics) -> Vec<Reach> {
    let is_enabled =
        |needs: &Propositions, held: &Propositions| needs.iter().zip(held).any(|(need, held)| need & held != 0);
    let reach = |first: &StaticMove| {
        let mut found = [first.touches; MOST_MOVES];
        if first.touches == 0 {
            return found;
        }
        let mut held = first.makes;
        let mut waiting: Vec<_> =
            statics.moves.iter().filter(|next| next.player == first.player && next.touches != 0).collect();
        for further in 1..MOST_MOVES {
            let before = held;
            found[further] = found[further - 1];
            waiting.retain(|next| {
                let enabled = is_enabled(&next.needs, &before);
                if enabled {
                    found[further] |= next.touches;
                    held.iter_mut().zip(next.makes).for_each(|(held, made)| *held |= made);
                }
                !enabled
            });
        }
        found
    };
    statics.moves.iter().map(reach).collect()
}
