"""Pages of a game against trapline: the choice, the board, and the result with the traps that were set.

Everything is in the address: the choice, the moves so far, and a number that the moves are drawn with. So the same
address always shows the same reply, after a reload and after a restart, and the server keeps nothing. It works without
a script, as the page of a position does.
"""

import random
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Annotated, Literal

import chess
import chess.pgn
from cachetools import LRUCache, cached
from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field

from bot.moves.set_traps import SetBait, trap_of
from coach.sparring.partner import Partner, PartnerMove
from coach.sparring.strength import LEAST_RATING, MOST_RATING, Style
from db.query.ahead import boards_of
from db.traps.openings import opening_of
from db.wording import moves as numbered_moves
from trapcore import _native
from trapcore.errors import InputError, Message, PositionError, UsageError
from trapcore.parallel.budget import Cancellation
from trapcore.trees.chess_game import parse_position
from trapline.web.pages.boards import Picture, dests, ground, push, squares, with_gaps
from trapline.web.pages.game_viewer import move_number
from trapline.web.pages.rendering import PROMOTIONS, address, capital, language_of, page
from trapline.web.service import service_of

router = APIRouter(include_in_schema=False)

LEVELS = range(LEAST_RATING, MOST_RATING + 1, 200)
"""Ratings that the form offers."""
USUAL_LEVEL = 1400
LONGEST = 600
"""Half-moves of a game. After so many it is a draw."""
SECONDS = 60.0
"""Longest time for a move, and for finding again the traps that were set."""
REPLIES = 20_000
"""Replies that are remembered, so that the traps of a game need not be searched again when it is over."""

ENDS = {
    chess.Termination.CHECKMATE: "Mate.",
    chess.Termination.STALEMATE: "Stalemate.",
    chess.Termination.INSUFFICIENT_MATERIAL: "Neither side can mate.",
    chess.Termination.THREEFOLD_REPETITION: "The position was there three times.",
    chess.Termination.FIVEFOLD_REPETITION: "The position was there three times.",
    chess.Termination.FIFTY_MOVES: "Fifty moves without a capture or a pawn move.",
    chess.Termination.SEVENTYFIVE_MOVES: "Fifty moves without a capture or a pawn move.",
}
TOO_LONG = "The game has had 300 moves, the most here."
RESULTS = {"win": "You won.", "loss": "You lost.", "draw": "A draw."}

Text = Annotated[str, Field(max_length=200)]


class Choice(BaseModel):
    """Against whom, and from where."""

    level: Annotated[int, Field(ge=LEAST_RATING, le=MOST_RATING)] = USUAL_LEVEL
    style: Style = Style.TRICKSTER
    side: Literal["white", "black", "either"] = "either"
    start: Text = ""
    """Name of an opening, ECO code, moves or FEN; empty for the initial position."""


class Game(BaseModel):
    """A game as its address has it."""

    level: Annotated[int, Field(ge=LEAST_RATING, le=MOST_RATING)]
    style: Style
    side: Literal["white", "black"]
    """Of the visitor."""
    fen: Text = ""
    line: Annotated[str, Field(max_length=6 * LONGEST)] = ""
    """Moves, UCI, with commas."""
    number: Annotated[int, Field(ge=0, lt=2**31)] = 0
    """The moves are drawn with it."""
    opened: Annotated[int, Field(ge=0, le=LONGEST)] = 0
    """Half-moves that were given before the game began."""
    given_up: bool = False
    from_: Annotated[str, Field(max_length=5, alias="from")] = ""
    to: Annotated[str, Field(max_length=5)] = ""
    """Squares of a move as far as they are chosen without a script."""

    def board(self) -> chess.Board:
        """Board with the moves so far. Raises `PositionError` and `InputError`."""
        board = parse_position(self.fen) if self.fen else chess.Board()
        for uci in filter(None, self.line.split(",")):
            push(board, uci)
        return board

    def url(
        self, line: str, *, origin: str = "", target: str = "", given_up: bool = False, path: str = "/play/game"
    ) -> str:
        """Address of the game after the moves of a line, with the squares of a move that are chosen."""
        own = self.model_dump(mode="json", exclude={"line", "given_up", "from_", "to"})
        return address(path, **{**own, "line": line, "given_up": given_up, "from": origin, "to": target})

    @property
    def color(self) -> chess.Color:
        """Of the visitor."""
        return self.side == "white"


@dataclass(frozen=True, slots=True)
class SetTrap:
    """A trap that trapline set in the game."""

    move: str
    """That set it, with its number."""
    name: str
    bait: str
    """Likewise."""
    killer: str
    """SAN with numbers."""
    was_taken: bool


@router.get("/play")
def choice(request: Request, wanted: Annotated[Choice, Query()]) -> Response:
    """Page of the choice."""
    return _choice(request, wanted)


