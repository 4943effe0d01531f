//! The folder of an index: a manifest, the segments that it names, and a lock for the one process that may change it.
//!
//! A segment is never changed. A change writes new segments, then a manifest that names them, which takes the place of
//! the old one in a single step. If the process ends before that, the old index stays as it was. Removed
//! payloads are noted in the manifest. The manifest's sections: vocabulary version, default weight and generation
//! (u64); tokens with a weight of their own (u32, ascending); their weights (u32, in units); number, checksum and
//! count of removed payloads of each segment (u64); the places of removed payloads, segment after segment (u32).

use std::cell::Cell;
use std::fs::{self, File, TryLockError};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustc_hash::FxHashSet;

use super::builder::Builder;
use super::file::{self, Checked, FileWriter, Kind, u32_at, u64_at};
use super::filter::Filter;
use super::model::{TokenIndexError, Weights, distinct};
use super::query::{Best, Hit, Question, Scratch, compare_each, search};
use super::segment::Segment;

/// How large segments become, and how many there may be before those that are not half full are merged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub payloads: usize,
    pub tokens: usize,
    pub segments: usize,
}

const SIZES: Sizes = Sizes { payloads: 1 << 20, tokens: 1 << 26, segments: 8 };

/// Attempts to open an index that another process keeps changing meanwhile.
const ATTEMPTS: usize = 10;
/// Of payloads to which a question is restricted, each is compared if they are one of so many, or fewer.
const FEW: usize = 64;

fn manifest_path(folder: &Path) -> PathBuf {
    folder.join("manifest")
}

fn segment_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("segment-{number}"))
}

/// The number of a segment's file, whole or in the making.
fn segment_number(path: &Path) -> Option<u64> {
    path.file_stem()?.to_str()?.strip_prefix("segment-")?.parse().ok()
}

/// One segment of an index.
struct Part {
    number: u64,
    check: u32,
    segment: Segment,
}

impl Part {
    fn open(folder: &Path, number: u64, check: u32, removed: Vec<u32>) -> Result<Part, TokenIndexError> {
        Ok(Part { number, check, segment: Segment::open(&segment_path(folder, number), check, removed)? })
    }
}

/// An index as it was when it was opened, even if its files change.
pub(crate) struct Index {
    folder: PathBuf,
    manifest: Checked<Vec<u8>>,
    generation: u64,
    weights: Weights,
    /// The largest first.
    parts: Vec<Part>,
}

impl Index {
    /// `vocabulary`: the caller's version of what tokens mean, which must be that of the index.
    pub(crate) fn open(folder: &Path, vocabulary: u32) -> Result<Index, TokenIndexError> {
        let mut tries = 0;
        loop {
            let (index, failure) = Index::open_once(folder, vocabulary)?;
            tries += 1;
            match failure {
                None => return Ok(index),
                Some(failure) if index.is_current() || tries == ATTEMPTS => return Err(failure),
                Some(_) => {} // a segment has gone, and so has the manifest that named it
            }
        }
    }

    /// Also returns why a segment could not be opened, if one could not.
    fn open_once(folder: &Path, vocabulary: u32) -> Result<(Index, Option<TokenIndexError>), TokenIndexError> {
        let path = manifest_path(folder);
        let (manifest, _) = file::read(&path, Kind::Manifest)?;
        let [facts, tokens, units, segments, removed] = std::array::from_fn(|i| manifest.section(i));
        let numbers = |section: &[u8]| -> Vec<u32> { (0..section.len() / 4).map(|i| u32_at(section, i)).collect() };
        let weights = Weights {
            tokens: numbers(tokens),
            units: numbers(units),
            default: if facts.len() == 24 { u64_at(facts, 1) as u32 } else { 0 },
        };
        let dead: u64 = segments.chunks_exact(24).map(|entry| u64_at(entry, 2)).sum();
        if facts.len() != 24
            || weights.tokens.len() != weights.units.len()
            || !weights.tokens.is_sorted_by(|a, b| a < b)
            || !segments.len().is_multiple_of(24)
            || removed.len() as u64 != 4 * dead
        {
            return Err(TokenIndexError::unusable(&path, "it is damaged"));
        }
        let found = u64_at(facts, 0);
        if found != u64::from(vocabulary) {
            let what = format!("its tokens are of vocabulary {found}, and this version writes vocabulary {vocabulary}");
            return Err(TokenIndexError::unusable(folder, what));
        }
        let (mut parts, mut failure, mut places) = (Vec::new(), None, numbers(removed).into_iter());
        for entry in segments.chunks_exact(24) {
            let gone = places.by_ref().take(u64_at(entry, 2) as usize).collect();
            match Part::open(folder, u64_at(entry, 0), u64_at(entry, 1) as u32, gone) {
                Ok(part) => parts.push(part),
                Err(error) => failure = Some(error),
            }
        }
        parts.sort_by_key(|part| std::cmp::Reverse(part.segment.sets()));
        let generation = u64_at(facts, 2);
        Ok((Index { folder: folder.to_owned(), manifest, generation, weights, parts }, failure))
    }

