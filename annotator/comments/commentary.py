"""Comments, NAGs and variations: the only module that writes them.

Only what is proved is claimed, nothing is written twice, and nothing of the game is removed.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby

import chess

from annotator.comments.encoding import folded
from annotator.comments.pgn_insert import Layout, MoveText, insertions
from annotator.events import TrapEvent
from db.traps.terms import Event
from db.traps.trap import Trap

NAGS = {Event.FELL: 4, Event.SPRUNG: 1, Event.MISSED: 2, Event.AVOIDED: 1, Event.SET: 5}
"""``$1`` good move, ``$2`` mistake, ``$4`` blunder, ``$5`` interesting move. Several events on one move are written in
this order, and the first that has a NAG gives it."""

LINE_PLIES = 5
"""So much is shown of a line that a search found for material; what lies behind is mostly guesswork."""

_ORDER = list(NAGS)
_JUDGEMENTS = range(1, 7)  # NAGs 1 to 6 judge a move: ! ? !! ?? !? ?!

# Two remarks that differ only in the score are one: a second run with another measure adds nothing.
_SCORE = re.compile(r"\(similarity [0-9.]+ by [\w-]+")
_SHAPES = re.compile(r"\[%(csl|cal)\s+([^\]]*)\]")
_NOT_MOVES = re.compile(r"\{[^}]*\}|;[^\r\n]*|\$\d+|\d+\s*\.+|[.!?+#]+")


def annotations(events: Iterable[TrapEvent], data: bytes, layout: Layout) -> list[tuple[int, bytes]]:
    """All that is to be inserted into one game for its ``events``: offsets into ``data``, ascending, and bytes."""
    ordered = sorted(events, key=lambda event: (event.ply, _ORDER.index(event.event)))
    answered = {(event.trap_ply, event.trap.slug) for event in ordered if event.event in (Event.SPRUNG, Event.MISSED)}
    found: list[tuple[int, bytes]] = []
    for _, on_one_move in groupby(ordered, key=lambda event: event.ply):
        found.extend(insertions(_move_text(list(on_one_move), answered, layout), data, layout))
    return found


def _move_text(events: Sequence[TrapEvent], answered: set[tuple[int, str]], layout: Layout) -> MoveText:
    anchor = events[0].anchor
    comments = [comment.decode(layout.encoding, "replace") for comment in anchor.comments]
    present = _comparable(" ".join(comments))
    shapes = {f"{kind} {shape.strip()}" for kind, list_ in _SHAPES.findall(present) for shape in list_.split(",")}
    lines = [_moves_in(variation.decode("latin-1")) for variation in anchor.variations]
    judged = any(nag in _JUDGEMENTS for nag in anchor.nags)
    text = MoveText(anchor)
    for event in events:
        lead, rest = sentence(event, line_follows=(event.trap_ply, event.trap.slug) in answered)
        if _comparable(lead) in present:
            continue
        present += f" {_comparable(lead)}"
        if event.proved:
            drawn = [shape for shape in _shapes(event) if shape not in shapes]
            if drawn:
                # Some viewers lose text that stands in one comment with shapes (python-chess issue 946).
                shapes.update(drawn)
                text.comments.append(["{", _commands(drawn), "}"])
            variation = _variation(event)
            moves = _moves_in(" ".join(variation))
            if moves and not any(line[: len(moves)] == moves for line in lines):
                lines.append(moves)
                text.variations.append(["(", *variation, ")"])
            if text.nag is None and not judged:
                text.nag = _nag(event)
        text.comments.append(["{", *f"{lead}{rest}".split(), "}"])
    if anchor.number_next:
        text.next_number = _number(_half_moves(events[0], events[0].ply + 1), "")
    return text


def _comparable(text: str) -> str:
    return _SCORE.sub("(similarity", folded(text))


def _moves_in(variation: str) -> list[str]:
    """The moves of a variation without numbers, signs, comments and variations of its own."""
    flat = _NOT_MOVES.sub(" ", variation)
    depth = 0
    moves: list[str] = []
    for token in flat.replace("(", " ( ").replace(")", " ) ").split():
        if token in "()":
            depth += 1 if token == "(" else -1
        elif depth == 0:
            moves.append(token.replace("0-0-0", "O-O-O").replace("0-0", "O-O"))
    return moves


def _nag(event: TrapEvent) -> int | None:
    # Of another move than a mating one it is known that it does not mate; another move than a winning one may win.
    if event.event is Event.MISSED and event.proof.mate_in is None:
        return None
    return NAGS[event.event]


# Move numbers -------------------------------------------------------------------------------------------------------


def _half_moves(event: TrapEvent, ply: int) -> int:
    """Twice the full-move number of the move at ``ply``, plus one if it is Black's."""
    return 2 * event.number + (event.mover == "black") + ply - event.ply


