//! How long calls from Python are made. They end early: by Ctrl-C in the main thread, and by `Cancellation` from any other.
//!
//! | module | what it holds |
//! |---|---|
//! | `background` | work at a lower priority |
//! | `spare` | tables that are kept for the next question |

pub(super) mod background;
pub(super) mod spare;

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::search::stop::StopFlag;

/// Between two polls of Python whether a signal has come: attaching to Python waits for other threads.
const PATIENCE: Duration = Duration::from_millis(50);

thread_local! {
    /// What a signal handler raised during the call that this thread makes.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
    static POLL_AT: Cell<Option<Instant>> = const { Cell::new(None) };
    /// The cancellations in whose `with` blocks this thread is.
    static WATCHED: RefCell<Vec<Arc<AtomicBool>>> = const { RefCell::new(Vec::new()) };
}

/// Lets another thread end a call.
#[pyclass(frozen, name = "Cancellation", module = "trapcore._native")]
pub(crate) struct Cancellation(Arc<AtomicBool>);

#[pymethods]
impl Cancellation {
    #[new]
    fn new() -> Cancellation {
        Cancellation(Arc::default())
    }

    fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    #[getter]
    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Every call of the core that this thread makes in the block ends with the cancellation.
    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        WATCHED.with_borrow_mut(|watched| watched.push(Arc::clone(&slf.0)));
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyTuple>) {
        WATCHED.with_borrow_mut(Vec::pop);
    }
}

/// Whether a signal handler has raised an error. Only the main thread runs handlers.
fn interrupted() -> bool {
    if RAISED.with_borrow(Option::is_some) {
        return true;
    }
    let now = Instant::now();
    if POLL_AT.get().is_some_and(|at| now < at) {
        return false;
    }
    POLL_AT.set(Some(now + PATIENCE));
    match Python::attach(|py| py.check_signals()) {
        Ok(()) => false,
        Err(error) => {
            RAISED.set(Some(error));
            true
        }
    }
}

/// Does long work without the GIL. Raises what a signal handler raised meanwhile, so that Ctrl-C is a
/// `KeyboardInterrupt` at once and not when the work is done; and an error if no `stop` is given and the cancellation of
/// the `with` block around the call has come, because what was found is then not whole.
pub(super) fn detached<T: Send>(
    py: Python<'_>,
    milliseconds: Option<u64>,
    stop: Option<&Cancellation>,
    work: impl FnOnce(&StopFlag) -> T + Send,
) -> PyResult<T> {
    let threading = py.import("threading")?;
    let in_main = threading.call_method0("current_thread")?.is(&threading.call_method0("main_thread")?);
    let poll = in_main.then_some(interrupted as fn() -> bool);
    let watched = if stop.is_none() { WATCHED.with_borrow(|watched| watched.last().cloned()) } else { None };
    let shared = stop.map(|stop| Arc::clone(&stop.0)).or_else(|| watched.clone());
    let stop_flag = StopFlag::new(milliseconds.map(Duration::from_millis), shared, poll);
    POLL_AT.set(Some(Instant::now() + PATIENCE));
    // A handler may itself have made such a call while one was under way, so what is raised is always taken away.
    let done = py.detach(|| background::run(|| work(&stop_flag)))?;
    match RAISED.take() {
        Some(error) => Err(error),
        None if watched.is_some_and(|flag| flag.load(Ordering::Relaxed)) => {
            Err(PyRuntimeError::new_err("the work was cancelled"))
        }
        None => Ok(done),
    }
}
