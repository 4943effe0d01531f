"""Glyphs of an annotated PGN held against the reference."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TextIO

import chess
import chess.pgn

from workshop.coverage.games import Game
from workshop.coverage.judged import AGREES, Judged
from workshop.coverage.shares import Share
from workshop.report import Table, number

GLYPHS = {1: "!", 5: "!?", 6: "?!", 2: "?", 4: "??", 3: "!!"}
"""The glyphs by their NAG."""
GOOD = (1, 3, 5)
BLUNDER = 4
BAD = frozenset({2, 4, 6})

CLASSES = ((5, 10), (10, 15))
LOSING = 15
"""Points of win chance, 0 to 100, that a move costs: inaccuracies, mistakes, and from then on blunders."""
LITTLE = 2.5
"""A move that costs fewer points should have no mark."""

Nags = Mapping[str, list[frozenset[int]]]
"""NAGs of every move of games, by `Game.key`."""


class _Quiet(chess.pgn.GameBuilder[chess.pgn.Game]):
    def handle_error(self, error: Exception) -> None:
        """What cannot be read is no game of the labels, and is left out without a word."""


def nags_of(file: TextIO, name: str) -> dict[str, list[frozenset[int]]]:
    """NAGs on the main line of every game of a PGN, which is called ``name``."""
    found = {}
    while (read := chess.pgn.read_game(file, Visitor=_Quiet)) is not None:
        nodes = list(read.mainline())
        if read.headers.get("Variant", "Standard").lower() not in ("standard", "from position"):
            continue
        fen = read.headers.get("FEN")
        moves = tuple(node.move.uci() for node in nodes)
        game = Game(name, 0, {}, fen, moves)
        found[game.key] = [frozenset(node.nags) for node in nodes]
    return found


def nags_of_file(path: Path) -> dict[str, list[frozenset[int]]]:
    """NAGs of a PGN file that is not compressed. Raises ``OSError``."""
    with path.open(encoding="utf-8", errors="replace") as file:
        return nags_of(file, path.name)


def glyphs(moves: Iterable[Judged], before: Nags, annotated: Nags) -> dict[str, Share]:
    """Of the glyphs that were put on moves: those on moves that the reference says lose `AGREES` or more.

    ``before`` has the NAGs of the games as they were given: what stood there is not ours.
    """
    hits: dict[int, list[bool]] = {nag: [] for nag in GLYPHS}
    for move in moves:
        added = _at(annotated, move) - _at(before, move)
        for nag in hits:
            if nag in added:
                hits[nag].append(move.agrees)
    return {GLYPHS[nag]: Share.among(found) for nag, found in hits.items() if found}


def marked(moves: Iterable[Judged], annotated: Nags) -> dict[str, Share]:
    """Of the moves that cost so many points by the reference those with ``?!``, ``?`` or ``??``; and of the moves with
    one of these those that cost less than `LITTLE`."""
    costs = [(move.points, bool(BAD & _at(annotated, move))) for move in moves]
    shares = {
        f"{low} to {high} points, marked": Share.among(has for cost, has in costs if low <= cost < high)
        for low, high in CLASSES
    }
    shares[f"{LOSING} points or more, marked"] = Share.among(has for cost, has in costs if cost >= LOSING)
    little = Share.among(cost < LITTLE for cost, has in costs if has)
    return shares | {f"marked, less than {LITTLE} points": little}


def _at(nags: Nags, move: Judged) -> frozenset[int]:
    found = nags.get(move.game.key)
    return found[move.ply - 1] if found is not None else frozenset()


def false_glyphs(shares: Mapping[str, Share]) -> dict[str, Share]:
    """Glyphs that are not true: ``!``, ``!?`` or ``!!`` on a move that loses `AGREES`, ``??`` on one that does not."""
    good = [shares[GLYPHS[nag]] for nag in GOOD if GLYPHS[nag] in shares]
    bad = shares.get(GLYPHS[BLUNDER], Share(0, 0))
    return {
        f"! or !? on a move that loses {number(AGREES, 1)}": Share(sum(s.hits for s in good), sum(s.of for s in good)),
        f"?? on a move that loses less than {number(AGREES, 1)}": Share(bad.of - bad.hits, bad.of),
    }


def glyph_table(shares: Mapping[str, Share]) -> Table:
    """The glyphs with what the reference says of their moves."""
    header = ("glyph", f"loses {number(AGREES, 1)}", "moves", "95 %")
    return Table(header, tuple((glyph, *share.cells()) for glyph, share in shares.items()))
