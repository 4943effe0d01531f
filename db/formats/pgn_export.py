"""A trap as a PGN game, which `db.formats.pgn_import` reads back without its proof."""

import textwrap
from collections.abc import Mapping
from typing import Literal

import chess

from db.traps.terms import Outcome
from db.traps.trap import Trap, read_moves

TEXT_TAGS: Mapping[str, Literal["eco", "opening", "reason"]] = {"ECO": "eco", "Opening": "opening", "Reason": "reason"}
"""Tags of texts and the fields that they hold; `db.formats.pgn_import` reads them by this table."""


def trap_game(trap: Trap) -> str:
    """The game of a trap, ending in one blank line: from the usual start if its moves are known, else from its FEN.

    The bait is marked ``$4``.
    """
    board = chess.Board() if trap.moves is not None else trap.board()
    moves = read_moves(board, trap.moves or "", trap.slug)
    bait_ply = len(moves) + 1
    tags = {
        "Event": trap.name,
        "Site": "?",
        "Date": "????.??.??",
        "Round": "?",
        "White": "?",
        "Black": "?",
        "Result": _result(trap),
    }
    if trap.moves is None:
        tags |= {"SetUp": "1", "FEN": board.fen()}
        if board.chess960:
            tags["Variant"] = "Chess960"
    tags |= {"TrapSlug": trap.slug, "Family": trap.family, "Bait": str(bait_ply), "Source": trap.source}
    proof: dict[str, object] = {
        "ECO": "",
        "Opening": "",
        "Verdict": trap.verdict.value,
        "MateIn": trap.mate_in,
        "Gain": trap.gain,
        "ProofBy": trap.proof_by,
        "ProofNodes": trap.proof_nodes or None,
        "ProofDepth": trap.proof_depth,
    }
    proof |= {tag: getattr(trap, field) for tag, field in TEXT_TAGS.items()}
    if trap.profile is not None:
        depths = (f"{value.depth}:{value.bait}:{value.best}" for value in trap.profile.depths)
        proof |= {"BaitRank": trap.profile.rank, "BaitGain": trap.profile.gain, "BaitDepths": " ".join(depths)}
    for number, opinion in enumerate(trap.opinions, start=1):
        figures = (opinion.verdict, opinion.gain, opinion.nodes, opinion.depth, opinion.date)
        known = ("-" if figure in (None, "") else str(figure) for figure in figures)
        proof[f"Opinion{number}"] = " ".join((*known, opinion.by))
    tags |= {name: str(value) for name, value in proof.items() if value not in (None, "")}
    words: list[str] = []
    for move in [*moves, *(chess.Move.from_uci(uci) for uci in trap.line)]:
        if board.turn == chess.WHITE:
            words.append(f"{board.fullmove_number}.")
        elif not words:
            words.append(f"{board.fullmove_number}...")
        words.append(board.san_and_push(move))
        bait_ply -= 1
        if bait_ply == 0:
            words.append("$4")
    words.append(tags["Result"])
    # The columns of the export format; not broken at hyphens, or O-O-O would be.
    movetext = textwrap.fill(" ".join(words), 79, break_long_words=False, break_on_hyphens=False)
    return "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in tags.items()) + f"\n{movetext}\n\n"


def _result(trap: Trap) -> str:
    if trap.outcome is Outcome.MATERIAL:
        return "*"
    return "0-1" if trap.victim == "white" else "1-0"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
