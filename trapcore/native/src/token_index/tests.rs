//! The index against the definition, on sets with few frequent and many rare tokens; and the answers to broken files.

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::store::Sizes;
use super::*;
use crate::random::Random;

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("trapline-bags-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Up to `size` tokens of a few dozen to a few hundred kinds, the low ones in most sets.
fn random_set(random: &mut Random, size: usize, kinds: usize) -> Vec<u32> {
    let mut set: Vec<u32> = (0..random.below(size + 1))
        .map(|_| {
            let range = 1 + random.below(kinds);
            (random.below(range) * random.below(range) / range * 7919) as u32
        })
        .collect();
    distinct(&mut set).unwrap();
    set
}

type Bags = Vec<(u64, Vec<u32>)>;

/// Groups of nearly equal sets, with a few that are equal.
fn sets(random: &mut Random, n: usize, kinds: usize) -> Bags {
    let groups: Vec<_> = (0..1 + n / 5).map(|_| random_set(random, 24, kinds)).collect();
    (0..n)
        .map(|i| {
            let mut set = groups[random.below(groups.len())].clone();
            for _ in 0..random.below(4) {
                if let Some(at) = set.len().checked_sub(1) {
                    set.remove(random.below(at + 1));
                }
                set.extend(random_set(random, 2, kinds));
            }
            distinct(&mut set).unwrap();
            ((i * 37 % 1009 + i / 1009 * 1009) as u64, set)
        })
        .collect()
}

fn weights(kinds: usize) -> Weights {
    let weight = |i: usize| if i == 5 { 0.0 } else { (1.0 + i as f64 / 3.0).ln() + 0.01 };
    Weights::new((0..kinds).step_by(2).map(|i| ((i * 7919) as u32, weight(i))), 2.5).unwrap()
}

/// The definition, for all sets.
fn naive(sets: &Bags, weights: &Weights, question: &[u32]) -> Vec<Hit> {
    let weight = |set: &mut dyn Iterator<Item = &u32>| -> u64 { set.map(|&t| u64::from(weights.of(t))).sum() };
    let mut hits: Vec<Hit> = sets
        .iter()
        .map(|(payload, set)| {
            let both = weight(&mut set.iter().filter(|t| question.contains(t)));
            let all = weight(&mut set.iter()) + weight(&mut question.iter().filter(|t| !set.contains(t)));
            Hit { payload: *payload, similarity: if all == 0 { 1.0 } else { both as f64 / all as f64 } }
        })
        .filter(|hit| hit.similarity > 0.0)
        .collect();
    hits.sort_by_key(|&hit| Reverse(hit));
    hits
}

fn assert_answers(index: &Index, sets: &Bags, questions: &[Vec<u32>]) {
    assert_eq!(index.len(), sets.len());
    let mut scratch = Scratch::default();
    for question in questions {
        let all = naive(sets, index.weights(), question);
        for k in [1, 3, 10, sets.len() + 1] {
            let found = index.nearest(question, k, 0.0, &mut scratch);
            assert_eq!(found, all[..k.min(all.len())], "top {k} for {question:?}");
        }
        for threshold in [0.05, 0.3, 0.5, 2.0 / 3.0, 0.9, 1.0] {
            let found = index.nearest(question, usize::MAX, threshold, &mut scratch);
            let expected: Vec<Hit> = all.iter().copied().filter(|hit| hit.similarity >= threshold).collect();
            assert_eq!(found, expected, "{threshold} for {question:?}");
        }
        // Few enough to be compared each, and more.
        for every in [1, 3, 200] {
            let only = Filter::new(sets.iter().map(|(payload, _)| *payload).filter(|payload| payload % every == 1));
            for k in [1, 10] {
                let found = index.nearest_of_each(std::slice::from_ref(question), (k, 0.0), Some(&only), 1, || false);
                let counts = all.iter().copied().filter(|hit| only.has(hit.payload));
                assert_eq!(found.unwrap(), [counts.take(k).collect::<Vec<_>>()], "{k} of every {every}th");
            }
        }
    }
}

fn questions(random: &mut Random, sets: &Bags, kinds: usize) -> Vec<Vec<u32>> {
    let mut questions: Vec<_> = (0..8).map(|_| random_set(random, 30, 2 * kinds)).collect();
    questions.extend(sets.iter().step_by(1 + sets.len() / 8).map(|(_, set)| set.clone()));
    questions.extend([vec![], vec![5 * 7919], vec![u32::MAX]]);
    questions
}

#[test]
fn answers_are_those_of_comparing_all_whatever_the_segments() {
    let mut random = Random(1);
    for (n, kinds) in [(0, 20), (1, 20), (7, 10), (60, 40), (400, 300), (3000, 200)] {
        let sets = sets(&mut random, n, kinds);
        let questions = questions(&mut random, &sets, kinds);
        for (payloads, changes) in [(usize::MAX, 1), (1 + n / 3, 1), (64, 5), (usize::MAX, 12)] {
            let folder = Folder::new();
            let sizes = Sizes { payloads, tokens: 1 << 20, segments: 4 };
            let mut writer = Writer::create(&folder.0, 7, weights(kinds)).unwrap();
            writer.sizes = sizes;
            let parts: Vec<_> = sets.chunks((sets.len() / changes).max(1)).collect();
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    writer.commit().unwrap();
                    writer = Writer::open(&folder.0, 7).unwrap();
                    writer.sizes = sizes;
                }
                part.iter().for_each(|(payload, set)| writer.add(*payload, set.clone()).unwrap());
            }
            writer.commit().unwrap();
            assert_answers(&Index::open(&folder.0, 7).unwrap(), &sets, &questions);
        }
    }
}

