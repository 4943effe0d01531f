//! The nearest sets, exactly.
//!
//! A set that shares weight S with a question of weight Q is at most S/Q similar, and exactly S/(Q + its own - S). So
//! posting lists are read in order of what they cost for their weight, and once the weight of the lists that are left
//! cannot lift an unseen set to the least similarity that still counts, the sets seen so far are all that matter. Of
//! these, those whose own weight rules them out are dropped, and the rest are compared in full. The least similarity
//! that counts is the threshold, or that of the worst of the k best sets known so far: the most promising sets are
//! compared early to raise it.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::filter::Filter;
use super::model::{Weights, similarity};
use super::segment::Segment;

/// A stored set that resembles the question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    pub payload: u64,
    pub similarity: f64,
}

impl Eq for Hit {}

impl Ord for Hit {
    /// The better is the greater: more similar, or equally similar with the lower payload.
    fn cmp(&self, other: &Hit) -> Ordering {
        self.similarity.total_cmp(&other.similarity).then(other.payload.cmp(&self.payload))
    }
}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Hit) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Bounds are compared with this much to spare, far above the rounding of a division and far below any difference that
/// matters.
const SPARE: f64 = 1e-12;
/// Set in the sum of a set that has been compared in full.
const COMPARED: u16 = 1 << 15;
/// Postings that are read in the time of comparing one set in full.
const COMPARISON: usize = 30;
/// Postings before sets are compared early for the first time, and the factor from one time to the next.
const FIRST_TRIAL: usize = 1024;
const TRIAL_GROWTH: usize = 4;
/// Bags are numbered by weight, so that neighbours have nearly the same bound; it is worked out for so many at once.
const BLOCK: usize = 2048;
/// As long as no more than this part of the sets has been seen, they are listed; from then on all sums are gone
/// through.
const LISTED: usize = 32;

/// The hits so far.
pub(super) struct Best<'a> {
    /// How many are wanted at most.
    limit: usize,
    least: f64,
    /// Payloads that count; None: all.
    only: Option<&'a Filter>,
    /// The worst on top.
    hits: BinaryHeap<Reverse<Hit>>,
}

impl<'a> Best<'a> {
    /// The `limit` best hits of at least similarity `least`; one of them is more than 0 or not the maximum.
    pub(super) fn new(limit: usize, least: f64, only: Option<&'a Filter>) -> Best<'a> {
        Best { limit, least, only, hits: BinaryHeap::new() }
    }

    /// Least similarity that a further hit must have.
    fn floor(&self) -> f64 {
        match self.hits.peek() {
            Some(Reverse(worst)) if self.hits.len() == self.limit => worst.similarity.max(self.least),
            _ => self.least,
        }
    }

    /// Whether a set of this weight cannot count, if it shares no more than that with a question of that weight.
    fn is_ruled_out(&self, shared: u64, own: u64, question: u64) -> bool {
        let shared = shared.min(own).min(question);
        (shared as f64) < self.floor() * ((own + question - shared) as f64) * (1.0 - SPARE)
    }

    fn offer(&mut self, segment: &Segment, set: usize, similarity: f64) {
        if similarity <= 0.0 || similarity < self.floor() {
            return;
        }
        for payload in segment.payloads_of(set).filter(|&payload| self.only.is_none_or(|only| only.has(payload))) {
            let hit = Hit { payload, similarity };
            if self.hits.len() < self.limit {
                self.hits.push(Reverse(hit));
            } else if self.hits.peek().is_some_and(|Reverse(worst)| hit > *worst) {
                self.hits.pop();
                self.hits.push(Reverse(hit));
            } else {
                break; // the payloads of a set ascend
            }
        }
    }

    /// The best first.
    pub(super) fn into_hits(self) -> Vec<Hit> {
        let mut hits: Vec<Hit> = self.hits.into_iter().map(|Reverse(hit)| hit).collect();
        hits.sort_unstable_by_key(|&hit| Reverse(hit));
        hits
    }
}

/// Tokens, ascending, with their weights, and the sum of these.
pub(super) struct Question {
    tokens: Vec<(u32, u32)>,
    weight: u64,
}

impl Question {
    pub(super) fn new(tokens: &[u32], weights: &Weights) -> Question {
        let tokens: Vec<_> = tokens.iter().map(|&token| (token, weights.of(token))).collect();
        let weight = tokens.iter().map(|(_, weight)| u64::from(*weight)).sum();
        Question { tokens, weight }
    }
}

/// Work space of one thread; everything in it is zero or empty between questions.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Of each set, the weight known to be shared in steps, rounded up for each token; and [`COMPARED`].
    sums: Vec<u16>,
    /// Bags whose sum is not zero, unless they are too many.
    seen: Vec<u32>,
    /// Of each block, the least sum with which a set can count.
    least: Vec<u16>,
    near: Vec<Candidate>,
    /// The question's weights by rank.
    weights: Vec<u32>,
    lists: Vec<List>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    sum: u16,
    set: u32,
}