def _number(half_moves: int, space: str) -> str:
    return f"{half_moves // 2}{'...' if half_moves % 2 else '.'}{space}"


def _line(sans: Iterable[str], half_moves: int, space: str = "") -> str:
    """Moves with their numbers: ``5...Bxd1 6.Bxf7+``, or ``5... Bxd1 6. Bxf7+`` with a space."""
    words = []
    for count, san in enumerate(sans):
        black = (half_moves + count) % 2 == 1
        words.append(san if black and count else _number(half_moves + count, space) + san)
    return " ".join(words)


def _bait(event: TrapEvent) -> str:
    return _line([event.bait_san], _half_moves(event, event.trap_ply))


def _killer(event: TrapEvent) -> str:
    return _line(event.killer_line_san[:1], _half_moves(event, event.trap_ply + 1))


def _shown_line(event: TrapEvent) -> tuple[str, ...]:
    """The killer line in SAN, as far as it says something: what a search found for material is cut short."""
    return event.killer_line_san[: LINE_PLIES if _cost(event) else None]


def _killer_line(event: TrapEvent) -> str:
    """``6.Bxf7+ Ke7 7.Nd5#``; empty if the killer is all there is of it."""
    if len(event.killer_line_san) < 2:
        return ""
    return _line(_shown_line(event), _half_moves(event, event.trap_ply + 1))


def _variation(event: TrapEvent) -> list[str]:
    if event.event is Event.AVOIDED:
        sans, ply = (event.bait_san, *_shown_line(event)), event.trap_ply
    elif event.event is Event.MISSED:
        sans, ply = _shown_line(event), event.trap_ply + 1
    else:
        return []
    return _line(sans, _half_moves(event, ply), " ").split()


# Shapes -------------------------------------------------------------------------------------------------------------


def _shapes(event: TrapEvent) -> Iterator[str]:
    """The bait in red and the killer in green, as far as they fit the position after the move."""
    if event.event in (Event.SET, Event.AVOIDED, Event.FELL):
        yield f"csl R{event.bait[2:4]}"
    if event.event in (Event.SET, Event.AVOIDED):
        yield f"cal R{event.bait[:4]}"
    if event.event is not Event.SPRUNG or _is_killer(event):
        yield f"cal G{event.killer_line[0][:4]}"


def _is_killer(event: TrapEvent) -> bool:
    """Whether the killer was played; the analyzer also counts another move as springing, if it is proved to mate."""
    return event.played.rstrip("+#") == event.killer_line_san[0].rstrip("+#")


def _commands(shapes: Sequence[str]) -> str:
    """``[%csl Rd1][%cal Rg4d1,Gc4f7]``, squares before arrows."""
    commands = ""
    for kind in ("csl", "cal"):
        of_kind = [shape.removeprefix(f"{kind} ") for shape in shapes if shape.startswith(kind)]
        if of_kind:
            commands += f"[%{kind} {','.join(of_kind)}]"
    return commands


# Sentences ----------------------------------------------------------------------------------------------------------


def sentence(event: TrapEvent, *, line_follows: bool) -> tuple[str, str]:
    """The comment for one event, in two parts: the lead, which tells it from every other remark, and the rest.

    ``line_follows`` says that the killer line is shown later in the game, where the killer was played or missed.
    """
    if not event.proved:
        return _unproved(event), ""
    if event.known:
        return _known(event, line_follows)
    return _similar(event, line_follows)


def _known(event: TrapEvent, line_follows: bool) -> tuple[str, str]:
    name = _name(event)
    colours = " (colours reversed)" if event.mirrored else ""
    match event.event:
        case Event.SET:
            trap = name if name.lower().endswith(" trap") else f"{name} trap"
            return f"Sets the {trap}{colours}:", f" {_loses(event)}."
        case Event.FELL:
            return f"Falls into {name}{colours}:", f" {_refutes(event, line_follows)}."
        case Event.AVOIDED:
            return f"Avoids {name}{colours}:", f" {_loses(event)}."
        case Event.SPRUNG:
            return f"Springs {name}{colours}:", f" {_springs(event)}."
        case Event.MISSED:
            reversed_ = ", colours reversed" if event.mirrored else ""
            return f"Misses {_killer(event)}, {_outcome(event)} ({name}{reversed_})", "."


def _similar(event: TrapEvent, line_follows: bool) -> tuple[str, str]:
    # Rounded down: 1.00 is only written for the same position.
    score = math.floor(event.similarity * 100) / 100
    colours = ", colours reversed" if event.mirrored else ""
    head = f"Resembles {_name(event)} (similarity {score:.2f} by {event.measure}{colours}):"
    match event.event:
        case Event.SET:
            return f"{head} sets a trap,", f" {_loses(event)}."
        case Event.FELL:
            return f"{head} falls into a trap,", f" {_refutes(event, line_follows)}."
        case Event.AVOIDED:
            return f"{head} avoids a trap,", f" {_loses(event)}."
        case Event.SPRUNG:
            return f"{head} springs a trap,", f" {_springs(event)}."
        case Event.MISSED:
            return f"{head} misses {_killer(event)},", f" {_outcome(event)}."


