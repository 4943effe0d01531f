"""A PGN game as a trap.

What is read of a game, variations and comments aside:

==============================  =====================================================================================
the moves, from the start or    up to the bait: how the trap arises; from it on: bait and killer line, to the end of
from the tag FEN                the main line
the bait                        the move of the tag ``Bait``, a ply counted from 1 or a SAN; else the last main-line
                                move marked ``??`` or ``?`` (``$4``, ``$2``) that another move follows
name                            tag ``Event``; if that is empty or ``?``, White and Black
slug, family, opening, source   tags ``TrapSlug``, ``Family`` (else ``other``), ``Opening``, ``Source`` (else the file)
ECO                             tag ``ECO``
verdict and proof               tags ``Verdict``, ``MateIn``, ``Gain``, ``ProofBy``, ``ProofNodes``, ``ProofDepth``, but
                                only if the caller trusts the file
how the bait looks              tags ``BaitRank``, ``BaitGain``, ``BaitDepths`` (depth:bait:best, centipawns), likewise
opinions                        tags ``Opinion1``, ``Opinion2``, ...: verdict, gain, nodes, depth, day and name, with a
                                hyphen for what is unknown; likewise. Without them the proof is the only opinion
why it is no trap               tag ``Reason``
==============================  =====================================================================================
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from io import StringIO
from itertools import count
from typing import TypeVar

import chess
import chess.pgn

from db.formats.pgn_export import TEXT_TAGS
from db.traps.opinion import Opinion
from db.traps.temptation import Profile
from db.traps.trap import Trap, TrapLabels, make_trap
from trapcore.errors import InputError
from trapcore.io.bounded_numbers import decimal_number, whole_number
from trapcore.proof.verdict import DepthValue, Verdict

_Number = TypeVar("_Number", int, float)

# Without a group that is repeated, which would take 64 bytes of memory for each of millions of blank lines.
_BLANK_LINES = re.compile(r"\n[ \t\n]*\n")
_SMALL = partial(whole_number, least=0, most=1000)  # moves, plies and ranks
_CENTIPAWNS = partial(whole_number, least=-1_000_000, most=1_000_000)
_GAIN = partial(decimal_number, least=0.0, most=2.0)

_LOSING = {chess.pgn.NAG_BLUNDER, chess.pgn.NAG_MISTAKE}


def game_trap(text: str, *, source: str, trust: bool = False) -> Trap:
    """The checked trap of one game; ``source`` is where it comes from, unless a tag says so.

    It is undecided, unless ``trust`` takes the proof from the game's tags. Raises `InputError` for a game that is no
    trap.
    """
    # Two blank lines after the tags would end the game for python-chess.
    try:
        game = chess.pgn.read_game(StringIO(_BLANK_LINES.sub("\n\n", text)), Visitor=_Quiet)
    except ValueError as error:
        raise InputError("there is a number in it that is too long") from error
    if game is None:
        raise InputError("it has neither tags nor moves")
    if game.errors:
        raise InputError(str(game.errors[0]))
    start = game.board()
    if start.uci_variant != "chess":
        raise InputError(f"it is no chess but {start.uci_variant}")
    nodes = list(game.mainline())
    bait = _bait(nodes, _tag(game, "Bait"))
    before = nodes[bait].parent
    labels: TrapLabels = {
        "slug": _tag(game, "TrapSlug") or None,
        "family": _tag(game, "Family") or "other",
        "source": _tag(game, "Source") if "Source" in game.headers else source,
    }
    for tag, field in TEXT_TAGS.items():
        labels[field] = _tag(game, tag)
    labels["eco"] = labels["eco"].removesuffix("?")
    trap = make_trap(
        name=_name(game),
        fen=before.board().fen() if "FEN" in game.headers else None,
        moves=None if "FEN" in game.headers else chess.Board().variation_san([node.move for node in nodes[:bait]]),
        bait=nodes[bait].uci(),
        killer_line=[node.uci() for node in nodes[bait + 1 :]],
        **labels,
    )
    return _trusted(trap, game) if trust else trap


class _Quiet(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Reads the main line and keeps the errors to itself; python-chess would log them."""

    def begin_variation(self) -> chess.pgn.SkipType:  # type: ignore[override] # GameBuilder narrows what a visitor may
        return chess.pgn.SKIP

    def end_variation(self) -> None:
        """Nothing was begun, though python-chess ends it."""

    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)


