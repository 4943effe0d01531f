//! Fingerprints of many positions, compared with one at once.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use super::calls::detached;
use crate::measures::label_sets::LabelSets;
use crate::measures::label_sets::kernels::Kernel;
use crate::trees::tree::{FINGERPRINT_VERSION, LabelBits, unpack};

/// Fingerprints that are compared between two looks whether the call was interrupted.
const BATCH: usize = 64;

#[pyclass(frozen, name = "Fingerprints", module = "trapcore._native")]
pub(super) struct PyFingerprints(LabelSets);

fn unpacked(fingerprints: &Bound<'_, PyAny>) -> PyResult<Vec<LabelBits>> {
    let read = |(number, fingerprint): (usize, PyResult<Bound<'_, PyAny>>)| {
        let bytes: PyBackedBytes = fingerprint?.extract()?;
        unpack(&bytes).ok_or_else(|| {
            let message = format!("fingerprint {number} (from 0) is none of version {FINGERPRINT_VERSION}");
            PyValueError::new_err(message)
        })
    };
    fingerprints.try_iter()?.enumerate().map(read).collect()
}

#[pymethods]
impl PyFingerprints {
    #[new]
    #[pyo3(signature = (fingerprints, *, kernel = None))]
    fn new(py: Python<'_>, fingerprints: &Bound<'_, PyAny>, kernel: Option<&str>) -> PyResult<PyFingerprints> {
        let kernel = match kernel {
            None => Kernel::best(),
            Some(name) => Kernel::available().into_iter().find(|kernel| kernel.name() == name).ok_or_else(|| {
                PyValueError::new_err(format!(
                    "this processor has {}, not {name:?}",
                    PyFingerprints::kernels().join(", ")
                ))
            })?,
        };
        let sets = unpacked(fingerprints)?;
        Ok(PyFingerprints(py.detach(|| LabelSets::with_kernel(&sets, kernel))))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    #[staticmethod]
    fn kernels() -> Vec<&'static str> {
        Kernel::available().into_iter().map(Kernel::name).collect()
    }

    fn similar(
        &self,
        py: Python<'_>,
        fingerprints: &Bound<'_, PyAny>,
        threshold: f64,
    ) -> PyResult<Vec<Vec<(u32, f64)>>> {
        if !(0.0..=1.0).contains(&threshold) {
            return Err(PyValueError::new_err(format!("a threshold is 0 to 1, not {threshold}")));
        }
        let queries = unpacked(fingerprints)?;
        detached(py, None, None, |stop_flag| {
            let batches = queries.chunks(BATCH).take_while(|_| !stop_flag.is_stopped());
            batches.flat_map(|batch| self.0.similar(batch, threshold)).collect()
        })
    }

    fn nearest(&self, py: Python<'_>, fingerprints: &Bound<'_, PyAny>, k: usize) -> PyResult<Vec<Vec<(u32, f64)>>> {
        if k == 0 {
            return Err(PyValueError::new_err("k is 1 or more, not 0"));
        }
        let queries = unpacked(fingerprints)?;
        detached(py, None, None, |stop_flag| {
            queries.iter().take_while(|_| !stop_flag.is_stopped()).map(|set| self.0.nearest(set, k)).collect()
        })
    }
}
