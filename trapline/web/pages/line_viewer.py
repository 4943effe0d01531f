"""Steps of the viewer of a line: a board, a URL and a caption for each position."""

from dataclasses import dataclass

import chess

from db.traps.trap import Trap
from db.wording.languages.grammar import Grammar
from trapline.web.pages.boards import Picture
from trapline.web.pages.rendering import address, start_number


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Step of a viewer: a position of the line."""

    ply: int
    """Half-moves made since the beginning of the line."""
    number: str
    """``5...`` or ``6.`` where one is written before the move, else empty."""
    san: str
    """The move that led here; empty at the beginning."""
    kind: str
    """``bait``, ``killer`` or empty."""
    picture: Picture
    caption: str
    url: str


def trap_steps(trap: Trap, language: Grammar, *, flipped: bool, path: str = "") -> list[Step]:
    """Steps of a trap: its position, then each move of its bait and killer line; ``path`` of the page, by default the
    trap's own."""
    board = start_number(trap)
    path = path or f"/traps/{trap.slug}"
    killer = trap.killer_line[0]
    victim, attacker = language.sides[board.turn], language.sides[not board.turn]
    sans = trap.sans()
    steps = []
    for ply in range(len(trap.line) + 1):
        last = trap.line[ply - 1] if ply else ""
        number = move_number(board, ply == 1) if ply else ""
        if ply:
            board.push(chess.Move.from_uci(last))
        picture = Picture(
            fen=board.fen(),
            last=last,
            bait=trap.bait if ply == 0 else "",
            killer=killer if ply < 2 else "",
            flipped=flipped,
        )
        if ply == 0:
            caption = language.text(
                "%(side)s is to move. The bait is %(bait)s, the red arrow; the killer %(killer)s, the green one.",
                side=victim,
                bait=sans[0],
                killer=sans[1],
            )
        elif ply == 1:
            caption = language.text(
                "%(victim)s has taken the bait. %(attacker)s answers %(killer)s, the green arrow.",
                victim=victim,
                attacker=attacker,
                killer=sans[1],
            )
        else:
            side = attacker if ply % 2 == 0 else victim
            caption = language.text("%(side)s has played %(move)s.", side=side, move=sans[ply - 1])
            if board.is_checkmate():
                caption += f" {language.text('That is mate.')}"
        steps.append(
            Step(
                ply=ply,
                number=number,
                san=sans[ply - 1] if ply else "",
                kind={1: "bait", 2: "killer"}.get(ply, ""),
                picture=picture,
                caption=caption,
                url=address(path, ply=ply or None, side="black" if flipped else None),
            )
        )
    return steps


def move_number(board: chess.Board, first: bool) -> str:
    """Number before the next move: ``6.`` for White, ``5...`` for Black where a line begins, else empty."""
    if board.turn:
        return f"{board.fullmove_number}."
    return f"{board.fullmove_number}..." if first else ""


def around(urls: list[str], at: int) -> tuple[str | None, str | None, str | None, str | None]:
    """URLs of the first, previous, next and last step, seen from that at the index ``at``; None where there is none."""
    back, on = at > 0, at < len(urls) - 1
    return (
        urls[0] if back else None,
        urls[at - 1] if back else None,
        urls[at + 1] if on else None,
        urls[-1] if on else None,
    )