#[test]
fn what_is_removed_is_gone_and_can_come_back() {
    let mut random = Random(2);
    let mut sets = sets(&mut random, 300, 100);
    let folder = Folder::new();
    let mut writer = Writer::create(&folder.0, 1, weights(100)).unwrap();
    sets.iter().for_each(|(payload, set)| writer.add(*payload, set.clone()).unwrap());
    writer.commit().unwrap();
    for round in 0..12 {
        let gone: Vec<u64> = sets.iter().map(|(payload, _)| *payload).filter(|_| random.below(3) == 0).collect();
        let back: Bags = gone.iter().filter(|p| **p % 2 == 0).map(|p| (*p, random_set(&mut random, 20, 100))).collect();
        let mut writer = Writer::open(&folder.0, 1).unwrap();
        writer.remove(&gone.iter().copied().chain([u64::MAX]).collect()).unwrap();
        back.iter().for_each(|(payload, set)| writer.add(*payload, set.clone()).unwrap());
        let change = writer.commit().unwrap();
        assert_eq!(change, Change { added: back.len(), removed: gone.len() });
        sets.retain(|(payload, _)| !gone.contains(payload));
        sets.extend(back);
        let index = Index::open(&folder.0, 1).unwrap();
        assert!(index.segments() <= 9, "round {round}: {} segments", index.segments());
        let questions = questions(&mut random, &sets, 100);
        assert_answers(&index, &sets, &questions);
    }
    let all = sets.iter().map(|(payload, _)| *payload).collect();
    let mut writer = Writer::open(&folder.0, 1).unwrap();
    writer.remove(&all).unwrap();
    writer.commit().unwrap();
    let index = Index::open(&folder.0, 1).unwrap();
    assert_eq!((index.len(), index.segments(), index.size()), (0, 0, 0));
}

#[test]
fn ranks_beyond_sixteen_bits_are_kept() {
    let folder = Folder::new();
    let mut writer = Writer::create(&folder.0, 1, Weights::new([], 1.0).unwrap()).unwrap();
    let sets: Bags = (0..1000).map(|i| (i, (0..70).map(|j| (i * 70 + j) as u32).chain([1 << 20]).collect())).collect();
    sets.iter().for_each(|(payload, set)| writer.add(*payload, set.clone()).unwrap());
    writer.commit().unwrap();
    let questions: Vec<_> = [0, 500, 935, 936, 937, 999].iter().map(|&i| sets[i].1.clone()).collect();
    assert_answers(&Index::open(&folder.0, 1).unwrap(), &sets, &questions);
}

