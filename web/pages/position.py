"""The page of a position: play to it or set it up, and see the traps that are known there, like it, or proposed.

Everything is links, so it works without a script: a square is a link to the same page with one thing changed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated

import chess
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from db.games.explorer import Explored
from db.query.answer import Hit, Match
from db.query.query import Query as Asking
from db.similarity.propose import ProposedMove, Question
from db.traps.board_svg import described
from db.traps.trap import Trap, read_moves
from trapcore.errors import InputError, PositionError
from trapcore.parallel.budget import Cancellation
from trapcore.trees.chess_game import parse_position
from web.pages.boards import Picture
from web.pages.line_viewer import move_number
from web.pages.plots import result_bar
from web.pages.rendering import address, capital, page
from web.service import Service, service_of

router = APIRouter(include_in_schema=False)

ALIKE = 4
"""Similar traps of a position."""
CONFIDENT = 0.1
"""Of a proposed killer that is told though nothing is known of it but its confidence."""
PROPOSED = 3
"""Killers that are proposed."""
NODES = 10_000
"""For their proof: some hundredths of a second."""
LONGEST_LINE = 600
"""Plies of a line in an address, more than any game."""

EMPTY = "8/8/8/8/8/8/8/8 w - - 0 1"
_CASTLING = {"K": "White O-O", "Q": "White O-O-O", "k": "Black O-O", "q": "Black O-O-O"}
_ERASER = "x"

Text = Annotated[str, Query(max_length=200)]
Short = Annotated[str, Query(max_length=5)]


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody is on this page: a start, the moves from there, the side below."""

    start: str
    """FEN; empty for the usual start."""
    line: tuple[str, ...]
    """UCI."""
    flipped: bool

    def url(self, **more: object) -> str:
        """Its address."""
        side = "black" if self.flipped else ""
        return address("/position", fen=self.start, line=",".join(self.line), side=side, **more)

    def after(self, move: chess.Move) -> "Place":
        """One move on."""
        return replace(self, line=(*self.line, move.uci()))

    def boards(self) -> Iterator[chess.Board]:
        """The position at the start and after each move. Raises `PositionError` and `InputError`."""
        board = parse_position(self.start) if self.start else chess.Board()
        yield board
        for uci in self.line:
            board = board.copy(stack=False)
            try:
                board.push_uci(uci)
            except ValueError as error:
                raise InputError(f"{uci[:20]!r} is no legal move in {board.fen()}") from error
            yield board


@dataclass(frozen=True, slots=True)
class Field:
    """A square of the board that can be pressed."""

    name: str
    label: str
    url: str = ""
    kind: str = ""


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
    """A position with its traps; ``moves`` are as somebody wrote them, ``line`` is this page's own way of saying it."""
    place = Place(fen.strip(), tuple(filter(None, line.split(","))), side == "black")
    try:
        if moves.strip():
            played = read_moves(chess.Board(), moves, "the moves")
            place = replace(place, start="", line=tuple(move.uci() for move in played))
        boards = list(place.boards())
    except (InputError, PositionError) as error:
        # The usual start is shown beneath the complaint, so that there is something to go on with.
        empty = Place("", (), place.flipped)
        return _page(request, empty, [chess.Board()], None, 400, wrong=str(error), given=fen or moves)
    service = service_of(request)
    found = await service.work(request, lambda stop: _look(service, place, boards, stop))
    return _page(request, place, boards, found, 200, selected=from_, target=to)


@dataclass(frozen=True, slots=True)
class _Found:
    """What there is to say of a position."""

    known: list[Hit]
    similar: list[Hit]
    fallen: list[tuple[Trap, str]]
    """Traps whose bait the last move was, and the killer line from here."""
    proposals: tuple[ProposedMove, ...]
    least: float
    """Similarity that the similar ones have at least."""
    explored: Explored


def _look(service: Service, place: Place, boards: list[chess.Board], stop: Cancellation) -> _Found:
    board = boards[-1]
    least = service.settings.least_similarity
    hits = service.query_engine.ask(Asking(fen=board.fen(), similar=ALIKE, least=least, limit=4 * ALIKE)).hits
    fallen: list[tuple[Trap, str]] = []
    if place.line:
        fallen = [
            (hit.trap, " ".join(hit.killer_here.san))
            for hit in service.query_engine.ask(Asking(fen=boards[-2].fen(), limit=ALIKE)).hits
            if hit.bait_here is not None and hit.bait_here.uci == place.line[-1:] and hit.killer_here is not None
        ]
    question = Question(boards[-2].fen(), place.line[-1]) if place.line else Question(board.fen())
    suggester = service.suggester(PROPOSED, NODES, explain=True)
    return _Found(
        [hit for hit in hits if hit.match is not Match.SIMILAR],
        [hit for hit in hits if hit.match is Match.SIMILAR][:ALIKE],
        fallen,
        suggester.answer(question, stop).moves,
        least,
        service.explorer.explore(fen=board.fen()),
    )


