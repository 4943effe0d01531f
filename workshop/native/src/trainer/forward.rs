//! A family of positions on its way through the network, and back for the gradient.

use native::workshop::{HIDDEN, INPUTS, SCALE, WIN_CHANCE_SCALE, bucket, features};
use shakmaty::Color;

use super::head::HeadPass;
use super::parameters::{Hidden, Parameters, WIDTH};
use crate::families::{Change, Differ, Family, Member};

/// The win chance is the logistic function of the output times this.
const STEEPNESS: f32 = SCALE as f32 * WIN_CHANCE_SCALE as f32;

/// A family on its way through the network. Sides are White and Black, in this order.
pub(super) struct Forward {
    differ: [Differ; 2],
    change: [Change; 2],
    root: [Hidden; 2],
    hidden: [Hidden; 2],
    head: HeadPass,
    /// Sum of the slopes of the members that were made from the root.
    root_slopes: [Hidden; 2],
}

impl Forward {
    pub(super) fn new() -> Forward {
        Forward {
            differ: [Differ::new(INPUTS), Differ::new(INPUTS)],
            change: Default::default(),
            root: [[0.0; HIDDEN]; 2],
            hidden: [[0.0; HIDDEN]; 2],
            head: HeadPass::new(),
            root_slopes: [[0.0; HIDDEN]; 2],
        }
    }

    /// Sum of the losses against `values` (centipawns); adds their gradient to `sums`. With the vector instructions that
    /// the machine has.
    pub(super) fn family(
        &mut self,
        parameters: &Parameters,
        family: &Family,
        values: &[i16],
        sums: Option<&mut Parameters>,
    ) -> f64 {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the machine has these instructions.
            return unsafe { self.family_avx2(parameters, family, values, sums) };
        }
        self.family_plain(parameters, family, values, sums)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn family_avx2(
        &mut self,
        parameters: &Parameters,
        family: &Family,
        values: &[i16],
        sums: Option<&mut Parameters>,
    ) -> f64 {
        self.family_plain(parameters, family, values, sums)
    }

    #[inline(always)]
    fn family_plain(
        &mut self,
        parameters: &Parameters,
        family: &Family,
        values: &[i16],
        mut sums: Option<&mut Parameters>,
    ) -> f64 {
        for (side, color) in Color::ALL.into_iter().enumerate() {
            let root = self.differ[side].set_root(features(&family.root, color));
            self.root[side] = *parameters.row(INPUTS);
            root.iter().for_each(|&input| add(&mut self.root[side], parameters.row(input as usize)));
            self.root_slopes[side] = [0.0; HIDDEN];
        }
        let mut loss = 0.0;
        for (member, &value) in family.members.iter().zip(values) {
            let bucket = bucket(member.board.occupied().count());
            self.member(parameters, member);
            let output = self.head.forward(parameters.head(bucket));
            let chance = 1.0 / (1.0 + (-STEEPNESS * output).exp());
            let error = chance - 1.0 / (1.0 + (-WIN_CHANCE_SCALE as f32 * f32::from(value)).exp());
            loss += f64::from(error * error);
            if let Some(sums) = sums.as_deref_mut() {
                let slope = 2.0 * error * chance * (1.0 - chance) * STEEPNESS;
                let slopes = self.head.back(parameters.head(bucket), sums.head_mut(bucket), slope);
                self.back(sums, usize::from(member.turn.is_black()), &slopes);
            }
        }
        if let Some(sums) = sums {
            for side in 0..2 {
                add(sums.row_mut(INPUTS), &self.root_slopes[side]);
                for &input in self.differ[side].root() {
                    add(sums.row_mut(input as usize), &self.root_slopes[side]);
                }
            }
        }
        loss
    }

    /// The hidden sums of a member of the family, and its hidden values for the head.
    #[inline(always)]
    fn member(&mut self, parameters: &Parameters, member: &Member) {
        for (side, color) in Color::ALL.into_iter().enumerate() {
            let change = &mut self.change[side];
            self.differ[side].change(features(&member.board, color), change);
            let hidden = &mut self.hidden[side];
            *hidden = if change.anew { *parameters.row(INPUTS) } else { self.root[side] };
            change.added.iter().for_each(|&input| add(hidden, parameters.row(input as usize)));
            change.removed.iter().for_each(|&input| subtract(hidden, parameters.row(input as usize)));
        }
        let own = usize::from(member.turn.is_black());
        for (values, side) in self.head.values.as_chunks_mut::<HIDDEN>().0.iter_mut().zip([own, 1 - own]) {
            for (value, sum) in values.iter_mut().zip(&self.hidden[side]) {
                let clipped = sum.clamp(0.0, 1.0);
                *value = clipped * clipped;
            }
        }
    }

    /// Adds the gradient by the parameters of the hidden sums, given the derivatives of the loss by the hidden values of
    /// the last member, whose side to move is `own`; what it shares with the root goes to `root_slopes`.
    #[inline(always)]
    fn back(&mut self, sums: &mut Parameters, own: usize, slopes: &[f32; WIDTH]) {
        for (by_value, side) in slopes.as_chunks::<HIDDEN>().0.iter().zip([own, 1 - own]) {
            let hidden = &self.hidden[side];
            let mut slopes = [0.0; HIDDEN];
            for unit in 0..HIDDEN {
                let inside = if hidden[unit] > 0.0 && hidden[unit] < 1.0 { 2.0 * hidden[unit] } else { 0.0 };
                slopes[unit] = by_value[unit] * inside;
            }
            let change = &self.change[side];
            let shared = if change.anew { sums.row_mut(INPUTS) } else { &mut self.root_slopes[side] };
            add(shared, &slopes);
            change.added.iter().for_each(|&input| add(sums.row_mut(input as usize), &slopes));
            change.removed.iter().for_each(|&input| subtract(sums.row_mut(input as usize), &slopes));
        }
    }
}

#[inline(always)]
fn add(to: &mut Hidden, from: &Hidden) {
    to.iter_mut().zip(from).for_each(|(sum, value)| *sum += value);
}

#[inline(always)]
fn subtract(to: &mut Hidden, from: &Hidden) {
    to.iter_mut().zip(from).for_each(|(sum, value)| *sum -= value);
}