    /// Whether the files have not been changed since.
    pub(crate) fn is_current(&self) -> bool {
        let mut head = [0; 24];
        File::open(manifest_path(&self.folder)).and_then(|mut file| file.read_exact(&mut head)).is_ok()
            && u32_at(&head, 5) == self.manifest.check
    }

    /// Whether all its files are those that were opened, unchanged and in their places.
    pub(crate) fn is_in_place(&self) -> bool {
        self.is_current() && self.parts.iter().all(|part| part.segment.is_in_place())
    }

    pub(crate) fn weights(&self) -> &Weights {
        &self.weights
    }

    /// How many payloads there are.
    pub(crate) fn len(&self) -> usize {
        self.parts.iter().map(|part| part.segment.live()).sum()
    }

    pub(crate) fn segments(&self) -> usize {
        self.parts.len()
    }

    /// Its files as they were when it was opened: with them in any folder, [`Index::open`] gives the same index.
    pub(crate) fn files(&self) -> impl Iterator<Item = (PathBuf, &[u8])> {
        let segments = self.parts.iter().map(|part| (segment_path(Path::new(""), part.number), part.segment.bytes()));
        std::iter::once((manifest_path(Path::new("")), self.manifest.bytes())).chain(segments)
    }

    /// Size of the segments in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.parts.iter().map(|part| part.segment.size()).sum()
    }

    /// The best hits of a set (tokens ascending, each once), the best first: at most `limit`, and none that is less
    /// similar than `least`.
    pub(crate) fn nearest(&self, set: &[u32], limit: usize, least: f64, scratch: &mut Scratch) -> Vec<Hit> {
        self.nearest_in(&Scope::default(), set, limit, least, scratch)
    }

    fn nearest_in(&self, scope: &Scope, set: &[u32], limit: usize, least: f64, scratch: &mut Scratch) -> Vec<Hit> {
        let question = Question::new(set, &self.weights);
        let mut best = Best::new(limit, least, scope.only);
        for (number, part) in self.parts.iter().enumerate() {
            match &scope.few {
                Some(sets) => compare_each(&part.segment, &sets[number], &question, &mut best, scratch),
                None => search(&part.segment, &question, &mut best, scratch),
            }
        }
        best.into_hits()
    }

    /// The same for many sets, in their order, by so many threads, of `only` these payloads. None if `is_stopped`,
    /// which only the calling thread calls now and then, became true.
    pub(crate) fn nearest_of_each(
        &self,
        sets: &[Vec<u32>],
        (limit, least): (usize, f64),
        only: Option<&Filter>,
        jobs: usize,
        is_stopped: impl Fn() -> bool,
    ) -> Option<Vec<Vec<Hit>>> {
        let few = only.filter(|only| only.len() <= self.len() / FEW).map(|only| {
            self.parts.iter().map(|part| part.segment.sets_with(|payload| only.has(payload))).collect::<Vec<_>>()
        });
        let scope = Scope { only, few };
        let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = |scratch: &mut Scratch, is_stopped: &dyn Fn() -> bool| {
            let mut done = Vec::new();
            while !stopped.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(set) = sets.get(number) else { break };
                done.push((number, self.nearest_in(&scope, set, limit, least, scratch)));
                if is_stopped() {
                    stopped.store(true, Ordering::Relaxed);
                }
            }
            done
        };
        let mut done = std::thread::scope(|threads| {
            let others: Vec<_> =
                (1..jobs.min(sets.len())).map(|_| threads.spawn(|| work(&mut Scratch::default(), &|| false))).collect();
            let mut scratch = SCRATCH.take();
            let mut done = work(&mut scratch, &is_stopped);
            SCRATCH.set(scratch);
            for other in others {
                done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            done
        });
        done.sort_unstable_by_key(|(number, _)| *number);
        (done.len() == sets.len()).then(|| done.into_iter().map(|(_, hits)| hits).collect())
    }
}

