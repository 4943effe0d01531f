"""Traps and games for the tests of the library."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from db.traps.trap import Trap, make_trap

LEGAL_MOVES = "1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5"
LEGAL_FEN = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5"
MIRRORED_LEGAL_FEN = "r1bqk2r/pppp1ppp/2n5/2b1p1B1/4n3/2NP4/PPP2PPP/R2QKBNR w KQkq - 0 5"

FELL = '[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n\n'
AVOIDED = '[White "C"]\n[Black "D"]\n\n1. e4 e5 2. Bc4 Nc6 3. Nf3 d6 4. Nc3 Bg4 5. Nxe5 Nxe5 1/2-1/2\n\n'
ENDED = '[White "E"]\n[Black "F"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5 1-0\n\n'
MIRRORED = f'[White "G"]\n[Black "H"]\n[SetUp "1"]\n[FEN "{MIRRORED_LEGAL_FEN}"]\n\n5. Bxd8 Bxf2+ 6. Ke2 Nd4# 0-1\n\n'
"""The same trap with colours exchanged: White falls into it."""
ELEPHANT_FELL = '[White "M"]\n[Black "N"]\n\n' + (
    "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Nbd7 5. cxd5 exd5 6. Nxd5 Nxd5 7. Bxd8 Bb4+ 0-1\n\n"
)
OTHER = '[White "I"]\n[Black "J"]\n\n1. d4 d5 2. c4 e6 3. Nc3 Nf6 *\n\n'
ILLEGAL = '[White "K"]\n[Black "L"]\n\n1. e4 e5 2. Ke3 *\n\n'


def legal(**fields: Any) -> Trap:
    """Légal's mate, undecided, with other fields if wanted."""
    trap = make_trap(
        name="Légal's mate",
        family="legal",
        moves=LEGAL_MOVES,
        bait="Bxd1",
        killer_line="Bxf7+ Ke7 Nd5#",
        eco="C50",
        opening="Italian Game",
        source="a test",
    )
    return replace(trap, **fields)


def fishing_pole() -> Trap:
    """One that wins by an attack, not yet by mate."""
    return make_trap(
        name="Fishing pole",
        family="fishing-pole",
        moves="e4 e5 Nf3 Nc6 Bb5 Nf6 O-O Ng4 h3 h5",
        bait="hxg4",
        killer_line="hxg4 Ne1 Qh4",
        source="a test",
    )


def elephant() -> Trap:
    """The Elephant trap: a piece is won."""
    return make_trap(
        name="Elephant trap",
        family="elephant",
        moves="d4 d5 c4 e6 Nc3 Nf6 Bg5 Nbd7 cxd5 exd5",
        bait="Nxd5",
        killer_line="Nxd5 Bxd8 Bb4+ Qd2 Bxd2+ Kxd2 Kxd8",
        source="a test",
    )


def write(path: Path, *games: str) -> Path:
    """A PGN file of these games."""
    path.write_text("".join(games), encoding="utf-8")
    return path
