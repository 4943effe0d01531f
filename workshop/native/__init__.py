"""The Rust of the workshop: `_core`, which ``_core.pyi`` declares, compiled from ``src``."""
