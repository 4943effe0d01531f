"""Games of the tests of coverage, with what the reference says of them."""

from pathlib import Path

LEGAL = (
    '[Event "Légal"]\n[White "Kermur, Légal"]\n[Black "Saint Brie"]\n[WhiteElo "2100"]\n[BlackElo "?"]\n'
    '[Result "1-0"]\n\n'
    "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 h6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n\n"
)
"""Black's tenth ply takes the queen and is mated."""
QUIET = (
    '[Event "Italian"]\n[White "A"]\n[Black "B"]\n[Result "*"]\n\n'
    "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 5. d3 O-O 6. c3 d6 *\n\n"
)
SHORT = '[Event "Walkover"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n'
UNREADABLE = '[Event "Broken"]\n[Result "1-0"]\n\n1. e4 e5 2. Ke3 1-0\n\n'


def games_file(folder: Path, *texts: str) -> Path:
    """A file of these games."""
    path = folder / "games.pgn"
    path.write_text("".join(texts), encoding="utf-8")
    return path
