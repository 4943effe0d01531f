//! Options of a search: every variant is a choice of these.

/// What playouts choose their moves by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PlayoutPolicy {
    /// Each move as likely.
    Random,
    /// The move whose playouts ended best wherever it was played, and any move in a share `random` of the cases
    /// (MAST: Finnsson and Björnsson 2008, with the ε-greedy choice of Tak et al. 2012).
    Mast { random: f64 },
}

/// Whose playouts count for a move beside those that begin with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AllMovesAsFirst {
    Off,
    /// Those of the node in which it was played later (Gelly and Silver 2007).
    Rave,
    /// The same of the nearest ancestor with so many playouts (Cazenave 2015).
    Grave {
        playouts: u32,
    },
}

/// What the local trees of two nodes are compared by, see `trapcore/measures/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    Continuations,
    Sequences,
    Tanimoto,
    Structural,
    TreeEdit,
    /// What the moves do, in words that name no square; only of chess.
    Abstracted,
}

/// What nodes share whose local trees of depth 2 are similar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sharing {
    pub(crate) measure: Measure,
    /// The least similarity, above 0 to 1.
    pub(crate) least: f32,
    /// Playouts that a node has before its fingerprint is computed.
    pub(crate) playouts: u32,
    /// Moves played later in a playout count for similar nodes, weighted by the similarity.
    pub(crate) moves: bool,
    /// Moves that refute, proved to win or much better than the others, are tried first in similar nodes.
    pub(crate) killers: bool,
    /// Where a similar node has no move of a label, its counterpart by move matching takes its place.
    pub(crate) counterparts: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Options {
    /// Weight of the exploration term; values of playouts are -1 to 1.
    pub(crate) exploration: f32,
    /// Proved wins, draws and losses (MCTS-Solver: Winands, Björnsson and Saito 2008).
    pub(crate) solver: bool,
    /// Moves that win at once are played, and those that the opponent would win with are prevented, in the tree and in
    /// playouts (Teytaud and Teytaud 2010).
    pub(crate) decisive: bool,
    pub(crate) playouts: PlayoutPolicy,
    /// Weight of a move's history, which fades with its failures (progressive history: Nijssen and Winands 2010).
    pub(crate) history: f32,
    pub(crate) all_moves: AllMovesAsFirst,
    /// Of what all moves as first counts, only moves that decided a playout (killer RAVE: Lorentz 2010).
    pub(crate) only_decisive: bool,
    /// How soon a move's own playouts outweigh those of all moves as first: at about 1 / `bias` playouts.
    pub(crate) bias: f32,
    /// Share of the minimax of the evaluation in a move's value (implicit minimax backups: Lanctot et al. 2014).
    pub(crate) minimax: f32,
    pub(crate) sharing: Option<Sharing>,
    /// Local searches give hints.
    pub(crate) local: bool,
    /// Most memory of the tree, in bytes.
    pub(crate) memory: usize,
}

impl Options {
    /// Whether the history of moves is kept.
    pub(crate) fn keeps_history(&self) -> bool {
        self.history > 0.0 || self.playouts != PlayoutPolicy::Random
    }

    /// Whether the moves of a playout have to be remembered.
    pub(crate) fn keeps_moves(&self) -> bool {
        self.all_moves != AllMovesAsFirst::Off || self.sharing.is_some_and(|sharing| sharing.moves)
    }
}
