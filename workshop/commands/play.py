"""The command ``trapline research play``. What it needs is imported when it runs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import ClusterOption
from trapline.echo import echo, say
from workshop.commands.search_options import (
    SEARCH_METAVAR,
    GameArgument,
    MovesOption,
    PlayoutsOption,
    PositionArgument,
    SecondsOption,
    SeedOption,
    chosen_budget,
    hint_pool,
    opinion_text,
    sight_text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workshop.games.search.monte_carlo import MonteCarloSearch, PlayoutBudget

HUMAN = "human"
#: The letter of the player to move in a position's notation, and who that is.
COLOURS = {"w": "white", "x": "white", "b": "black", "o": "black"}

WhiteOption = Annotated[
    str | None,
    typer.Option(metavar=f"human|{SEARCH_METAVAR}", help="Player of White, or X. Default: human, with --watch mcts."),
]
BlackOption = Annotated[str | None, typer.Option(metavar="human|…", help="Player of Black, or O. Default: mcts.")]


def play(
    game: GameArgument,
    position: PositionArgument = None,
    moves: MovesOption = "",
    white: WhiteOption = None,
    black: BlackOption = None,
    watch: Annotated[bool, typer.Option("--watch", help="Two searches play each other.")] = False,
    seconds: SecondsOption = None,
    playouts: PlayoutsOption = None,
    seed: SeedOption = 0,
    cluster: ClusterOption = None,
) -> None:
    """Play a game in the terminal against a search, or watch two searches play.

    Type moves as they are shown. ? lists the legal ones. An empty line or `quit` ends the game.
    """
    from trapcore.errors import UsageError
    from workshop.games.search.monte_carlo import MonteCarloSearch, search_named

    budget = chosen_budget(seconds, playouts)
    names = {"white": white or ("mcts" if watch else HUMAN), "black": black or "mcts"}
    if watch and HUMAN in names.values():
        raise UsageError("--watch is for two searches; nobody else can play")
    variants = {colour: "mcts" if name == HUMAN else name for colour, name in names.items()}
    asks = {colour: search_named(name).local for colour, name in variants.items()}
    with hint_pool(cluster, is_asked=any(asks.values())) as pool:
        # Each has a tree of its own, and other random numbers.
        players = {
            colour: MonteCarloSearch(
                game,
                position,
                name,
                moves=moves.split(),
                seed=(seed + number) % 2**64,
                pool=pool if asks[colour] else None,
            )
            for number, (colour, name) in enumerate(variants.items())
        }
        _play(game, names, players, budget)


def _play(game: str, names: Mapping[str, str], players: Mapping[str, MonteCarloSearch], budget: PlayoutBudget) -> None:
    """A game to its end, or to that of the input. Raises ``PositionError`` if it is over."""
    from trapcore.errors import PositionError

    board = players["white"]
    if board.reward is not None:
        raise PositionError(f"the game is over: {board.text!r}", board.text)
    seen: Counter[str] = Counter()
    while (ending := _ending(game, board, seen)) is None:
        colour = COLOURS[board.text.split()[1]]
        echo(f"\n{_drawn(board.text)}\n")
        if names[colour] == HUMAN:
            move = _typed_move(board, colour)
            if move is None:
                echo("the game is not finished")
                return
        else:
            opinion = players[colour].search(budget)
            move = opinion.best.move
            echo(f"{colour} ({names[colour]}) plays {opinion_text(opinion)}")
            for sight in opinion.local:
                echo(f"  local search: {sight_text(sight)}")
        for player in players.values():
            player.play(move)
    echo(f"\n{_drawn(board.text)}\n\n{ending}")


def _ending(game: str, board: MonteCarloSearch, seen: Counter[str]) -> str | None:
    """How the game ended, if it did. Chess ends by repetition and fifty moves too, or programs played on for ever."""
    reward = board.reward
    fields = board.text.split()
    if reward is not None:
        last = "black" if COLOURS[fields[1]] == "white" else "white"
        other = COLOURS[fields[1]]
        return "a draw" if reward == 0 else f"{last if reward > 0 else other} has won"
    if game == "chess":
        key = " ".join(fields[:4])
        seen[key] += 1
        if seen[key] == 3:
            return "a draw by repetition"
        if int(fields[4]) >= 100:
            return "a draw by fifty moves"
    return None


def _drawn(text: str) -> str:
    """The board with its files and ranks, and who moves."""
    rows, mover, *_ = text.split()
    lines = []
    for number, row in enumerate(ranks := rows.split("/")):
        # A FEN counts empty squares.
        cells = "".join("." * int(letter) if letter.isdigit() else letter for letter in row)
        lines.append(f"{len(ranks) - number} {' '.join(cells)}")
    lines.append(f"  {' '.join('abcdefgh'[: len(lines[0]) // 2])}   {COLOURS[mover]} to move")
    return "\n".join(lines)


def _typed_move(board: MonteCarloSearch, colour: str) -> str | None:
    """A legal move that was typed; None at the end of input."""
    legal = {label.casefold(): label for label in board.labels}
    while True:
        try:
            typed = input(f"{colour}> ").strip()
        except EOFError:
            return None
        if typed.casefold() in ("", "quit"):
            return None
        if typed.casefold() in legal:
            return legal[typed.casefold()]
        if typed != "?":
            say(f"{typed!r} is no legal move")
        echo(" ".join(legal.values()))
