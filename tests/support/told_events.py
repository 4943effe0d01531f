"""Events made by hand, for tests of what is said of them; positions and moves are real, figures are not."""

from dataclasses import replace
from typing import Any

import chess

from annotator.events import EventProof, TrapEvent
from db.traps.terms import Event
from tests.support.trap_games import ELEPHANT, LEGAL
from trapcore import _native
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position


def anchor_of(moves: str, finding: int = 0) -> _native.Anchor:
    """Some real anchor: that of one finding in a game of Légal's Mate, by default of the move that sets it."""
    analyzer = _native.GameAnalyzer(
        [(LEGAL.epd, LEGAL.bait, LEGAL.killer_line, "proved", 2)],
        measure="sequences", min_similarity=1.0, nodes=1, unproved=False,
    )  # fmt: skip
    splitter = _native.PgnSplitter()
    (batch,) = [*splitter.feed(moves.encode()), *splitter.finish()]
    return analyzer.judge(batch).found[0].findings[finding].anchor


ANCHOR = anchor_of("1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 *\n")

_OFFSET = {Event.SET: -1, Event.FELL: 0, Event.AVOIDED: 0, Event.SPRUNG: 1, Event.MISSED: 1}


def legal(event: Event, *, played: str = "", **changes: Any) -> TrapEvent:
    """An event of Légal's Mate: Black to choose at ply 10 of the game, 48 % with 5...dxe5 and mated in two after it."""
    plays = {Event.SET: "Nxe5", Event.FELL: "Bxd1", Event.AVOIDED: "dxe5", Event.SPRUNG: "Bxf7+", Event.MISSED: "Nxd1"}
    ply = 10 + _OFFSET[event]
    made = TrapEvent(
        event=event,
        trap=LEGAL,
        known=True,
        mirrored=False,
        similarity=1.0,
        measure="sequences",
        ply=ply,
        trap_ply=10,
        number=(ply + 1) // 2,
        mover="black" if ply == 10 else "white",
        played=played or plays[event],
        fen=LEGAL.epd + " 0 5",
        bait=LEGAL.bait,
        bait_san="Bxd1",
        killer_line=LEGAL.killer_line,
        killer_line_san=("Bxf7+", "Ke7", "Nd5#"),
        proof=EventProof(Verdict.PROVED, 2, 0, "library"),
        anchor=ANCHOR,
        kind="check",
        before=-0.04,
        after=-1.0,
        best="d6e5",
        best_san="dxe5",
        best_line_san=("dxe5", "Qxg4", "Nf6"),
        played_loss=0.0,
    )
    return replace(made, **changes)


def unlike(event: Event, **changes: Any) -> TrapEvent:
    """The same where no trap is like it."""
    return legal(event, **{"trap": None, "known": False, "similarity": 0.0, **changes})


def gain(event: Event, *, played: str = "", **changes: Any) -> TrapEvent:
    """An event of the Elephant Trap, which wins a piece: White to choose at ply 11, 55 % before and 20 % after it."""
    plays = {Event.SET: "exd5", Event.FELL: "Nxd5", Event.AVOIDED: "e3", Event.SPRUNG: "Nxd5", Event.MISSED: "h6"}
    ply = 11 + _OFFSET[event]
    line = ("Nxd5", "Bxd8", "Bb4+", "Qd2", "Bxd2+", "Kxd2", "Kxd8")
    made = legal(
        event,
        played=played or plays[event],
        trap=None,
        known=False,
        similarity=0.0,
        ply=ply,
        trap_ply=11,
        number=(ply + 1) // 2,
        mover="white" if ply == 11 else "black",
        fen=f"{ELEPHANT.epd} 0 6",
        bait=ELEPHANT.bait,
        bait_san="Nxd5",
        killer_line=ELEPHANT.killer_line,
        killer_line_san=line,
        proof=EventProof(Verdict.PROVED, None, 5000, "tester", 0.7),
        kind="capture",
        before=0.1,
        after=-0.6,
        best="e2e3",
        best_san="e3",
        best_line_san=("e3", "c6"),
        played_loss=0.0,
    )
    return replace(made, **changes)


def after(first: TrapEvent, reply: str, bait: str, **changes: Any) -> TrapEvent:
    """The same loss a move later: the answer to ``first`` was not played but ``reply``, and ``bait`` does not stop it.

    Moves are UCI.
    """
    board = parse_position(first.fen)
    board.push_uci(first.bait)
    board.push_uci(reply)
    fen, san = board.fen(), board.san(chess.Move.from_uci(bait))
    place = {"ply": first.ply + 2, "trap_ply": first.trap_ply + 2, "number": first.number + 1}
    best: dict[str, Any] = {"best": None, "best_san": None, "best_line_san": ()}
    return replace(first, **{**place, **best, "fen": fen, "bait": bait, "bait_san": san, **changes})
