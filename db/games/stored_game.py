"""A game of the library as PGN, with its losing moves annotated: what each lost to, and which move was better."""

import chess
import chess.pgn
import chess.svg
from sqlalchemy import select

from db.games.losing_moves import LostMove, lost_moves
from db.games.trap_occurrences import Games
from db.library.library import Library
from db.storage.tables import GameRow
from db.traps.terms import Side
from db.wording.evidence import Evidence
from db.wording.moves import nag
from db.wording.sentences import Narrator
from trapcore import _native
from trapcore.trees.chess_game import parse_position

_TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "Result", "WhiteElo", "BlackElo", "ECO")
_COLUMNS = ("event", "site", "date", "round", "white", "black", "result", "white_elo", "black_elo", "eco")
# Not the variant: python-chess knows fewer names, and the position says whether it is Chess960.


def evidence_of_loss(lost: LostMove) -> Evidence:
    """What may be said of a losing move of an indexed game."""
    cause, _, squares = lost.move.causes[0].partition(":") if lost.move.causes else ("", "", "")
    if cause.endswith("_missed"):
        # The cause names the best move of the judgement. A deeper value may know a better one by now.
        cause, squares = "", ""
    return Evidence(
        fen=lost.epd,
        half_move=2 * lost.number + (lost.colour == "black"),
        bait=lost.uci,
        killer_line=lost.move.killer_line,
        mate_in=lost.move.mate_in,
        before=lost.move.before,
        after=lost.move.after,
        best=lost.move.best,
        settled=lost.move.settled,
        probability=lost.move.probability,
        cause=cause,
        cause_squares=tuple(filter(None, squares.split(","))),
    )


def stored_game(library: Library, number: int, narrator: Narrator) -> tuple[chess.pgn.Game, list[LostMove]] | None:
    """The game with this number in the library, and its losing moves by ply; None if there is none.

    Each losing move has its sign, a sentence, the refutation as an arrow and as a variation. Raises `LibraryError`.
    """
    names = ("id", *_COLUMNS, "utc_time", "start_fen", "moves", "judged_by")
    with library.database.read() as connection:
        wanted = select(*(getattr(GameRow, name) for name in names)).where(GameRow.id == number)
        row = connection.execute(wanted).one_or_none()
    if row is None:
        return None
    lost, _ = lost_moves(library, Games({number: row}, frozenset({row.white, row.black})))
    game = chess.pgn.Game()
    if row.start_fen is not None:
        game.setup(parse_position(row.start_fen))
    for tag, column in zip(_TAGS, _COLUMNS, strict=True):
        value = getattr(row, column)
        if value not in (None, ""):
            game.headers[tag] = str(value)
    (line,) = _native.replay([(row.start_fen, row.moves, list(range(len(row.moves) // 2)))])
    by_ply = {each.move.ply: each for each in lost}
    node: chess.pgn.GameNode = game
    for ply, (_, uci) in enumerate(line, start=1):
        before, node = node, node.add_variation(node.board().parse_uci(uci))
        if ply in by_ply:
            _tell(before, node, by_ply[ply], narrator)
    return game, lost


def side_of(row: chess.pgn.Headers, player: str) -> Side:
    """The side that the player has in a game with these tags; White's if he has none."""
    return "black" if row.get("Black") == player and row.get("White") != player else "white"


def _tell(before: chess.pgn.GameNode, node: chess.pgn.GameNode, lost: LostMove, narrator: Narrator) -> None:
    evidence = evidence_of_loss(lost)
    node.comment = narrator.fell(evidence)
    if (glyph := nag(evidence.cost, evidence.probability)) is not None:
        node.nags.add(glyph)
    if lost.move.killer_line:
        killer = chess.Move.from_uci(lost.move.killer_line[0])
        node.set_arrows([chess.svg.Arrow(killer.from_square, killer.to_square, color="green")])
    if lost.move.best is not None:
        before.add_variation(chess.Move.from_uci(lost.move.best))
