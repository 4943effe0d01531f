"""Page of a position: play to it or set it up, and see known traps, similar traps, what wins and what loses.

It works without a script: each square is a link to the same page with one change.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import chess
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from coach.repertoire.people import People, people_of
from db.games.explorer import Explored, explore
from db.query.ahead import AheadPage, traps_ahead
from db.query.answer import Hit, Match
from db.query.query import AheadQuery
from db.query.query import Query as LibraryQuery
from db.similarity.propose import LosingMove, Proposals, Question, WinningMove
from db.traps.openings import opening_of
from db.traps.trap import Trap, read_moves
from db.wording.boards import described, piece_words, square_words
from db.wording.claims import percent_of_chance
from db.wording.languages.grammar import Grammar
from trapcore import _native
from trapcore.errors import InputError, Message, PositionError
from trapcore.parallel.budget import Cancellation
from trapcore.trees.chess_game import parse_position
from trapline.web.pages.boards import Picture, Square, dests, ground, push, square_order, squares, with_gaps
from trapline.web.pages.game_viewer import move_number
from trapline.web.pages.games import white_chance
from trapline.web.pages.plots import result_bar
from trapline.web.pages.rendering import PROMOTIONS, address, ahead_rows, capital, language_of, page
from trapline.web.profile import ShownGames, profile_of, shown_games, told_fallers
from trapline.web.service import Service, service_of

router = APIRouter(include_in_schema=False)

AHEAD = 8
"""Traps ahead that are shown."""
SIMILAR = 4
"""Similar traps on the page."""
PROPOSED = 3
"""Moves that win, and moves that lose, on the page."""
NODES = 10_000
"""Budget of their proof in nodes: some hundredths of a second."""
LONGEST_LINE = 600
"""Longest line in a URL in plies, more than any game has."""

EMPTY = "8/8/8/8/8/8/8/8 w - - 0 1"
_CASTLING = {
    "K": (chess.WHITE, "O-O"),
    "Q": (chess.WHITE, "O-O-O"),
    "k": (chess.BLACK, "O-O"),
    "q": (chess.BLACK, "O-O-O"),
}
_ERASER = "x"
_SHOWN = (  # of a position, in the template
    "chance", "known", "similar", "fallen", "ahead", "wins", "loses", "explored", "people", "found", "later",
)  # fmt: skip

Text = Annotated[str, Query(max_length=200)]
Short = Annotated[str, Query(max_length=5)]


@dataclass(frozen=True, slots=True)
class View:
    """What the page shows: a first position, the moves from there, and the side below."""

    start: str
    """FEN; empty for the initial position."""
    line: tuple[str, ...]
    """UCI."""
    flipped: bool

    def url(self, **params: object) -> str:
        """URL of the view, with these query parameters."""
        side = "black" if self.flipped else ""
        return address("/position", fen=self.start, line=",".join(self.line), side=side, **params)

    def after(self, move: chess.Move) -> "View":
        """View after one more move."""
        return replace(self, line=(*self.line, move.uci()))

    def boards(self) -> Iterator[chess.Board]:
        """Board at the start and after each move. Raises `PositionError` and `InputError`."""
        board = parse_position(self.start) if self.start else chess.Board()
        yield board
        for uci in self.line:
            board = board.copy(stack=False)
            push(board, uci)
            yield board


@router.get("/position")
async def position(
    request: Request,
    fen: Text = "",
    moves: Annotated[str, Query(max_length=8000)] = "",
    line: Annotated[str, Query(max_length=6 * LONGEST_LINE)] = "",
    side: Short = "",
    from_: Annotated[Short, Query(alias="from")] = "",
    to: Short = "",
) -> Response:
    """Page of a position with its traps; ``moves`` is free text, ``line`` the moves in UCI with commas."""
    view = View(fen.strip(), tuple(filter(None, line.split(","))), side == "black")
    try:
        if moves.strip():
            played = read_moves(chess.Board(), moves, "the moves")
            view = replace(view, start="", line=tuple(move.uci() for move in played))
        boards = list(view.boards())
    except (InputError, PositionError) as error:
        # The initial position is shown beneath the message.
        return _page(request, View("", (), view.flipped), [chess.Board()], error=error.message, text=fen or moves)
    service = service_of(request)
    # A script asks for what is known at once, and then for the whole page.
    quick = request.headers.get("x-part") == "quick"
    work = service.run if quick else service.search
    found = await work(request, lambda stop: _find(service, view, boards, stop, quick=quick))
    return _page(request, view, boards, found, entered=(from_, to))


@dataclass(frozen=True, slots=True)
class _Found:
    chance: float
    """White's win chance, -1..1."""
    known: list[Hit]
    similar: list[Hit]
    fallen: list[tuple[Trap, str]]
    """Traps whose bait was the last move, with the killer line."""
    proposals: Proposals | None
    """None if nothing was searched yet."""
    least: float
    """Least similarity of the similar traps."""
    explored: Explored | None
    ahead: AheadPage | None = None
    """Traps that can still arise; None likewise."""
    people: People | None = None
    """None likewise."""


