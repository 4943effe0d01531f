//! The features by name. Each is one number, or a row of numbers. An occurrence picks one of a row.

use shakmaty::Role;

/// Where each row of features begins, and its name for the fit.
macro_rules! layout {
    ($($(#[$doc:meta])* $name:ident $length:literal)*) => {
        layout!(@ (0) $($(#[$doc])* $name $length)*);
        /// Names and lengths of the rows.
        pub const ROWS: &[(&str, usize)] = &[$((stringify!($name), $length)),*];
        /// Number of features.
        pub const FEATURES: usize = 0 $(+ $length)*;
    };
    (@ ($start:expr)) => {};
    (@ ($start:expr) $(#[$doc:meta])* $name:ident $length:literal $($rest:tt)*) => {
        $(#[$doc])*
        pub(crate) const $name: usize = $start;
        layout!(@ ($start + $length) $($rest)*);
    };
}

layout! {
    /// Pawn, knight, bishop, rook, queen.
    MATERIAL 5
    /// By role and by square as its owner sees the board.
    SQUARE 384
    /// Two bishops or more.
    BISHOP_PAIR 1
    /// King's side, queen's side.
    CASTLING 2
    /// The right to move.
    TEMPO 1
    /// By the number of safe squares that a piece can go to.
    KNIGHT_MOBILITY 9
    BISHOP_MOBILITY 14
    ROOK_MOBILITY 15
    QUEEN_MOBILITY 28
    /// Knight, bishop, rook, queen that is attacked by something cheaper or undefended, and has no safe square.
    CAUGHT 4
    /// Knight, bishop on a square that a pawn guards and no enemy pawn can attack.
    OUTPOST 2
    /// Own pawns on squares of a bishop's colour.
    BISHOP_PAWNS 1
    /// Rook on a file without pawns; without own pawns.
    ROOK_FILE 2
    /// By the number of knights and bishops on their first squares.
    UNDEVELOPED 5
    /// Knight, bishop, rook, queen that cannot leave its line to the king.
    PINNED 4
    /// Pawn behind another of its own.
    DOUBLED 1
    /// No own pawn on the files beside; the second where no enemy pawn stands in front.
    ISOLATED 2
    /// None beside or behind to help it, and the square before it guarded by a pawn.
    BACKWARD 2
    /// By rank: guarded by a pawn.
    SUPPORTED 7
    /// By rank: beside a pawn.
    PHALANX 7
    /// By rank: no enemy pawn can stop it.
    PASSED 7
    /// By rank: a passed pawn with something standing before it.
    PASSED_BLOCKED 7
    /// By rank: a passed pawn whose way is not attacked.
    PASSED_FREE 7
    /// By distance of the own king to the square before a passed pawn beyond the middle.
    PASSED_OWN_KING 8
    /// The same of the enemy king.
    PASSED_OTHER_KING 8
    /// By the file's distance from the rim and the distance of the own pawn before the king (0: none).
    SHELTER 20
    /// The same for the enemy's pawn.
    STORM 24
    /// By the number of pieces that attack the squares around the enemy king.
    KING_ATTACKERS 6
    /// Knight, bishop, rook, queen: squares around the enemy king that it attacks.
    KING_ATTACKS 4
    /// By the number of those squares that only king or queen guard.
    KING_WEAK 9
    /// Knight, bishop, rook, queen: can give a check on a square that is not guarded.
    SAFE_CHECK 4
    /// By a sum of the above: attacks on a king help each other.
    KING_DANGER 20
    /// Knight, bishop, rook, queen attacked by a pawn.
    PAWN_THREAT 4
    /// Pawn, knight, bishop, rook, queen attacked by a knight or bishop, and not guarded by a pawn.
    MINOR_THREAT 5
    /// The same, by a rook.
    ROOK_THREAT 5
    /// Pawn, knight, bishop, rook, queen attacked and not guarded.
    HANGING 5
    /// Something not guarded is attacked by the king.
    KING_THREAT 1
    /// Pieces that a pawn's safe step would attack.
    PUSH_THREAT 1
    /// By the number of the mover's pieces that something cheaper attacks, or that are attacked and unguarded.
    MOVER_THREATENED 4
    /// The same for the other side.
    WAITER_THREATENED 4
    /// Squares behind the own pawns in the centre that no enemy pawn attacks.
    SPACE 1
}

/// Place of a role in the rows that have one for each.
pub(super) const fn role_index(role: Role) -> usize {
    role as usize - 1
}
