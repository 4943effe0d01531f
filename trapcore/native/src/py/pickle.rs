//! Values that go to another process and come back: plain fields that Python reads, and pickles.

/// Declares such a class: it is made of its fields, in their order, and gives them again.
macro_rules! impl_pickle {
    ($(#[$meta:meta])* $vis:vis struct $class:ident { $($field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        $vis struct $class {
            $(pub $field: $type,)*
        }

        #[pyo3::pymethods]
        impl $class {
            #[new]
            fn new($($field: $type),*) -> $class {
                $class { $($field),* }
            }

            fn __getnewargs__<'py>(
                this: &pyo3::Bound<'py, Self>,
            ) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::types::PyTuple>> {
                let fields = [$(this.getattr(stringify!($field))?),*];
                pyo3::types::PyTuple::new(this.py(), fields)
            }
        }
    };
}

pub(super) use impl_pickle;