def _find(service: Service, view: View, boards: list[chess.Board], stop: Cancellation, *, quick: bool) -> _Found:
    board = boards[-1]
    least = service.settings.least_similarity
    chance = white_chance(service, board.fen(), stop)
    query = LibraryQuery(fen=board.fen(), similar=SIMILAR, min_similarity=least, limit=4 * SIMILAR)
    hits = service.query_engine.ask(query).hits
    fallen: list[tuple[Trap, str]] = []
    if view.line:
        fallen = [
            (hit.trap, " ".join(hit.killer_here.san))
            for hit in service.query_engine.ask(LibraryQuery(fen=boards[-2].fen(), limit=SIMILAR)).hits
            if hit.bait_here is not None and hit.bait_here.uci == view.line[-1:] and hit.killer_here is not None
        ]
    known, similar = (
        [hit for hit in hits if hit.match is not Match.SIMILAR],
        [hit for hit in hits if hit.match is Match.SIMILAR],
    )
    if quick:
        return _Found(chance, known, similar[:SIMILAR], fallen, None, least, None)
    question = Question(boards[-2].fen(), view.line[-1]) if view.line else Question(board.fen())
    suggester = service.suggester(PROPOSED, NODES, unproved=False, explain=True)
    explored = explore(service.library, fen=board.fen())
    return _Found(
        chance,
        known,
        similar[:SIMILAR],
        fallen,
        suggester.answer(question, stop),
        least,
        explored,
        traps_ahead(service.library, AheadQuery(start=board.fen(), limit=AHEAD)),
        people_of(service.library, board, explored, stop),
    )


def _page(
    request: Request,
    view: View,
    boards: list[chess.Board],
    found: _Found | None = None,
    *,
    entered: tuple[str, str] = ("", ""),
    error: Message | str = "",
    text: str = "",
) -> Response:
    """Response with the page; ``entered`` are the squares of a move as far as they are chosen."""
    from_, to = entered
    board, language = boards[-1], language_of(request)
    known = found.known[0] if found is not None and found.known else None
    here = known is not None and not from_
    picture = Picture(
        fen=board.fen(),
        last=view.line[-1] if view.line else "",
        bait=known.bait_here.uci[0] if here and known is not None and known.bait_here is not None else "",
        killer=known.killer_here.uci[0] if here and known is not None and known.killer_here is not None else "",
        flipped=view.flipped,
    )
    context = {} if found is None else _context(view, board, found, shown_games(request), language)
    return page(
        request,
        "position.html",
        400 if error else 200,
        editing=False,
        error=capital(language.message(error)),
        text=text or board.fen(),
        picture=picture,
        ground=ground(
            picture,
            dests=dests(board.legal_moves),
            play=with_gaps(replace(view, line=(*view.line, "{uci}")).url()),
        ),
        squares=squares(
            board,
            from_,
            language,
            flipped=view.flipped,
            choose=lambda name: view.url(**({} if name == from_ else {"from": name})),
            play=lambda moves: _move_url(view, moves),
        ),
        promotions=_promotions(view, board, from_, to, language),
        back=replace(view, line=view.line[:-1]).url() if view.line else None,
        flip=replace(view, flipped=not view.flipped).url(),
        set_up=address("/position/setup", fen=board.fen(), side="black" if view.flipped else ""),
        is_usual=not view.start,
        status_text=_status(board, language),
        mover=language.sides[board.turn],
        played=_played(view, boards),
        opening=opening_of(_native.epd(each.fen()) for each in boards),
        like=None if error or profile_of(request) is None else address("/mistakes", like=board.fen()),
        legal=[(board.san(move), view.after(move).url()) for move in board.legal_moves],
        **dict.fromkeys(_SHOWN, None) | context,  # type: ignore[arg-type]
    )


