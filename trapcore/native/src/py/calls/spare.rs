//! Tables for the next question: they are dear to make, and the core's answers do not depend on what they held.

use std::sync::{Mutex, PoisonError};

/// As many of a kind as were ever in use at the same time, whichever threads used them.
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(lent);
        done
    }
}