struct List {
    rank: u32,
    count: u32,
    weight: u32,
    steps: u16,
}

/// Puts what these sets of one segment have into `best`: of few payloads that count, each is compared.
pub(super) fn compare_each(
    segment: &Segment,
    sets: &[u32],
    question: &Question,
    best: &mut Best,
    scratch: &mut Scratch,
) {
    let weights = &mut scratch.weights;
    weights.resize(weights.len().max(segment.vocabulary()), 0);
    let ranked = |&(token, weight): &(u32, u32)| Some((segment.rank(token)? as usize, weight));
    let ranks: Vec<(usize, u32)> = question.tokens.iter().filter_map(ranked).collect();
    ranks.iter().for_each(|&(rank, weight)| weights[rank] = weight);
    for &set in sets {
        let own = segment.weight(set as usize);
        if !best.is_ruled_out(own, own, question.weight) {
            let shared = segment.shared(set as usize, weights);
            best.offer(segment, set as usize, similarity(shared, own, question.weight));
        }
    }
    ranks.iter().for_each(|&(rank, _)| weights[rank] = 0);
}

/// Puts what one segment has into `best`.
pub(super) fn search(segment: &Segment, question: &Question, best: &mut Best, scratch: &mut Scratch) {
    let sets = segment.sets();
    if question.weight == 0 {
        for set in (0..sets).take_while(|&set| segment.weight(set) == 0) {
            best.offer(segment, set, similarity(0, 0, 0));
        }
        return;
    }
    let Scratch { sums, weights, lists, .. } = scratch;
    sums.resize(sums.len().max(sets), 0);
    weights.resize(weights.len().max(segment.vocabulary()), 0);
    for &(token, weight) in &question.tokens {
        if weight > 0
            && let Some(rank) = segment.rank(token)
        {
            lists.push(List { rank, count: segment.count(rank), weight, steps: 0 });
            weights[rank as usize] = weight;
        }
    }
    // Cheap for their weight first: the rare tokens.
    let cost = |list: &List| f64::from(list.count) / f64::from(list.weight);
    lists.sort_unstable_by(|a, b| cost(a).total_cmp(&cost(b)));
    let known: u64 = lists.iter().map(|list| u64::from(list.weight)).sum();
    let step = known.div_ceil(u64::from(COMPARED) - 1 - lists.len() as u64).max(1);
    lists.iter_mut().for_each(|list| list.steps = u64::from(list.weight).div_ceil(step) as u16);

    let mut search = Search { segment, question: question.weight, best, scratch, rest: known, step, is_listed: true };
    search.run();
    let is_listed = search.is_listed;

    let Scratch { sums, seen, near, weights, lists, .. } = scratch;
    if is_listed {
        seen.iter().for_each(|&set| sums[set as usize] = 0);
    } else {
        sums[..sets].fill(0);
    }
    seen.clear();
    near.clear();
    lists.drain(..).for_each(|list| weights[list.rank as usize] = 0);
}

struct Search<'a, 'b> {
    segment: &'a Segment,
    /// Its weight.
    question: u64,
    best: &'a mut Best<'b>,
    scratch: &'a mut Scratch,
    /// Weight of the lists that have not been read.
    rest: u64,
    /// Units to a step.
    step: u64,
    /// Whether `seen` has all sets whose sum is not zero.
    is_listed: bool,
}

impl Search<'_, '_> {
    fn run(&mut self) {
        let (mut read, mut postings, mut next_trial) = (0, 0, FIRST_TRIAL);
        while read < self.scratch.lists.len() {
            let count = self.scratch.lists[read].count as usize;
            if postings + count > next_trial {
                self.try_best();
                next_trial = (postings + count) * TRIAL_GROWTH;
            }
            // What shares only the rest weighs at least that, so this is the most similar that it can be.
            if self.best.is_ruled_out(self.rest, self.rest, self.question) {
                break;
            }
            self.read_list(read);
            postings += count;
            read += 1;
        }
        self.try_best();
        // No set that has not been seen counts any more. Reading on sorts out those that have, while that is cheaper
        // than comparing them.
        loop {
            self.choose_near();
            let Some(list) = self.scratch.lists.get(read) else { break };
            if self.scratch.near.len() * COMPARISON <= list.count as usize {
                break;
            }
            self.read_list_of_seen(read);
            read += 1;
        }
        let mut near = std::mem::take(&mut self.scratch.near);
        near.sort_unstable_by_key(|&candidate| Reverse(candidate));
        for &Candidate { sum, set } in &near {
            let most = u64::from(sum) * self.step + self.rest;
            if !self.best.is_ruled_out(most, self.segment.weight(set as usize), self.question) {
                self.compare(set);
            }
        }
        self.scratch.near = near;
    }