def _context(view: View, board: chess.Board, found: _Found, only: ShownGames, language: Grammar) -> dict[str, object]:
    known = {
        "chance": percent_of_chance(found.chance),
        "known": found.known,
        "similar": found.similar,
        "fallen": found.fallen,
        "least": found.least,
    }
    if found.proposals is None or found.explored is None:
        return {**known, "found": found, "later": True}
    baits = {hit.bait_here.uci[0]: hit.trap for hit in found.known if hit.bait_here is not None}
    wins = [_proposed(view, board, move, move.line) | {"lead": move.lead} for move in found.proposals.wins]
    loses = [
        _proposed(view, board, move, (move.uci, *move.line)) | {"bait_of": baits.get(move.uci), "loss": move.loss}
        for move in found.proposals.loses
    ]
    explored = {
        "games": found.explored.games,
        "moves": [
            {
                "san": move.san,
                "url": view.after(chess.Move.from_uci(move.uci)).url(),
                "count": move.count,
                "bar": result_bar(move.white, move.draws, move.black, language),
                "rating": move.mean_rating,
                "trap": move.trap,
                "cost": move.cost,
                "fallers": told_fallers(only, move),
            }
            for move in found.explored.moves
        ],
    }
    return {
        **known,
        "ahead": [] if found.ahead is None else ahead_rows(each for each in found.ahead.traps if each.moves),
        "wins": wins,
        "loses": loses,
        "found": found,
        "nodes": NODES,
        "explored": explored,
        "people": found.people,
        "after": lambda uci: view.after(chess.Move.from_uci(uci)).url(),
    }


def _proposed(
    view: View, board: chess.Board, move: WinningMove | LosingMove, line: tuple[str, ...]
) -> dict[str, object]:
    return {
        "san": move.san,
        "url": view.after(chess.Move.from_uci(move.uci)).url(),
        "mate_in": move.mate_in,
        "line": board.variation_san([chess.Move.from_uci(uci) for uci in line]),
        "trap": move.trap,
        "name": move.name,
        "similarity": move.similarity,
        "words": move.explanation.shared if move.explanation is not None else (),
    }


def _move_url(view: View, moves: Sequence[chess.Move]) -> str:
    """Where the moves of a piece to a square lead: to the position, or to the choice of what a pawn becomes."""
    if len(moves) == 1:
        return view.after(moves[0]).url()
    squares_of_move = {"from": chess.square_name(moves[0].from_square), "to": chess.square_name(moves[0].to_square)}
    return view.url(**squares_of_move)


def _promotions(view: View, board: chess.Board, selected: str, target: str, language: Grammar) -> list[tuple[str, str]]:
    return [
        (language.text(PROMOTIONS[chess.piece_symbol(move.promotion)]), view.after(move).url())
        for move in board.legal_moves
        if move.promotion
        and chess.square_name(move.from_square) == selected
        and chess.square_name(move.to_square) == target
    ]


def _status(board: chess.Board, language: Grammar) -> str:
    side = language.sides[board.turn]
    if board.is_checkmate():
        return language.text("%(side)s is mated.", side=side)
    if board.is_stalemate():
        return language.text("%(side)s has no move: stalemate.", side=side)
    if board.is_check():
        return language.text("%(side)s is to move and in check.", side=side)
    return language.text("%(side)s is to move.", side=side)


def _played(view: View, boards: list[chess.Board]) -> list[dict[str, str]]:
    return [
        {
            "number": move_number(board, count == 0),
            "san": board.san(chess.Move.from_uci(uci)),
            "url": replace(view, line=view.line[: count + 1]).url(),
        }
        for count, (board, uci) in enumerate(zip(boards, view.line, strict=False))
    ]


# Setting up ---------------------------------------------------------------------------------------------------------


