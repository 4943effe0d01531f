"""What baits look like beforehand, and how many of the victim's moves have to be tested to include them."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean

import chess

from trapcore import _native
from trapcore.trees.chess_game import parse_position
from workshop.evaluation.run import Finding, Run
from workshop.evaluation.sample import Puzzle
from workshop.report import Report, Table, number

RANKS = (1, 2, 3, 5, 8, 12)


@dataclass(frozen=True)
class Seen:
    """A move of the victim at first sight."""

    captures: bool
    exchange: int
    """Centipawns that the exchange on its square gains."""
    checks: bool
    develops: bool
    """Castles, or a knight or bishop leaves the rank it began on."""
    saves: bool
    """The piece could be taken at a gain where it stood."""


RULES: tuple[tuple[str, Callable[[Seen], bool]], ...] = (
    ("wins material by exchange", lambda m: m.exchange > 0),
    ("or takes and loses nothing by it", lambda m: m.captures and m.exchange >= 0),
    ("or takes", lambda m: m.captures),
    ("or gives check", lambda m: m.checks),
    ("or develops", lambda m: m.develops),
    ("or saves an attacked piece", lambda m: m.saves),
    ("or any move that hangs nothing", lambda m: m.exchange >= 0),
    ("all moves", lambda m: True),
)
"""Each with those before it."""


def temptation(run: Run) -> Finding:
    """Share of the baits that each rule includes, and the moves a position that it includes besides."""
    run.say("baits")
    seen = run.each(look, run.queries)
    baits = [moves[query.trap.bait] for query, moves in zip(run.queries, seen, strict=True)]
    single = [(RULES[at][0].removeprefix("or "), fmean(RULES[at][1](bait) for bait in baits)) for at in (0, 2, 3, 4, 5)]
    rows: list[tuple[str, float, float]] = []
    for at, (name, _) in enumerate(RULES):
        rules = [rule for _, rule in RULES[: at + 1]]
        included = [{uci for uci, move in moves.items() if any(rule(move) for rule in rules)} for moves in seen]
        share = fmean(q.trap.bait in chosen for q, chosen in zip(run.queries, included, strict=True))
        rows.append((name, share, fmean(map(len, included))))
    ranks = run.each(_rank, run.queries)
    by_rank = [(k, fmean(rank <= k for rank in ranks), fmean(min(k, len(m)) for m in seen)) for k in RANKS]
    blocks = (
        f"The looks of the baits of {len(run.queries):,} puzzles before they are played. A bait may be several of "
        "these. The table cannot say whether it takes back, because puzzles do not show the move before.",
        Table(("the bait", "share"), tuple((name, number(share)) for name, share in single)),
        "The mean number of the victim's moves that a rule would have to test, and the share of the baits among them. "
        "Each rule includes those above it:",
        Table(("a move tempts if it", "baits", "moves"), tuple((n, number(s), f"{m:.1f}") for n, s, m in rows)),
        "The same for moves ordered by their value after captures and checks are played out (depth 1 and quiescence):",
        Table(("the best", "baits", "moves"), tuple((str(k), number(s), f"{m:.1f}") for k, s, m in by_rank)),
    )
    return Finding(Report("Baits", blocks))


def look(puzzle: Puzzle) -> dict[str, Seen]:
    """Each move of the victim at first sight."""
    board = parse_position(puzzle.before)
    exchanges = dict(_native.exchanges(puzzle.before))
    threatened = _threatened(board)
    found = {}
    for move in board.legal_moves:
        uci = board.uci(move)
        piece = board.piece_at(move.from_square)
        assert piece is not None
        home = chess.square_rank(move.from_square) == (0 if board.turn else 7)
        minor = piece.piece_type in (chess.KNIGHT, chess.BISHOP)
        found[uci] = Seen(
            captures=board.is_capture(move),
            exchange=exchanges[uci],
            checks=board.gives_check(move),
            develops=board.is_castling(move) or (home and minor),
            saves=move.from_square in threatened,
        )
    return found


def _threatened(board: chess.Board) -> set[int]:
    """Squares of the mover's pieces that the other side could take at a gain if it were to move."""
    if board.is_check():
        return set()
    turned = board.copy(stack=False)
    turned.push(chess.Move.null())
    return {chess.parse_square(uci[2:4]) for uci, gain in _native.exchanges(turned.fen()) if gain > 0}


def _rank(puzzle: Puzzle) -> int:
    """Place of the bait among all moves at depth 1, from 1."""
    profile = _native.bait_profile(puzzle.before, puzzle.trap.bait, 1)
    return profile[-1][1]
