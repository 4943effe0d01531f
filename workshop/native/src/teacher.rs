//! The network of Stockfish 15.1, whose values ours learns: read from the engine's file, and inferred for families.
//!
//! [Its documentation](https://github.com/official-stockfish/nnue-pytorch/blob/master/docs/nnue.md) describes the file and
//! the arithmetic: 22,528 inputs a side (piece and square by the place of the own king, mirrored to files e to h), 1024
//! hidden values a side, multiplied in pairs, and three small layers for each of eight numbers of pieces.

use shakmaty::{Board, Color, Role};

use crate::families::{Change, Differ, Family};

/// Version of the file, and the hash of this network's shape.
const HEADER: [u32; 2] = [0x7af3_2f20, 0x1c10_2ef2];
const INPUTS: usize = 22_528;
const HIDDEN: usize = 1024;
const STACKS: usize = 8;
/// Outputs of the first and the second small layer. Of the 32 inputs of the second layer 30 are used.
const FIRST: usize = 16;
const SECOND: usize = 32;
/// Bits of a weight of the small layers behind the binary point.
const WEIGHT_BITS: i32 = 6;
/// The engine's values for a pawn's worth of 100 centipawns.
const PAWN: i32 = 361;

/// The small layers for a number of pieces.
struct Stack {
    first_bias: Vec<i32>,
    first: Vec<i8>,
    second_bias: Vec<i32>,
    second: Vec<i8>,
    last_bias: i32,
    last: Vec<i8>,
}

pub(crate) struct Teacher {
    bias: Vec<i16>,
    /// A row of [`HIDDEN`] for each input.
    weights: Vec<i16>,
    /// [`STACKS`] for each input.
    material: Vec<i32>,
    stacks: Vec<Stack>,
}

/// Memory of a thread that asks the teacher.
pub(crate) struct Memory {
    differ: [Differ; 2],
    change: Change,
    root: [Sums; 2],
    member: [Sums; 2],
}

#[derive(Clone)]
struct Sums {
    hidden: [i16; HIDDEN],
    material: [i32; STACKS],
}

impl Memory {
    pub(crate) fn new() -> Memory {
        let sums = || Sums { hidden: [0; HIDDEN], material: [0; STACKS] };
        Memory {
            differ: [Differ::new(INPUTS), Differ::new(INPUTS)],
            change: Change::default(),
            root: [sums(), sums()],
            member: [sums(), sums()],
        }
    }
}

/// Reads little-endian numbers.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn numbers<const N: usize, T>(&mut self, count: usize, read: impl Fn([u8; N]) -> T) -> Option<Vec<T>> {
        let (taken, rest) = self.0.split_at_checked(N * count)?;
        self.0 = rest;
        Some(taken.as_chunks::<N>().0.iter().map(|&bytes| read(bytes)).collect())
    }

    fn stack(&mut self) -> Option<Stack> {
        self.numbers(1, u32::from_le_bytes)?;
        Some(Stack {
            first_bias: self.numbers(FIRST, i32::from_le_bytes)?,
            first: self.numbers(FIRST * HIDDEN, i8::from_le_bytes)?,
            second_bias: self.numbers(SECOND, i32::from_le_bytes)?,
            second: self.numbers(SECOND * 32, i8::from_le_bytes)?,
            last_bias: self.numbers(1, i32::from_le_bytes)?[0],
            last: self.numbers(SECOND, i8::from_le_bytes)?,
        })
    }
}

impl Teacher {
    /// The network in a file; `None` for another file.
    pub(crate) fn read(bytes: &[u8]) -> Option<Teacher> {
        let mut bytes = Bytes(bytes);
        let header = bytes.numbers(3, u32::from_le_bytes)?;
        if header[..2] != HEADER {
            return None;
        }
        bytes.numbers(header[2] as usize, u8::from_le_bytes)?;
        bytes.numbers(1, u32::from_le_bytes)?;
        let bias = bytes.numbers(HIDDEN, i16::from_le_bytes)?;
        let weights = bytes.numbers(INPUTS * HIDDEN, i16::from_le_bytes)?;
        let material = bytes.numbers(INPUTS * STACKS, i32::from_le_bytes)?;
        let stacks = (0..STACKS).map(|_| bytes.stack()).collect::<Option<_>>()?;
        bytes.0.is_empty().then_some(Teacher { bias, weights, material, stacks })
    }