@router.get("/position/setup")
def set_up(
    request: Request, fen: Text = "", piece: Annotated[str, Query(max_length=1)] = "P", side: Short = ""
) -> Response:
    """Page of a board on which pieces are put; the position need not be legal yet."""
    flipped, language, status = side == "black", language_of(request), 200
    wrong: Message | str = ""
    try:
        board = chess.Board(_native.plain_fen(fen) or chess.STARTING_FEN)
        odd = set(board.castling_xfen()) - {*_CASTLING, "-"}
        if odd:
            raise ValueError(f"castling rights can be set up as {', '.join(_CASTLING)}, not {''.join(sorted(odd))}")
    except ValueError as error:
        wrong, status, board = Message("not a FEN: {fault}", {"fault": str(error)}), 400, chess.Board()
    piece = piece if piece in (*"PNBRQKpnbrqk", _ERASER) else "P"
    if not wrong:
        try:
            parse_position(board.fen())
        except PositionError as error:
            # The page shows the position; its FEN says nothing more.
            wrong = Message("not a legal position: {reasons}", error.message.values)

    picture = Picture(fen=board.fen(), flipped=flipped)

    def url(changed: chess.Board, chosen: str = piece) -> str:
        return address("/position/setup", fen=changed.fen(), piece=chosen, side=side if flipped else "")

    return page(
        request,
        "position.html",
        status,
        editing=True,
        error=capital(language.message(wrong)),
        text=board.fen(),
        picture=picture,
        ground=ground(
            picture,
            setup=with_gaps(
                address(
                    "/position/setup",
                    fen=f"{{pieces}} {board.fen().partition(' ')[2]}",
                    piece=piece,
                    side=side if flipped else "",
                )
            ),
        ),
        squares=[
            Square(chess.square_name(square), square_words(board, square, language), url(_put(board, square, piece)))
            for square in square_order(flipped)
        ],
        palette=[
            {
                "letter": f"{'white' if each.isupper() else 'black'}-{each.lower()}" if each != _ERASER else "none",
                "key": "" if each == _ERASER else each,
                "name": _piece_name(each, language),
                "picture": None if each == _ERASER else f"/piece.svg?piece={each}",
                "url": url(board, each),
                "chosen": each == piece,
            }
            for each in ("KQRBNP" + _ERASER + "kqrbnp")
        ],
        toggles=list(_toggles(board, url, language)),
        done=address("/position", fen=board.fen(), side=side),
        emptied=url(chess.Board(EMPTY)),
        usual=url(chess.Board()),
        words=described(board, language),
    )


def _put(board: chess.Board, square: chess.Square, letter: str) -> chess.Board:
    """Board with the piece put on the square, or removed if it is there."""
    changed = board.copy(stack=False)
    changed.ep_square = None
    piece = None if letter == _ERASER else chess.Piece.from_symbol(letter)
    changed.set_piece_at(square, None if changed.piece_at(square) == piece else piece)
    return changed


def _toggles(board: chess.Board, url: Callable[[chess.Board], str], language: Grammar) -> Iterator[dict[str, object]]:
    """Links that change the side to move and the castling rights."""
    for colour, letter in ((chess.WHITE, "W"), (chess.BLACK, "B")):
        changed = board.copy(stack=False)
        changed.turn, changed.ep_square = colour, None
        yield {
            "of": "turn",
            "id": letter,
            "name": language.sides[colour],
            "on": board.turn == colour,
            "url": url(changed),
        }
    _, turn, rights, *_ = board.fen().split()
    for letter, (colour, castling) in _CASTLING.items():
        name = f"{language.sides[colour]} {castling}"
        has = letter in rights
        wanted = "".join(each for each in _CASTLING if (each in rights) != (each == letter))
        changed = chess.Board(f"{board.board_fen()} {turn} {wanted or '-'} - 0 {board.fullmove_number}")
        if has or changed.fen() != board.fen():
            yield {"of": "castling", "id": letter, "name": name, "on": has, "url": url(changed)}


def _piece_name(letter: str, language: Grammar) -> str:
    if letter == _ERASER:
        return language.text("Empty the square")
    return capital(piece_words(chess.Piece.from_symbol(letter), language))
