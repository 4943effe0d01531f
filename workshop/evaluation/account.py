"""Account of an evaluation: queries, findings, and what they do not show."""

from collections.abc import Sequence
from dataclasses import dataclass

from workshop.evaluation.run import Finding, Run
from workshop.report import markdown

PUZZLES_DO_NOT_SHOW = (
    "Puzzles have one winning move by construction, and somebody chose them. They do not measure hit@k in positions "
    "with several winning moves, or with none.",
    "Their ratings are mostly below 1800. They say nothing about hard tactics.",
    "The proposals look at most four plies ahead, longer only along checks. A killer whose point is deeper is found "
    "only as far as it looks like one.",
    "The shipped weights have seen all open puzzles, so they are never evaluated on them. The weights here are learned "
    "from the library named above alone.",
    "A theme is what lichess says of a puzzle. Many puzzles show patterns without their tag. So precision is "
    "understated for all measures alike.",
    "The confidence is that of a position which is as likely a trap as not. If traps are rarer, it says too much.",
)
GAMES_DO_NOT_SHOW = (
    "This detects positions like puzzles. It does not detect blunders of ordinary games, as the areas above show.",
    "Positives and negatives come from different sources and are not matched by material or rating.",
    "An engine with few nodes calls moves clean that a longer search would not.",
    "The false alarms are few, so the rates are uncertain: 3 of 3,000 may be 1 or 9.",
)


@dataclass(frozen=True)
class Account:
    """All of one run."""

    title: str
    head: str
    findings: Sequence[Finding]
    not_shown: Sequence[str]


def account_of_puzzles(run: Run, findings: Sequence[Finding]) -> Account:
    """Of `trapline research puzzles`."""
    return Account("Evaluation on puzzles", _head(run), findings, PUZZLES_DO_NOT_SHOW)


def account_of_games(run: Run, files: Sequence[str], nodes: int, findings: Sequence[Finding]) -> Account:
    """Of `trapline research games`."""
    head = f"{_head(run)} Moves of {', '.join(files)} were judged by an engine with {nodes:,} nodes before and after."
    return Account("Evaluation on games", head, findings, GAMES_DO_NOT_SHOW)


def markdown_of(account: Account, plots: Sequence[str]) -> str:
    """The account, each of its findings followed by the Markdown that shows its plots."""
    parts = [f"# {account.title}\n\n{account.head}\n"]
    parts += [markdown(f.report, 2) + shown for f, shown in zip(account.findings, plots, strict=True)]
    parts.append("## What this does not show\n\n" + "\n".join(f"- {text}" for text in account.not_shown) + "\n")
    return "\n".join(parts)


def _head(run: Run) -> str:
    sample = run.sample
    learned = f"Weights learned from {len(sample.library):,} traps and {run.weights.background:,} ordinary moves"
    left_out = f"; {sample.shared:,} whose position is in the library were left out" if sample.shared else ""
    bad = f"; {sample.bad:,} rows were no puzzles" if sample.bad else ""
    return (
        f"{learned}; asked about {len(sample.queries):,} of the {sample.rows:,} puzzles of {sample.file}, of other "
        f"games{left_out}{bad}. Sides and order come from the hash of the game. So each run takes the same."
    )
