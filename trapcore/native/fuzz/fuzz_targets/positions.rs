//! `cargo +nightly fuzz run positions`, in `trapcore/native`: any bytes as a FEN with budgets.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    _native::fuzzing::position(bytes);
});