@router.get("/play/new")
def begin(request: Request, wanted: Annotated[Choice, Query()]) -> Response:
    """Redirect to the game of a choice."""
    try:
        board = min(boards_of(wanted.start.strip()), key=lambda each: (len(each[1]), each[1], each[0].fen()))[0]
    except (InputError, PositionError, UsageError) as error:
        return _choice(request, wanted, error.message)
    played = board.move_stack
    game = Game(
        level=wanted.level,
        style=wanted.style,
        side=secrets.choice(["white", "black"]) if wanted.side == "either" else wanted.side,
        fen="" if board.root() == chess.Board() else board.root().fen(),
        line=",".join(move.uci() for move in played),
        number=secrets.randbelow(2**31),
        opened=len(played),
    )
    return RedirectResponse(game.url(game.line), status_code=303, headers={"Cache-Control": "no-store"})


@router.get("/play/game")
async def play(request: Request, game: Annotated[Game, Query()]) -> Response:
    """Page of a game: the visitor is to move, trapline thinks, or it is over."""
    board = game.board()
    service = service_of(request)
    # A script shows the visitor's move at once, and then asks for the whole page.
    waits = request.headers.get("x-part") == "quick"
    if not _ended(game, board) and board.turn != game.color and not waits:
        found = await service.search(request, lambda stop: _reply(game, board, stop), seconds=SECONDS)
        board.push_uci(found.uci)
    traps: list[SetTrap] = []
    is_over = _ended(game, board)
    if is_over and game.style is Style.TRICKSTER and not waits:
        traps = await service.search(request, lambda stop: _traps(game, board, stop), seconds=SECONDS)
    return _page(request, game, board, traps, is_over=is_over, waits=waits and (is_over or board.turn != game.color))


@router.get("/play/game.pgn")
def download(game: Annotated[Game, Query()]) -> Response:
    """The game as PGN."""
    headers = {"Content-Disposition": 'attachment; filename="game.pgn"', "Cache-Control": "no-store"}
    return Response(_pgn(game, game.board()), media_type="application/x-chess-pgn", headers=headers)


def _choice(request: Request, wanted: Choice, wrong: Message | str = "") -> Response:
    language = language_of(request)
    return page(
        request,
        "practise/play.html",
        400 if wrong else 200,
        game=None,
        wanted=wanted,
        levels=LEVELS,
        styles=list(Style),
        wrong=capital(language.message(wrong)),
    )


def _partner(game: Game, board: chess.Board) -> Partner:
    """Trapline in this game at this move: the numbers that it draws depend on nothing else."""
    numbers = random.Random(f"{game.number} {','.join(move.uci() for move in board.move_stack)}")
    return Partner(game.level, game.style, numbers, game.level)


def _key(game: Game, board: chess.Board, _: Cancellation) -> tuple[object, ...]:
    return game.level, game.style, game.number, game.fen, tuple(board.move_stack)


@cached(LRUCache(REPLIES), _key, Lock())
def _reply(game: Game, board: chess.Board, stop: Cancellation) -> PartnerMove:
    """The move of trapline. Raises `RuntimeError` if ``stop`` was cancelled before it was found."""
    found = _partner(game, board).move(board, stop=stop)
    if stop.is_cancelled:
        raise RuntimeError("cancelled")
    return found


def _traps(game: Game, board: chess.Board, stop: Cancellation) -> list[SetTrap]:
    """The traps that trapline set, found again move by move, the visitor's answer to each with it."""
    found: list[SetTrap] = []
    replay = board.root()
    moves = board.move_stack
    for ply, move in enumerate(moves):
        if ply >= game.opened and replay.turn != game.color:
            trap = _reply(game, replay, stop).trap
            # In an address that somebody wrote another move may stand there.
            if trap is not None and trap.move == move.uci() and ply + 1 < len(moves):
                before, taken = replay.copy(), moves[ply + 1].uci()
                replay.push(move)
                baits = [SetBait(trap.fen, each.uci, each.killer_line, each.mate_in, each.gain) for each in trap.baits]
                bait = next((each for each in baits if each.bait == taken), baits[0])
                found.append(_set_trap(before, replay, move, bait, was_taken=bait.bait == taken))
                continue
        replay.push(move)
    return found


def _set_trap(before: chess.Board, after: chess.Board, move: chess.Move, bait: SetBait, *, was_taken: bool) -> SetTrap:
    line = [chess.Move.from_uci(uci) for uci in (bait.bait, *bait.line)]
    answered = after.copy(stack=False)
    answered.push(line[0])
    return SetTrap(
        _numbered(before, [move]),
        trap_of(bait).name,
        _numbered(after, line[:1]),
        _numbered(answered, line[1:]),
        was_taken,
    )


def _numbered(board: chess.Board, line: Sequence[chess.Move]) -> str:
    """Moves from a position on, in SAN with their numbers."""
    replay = board.copy(stack=False)
    sans = [replay.san_and_push(move) for move in line]
    return numbered_moves.line(sans, 2 * board.fullmove_number + (not board.turn))


