//! Won, drawn or lost: every position of up to four men, by the program's own tables, and of more by Syzygy tables.
//!
//! The tables are part of the program, compressed; a table is unpacked when it is first asked. They know nothing of the
//! fifty-move rule.
//!
//! | module | what it holds |
//! |---|---|
//! | `material` | which pieces stand on the board, and how their placements are numbered |
//! | `tables` | the tables of the program, and what they and the user's say of a position |
//! | `syzygy` | Syzygy tables that the user has on the disk |

pub(crate) mod material;
pub(crate) mod syzygy;
pub(crate) mod tables;

/// The result of a position, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Lost,
    Drawn,
    Won,
}

#[cfg(test)]
mod tests;