def _tag(game: chess.pgn.Game, name: str) -> str:
    """Value of a tag as it was meant: without the backslashes that protect quotes, and empty for ``?``."""
    value = re.sub(r'\\(["\\])', r"\1", game.headers.get(name, "")).strip()
    return "" if value == "?" else value


def _name(game: chess.pgn.Game) -> str:
    if event := _tag(game, "Event"):
        return event
    white, black = _tag(game, "White"), _tag(game, "Black")
    if not white and not black:
        raise InputError("it has no name: give the tag Event")
    return f"{white or '?'} - {black or '?'}"


def _bait(nodes: list[chess.pgn.ChildNode], tag: str) -> int:
    """Index of the bait in the main line."""
    if not tag:
        marked = [number for number, node in enumerate(nodes[:-1]) if node.nags & _LOSING]
        if not marked:
            raise InputError("no move that another one follows is marked ? or ??, and there is no tag Bait")
        return marked[-1]
    if tag.isdecimal():
        try:
            return whole_number(tag, 1, len(nodes) - 1) - 1
        except ValueError as error:
            raise InputError(f"the bait is said to be ply {tag[:20]}, but it must be 1 to {len(nodes) - 1}") from error
    wanted = tag.rstrip("!?+#")
    found = [number for number, node in enumerate(nodes[:-1]) if node.san().rstrip("+#") == wanted]
    if len(found) != 1:
        raise InputError(f"the bait {tag} occurs {len(found)} times before the last move; give its ply instead")
    return found[0]


def _trusted(trap: Trap, game: chess.pgn.Game) -> Trap:
    try:
        trusted = replace(
            trap,
            verdict=Verdict(_tag(game, "Verdict") or "undecided"),
            mate_in=_figure(_tag(game, "MateIn"), _SMALL),
            gain=_figure(_tag(game, "Gain"), _GAIN),
            proof_by=_tag(game, "ProofBy"),
            proof_nodes=_figure(_tag(game, "ProofNodes"), whole_number) or 0,
            proof_depth=_figure(_tag(game, "ProofDepth"), _SMALL),
            profile=_profile(game),
        )
        trusted = replace(trusted, opinions=tuple(_opinions(game)) or _only(trusted))
    except ValueError as error:
        raise InputError(f"the tags of its proof cannot be read: {error}") from error
    trusted.check()
    return trusted


def _figure(text: str, kind: Callable[[str], _Number]) -> _Number | None:
    return kind(text) if text not in ("", "-") else None


def _profile(game: chess.pgn.Game) -> Profile | None:
    rank, gain = _figure(_tag(game, "BaitRank"), _SMALL), _figure(_tag(game, "BaitGain"), _CENTIPAWNS)
    if rank is None or gain is None:
        return None
    rows = [[_CENTIPAWNS(figure) for figure in word.split(":")] for word in _tag(game, "BaitDepths").split()]
    if any(len(row) != 3 for row in rows):
        raise ValueError(f"BaitDepths must be depth:bait:best, not {_tag(game, 'BaitDepths')}")
    return Profile(rank=rank, gain=gain, depths=tuple(DepthValue(*row) for row in rows))


def _opinions(game: chess.pgn.Game) -> Iterator[Opinion]:
    for number in count(1):
        text = _tag(game, f"Opinion{number}")
        if not text:
            return
        verdict, gain, nodes, depth, date, by = text.split(" ", 5)
        yield Opinion(
            by=by,
            verdict=Verdict(verdict),
            gain=_figure(gain, _GAIN),
            nodes=whole_number(nodes),
            depth=_figure(depth, _SMALL),
            date="" if date == "-" else date,
        )


def _only(trap: Trap) -> tuple[Opinion, ...]:
    """The proof as an opinion: an export of an older version has no others."""
    if not trap.proof_by:
        return ()
    return (
        Opinion(
            by=trap.proof_by,
            verdict=trap.verdict,
            gain=trap.gain,
            nodes=trap.proof_nodes,
            depth=trap.proof_depth,
        ),
    )