def _ended(game: Game, board: chess.Board) -> bool:
    return game.given_up or len(board.move_stack) >= LONGEST or _outcome(board) is not None


def _outcome(board: chess.Board) -> chess.Outcome | None:
    """How the game has ended; None if it goes on.

    A repetition and fifty moves end it once they are on the board. For python-chess they do before, if a move that is
    not played yet could bring them about.
    """
    found = board.outcome()
    if found is None and board.is_repetition(3):
        return chess.Outcome(chess.Termination.THREEFOLD_REPETITION, None)
    if found is None and board.is_fifty_moves():
        return chess.Outcome(chess.Termination.FIFTY_MOVES, None)
    return found


def _result(game: Game, board: chess.Board) -> str:
    """As PGN writes it; ``*`` of a game that goes on."""
    if game.given_up:
        return "0-1" if game.color else "1-0"
    if not _ended(game, board):
        return "*"
    outcome = _outcome(board)
    return "1/2-1/2" if outcome is None else outcome.result()


def _pgn(game: Game, board: chess.Board) -> str:
    written = chess.pgn.Game.from_board(board)
    names = {game.side: "You", "black" if game.color else "white": f"trapline {game.level}"}
    written.headers.update({"Event": "Sparring", "Site": "trapline", "Round": "-"})
    written.headers.update({"White": names["white"], "Black": names["black"], "Result": _result(game, board)})
    return f"{written}\n\n"


def _page(
    request: Request, game: Game, board: chess.Board, traps: Sequence[SetTrap], *, is_over: bool, waits: bool
) -> Response:
    language = language_of(request)
    mine = board.turn == game.color and not is_over
    last = board.move_stack[-1].uci() if board.move_stack else ""
    picture = Picture(fen=board.fen(), last=last, flipped=not game.color)

    boards = _boards(board)
    moves = [move.uci() for move in board.move_stack]
    line = ",".join(moves)

    def after(chosen: Sequence[chess.Move]) -> str:
        if len(chosen) > 1:
            origin, target = chess.square_name(chosen[0].from_square), chess.square_name(chosen[0].to_square)
            return game.url(line, origin=origin, target=target)
        return game.url(",".join([*moves, chosen[0].uci()]))

    whole = game.url(",".join([*moves, "{uci}"]))
    back = len(moves) - (2 if mine else 1)
    return page(
        request,
        "practise/play.html",
        is_stored=False,
        game=game,
        picture=picture,
        ground=ground(picture, dests=dests(board.legal_moves) if mine else {}, play=with_gaps(whole) if mine else ""),
        squares=squares(
            board,
            game.from_,
            language,
            flipped=not game.color,
            choose=lambda name: game.url(line, origin="" if name == game.from_ else name),
            play=after,
        )
        if mine
        else [],
        promotions=[
            (language.text(PROMOTIONS[chess.piece_symbol(move.promotion)]), after([move]))
            for move in board.legal_moves
            if mine and move.promotion and move.uci()[:4] == game.from_ + game.to
        ],
        waits=waits,
        is_over=is_over,
        said=_status(request, game, board, is_over=is_over),
        opening=opening_of(_native.epd(each.fen()) for each in boards),
        played=_played(boards, board.move_stack),
        back=game.url(",".join(moves[:back])) if back >= game.opened and not waits else None,
        give_up=game.url(line, given_up=True) if mine else None,
        again=address("/play/new", level=game.level, style=game.style, side=game.side, start=game.fen),
        traps=traps,
        pgn=_pgn(game, board) if is_over else "",
        file=game.url(line, given_up=game.given_up, path="/play/game.pgn"),
    )


def _status(request: Request, game: Game, board: chess.Board, *, is_over: bool) -> str:
    """What the page says above the moves."""
    language = language_of(request)
    if not is_over:
        if board.turn != game.color:
            return language.text("trapline thinks …")
        return language.text("You are to move.")
    if game.given_up:
        return language.text("You resigned.")
    result = _result(game, board)
    own = "draw" if result == "1/2-1/2" else "win" if (result == "1-0") == game.color else "loss"
    outcome = _outcome(board)
    how = TOO_LONG if outcome is None else ENDS[outcome.termination]
    return " ".join(language.text(words) for words in (how, RESULTS[own]) if words)


def _boards(board: chess.Board) -> list[chess.Board]:
    """The position before the first move, and after each."""
    boards = [board.root()]
    for move in board.move_stack:
        boards.append(boards[-1].copy(stack=False))
        boards[-1].push(move)
    return boards


def _played(boards: Sequence[chess.Board], moves: Sequence[chess.Move]) -> list[dict[str, str]]:
    return [
        {"number": move_number(board, count == 0), "san": board.san(move)}
        for count, (board, move) in enumerate(zip(boards, moves, strict=False))
    ]
