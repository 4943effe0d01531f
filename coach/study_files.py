"""Traps as chapters of lichess studies: a PGN game each, with the line, what it took from people, and arrows.

Lichess imports at most 64 chapters into a study (https://lichess.org/api#tag/Studies), so no file has more.
"""

from collections.abc import Sequence
from pathlib import Path

import chess
import chess.pgn
import chess.svg

from db.games.trap_stats import TrapStats
from db.traps.trap import Trap, read_moves
from db.wording.claims import claim
from trapcore.errors import OutputError
from trapcore.io.atomic_write import replacing

CHAPTERS = 64
"""Most chapters of a study."""


def write_chapters(chapters: Sequence[str], folder: Path, name: str) -> list[Path]:
    """Write games into ``NAME-1.pgn``, ``NAME-2.pgn`` and so on, `CHAPTERS` each; the files that were written.

    Each appears under its name when it is complete; the folder is made if need be. Raises `OutputError`.
    """
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, at in enumerate(range(0, len(chapters), CHAPTERS), start=1):
            path = folder / f"{name}-{number}.pgn"
            with replacing(path) as building:
                # Lichess wants two blank lines or more between games.
                building.write_text("\n\n".join(chapters[at : at + CHAPTERS]) + "\n", encoding="utf-8")
            written.append(path)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror}") from error
    return written


def write_study(traps: Sequence[tuple[Trap, TrapStats]], folder: Path | str) -> list[Path]:
    """Write the traps in their order, see `write_chapters`."""
    return write_chapters([chapter(trap, stats) for trap, stats in traps], Path(folder), "traps")


def study_files(folder: Path | str | None) -> list[Path]:
    """Files of a folder that `write_study` may replace; none without a folder."""
    return [] if folder is None else sorted(Path(folder).glob("traps-*.pgn"))


def chapter(trap: Trap, stats: TrapStats) -> str:
    """One trap as a game with comments, ending in one line end."""
    game = chess.pgn.Game()
    known = trap.moves is not None
    board = chess.Board() if known else trap.board()
    if not known:
        game.setup(board)
    game.headers["Event"] = trap.name
    game.headers["ChapterName"] = trap.name[:80]
    for tag, value in (("ECO", trap.eco), ("Opening", trap.opening)):
        if value:
            game.headers[tag] = value
    node: chess.pgn.GameNode = game
    for move in read_moves(board, trap.moves or "", trap.slug):
        node = node.add_variation(move)
    bait, killer = chess.Move.from_uci(trap.bait), chess.Move.from_uci(trap.killer_line[0])
    node.comment = _set(trap, stats)
    node.set_arrows([chess.svg.Arrow(bait.from_square, bait.to_square, color="red")])
    node = node.add_variation(bait, nags=[chess.pgn.NAG_BLUNDER])
    node.comment = _fell(stats)
    node.set_arrows([chess.svg.Arrow(killer.from_square, killer.to_square, color="green")])
    for uci in trap.killer_line:
        node = node.add_variation(chess.Move.from_uci(uci))
    node.comment = f"{claim(trap)[0].upper()}{claim(trap)[1:]}."
    return f"{game.accept(chess.pgn.StringExporter(columns=None))}\n"


def _set(trap: Trap, stats: TrapStats) -> str:
    frequency = stats.frequency
    if not frequency.decisions:
        return f"{trap.victim.capitalize()} to move: a trap."
    return (
        f"{trap.victim.capitalize()} to move: a trap. {frequency.played:,} of {frequency.decisions:,} fell for it "
        f"({stats.low:.0%} to {stats.high:.0%})."
    )


def _fell(stats: TrapStats) -> str:
    if not stats.frequency.played:
        return ""
    sentence = f"Punished at once in {stats.punished:,} of {stats.frequency.played:,} games."
    return sentence if stats.points is None else f"{sentence} The attacker scored {stats.points:.0%}."