def _page(
    request: Request,
    place: Place,
    boards: list[chess.Board],
    found: _Found | None,
    status: int,
    *,
    selected: str = "",
    target: str = "",
    wrong: str = "",
    given: str = "",
) -> Response:
    board = boards[-1]
    known = found.known[0] if found is not None and found.known else None
    here = known is not None and not selected
    picture = Picture(
        fen=board.fen(),
        last=place.line[-1] if place.line else "",
        bait=known.bait_here.uci[0] if here and known is not None and known.bait_here is not None else "",
        killer=known.killer_here.uci[0] if here and known is not None and known.killer_here is not None else "",
        flipped=place.flipped,
    )
    told = {} if found is None else _told(place, board, found)
    return page(
        request,
        "position.html",
        status,
        setting=False,
        wrong=capital(wrong),
        given=given or board.fen(),
        picture=picture,
        fields=_fields(place, board, selected),
        promotions=_promotions(place, board, selected, target),
        back=replace(place, line=place.line[:-1]).url() if place.line else None,
        flip=replace(place, flipped=not place.flipped).url(),
        set_up=address("/position/setup", fen=board.fen(), side="black" if place.flipped else ""),
        is_usual=not place.start,
        standing=_status(board),
        mover="White" if board.turn else "Black",
        played=_played(place, boards),
        legal=[(board.san(move), place.after(move).url()) for move in board.legal_moves],
        **({"known": [], "similar": [], "fallen": [], "proposals": None, "explored": None, "found": None} | told),
    )


def _told(place: Place, board: chess.Board, found: _Found) -> dict[str, object]:
    baits = {hit.bait_here.uci[0]: hit.trap for hit in found.known if hit.bait_here is not None}
    proposals = [
        {
            "san": move.san,
            "bait_of": baits.get(move.uci),
            "url": place.after(chess.Move.from_uci(move.uci)).url(),
            "mate_in": move.mate_in,
            "line": board.variation_san([chess.Move.from_uci(uci) for uci in move.line]),
            "lead": move.lead,
            "confidence": move.confidence,
            "stands_out": move.confidence >= CONFIDENT,
            "trap": move.trap,
            "name": move.name,
            "similarity": move.similarity,
            "words": move.explanation.shared if move.explanation is not None else (),
        }
        for move in found.proposals
    ]
    explored = {
        "games": found.explored.games,
        "moves": [
            {
                "san": move.san,
                "url": place.after(chess.Move.from_uci(move.uci)).url(),
                "count": move.count,
                "bar": result_bar(move.white, move.draws, move.black),
                "rating": move.mean_rating,
                "trap": move.trap,
                "cost": move.cost,
                "fallers": move.fallers,
            }
            for move in found.explored.moves
        ],
    }
    return {
        "known": found.known,
        "similar": found.similar,
        "fallen": found.fallen,
        "proposals": [move for move in proposals if move["mate_in"] or move["lead"] or move["stands_out"]],
        "best": proposals[0] if proposals else None,
        "found": found,
        "nodes": NODES,
        "least": found.least,
        "explored": explored,
    }


def _fields(place: Place, board: chess.Board, selected: str) -> list[Field]:
    """The squares as they are shown: those that can move lead to their choice, its targets to the move."""
    origins = {chess.square_name(move.from_square) for move in board.legal_moves}
    targets: dict[str, list[chess.Move]] = {}
    for move in board.legal_moves:
        if chess.square_name(move.from_square) == selected:
            targets.setdefault(chess.square_name(move.to_square), []).append(move)
    fields = []
    for square in _squares(place.flipped):
        name = chess.square_name(square)
        label = _label(board, square)
        if name in targets:
            moves = targets[name]
            url = place.after(moves[0]).url() if len(moves) == 1 else place.url(**{"from": selected, "to": name})
            kind = "to takes" if board.piece_at(square) else "to"
            fields.append(Field(name, f"{label}: move here", url, kind))
        elif name == selected and name in origins:
            fields.append(Field(name, f"{label}, chosen", place.url(), "from"))
        elif name in origins:
            fields.append(Field(name, label, place.url(**{"from": name})))
        else:
            fields.append(Field(name, label))
    return fields


def _promotions(place: Place, board: chess.Board, selected: str, target: str) -> list[tuple[str, str]]:
    return [
        (chess.piece_name(move.promotion).capitalize(), place.after(move).url())
        for move in board.legal_moves
        if move.promotion
        and chess.square_name(move.from_square) == selected
        and chess.square_name(move.to_square) == target
    ]