thread_local! {
    /// Work space of a thread that queries now and then: two bytes for each set of the largest segment it met.
    static SCRATCH: Cell<Scratch> = Cell::default();
}

/// The part of an index that is queried.
#[derive(Default)]
struct Scope<'a> {
    /// Payloads that count; None: all.
    only: Option<&'a Filter>,
    /// If these are few: the sets that have them, of each part.
    few: Option<Vec<Vec<u32>>>,
}

/// What a commit did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    pub added: usize,
    pub removed: usize,
}

/// Builds an index, or changes one. Nothing is seen of it before [`Writer::commit`]; without it, nothing stays.
pub(crate) struct Writer {
    folder: PathBuf,
    vocabulary: u32,
    generation: u64,
    weights: Weights,
    pub(super) sizes: Sizes,
    parts: Vec<Part>,
    builder: Builder,
    added: Vec<u64>,
    removed: usize,
    next_number: u64,
    /// Held open for its lock.
    _lock: File,
}

impl Writer {
    /// An index from nothing; one that is there is replaced by the commit.
    pub(crate) fn create(folder: &Path, vocabulary: u32, weights: Weights) -> Result<Writer, TokenIndexError> {
        match fs::create_dir(folder) {
            Err(error) if !folder.is_dir() => return Err(TokenIndexError::unwritable(folder)(error)),
            _ => {}
        }
        if let Some(stranger) = files(folder)?.iter().find(|path| !is_ours(path)) {
            return Err(TokenIndexError::Argument(format!(
                "{}: holds other files ({}); give the index a folder of its own",
                folder.display(),
                stranger.file_name().unwrap_or_default().display()
            )));
        }
        let lock = lock(folder)?;
        // Everything there is replaced, also a file that cannot be read.
        let generation = Index::open_once(folder, vocabulary).map_or(0, |(index, _)| index.generation);
        Writer::new(folder, lock, vocabulary, generation, weights, Vec::new())
    }

    /// A change of an index.
    pub(crate) fn open(folder: &Path, vocabulary: u32) -> Result<Writer, TokenIndexError> {
        if !manifest_path(folder).exists() {
            return Err(TokenIndexError::unusable(folder, "there is no index here"));
        }
        let lock = lock(folder)?;
        let Index { generation, weights, parts, .. } = Index::open(folder, vocabulary)?;
        Writer::new(folder, lock, vocabulary, generation, weights, parts)
    }

    fn new(
        folder: &Path,
        lock: File,
        vocabulary: u32,
        generation: u64,
        weights: Weights,
        parts: Vec<Part>,
    ) -> Result<Writer, TokenIndexError> {
        // Also past what a process that died has left, and what others may just be reading.
        let next_number = files(folder)?.iter().filter_map(|path| segment_number(path)).max().unwrap_or(0) + 1;
        Ok(Writer {
            folder: folder.to_owned(),
            vocabulary,
            generation,
            weights,
            sizes: SIZES,
            parts,
            builder: Builder::default(),
            added: Vec::new(),
            removed: 0,
            next_number,
            _lock: lock,
        })
    }

    /// Comes before anything is added. Unknown payloads are ignored.
    pub(crate) fn remove(&mut self, payloads: &FxHashSet<u64>) -> Result<(), TokenIndexError> {
        debug_assert!(self.added.is_empty());
        for Part { number, check, segment } in &mut self.parts {
            let gone: Vec<u32> =
                segment.payloads().filter(|(_, payload)| payloads.contains(payload)).map(|(place, _)| place).collect();
            if !gone.is_empty() {
                self.removed += gone.len();
                let mut all = [segment.removed(), &gone].concat();
                all.sort_unstable();
                *segment = Segment::open(&segment_path(&self.folder, *number), *check, all)?;
            }
        }
        Ok(())
    }

    pub(crate) fn add(&mut self, payload: u64, mut tokens: Vec<u32>) -> Result<(), TokenIndexError> {
        distinct(&mut tokens)?;
        self.added.push(payload);
        self.put(payload, &tokens)
    }

    fn put(&mut self, payload: u64, tokens: &[u32]) -> Result<(), TokenIndexError> {
        if self.builder.payloads() >= self.sizes.payloads || self.builder.size() + tokens.len() > self.sizes.tokens {
            self.write_segment()?;
        }
        self.builder.add(payload, tokens);
        Ok(())
    }

