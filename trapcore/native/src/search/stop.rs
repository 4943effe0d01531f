//! Stop flag: what ends a search before its nodes are spent: its time, another thread, a signal.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Nodes between two polls: less than a millisecond's work, so that polling costs nothing.
const INTERVAL: u64 = 512;

/// The reasons to end early. A search that was ended has the answer of one whose nodes ran out.
#[derive(Clone, Debug, Default)]
pub struct StopFlag {
    time: Option<Duration>,
    shared: Option<Arc<AtomicBool>>,
    poll: Option<fn() -> bool>,
    deadline: Option<Instant>,
    /// Of all questions together.
    last_deadline: Option<Instant>,
}

impl StopFlag {
    /// `time`: for each question, without it as long as it takes. `shared`: set by another thread to end everything.
    /// `poll`: called now and then to find out whether to end everything; once true it must stay true.
    pub fn new(time: Option<Duration>, shared: Option<Arc<AtomicBool>>, poll: Option<fn() -> bool>) -> StopFlag {
        StopFlag { time, shared, poll, deadline: None, last_deadline: None }
    }

    /// The same, and everything ends at this time.
    pub(crate) fn until(self, last_deadline: Option<Instant>) -> StopFlag {
        StopFlag { last_deadline, ..self }
    }

    /// A question begins, and its time.
    pub fn begin(&mut self) {
        self.deadline = self.time.and_then(|time| Instant::now().checked_add(time));
    }

    /// What is too short to be timed begins.
    pub(crate) fn begin_untimed(&mut self) {
        self.deadline = None;
    }

    /// Whether the question ends here; polls only now and then, so that it can be called at every node.
    pub fn is_due(&self, nodes: u64) -> bool {
        nodes.is_multiple_of(INTERVAL) && (self.is_late() || self.is_stopped())
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|at| Instant::now() >= at)
    }

    /// Whether all questions end, not only the one whose time has run out.
    pub fn is_stopped(&self) -> bool {
        self.shared.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.last_deadline.is_some_and(|at| Instant::now() >= at)
            || self.poll.is_some_and(|poll| poll())
    }
}
