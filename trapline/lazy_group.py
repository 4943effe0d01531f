"""Command groups of Typer that import the module of a command when the command is looked up."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup


def lazy_group(commands: Mapping[str, str]) -> type[TyperGroup]:
    """Class of a command group, for the argument ``cls`` of `typer.Typer`.

    ``commands`` maps the name of each command, in the order of the help, to ``"module:name"`` of a Typer application or
    of a command function.
    """

    class LazyGroup(TyperGroup):
        """Command group whose commands are imported when they are looked up."""

        def list_commands(self, ctx: Any) -> list[str]:
            """Names of the commands, in the order of the help."""
            return list(commands)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            """The command, or None for an unknown name."""
            if cmd_name not in commands:
                return super().get_command(ctx, cmd_name)
            module, name = commands[cmd_name].split(":")
            entry = getattr(import_module(module), name)
            if not isinstance(entry, typer.Typer):
                single = typer.Typer(add_completion=False)
                single.command(name=cmd_name)(entry)
                entry = single
            command = typer.main.get_command(entry)
            command.name = cmd_name
            return command

    return LazyGroup


def lazy_application(summary: str, commands: Mapping[str, str]) -> typer.Typer:
    """Typer application with these commands, which says ``summary`` in its help; see `lazy_group`."""
    application = typer.Typer(cls=lazy_group(commands), no_args_is_help=True, help=summary)

    @application.callback()
    def callback() -> None:
        pass  # Typer takes an application without commands of its own for a group only if it has a callback.

    return application
