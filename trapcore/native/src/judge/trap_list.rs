//! The traps of a library, as they are and with colours exchanged.

use rustc_hash::FxHashMap;
use shakmaty::Move;

use crate::chess::position::{GamePosition, live_key};
use crate::judge::model::Trap;
use crate::measures::trap_positions::Member;
use crate::search::verdict::Verdict;

/// The traps, numbered as given, and the positions that they stand in.
pub(super) struct TrapList {
    traps: Vec<[Trap; 2]>,
    by_position: FxHashMap<u128, Vec<Member>>,
}

impl TrapList {
    pub(super) fn new(traps: Vec<Trap>) -> TrapList {
        let traps: Vec<[Trap; 2]> = traps
            .into_iter()
            .map(|trap| {
                let mirrored = trap.mirrored();
                [trap, mirrored]
            })
            .collect();
        let mut by_position: FxHashMap<u128, Vec<Member>> = FxHashMap::default();
        for (trap, both) in (0u32..).zip(&traps) {
            for (mirrored, form) in [(false, &both[0]), (true, &both[1])] {
                by_position.entry(live_key(&form.position.chess)).or_default().push(Member { trap, mirrored });
            }
        }
        TrapList { traps, by_position }
    }

    pub(super) fn len(&self) -> usize {
        self.traps.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.traps.is_empty()
    }

    pub(super) fn get(&self, member: Member) -> &Trap {
        &self.traps[member.trap as usize][usize::from(member.mirrored)]
    }

    /// The positions of every trap, in both forms.
    pub(super) fn positions(&self) -> Vec<(GamePosition, GamePosition)> {
        self.traps.iter().map(|both| (both[0].position.clone(), both[1].position.clone())).collect()
    }

    /// The traps with this very position, by its [`live_key`].
    pub(super) fn at(&self, key: u128) -> &[Member] {
        self.by_position.get(&key).map_or(&[][..], Vec::as_slice)
    }

    /// The baits of these traps that are known to lose nothing.
    pub(super) fn refuted_baits(&self, known: &[Member]) -> Vec<Move> {
        known.iter().map(|&m| self.get(m)).filter(|t| t.verdict == Verdict::Refuted).map(|t| t.bait).collect()
    }
}
