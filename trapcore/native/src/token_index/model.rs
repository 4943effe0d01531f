//! Weights of tokens, the definition of similarity, and why an index cannot be used.

use std::io;
use std::path::{Path, PathBuf};

/// What weights are multiples of: 2^-20, about a millionth.
pub(crate) const UNIT: f64 = 1.0 / (1 << 20) as f64;
/// Weights are below this.
pub(crate) const MAX_WEIGHT: f64 = 4096.0;
/// Distinct tokens of one set at most; with it no sum of weights leaves the integers that an `f64` represents exactly.
pub(super) const MAX_TOKENS: usize = 4096;

/// Why an index cannot be read, written or queried.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TokenIndexError {
    /// The index, or one file of it, cannot be used as it is.
    #[error("{}: {what}; build the index anew from the library", .path.display())]
    Unusable { path: PathBuf, what: String },
    /// Another process changes the index.
    #[error("{}: another process is changing this index; try again when it has ended", .path.display())]
    Busy { path: PathBuf },
    /// The file system refused to write.
    #[error("{}: cannot be written: {source}", .path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    /// What the caller gave cannot be.
    #[error("{0}")]
    Argument(String),
}

impl TokenIndexError {
    pub(super) fn unusable(path: &Path, what: impl Into<String>) -> TokenIndexError {
        TokenIndexError::Unusable { path: path.to_owned(), what: what.into() }
    }

    pub(super) fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> TokenIndexError {
        let path = path.to_owned();
        |source| TokenIndexError::Unwritable { path, source }
    }
}

/// Weights of tokens, in units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weights {
    /// Ascending.
    pub(super) tokens: Vec<u32>,
    pub(super) units: Vec<u32>,
    /// Of every other token.
    pub(super) default: u32,
}

impl Weights {
    /// Weights (0 to below [`MAX_WEIGHT`], rounded to the nearest [`UNIT`]) by token, and that of all other tokens.
    pub(crate) fn new(
        by_token: impl IntoIterator<Item = (u32, f64)>,
        default: f64,
    ) -> Result<Weights, TokenIndexError> {
        let units = |weight: f64, whose: &dyn Fn() -> String| {
            let rounded = (weight / UNIT).round();
            if (0.0..=f64::from(u32::MAX)).contains(&rounded) {
                Ok(rounded as u32)
            } else {
                Err(TokenIndexError::Argument(format!(
                    "a weight is from 0 to below {MAX_WEIGHT}, and {} is {weight}",
                    whose()
                )))
            }
        };
        let mut pairs = Vec::new();
        for (token, weight) in by_token {
            pairs.push((token, units(weight, &|| format!("that of token {token}"))?));
        }
        pairs.sort_unstable();
        if let Some(twice) = pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(TokenIndexError::Argument(format!("token {} is given two weights", twice[0].0)));
        }
        let default = units(default, &|| "the default weight".to_owned())?;
        let (tokens, units) = pairs.into_iter().unzip();
        Ok(Weights { tokens, units, default })
    }

    /// In units.
    pub(crate) fn of(&self, token: u32) -> u32 {
        self.tokens.binary_search(&token).map_or(self.default, |at| self.units[at])
    }
}

/// The definition: of two sets with these weights and this common weight, all in units.
pub(super) fn similarity(shared: u64, a: u64, b: u64) -> f64 {
    let all = a + b - shared;
    if all == 0 { 1.0 } else { shared as f64 / all as f64 }
}

/// The tokens of a set, ascending and each once.
pub(crate) fn distinct(tokens: &mut Vec<u32>) -> Result<(), TokenIndexError> {
    tokens.sort_unstable();
    tokens.dedup();
    if tokens.len() > MAX_TOKENS {
        return Err(TokenIndexError::Argument(format!("a bag has at most {MAX_TOKENS} tokens, not {}", tokens.len())));
    }
    Ok(())
}
