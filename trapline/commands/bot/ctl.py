"""``trapline bot ctl``: speaks to the bot that runs in ``bot.folder``, by its local socket."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trapline.commands.options import JsonOption
from trapline.echo import echo

if TYPE_CHECKING:
    from collections.abc import Mapping

ctl = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Ask the bot that runs how it is, or tell it what to do. It is found by the setting bot.folder.",
)

ArenaArgument = Annotated[str, typer.Argument(metavar="ARENA", help="The 8 letters at the end of its address.")]


@ctl.command()
def status(as_json: JsonOption = False) -> None:
    """Show the games with their opponents and clocks, the challenges that wait, arenas, and problems."""
    found = _ask({"command": "status"})
    echo(json.dumps(found, indent=2) if as_json else "\n".join(_status_lines(found)))


@ctl.command()
def challenge(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the account, a person or a bot.")],
    clock: Annotated[str, typer.Option(metavar="5+3", help="Minutes and increment in seconds.")] = "5+3",
    rated: Annotated[bool, typer.Option("--rated", help="The game counts for the rating.")] = False,
    color: Annotated[
        str | None, typer.Option(metavar="white|black", help="The bot's side. Default: lichess draws it.")
    ] = None,
) -> None:
    """Challenge a player. Lichess drops the challenge if nobody answers within 20 seconds."""
    _tell({"command": "challenge", "name": name, "clock": clock, "rated": rated, "color": color})


@ctl.command()
def join(arena: ArenaArgument) -> None:
    """Join an arena that admits bots, five minutes before it begins. The token needs the scope tournament:write."""
    _tell({"command": "join", "arena": arena})


@ctl.command()
def leave(arena: ArenaArgument) -> None:
    """Leave an arena."""
    _tell({"command": "leave", "arena": arena})


@ctl.command()
def stop() -> None:
    """Stop the bot when all of its games are over. It accepts nothing more."""
    _tell({"command": "stop"})


@ctl.command()
def reload() -> None:
    """Read the settings again. The answer says what has changed, and what needs a restart."""
    _tell({"command": "reload"})


def _ask(request: Mapping[str, object]) -> dict[str, Any]:
    from bot.control.local_socket import ask
    from trapline.settings import Settings

    return ask(Settings().bot.folder, request)


def _tell(request: Mapping[str, object]) -> None:
    from trapcore.io.plain_text import harmless_line

    echo(harmless_line(str(_ask(request).get("message", ""))))


def _status_lines(found: Mapping[str, Any]) -> list[str]:
    """The answer to `status` as lines of text."""
    from trapcore.io.plain_text import harmless_line

    how = "it is stopping" if found["is_stopping"] else "it is well" if found["is_well"] else "it is not well"
    lines = [f"{found['account']} plays on {found['url']}; {how}"]
    lines += [f"problem: {problem}" for problem in found["problems"]]
    lines += [f"{one['requests']} requests wait {one['seconds']:.0f} s: {one['reason']}" for one in found["held"]]
    complete = found["repertoires_complete"]
    state = "" if complete is None else ", all that are wanted" if complete else ", others are being built"
    lines.append(
        f"{found['repertoires']} repertoires{state}; {found['unindexed_games']} games wait to be indexed; "
        f"{found['free_megabytes']} MB are free"
    )
    lines.append(f"{len(found['games'])} of {found['max_games']} games:")
    lines += [f"  {_game(one)}" for one in found["games"]]
    lines.append(f"{len(found['waiting'])} challenges wait:")
    lines += [f"  {_challenge(one)}" for one in found["waiting"]]
    lines += [f"arena {one['id']}: {'joined' if one['is_joined'] else 'not joined yet'}" for one in found["arenas"]]
    return [harmless_line(line) for line in lines]


def _game(game: Mapping[str, Any]) -> str:
    if "opponent" not in game:
        return f"{game['id']}  its stream is not read yet"
    clocks = game["clocks"]
    times = "no clock" if clocks is None else f"clocks {_time(clocks['white'])} and {_time(clocks['black'])}"
    turn = "the bot is to move" if game["is_our_turn"] else "the opponent is to move"
    return (
        f"{game['id']}  {game['color']} against {_person(game['opponent'])}, {_kind(game)}, "
        f"move {game['plies'] // 2 + 1}, {times}, {turn}"
    )


def _challenge(challenge: Mapping[str, Any]) -> str:
    return f"{challenge['id']}  {_person(challenge['challenger'])}, {_kind(challenge)}, for {challenge['seconds']} s"


def _person(person: Mapping[str, Any]) -> str:
    title = f"{person['title']} " if person["title"] else ""
    rating = f" ({person['rating']})" if person["rating"] is not None else ""
    return f"{title}{person['name']}{rating}"


def _kind(game: Mapping[str, Any]) -> str:
    return f"{'rated' if game['rated'] else 'casual'} {game['speed']} {game['variant']}"


def _time(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
