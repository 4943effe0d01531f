//! Won, drawn or lost: every position of up to four men, by retrograde analysis.
//!
//! The tables are part of the program, compressed; a table is unpacked when it is first asked. They know nothing of the
//! fifty-move rule.
//!
//! | module | what it holds |
//! |---|---|
//! | `material` | which pieces stand on the board, and how their placements are numbered |
//! | `retrograde` | the distance to mate of every placement, from the mates backwards |
//! | `tables` | the tables of the program, and what they say of a position |

pub(crate) mod material;
pub(crate) mod retrograde;
pub(crate) mod tables;

#[cfg(test)]
mod tests;
