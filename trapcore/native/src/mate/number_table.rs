//! Proof and disproof numbers of the proof-number search, and the table that holds them.

/// A number that nothing reduces. Numbers take 24 bits.
pub(super) const INFINITE: u32 = (1 << 24) - 1;
/// Table slots in which a node may lie.
pub(super) const CLUSTER: usize = 4;

/// What is missing to prove and to refute a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) proof: u32,
    pub(super) disproof: u32,
}

impl Numbers {
    pub(super) fn solved(proved: bool) -> Numbers {
        if proved { Numbers { proof: 0, disproof: INFINITE } } else { Numbers { proof: INFINITE, disproof: 0 } }
    }

    /// `low`: the number that the side to move wants low; `high`: the other.
    pub(super) fn of_side(attacking: bool, low: u32, high: u32) -> Numbers {
        if attacking { Numbers { proof: low, disproof: high } } else { Numbers { proof: high, disproof: low } }
    }

    pub(super) fn low(self, attacking: bool) -> u32 {
        if attacking { self.proof } else { self.disproof }
    }

    pub(super) fn high(self, attacking: bool) -> u32 {
        self.low(!attacking)
    }

    pub(super) fn is_solved(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    pub(super) fn within(self, thresholds: Numbers) -> bool {
        self.proof < thresholds.proof && self.disproof < thresholds.disproof
    }
}

#[derive(Clone, Copy, Default)]
pub(super) struct Slot {
    key: u64,
    generation: u16,
    numbers: [u8; 6],
}

impl Slot {
    pub(super) fn numbers(&self) -> Numbers {
        let [a, b, c, d, e, f] = self.numbers;
        Numbers { proof: u32::from_le_bytes([a, b, c, 0]), disproof: u32::from_le_bytes([d, e, f, 0]) }
    }

    /// What it took to find the numbers, roughly; the cheapest is overwritten.
    pub(super) fn search_cost(&self) -> u32 {
        let Numbers { proof, disproof } = self.numbers();
        if self.numbers().is_solved() { 1000 } else { proof + disproof }
    }
}

/// The table of numbers; empty until it is needed.
#[derive(Default)]
pub(super) struct NumberTable {
    pub(super) slots: Vec<Slot>,
}

impl NumberTable {
    pub(super) fn clear(&mut self) {
        self.slots.fill(Slot::default());
    }

    pub(super) fn cluster(&self, node: u64) -> usize {
        (node >> 8) as usize & (self.slots.len() - CLUSTER)
    }

    pub(super) fn get(&self, node: u64, generation: u16) -> Option<Numbers> {
        let at = self.cluster(node);
        let mut cluster = self.slots[at..at + CLUSTER].iter();
        cluster.find(|slot| slot.key == node && slot.generation == generation).map(Slot::numbers)
    }

    pub(super) fn set(&mut self, node: u64, generation: u16, numbers: Numbers) {
        let at = self.cluster(node);
        let cluster = &mut self.slots[at..at + CLUSTER];
        // What earlier searches left counts as empty, or results would depend on it.
        let same = cluster.iter().position(|slot| slot.key == node && slot.generation == generation);
        let place = same.unwrap_or_else(|| {
            let cost = |slot: &Slot| if slot.generation == generation { slot.search_cost() } else { 0 };
            (0..CLUSTER).min_by_key(|&i| cost(&cluster[i])).unwrap_or(0)
        });
        let ([a, b, c, _], [d, e, f, _]) = (numbers.proof.to_le_bytes(), numbers.disproof.to_le_bytes());
        cluster[place] = Slot { key: node, generation, numbers: [a, b, c, d, e, f] };
    }
}
