//! How long calls from Python are made: Ctrl-C and the core's `Cancellation` end them early.
//!
//! The `Cancellation` is a class of another library, so it is asked as Python would ask it.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use native::workshop::StopFlag;
use pyo3::prelude::*;

/// Between two polls of Python: attaching to it waits for other threads.
const PATIENCE: Duration = Duration::from_millis(50);

/// The call that a thread makes.
#[derive(Default)]
struct Call {
    stop: Option<Py<PyAny>>,
    /// Why it ends early: it was cancelled, or a signal handler raised an error.
    ended: Option<PyResult<()>>,
}

thread_local! {
    static CALL: RefCell<Call> = RefCell::default();
    static POLL_AT: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Whether the call of this thread ends early.
fn is_ended() -> bool {
    if CALL.with_borrow(|call| call.ended.is_some()) {
        return true;
    }
    let now = Instant::now();
    if POLL_AT.get().is_some_and(|at| now < at) {
        return false;
    }
    POLL_AT.set(Some(now + PATIENCE));
    let ended = Python::attach(|py| {
        // A handler may itself make a call, so nothing is borrowed meanwhile.
        let stop = CALL.with_borrow(|call| call.stop.as_ref().map(|stop| stop.clone_ref(py)));
        let is_cancelled = || match &stop {
            Some(stop) => stop.bind(py).getattr("is_cancelled")?.is_truthy(),
            None => Ok(false),
        };
        py.check_signals().and_then(|()| is_cancelled()).map(|yes| yes.then_some(())).transpose()
    });
    CALL.with_borrow_mut(|call| call.ended = ended);
    CALL.with_borrow(|call| call.ended.is_some())
}

/// Does long work without the GIL, until it is done, the time has run out or `stop` is cancelled. Raises what a signal
/// handler raised meanwhile.
pub(super) fn detached<T: Send>(
    py: Python<'_>,
    milliseconds: Option<u64>,
    stop: Option<Py<PyAny>>,
    work: impl FnOnce(&StopFlag) -> T + Send,
) -> PyResult<T> {
    let outer = CALL.replace(Call { stop, ended: None });
    POLL_AT.set(None);
    let stop_flag = StopFlag::new(milliseconds.map(Duration::from_millis), None, Some(is_ended));
    let done = py.detach(|| work(&stop_flag));
    match CALL.replace(outer).ended {
        Some(Err(error)) => Err(error),
        _ => Ok(done),
    }
}
