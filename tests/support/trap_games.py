"""Real traps and games in which they happen, for the tests of the annotator."""

import re
from dataclasses import replace
from pathlib import Path

from db.library.open import open_library
from db.proof.prover import TrapProver
from db.traps.trap import Trap, make_trap
from trapcore import _native
from trapcore.proof.verdict import Verdict
from trapline.commands.annotate import annotate


def _mate(name: str, moves: str, bait: str, killer_line: str) -> Trap:
    proved = TrapProver().prove(make_trap(name=name, moves=moves, bait=bait, killer_line=killer_line))
    assert proved.verdict is Verdict.PROVED
    return proved


LEGAL = _mate("Légal's Mate", "e4 e5 Nf3 d6 Bc4 Bg4 Nc3 g6 Nxe5", "Bxd1", "Bxf7+ Ke7 Nd5#")
BUDAPEST = _mate("Budapest Bf2 Mate", "d4 Nf6 c4 e5 d5 Bc5 Bg5 Ne4", "Bxd8", "Bxf2#")
SMOTHERED = _mate("Caro-Kann Smothered Mate Trap", "e4 c6 d4 d5 Nc3 dxe4 Nxe4 Nd7 Qe2", "Ngf6", "Nd6#")
# What it wins stands on the board; nobody has to measure it.
ELEPHANT = replace(
    make_trap(
        name="Elephant Trap",
        moves="d4 d5 c4 e6 Nc3 Nf6 Bg5 Nbd7 cxd5 exd5",
        bait="Nxd5",
        killer_line="Nxd5 Bxd8 Bb4+ Qd2 Bxd2+ Kxd2 Kxd8",
    ),
    verdict=Verdict.PROVED,
    proof_by="by hand",
)
#: Undecided, and no trap at all: what it calls a bait is the best move.
TWO_KNIGHTS = make_trap(name="Two Knights", moves="e4 e5 Nf3 Nc6 Bc4", bait="Nf6", killer_line="Ng5")
TRAPS = (LEGAL, BUDAPEST, SMOTHERED, ELEPHANT)

FELL = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n"
AVOIDED = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 dxe5 6. Qxg4 Nf6 1/2-1/2\n"
MISSED = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Nxd1 dxe5 0-1\n"
RESIGNED = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 1-0\n"
BUDAPEST_FELL = "1. d4 Nf6 2. c4 e5 3. d5 Bc5 4. Bg5 Ne4 5. Bxd8 Bxf2# 0-1\n"
# The same with colours exchanged: Black gives the queen, a tempo behind.
REVERSED = "1. e3 e5 2. e4 Nf6 3. d3 Bc5 4. Bg5 Nc6 5. g3 Nxe4 6. Bxd8 Bxf2+ 7. Ke2 Nd4# 0-1\n"
ELEPHANT_FELL = (
    "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Nbd7 5. cxd5 exd5 6. Nxd5 Nxd5 7. Bxd8 Bb4+ 8. Qd2 Bxd2+ 9. Kxd2 Kxd8 0-1\n"
)
QUIET = "1. d4 Nf6 2. c4 g6 3. Nc3 Bg7 4. e4 d6 5. Nf3 O-O 6. Be2 e5 *\n"
#: Légal's Mate with the pawn on a6 instead of g6, and the mate all the same.
RESEMBLES = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 a6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n"


def game(moves: str, white: str = "Anna", black: str = "Boris", **tags: str) -> str:
    """A game with the players' tags and others."""
    pairs = {"Event": "?", "White": white, "Black": black, **tags}
    return "".join(f'[{name} "{value}"]\n' for name, value in pairs.items()) + f"\n{moves}\n"


_FIGURES = re.compile(r" \(\d+ % (?:→|->) \d+ %\)|\?\?(?= )| \$\d+|\s\[%tl \d+\]")
_BETTER = re.compile(
    r" \d+\.+\S+ (?:is (?:winning|better|the better defence)|keeps the (?:advantage|balance)|takes [^.]*"
    r"|(?:guards|blocks|prevents|stops) [^.]*)\.( \}( \( [^)]*\))?)?"
)


def without_figures(text: str) -> str:
    """What is told, without our mark and what a search measured: glyphs, win chances, signs and better moves."""
    return _BETTER.sub(lambda found: " }" if found[1] else "", _FIGURES.sub("", text))


def make_library(path: Path) -> Path:
    """A library of these traps."""
    with open_library(path, create=True) as library:
        library.add_all(TRAPS)
    return path


def annotated(text: str | bytes, folder: Path, library: Path, **options: object) -> bytes:
    """What the command makes of a file with this text."""
    folder.mkdir(exist_ok=True)
    source, out = folder / "in.pgn", folder / "out.pgn"
    source.write_bytes(text.encode() if isinstance(text, str) else text)
    annotate([str(source)], output=str(out), db=str(library), quiet=True, **options)  # type: ignore[arg-type]
    return out.read_bytes()


def records(data: bytes) -> _native.BatchRecords:
    """The games of a text as the library reads them."""
    splitter = _native.PgnSplitter(1 << 24)
    (batch,) = [*splitter.feed(data), *splitter.finish()]
    return _native.read_records(batch)