    fn read_list(&mut self, number: usize) {
        let Scratch { sums, seen, lists, .. } = &mut *self.scratch;
        let List { rank, count, weight, steps } = lists[number];
        let sums = &mut sums[..self.segment.sets()];
        self.is_listed &= seen.len() + count as usize <= self.segment.sets() / LISTED;
        if self.is_listed {
            self.segment.each_set_with(rank, |set| {
                if let Some(sum) = sums.get_mut(set as usize) {
                    if *sum == 0 {
                        seen.push(set);
                    }
                    *sum = sum.wrapping_add(steps);
                }
            });
        } else {
            self.segment.each_set_with(rank, |set| {
                if let Some(sum) = sums.get_mut(set as usize) {
                    *sum = sum.wrapping_add(steps);
                }
            });
        }
        self.rest -= u64::from(weight);
    }

    fn read_list_of_seen(&mut self, number: usize) {
        if !self.is_listed {
            return self.read_list(number);
        }
        let Scratch { sums, lists, .. } = &mut *self.scratch;
        let List { rank, weight, steps, .. } = lists[number];
        let sums = &mut sums[..self.segment.sets()];
        self.segment.each_set_with(rank, |set| {
            if let Some(sum) = sums.get_mut(set as usize) {
                *sum = if *sum == 0 { 0 } else { sum.wrapping_add(steps) };
            }
        });
        self.rest -= u64::from(weight);
    }

    /// Works out the least sum for each block.
    fn bound_blocks(&mut self) {
        let (segment, floor, question) = (self.segment, self.best.floor(), self.question as f64);
        let least = &mut self.scratch.least;
        least.clear();
        for start in (0..segment.sets()).step_by(BLOCK) {
            let end = (start + BLOCK).min(segment.sets());
            let (lightest, heaviest) = (segment.weight(start) as f64, segment.weight(end - 1) as f64);
            // From S / (Q + W - S) >= f; and S is no more than W.
            let shared = floor / (1.0 + floor) * (question + lightest) * (1.0 - SPARE);
            let sum = ((shared - self.rest as f64) / self.step as f64).ceil();
            let is_too_light = heaviest < floor * question * (1.0 - SPARE);
            least.push(if is_too_light { COMPARED } else { sum.clamp(1.0, f64::from(COMPARED)) as u16 });
        }
    }

    /// Each set that may count and has not been compared.
    fn each_candidate(&self, mut work: impl FnMut(Candidate)) {
        let Scratch { sums, seen, least, .. } = &*self.scratch;
        if self.is_listed {
            for &set in seen {
                let sum = sums[set as usize];
                if (least[set as usize / BLOCK]..COMPARED).contains(&sum) {
                    work(Candidate { sum, set });
                }
            }
            return;
        }
        const LANES: usize = 32;
        for (block, (sums, &least)) in sums[..self.segment.sets()].chunks(BLOCK).zip(least).enumerate() {
            if least == COMPARED {
                continue;
            }
            for (part, sums) in sums.chunks(LANES).enumerate() {
                // Nearly always none is enough, and that is seen of all at once.
                if !sums.iter().fold(false, |any, &sum| any | (sum >= least)) {
                    continue;
                }
                for (lane, &sum) in sums.iter().enumerate() {
                    if (least..COMPARED).contains(&sum) {
                        work(Candidate { sum, set: (block * BLOCK + part * LANES + lane) as u32 });
                    }
                }
            }
        }
    }

    fn choose_near(&mut self) {
        let mut near = std::mem::take(&mut self.scratch.near);
        near.clear();
        self.bound_blocks();
        self.each_candidate(|candidate| near.push(candidate));
        self.scratch.near = near;
    }

    /// Compares the most promising sets, to raise the least similarity that counts.
    fn try_best(&mut self) {
        let Some(wanted) = self.best.limit.checked_mul(2) else { return };
        let wanted = wanted.max(32);
        let mut near = std::mem::take(&mut self.scratch.near);
        near.clear();
        self.bound_blocks();
        let mut cut = 0;
        self.each_candidate(|candidate| {
            if candidate.sum >= cut {
                near.push(candidate);
                if near.len() >= 8 * wanted {
                    keep_best(&mut near, wanted);
                    cut = near[wanted - 1].sum;
                }
            }
        });
        keep_best(&mut near, wanted);
        near.drain(..).for_each(|candidate| self.compare(candidate.set));
        self.scratch.near = near;
    }

    fn compare(&mut self, set: u32) {
        let shared = self.segment.shared(set as usize, &self.scratch.weights);
        let found = similarity(shared, self.segment.weight(set as usize), self.question);
        self.best.offer(self.segment, set as usize, found);
        self.scratch.sums[set as usize] |= COMPARED;
    }
}

/// Leaves the candidates with the greatest sums, so many if there are as many, the least of them last.
fn keep_best(near: &mut Vec<Candidate>, wanted: usize) {
    if near.len() > wanted {
        near.select_nth_unstable_by_key(wanted - 1, |&candidate| Reverse(candidate));
        near.truncate(wanted);
    }
}