def _unproved(event: TrapEvent) -> str:
    """A sentence that claims nothing but the similarity itself."""
    score = math.floor(event.similarity * 100) / 100
    colours = ", colours reversed" if event.mirrored else ""
    if event.known:
        head = f"Unproved: the position of {_name(event)}{' (colours reversed)' if event.mirrored else ''};"
    else:
        head = f"Unproved: resembles {_name(event)} (similarity {score:.2f} by {event.measure}{colours});"
    match event.event:
        case Event.SET:
            return f"{head} {_bait(event)} may be tempting; not proved."
        case Event.FELL:
            return f"{head} {_bait(event)} corresponds to its bait; not proved."
        case Event.AVOIDED:
            return f"{head} {_bait(event)} may have been tempting; not proved."
        case Event.SPRUNG:
            return f"{head} {_killer(event)} corresponds to its killer; not proved."
        case Event.MISSED:
            return f"{head} {_killer(event)} would correspond to its killer; not proved."


def _name(event: TrapEvent) -> str:
    return _safe(event.trap.name).removeprefix("The ")


@lru_cache(maxsize=4096)
def _safe(text: str) -> str:
    """A name as it may stand in a comment: one line, no braces, no commands, straight quotes."""
    straight = text.translate(str.maketrans("‘’“”{}", "''\"\"  ")).replace("[%", "[")
    return " ".join("".join(letter if letter.isprintable() else " " for letter in straight).split())


def _loses(event: TrapEvent) -> str:
    if cost := _cost(event):
        return f"{_bait(event)}? {cost} after {_killer(event)}{_aside(_authority(event))}"
    return f"{_bait(event)}? loses to {_killer(event)} ({_outcome(event)})"


def _refutes(event: TrapEvent, line_follows: bool) -> str:
    mate_in = event.proof.mate_in
    if cost := _cost(event):
        what = f"it {cost} after {_killer(event)}"
    elif mate_in is None:
        what = f"{_killer(event)} wins material"
    else:
        what = f"{_killer(event)} {'is mate' if mate_in == 1 else f'mates in {mate_in}'}"
    return what + _aside(_authority(event), "" if line_follows else _killer_line(event))


def _springs(event: TrapEvent) -> str:
    if not _is_killer(event):
        return f"{event.played} mates as well as {_killer(event)} ({_outcome(event)})"
    cost = _cost(event)
    what = f"the bait {cost}" if cost else _outcome(event)
    return what + _aside(_authority(event), _killer_line(event))


def _aside(*notes: str) -> str:
    """`` (Stockfish 16: 6...Nxd5 7.Bxd8)`` of the notes that are not empty."""
    joined = ": ".join(note for note in notes if note)
    return f" ({joined})" if joined else ""


def _outcome(event: TrapEvent) -> str:
    mate_in = event.proof.mate_in
    if cost := _cost(event):
        return f"the answer to a bait that {cost}, says {_authority(event)}"
    if mate_in is None:
        return "wins material"
    return "mate" if mate_in == 1 else f"mate in {mate_in}"


def _cost(event: TrapEvent) -> str:
    """What a bait is proved to cost in figures; empty where a mate is proved or the material is in hand.

    Material is claimed to be won only where the library's killer line ends with it: a search measures win chances, and
    its line may end in the middle of an exchange.
    """
    proof = event.proof
    if proof.mate_in is not None:
        return ""
    if proof.loss is not None:
        return f"costs {proof.loss:.2f} of win chance"
    if _is_material_in_hand(event.trap):
        return ""
    gain = event.trap.gain
    return f"costs {'win chance' if gain is None else f'{gain:.2f} of win chance'}"


def _authority(event: TrapEvent) -> str:
    """Who measured what a bait costs; empty where nothing had to be measured."""
    if not _cost(event):
        return ""
    return _safe(event.proof.by if event.proof.loss is not None else event.trap.proof_by)


@lru_cache(maxsize=4096)
def _is_material_in_hand(trap: Trap) -> bool:
    """Whether the attacker has won material at the end of the killer line."""
    board = trap.board()
    attacker = not board.turn
    before = _material(board, attacker)
    for move in trap.line:
        board.push_uci(move)
    return _material(board, attacker) > before


def _material(board: chess.Board, side: chess.Color) -> int:
    """How much more ``side`` has, in pawns."""
    return sum(
        value * (len(board.pieces(piece, side)) - len(board.pieces(piece, not side)))
        for piece, value in ((chess.PAWN, 1), (chess.KNIGHT, 3), (chess.BISHOP, 3), (chess.ROOK, 5), (chess.QUEEN, 9))
    )