def _squares(flipped: bool) -> list[chess.Square]:
    """From the upper left corner to the lower right one."""
    ranks, files = range(7, -1, -1), range(8)
    squares = [chess.square(file, rank) for rank in ranks for file in files]
    return squares[::-1] if flipped else squares


def _label(board: chess.Board, square: chess.Square) -> str:
    piece = board.piece_at(square)
    if piece is None:
        return f"{chess.square_name(square)}, empty"
    return f"{chess.square_name(square)}, {'white' if piece.color else 'black'} {chess.piece_name(piece.piece_type)}"


def _status(board: chess.Board) -> str:
    side = "White" if board.turn else "Black"
    if board.is_checkmate():
        return f"{side} is mated."
    if board.is_stalemate():
        return f"{side} has no move: stalemate."
    return f"{side} is to move{' and in check' if board.is_check() else ''}."


def _played(place: Place, boards: list[chess.Board]) -> list[dict[str, str]]:
    return [
        {
            "number": move_number(board, count == 0),
            "san": board.san(chess.Move.from_uci(uci)),
            "url": replace(place, line=place.line[: count + 1]).url(),
        }
        for count, (board, uci) in enumerate(zip(boards, place.line, strict=False))
    ]


# Setting up ---------------------------------------------------------------------------------------------------------


@router.get("/position/setup")
def set_up(
    request: Request, fen: Text = "", piece: Annotated[str, Query(max_length=1)] = "P", side: Short = ""
) -> Response:
    """A board on which pieces are put, whether the position is legal yet or not."""
    flipped = side == "black"
    wrong = ""
    try:
        board = chess.Board(fen.strip() or chess.STARTING_FEN)
    except ValueError as error:
        wrong, board = f"not a FEN: {error}", chess.Board()
    if piece != _ERASER and piece not in "PNBRQKpnbrqk":
        piece = "P"
    if not wrong:
        try:
            parse_position(board.fen())
        except PositionError as error:
            wrong = str(error).partition(": '")[0]

    def url(changed: chess.Board, chosen: str = piece) -> str:
        return address("/position/setup", fen=changed.fen(), piece=chosen, side=side if flipped else "")

    return page(
        request,
        "position.html",
        setting=True,
        wrong=capital(wrong),
        given=board.fen(),
        picture=Picture(fen=board.fen(), flipped=flipped),
        fields=[
            Field(chess.square_name(square), _label(board, square), url(_put(board, square, piece)))
            for square in _squares(flipped)
        ],
        palette=[
            {
                "letter": f"{'white' if each.isupper() else 'black'}-{each.lower()}" if each != _ERASER else "none",
                "name": _piece_name(each),
                "picture": None if each == _ERASER else f"/piece.svg?piece={each}",
                "url": url(board, each),
                "chosen": each == piece,
            }
            for each in ("KQRBNP" + _ERASER + "kqrbnp")
        ],
        toggles=list(_toggles(board, url)),
        done=address("/position", fen=board.fen(), side=side),
        emptied=url(chess.Board(EMPTY)),
        usual=url(chess.Board()),
        words=described(board),
    )


def _put(board: chess.Board, square: chess.Square, letter: str) -> chess.Board:
    """The board with the piece put on the square, or taken from it if it stands there."""
    changed = board.copy(stack=False)
    changed.ep_square = None
    piece = None if letter == _ERASER else chess.Piece.from_symbol(letter)
    changed.set_piece_at(square, None if changed.piece_at(square) == piece else piece)
    return changed


def _toggles(board: chess.Board, url: Callable[[chess.Board], str]) -> Iterator[dict[str, object]]:
    """Who is to move, and the castling rights that the pieces allow."""
    for colour, name in ((chess.WHITE, "White"), (chess.BLACK, "Black")):
        changed = board.copy(stack=False)
        changed.turn, changed.ep_square = colour, None
        yield {"of": "turn", "id": name[0], "name": name, "on": board.turn == colour, "url": url(changed)}
    _, turn, rights, *_ = board.fen().split()
    for letter, name in _CASTLING.items():
        has = letter in rights
        wanted = rights.replace(letter, "") if has else rights.replace("-", "") + letter
        changed = chess.Board(f"{board.board_fen()} {turn} {wanted or '-'} - 0 {board.fullmove_number}")
        if has or changed.fen() != board.fen():
            yield {"of": "castling", "id": letter, "name": name, "on": has, "url": url(changed)}


def _piece_name(letter: str) -> str:
    if letter == _ERASER:
        return "Empty the square"
    piece = chess.Piece.from_symbol(letter)
    return f"{'White' if piece.color else 'Black'} {chess.piece_name(piece.piece_type)}"
