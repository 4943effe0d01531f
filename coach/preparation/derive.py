"""A repertoire out of the games of a player: his most played move in each position, and what he met."""

from collections import Counter
from collections.abc import Sequence

import chess
import chess.pgn

from coach.preparation.games import OpeningGame, Played, Score
from db.traps.terms import SIDES


def derived(games: Sequence[OpeningGame], player: str, *, least: int, plies: int) -> list[chess.pgn.Game]:
    """A chapter for each colour that has moves of at least ``least`` games, ``plies`` deep at most.

    The comment of a move says in how many games it was played and, of the player's own, what he scored with it. A
    position that another line has already ends its line. A line ends with a move of the player.
    """
    chapters = []
    for colour in SIDES:
        own = [game for game in games if game.colour == colour]
        chapter = chess.pgn.Game()
        chapter.headers["Event"] = f"{player} with {colour.capitalize()}"
        chapter.headers["Orientation"] = colour
        _Builder(Played.of(own), colour == "white", least, plies).grow(chapter)
        if chapter.variations:
            chapter.comment = f"{len(own):,} games. Moves of {least} games or more."
            chapters.append(chapter)
    return chapters


class _Builder:
    """Grows the chapter of one colour, the most played lines first."""

    def __init__(self, played: Played, is_white: bool, least: int, plies: int) -> None:
        self._played = played
        self._is_white = is_white
        self._least = least
        self._plies = plies
        self._lines: dict[str, str] = {}
        """How each position was reached first."""

    def grow(self, node: chess.pgn.GameNode) -> None:
        """Add what was played after a node."""
        board = node.board()
        epd = board.epd(en_passant="legal")
        if epd in self._lines:
            node.comment += f" As after {self._lines[epd]}."
            return
        self._lines[epd] = chess.Board().variation_san(board.move_stack)
        is_own = board.turn == self._is_white
        for uci in self._moves(epd, is_own) if node.ply() < self._plies else ():
            child = node.add_variation(chess.Move.from_uci(uci))
            child.comment = self._comment(epd, uci, is_own)
            self.grow(child)
            if not is_own and not child.variations and "As after" not in child.comment:
                node.remove_variation(child)

    def _moves(self, epd: str, is_own: bool) -> list[str]:
        counts = self._played.moves.get(epd, Counter())
        wanted = [uci for uci, count in counts.items() if count >= self._least]
        # Of two moves that the player chose as often, the one with the better results is his.
        wanted.sort(key=lambda uci: (-counts[uci], -(self._score(epd, uci).share or 0), uci))
        return wanted[:1] if is_own else wanted

    def _score(self, epd: str, uci: str) -> Score:
        return Score.of(self._played.games[epd, uci])

    def _comment(self, epd: str, uci: str, is_own: bool) -> str:
        share = self._score(epd, uci).share if is_own else None
        scored = "" if share is None else f", {share:.0%} scored"
        return f"{self._played.moves[epd][uci]:,} of {self._played.count(epd):,} games{scored}."


def as_text(chapters: Sequence[chess.pgn.Game]) -> str:
    """The chapters as PGN."""
    return "\n\n".join(chapter.accept(chess.pgn.StringExporter(columns=79)) for chapter in chapters) + "\n"