#[test]
fn a_change_that_is_given_up_leaves_nothing_and_only_one_is_made_at_a_time() {
    let folder = Folder::new();
    let mut writer = Writer::create(&folder.0, 1, weights(10)).unwrap();
    writer.add(1, vec![7919, 3]).unwrap();
    assert!(matches!(Writer::create(&folder.0, 1, weights(10)), Err(TokenIndexError::Busy { .. })));
    writer.commit().unwrap();
    let before = names(&folder.0);
    let index = Index::open(&folder.0, 1).unwrap();

    // What a process leaves that died while it wrote.
    fs::write(folder.0.join("segment-9.part"), b"half").unwrap();
    fs::write(folder.0.join("segment-8"), b"whole, but in no manifest").unwrap();
    fs::write(folder.0.join("manifest.part"), b"half").unwrap();
    assert_answers(&Index::open(&folder.0, 1).unwrap(), &vec![(1, vec![3, 7919])], &[vec![3]]);
    let mut writer = Writer::open(&folder.0, 1).unwrap();
    writer.sizes.payloads = 1;
    (2..6).for_each(|payload| writer.add(payload, vec![1]).unwrap());
    drop(writer);
    assert_eq!(names(&folder.0), before);
    assert!(index.is_current());

    let mut writer = Writer::open(&folder.0, 1).unwrap();
    writer.add(1, vec![4]).unwrap();
    assert!(matches!(writer.commit(), Err(TokenIndexError::Argument(message)) if message.contains("payload 1 ")));
    assert_eq!(names(&folder.0), before);

    let mut writer = Writer::create(&folder.0, 2, weights(10)).unwrap();
    writer.add(5, vec![3]).unwrap();
    writer.commit().unwrap();
    assert!(!index.is_current());
    // Files that were replaced are still there for readers that had them open.
    assert_answers(&index, &vec![(1, vec![3, 7919])], &[vec![3]]);
    assert!(matches!(Index::open(&folder.0, 1), Err(TokenIndexError::Unusable { .. })));
    assert_eq!(Index::open(&folder.0, 2).unwrap().len(), 1);
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    names
}

#[test]
fn every_broken_byte_is_noticed_or_does_not_matter() {
    let mut random = Random(3);
    let sets = sets(&mut random, 25, 30);
    let questions = questions(&mut random, &sets, 30);
    let folder = Folder::new();
    let mut writer = Writer::create(&folder.0, 1, weights(30)).unwrap();
    sets[..15].iter().for_each(|(payload, set)| writer.add(*payload, set.clone()).unwrap());
    writer.add(9999, vec![1]).unwrap();
    writer.commit().unwrap();
    let mut writer = Writer::open(&folder.0, 1).unwrap();
    writer.remove(&[9999].into_iter().collect()).unwrap();
    sets[15..].iter().for_each(|(payload, set)| writer.add(*payload, set.clone()).unwrap());
    writer.commit().unwrap();
    assert_answers(&Index::open(&folder.0, 1).unwrap(), &sets, &questions);

    let check = |path: &Path, broken: &[u8], what: &str| match put(path, broken, &folder.0) {
        Ok(index) => {
            assert_answers(&index, &sets, &questions);
            false
        }
        Err(TokenIndexError::Unusable { .. }) => true,
        Err(other) => panic!("{what}: {other}"),
    };
    let mut noticed = 0;
    for path in names(&folder.0).into_iter().filter(|path| path.file_name().unwrap() != "lock") {
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            for flip in [1, 0x80, 0xff] {
                let mut broken = whole.clone();
                broken[at] ^= flip;
                noticed += u32::from(check(&path, &broken, &format!("byte {at} of {}", path.display())));
            }
            assert!(check(&path, &whole[..at], "truncated"), "cut at {at}");
        }
        assert!(check(&path, &[&whole[..], b"x"].concat(), "longer"));
        put(&path, &whole, &folder.0).unwrap();
    }
    assert!(noticed > 1000);
    // Whole files in each other's place.
    let segments: Vec<_> =
        names(&folder.0).into_iter().filter(|path| path.to_str().unwrap().contains("segment")).collect();
    assert!(check(&segments[0], &fs::read(&segments[1]).unwrap(), "exchanged"));
}

/// Puts a file in place as one that was written anew, and opens the index.
fn put(path: &Path, data: &[u8], folder: &Path) -> Result<Index, TokenIndexError> {
    fs::remove_file(path).unwrap();
    fs::write(path, data).unwrap();
    Index::open(folder, 1)
}
