//! Verdict of a search about a claim.

/// Known and unknown are distinguished: a search that ran out of budget has refuted nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Proved,
    Refuted,
    Undecided,
}

impl Verdict {
    /// As the library and the report write it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Refuted => "refuted",
            Verdict::Undecided => "undecided",
        }
    }
}
