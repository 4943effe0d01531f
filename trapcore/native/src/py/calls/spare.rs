//! Tables for the next question: they are dear to make, and the core's answers do not depend on what they held.

use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread::available_parallelism;

/// Most of a kind that are kept. Where all processors are at work, few are spare; a process that once needs two at a
/// time is not to have both for ever.
static MOST: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(1, |count| count.get().div_ceil(2)));

/// Those of a kind that nobody uses now, whichever threads used them.
pub(crate) struct Spare<T>(Mutex<Vec<T>>);

impl<T> Spare<T> {
    pub(crate) const fn new() -> Spare<T> {
        Spare(Mutex::new(Vec::new()))
    }

    /// Works with a spare one, or with a new one. It is taken out meanwhile: a signal handler may call in between.
    pub(crate) fn lend<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut lent = kept.unwrap_or_else(make);
        let done = work(&mut lent);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < *MOST {
            kept.push(lent);
        }
        done
    }
}
