//! Work in the background: threads of Python whose long work is done at a lower priority.
//!
//! The thread of Python keeps its priority. It holds the GIL now and then, and one that is kept from the processor then
//! keeps everybody waiting; what is long is done without the GIL, by a thread made for it.

use std::cell::Cell;
use std::io;
use std::panic::resume_unwind;
use std::thread;

use pyo3::prelude::*;

/// Added to the nice value of work in the background: a busy processor gives it a ninth of what others get.
const NICER: i32 = 10;

/// Stack of a thread in bytes: as much as threads of Python have.
const STACK: usize = 8 << 20;

thread_local! {
    static IN_BACKGROUND: Cell<bool> = const { Cell::new(false) };
}

#[pyfunction]
pub(crate) fn give_way() {
    IN_BACKGROUND.set(true);
}

/// Does the work at the priority that this thread's work has. An error if no thread can be made for it.
pub(super) fn run<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    if !IN_BACKGROUND.get() {
        return Ok(work());
    }
    thread::scope(|scope| {
        let made = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
            lower_priority();
            work()
        })?;
        Ok(made.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Lowers the priority of this thread. Only Linux has priorities of threads.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    // SAFETY: it takes a number and touches no memory. A lower priority is never refused.
    unsafe {
        libc::nice(NICER);
    }
}