    /// The value of each member, in centipawns for its side to move.
    pub(crate) fn values(&self, family: &Family, memory: &mut Memory) -> Vec<i16> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has these instructions.
            return unsafe { self.values_avx2(family, memory) };
        }
        self.values_plain(family, memory)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn values_avx2(&self, family: &Family, memory: &mut Memory) -> Vec<i16> {
        self.values_plain(family, memory)
    }

    #[inline(always)]
    fn values_plain(&self, family: &Family, memory: &mut Memory) -> Vec<i16> {
        for (side, color) in Color::ALL.into_iter().enumerate() {
            let root = memory.differ[side].set_root(inputs(&family.root, color));
            let sums = &mut memory.root[side];
            sums.hidden.copy_from_slice(&self.bias);
            sums.material = [0; STACKS];
            root.iter().for_each(|&input| self.add(sums, input));
        }
        let mut values = Vec::with_capacity(family.members.len());
        for member in &family.members {
            for (side, color) in Color::ALL.into_iter().enumerate() {
                memory.differ[side].change(inputs(&member.board, color), &mut memory.change);
                let sums = &mut memory.member[side];
                if memory.change.anew {
                    sums.hidden.copy_from_slice(&self.bias);
                    sums.material = [0; STACKS];
                } else {
                    sums.clone_from(&memory.root[side]);
                }
                memory.change.added.iter().for_each(|&input| self.add(sums, input));
                memory.change.removed.iter().for_each(|&input| self.remove(sums, input));
            }
            let [white, black] = &memory.member;
            let (own, other) = member.turn.fold_wb((white, black), (black, white));
            values.push(self.output(own, other, &member.board));
        }
        values
    }

    #[inline(always)]
    fn add(&self, sums: &mut Sums, input: u32) {
        let row = &self.weights[input as usize * HIDDEN..][..HIDDEN];
        sums.hidden.iter_mut().zip(row).for_each(|(sum, weight)| *sum = sum.wrapping_add(*weight));
        let row = &self.material[input as usize * STACKS..][..STACKS];
        sums.material.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight);
    }

    #[inline(always)]
    fn remove(&self, sums: &mut Sums, input: u32) {
        let row = &self.weights[input as usize * HIDDEN..][..HIDDEN];
        sums.hidden.iter_mut().zip(row).for_each(|(sum, weight)| *sum = sum.wrapping_sub(*weight));
        let row = &self.material[input as usize * STACKS..][..STACKS];
        sums.material.iter_mut().zip(row).for_each(|(sum, weight)| *sum -= weight);
    }

    /// As the engine's evaluation makes it, without its share of optimism and with no move of the fifty counted.
    #[inline(always)]
    fn output(&self, own: &Sums, other: &Sums, board: &Board) -> i16 {
        let number = (board.occupied().count() - 1) / 4;
        let stack = &self.stacks[number];
        let mut pairs = [0_i16; HIDDEN];
        for (pairs, sums) in pairs.as_chunks_mut::<{ HIDDEN / 2 }>().0.iter_mut().zip([own, other]) {
            let (left, right) = sums.hidden.split_at(HIDDEN / 2);
            for ((pair, &left), &right) in pairs.iter_mut().zip(left).zip(right) {
                *pair = (left.clamp(0, 127) * right.clamp(0, 127)) >> 7;
            }
        }
        let mut first = [0; FIRST];
        for (index, row) in stack.first.as_chunks::<HIDDEN>().0.iter().enumerate() {
            let products = pairs.iter().zip(row).map(|(&pair, &weight)| i32::from(pair) * i32::from(i16::from(weight)));
            first[index] = stack.first_bias[index] + products.sum::<i32>();
        }
        let mut hidden = [0; 32];
        for index in 0..FIRST - 1 {
            let value = i64::from(first[index]);
            hidden[index] = ((value * value) >> (2 * WEIGHT_BITS + 7)).min(127) as i32;
            hidden[FIRST - 1 + index] = (first[index] >> WEIGHT_BITS).clamp(0, 127);
        }
        let mut position = stack.last_bias + first[FIRST - 1] * 9600 / (127 << WEIGHT_BITS);
        for (index, row) in stack.second.as_chunks::<32>().0.iter().enumerate() {
            let products = hidden.iter().zip(row).map(|(&value, &weight)| value * i32::from(weight));
            let value = (stack.second_bias[index] + products.sum::<i32>()) >> WEIGHT_BITS;
            position += value.clamp(0, 127) * i32::from(stack.last[index]);
        }
        let material = (own.material[number] - other.material[number]) / 2;
        let pieces = [(Role::Knight, 781), (Role::Bishop, 825), (Role::Rook, 1276), (Role::Queen, 2538)];
        let pieces: i32 = pieces.map(|(role, value)| board.by_role(role).count() as i32 * value).iter().sum();
        let value = (material + position) / 16;
        let value = value * (1076 + 96 * pieces / 5120) / 1024 * 200 / 214;
        (value * 100 / PAWN).clamp(-i32::from(i16::MAX), i32::from(i16::MAX)) as i16
    }
}

/// The inputs that a board sets for one side.
fn inputs(board: &Board, perspective: Color) -> impl Iterator<Item = usize> + '_ {
    let edge = perspective.fold_wb(0, 56);
    let king = board.king_of(perspective).map_or(0, usize::from) ^ edge;
    let flip = edge ^ if king % 8 < 4 { 7 } else { 0 };
    let place = (7 - king / 8) * 4 + (king % 8).min(7 - king % 8);
    board.clone().into_iter().map(move |(square, piece)| {
        let kind = match piece.role {
            Role::King => 640,
            role => (role as usize - 1) * 128 + if piece.color == perspective { 0 } else { 64 },
        };
        (usize::from(square) ^ flip) + kind + 704 * place
    })
}