    fn write_segment(&mut self) -> Result<(), TokenIndexError> {
        let builder = std::mem::take(&mut self.builder);
        if builder.payloads() == 0 {
            return Ok(());
        }
        let number = self.next_number;
        self.next_number += 1;
        let out = FileWriter::create(&segment_path(&self.folder, number), Kind::Segment)?;
        let check = builder.write(out, &self.weights)?;
        self.parts.push(Part::open(&self.folder, number, check, Vec::new())?);
        Ok(())
    }

    /// Makes all of it the index that is opened from now on.
    pub(crate) fn commit(mut self) -> Result<Change, TokenIndexError> {
        self.write_segment()?;
        let mut payloads: Vec<u64> =
            self.parts.iter().flat_map(|part| part.segment.payloads().map(|(_, payload)| payload)).collect();
        payloads.sort_unstable();
        if let Some(twice) = payloads.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(TokenIndexError::Argument(format!(
                "payload {} would be there twice; to replace its bag, remove it in the same change",
                twice[0]
            )));
        }
        self.merge()?;
        self.write_manifest()?;
        Ok(Change { added: self.added.len(), removed: self.removed })
    }

    /// Writes small segments together when they have become many, and those anew that lost most of their payloads.
    fn merge(&mut self) -> Result<(), TokenIndexError> {
        let half = self.sizes.payloads / 2;
        let is_hollow = |part: &Part| part.segment.live() < part.segment.removed().len();
        let many = self.parts.len() > self.sizes.segments;
        let (merged, remaining): (Vec<_>, Vec<_>) = std::mem::take(&mut self.parts)
            .into_iter()
            .partition(|part| is_hollow(part) || (many && part.segment.live() < half));
        self.parts = remaining;
        if merged.len() == 1 && !is_hollow(&merged[0]) {
            self.parts.extend(merged);
            return Ok(());
        }
        for part in &merged {
            part.segment.each_set(|tokens, payload| self.put(payload, tokens))?;
        }
        self.write_segment()
    }

    fn write_manifest(&self) -> Result<(), TokenIndexError> {
        let mut out = FileWriter::create(&manifest_path(&self.folder), Kind::Manifest)?;
        let facts = [u64::from(self.vocabulary), u64::from(self.weights.default), self.generation + 1];
        out.section(facts.map(u64::to_le_bytes))?;
        out.section(self.weights.tokens.iter().map(|token| token.to_le_bytes()))?;
        out.section(self.weights.units.iter().map(|units| units.to_le_bytes()))?;
        let entry = |part: &Part| [part.number, u64::from(part.check), part.segment.removed().len() as u64];
        out.section(self.parts.iter().flat_map(entry).map(u64::to_le_bytes))?;
        out.section(self.parts.iter().flat_map(|part| part.segment.removed()).map(|place| place.to_le_bytes()))?;
        out.finish().map(|_| ())
    }
}

impl Drop for Writer {
    /// Deletes what no manifest names: what the change replaced, or, if it was given up, what it had written.
    fn drop(&mut self) {
        self.parts.clear();
        let named: FxHashSet<u64> = match file::read(&manifest_path(&self.folder), Kind::Manifest) {
            Ok((manifest, _)) => manifest.section(3).chunks_exact(24).map(|entry| u64_at(entry, 0)).collect(),
            Err(_) => return, // nothing is known, so nothing is deleted
        };
        for path in files(&self.folder).unwrap_or_default() {
            let is_part = path.extension().is_some_and(|extension| extension == "part");
            if is_ours(&path) && (is_part || segment_number(&path).is_some_and(|number| !named.contains(&number))) {
                let _ = fs::remove_file(path); // the next change tries again
            }
        }
    }
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, TokenIndexError> {
    let list = || fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>();
    list().map_err(TokenIndexError::unwritable(folder))
}

fn is_ours(path: &Path) -> bool {
    segment_number(path).is_some() || path.file_stem().is_some_and(|stem| stem == "manifest" || stem == "lock")
}

fn lock(folder: &Path) -> Result<File, TokenIndexError> {
    let path = folder.join("lock");
    let file = File::create(&path).map_err(TokenIndexError::unwritable(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(TokenIndexError::Busy { path: folder.to_owned() }),
        Err(TryLockError::Error(error)) => Err(TokenIndexError::unwritable(&path)(error)),
    }
}
