"""Command groups of Typer that import the module of a command when the command is looked up."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import typer
from typer.core import TyperGroup

from trapcore.suggestions import unknown_name
from trapline.examples import EXAMPLES, example


def hide_flag_types(ctx: Any, command: Any) -> None:
    """Take the type out of the help of flags, which take no value, also of the commands of a group."""
    # Without a context, as tests and documents look commands up, there is no help option yet.
    for parameter in (*command.params, command.get_help_option(ctx) if ctx is not None else None):
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    for each in getattr(command, "commands", {}).values():
        hide_flag_types(ctx, each)


def give_examples(command: Any, path: str, examples: Mapping[str, str]) -> None:
    """Show the example of a command, or those of the commands of a group, below the help; ``path`` is how it is
    called.
    """
    command.epilog = example(path, examples)
    for name, each in getattr(command, "commands", {}).items():
        give_examples(each, f"{path} {name}", examples)


def lazy_group(
    commands: Mapping[str, str], examples: Mapping[str, str] = EXAMPLES, entry_group: str | None = None
) -> type[TyperGroup]:
    """Class of a command group, for the argument ``cls`` of `typer.Typer`.

    ``commands`` maps the name of each command, in the order of the help, to ``"module:name"`` of a Typer application or
    of a command function. ``examples`` are those that the help shows. Installed distributions may add commands: entry
    points of the group ``entry_group``, written in the same way.
    """

    @cache
    def everything() -> Mapping[str, str]:
        added = entry_points(group=entry_group) if entry_group else ()
        return {**commands, **{point.name: point.value for point in added}}

    class LazyGroup(TyperGroup):
        """Command group whose commands are imported when they are looked up."""

        def list_commands(self, ctx: Any) -> list[str]:
            """Names of the commands, in the order of the help."""
            return list(everything())

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            """The command, or None for an unknown name."""
            place = commands.get(cmd_name) or everything().get(cmd_name)
            if place is None:
                return super().get_command(ctx, cmd_name)
            module, name = place.split(":")
            entry = getattr(import_module(module), name)
            if not isinstance(entry, typer.Typer):
                single = typer.Typer(add_completion=False)
                single.command(name=cmd_name)(entry)
                entry = single
            command = typer.main.get_command(entry)
            command.name = cmd_name
            hide_flag_types(ctx, command)
            # The path begins with the name of the program.
            above = ctx.command_path.split()[1:] if ctx is not None else []
            give_examples(command, " ".join([*above, cmd_name]), examples)
            return command

        def get_params(self, ctx: Any) -> Any:
            """The options, flags without a type."""
            found = super().get_params(ctx)
            for parameter in found:
                if getattr(parameter, "is_flag", False):
                    parameter.metavar = ""
            return found

        def resolve_command(self, ctx: Any, args: Any) -> Any:
            """The command that is named. An unknown name is an error that names the nearest."""
            if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
                ctx.fail(str(unknown_name("command", args[0], everything())))
            return super().resolve_command(ctx, args)

    return LazyGroup


def lazy_application(summary: str, commands: Mapping[str, str], examples: Mapping[str, str] = EXAMPLES) -> typer.Typer:
    """Typer application with these commands, which says ``summary`` in its help; see `lazy_group`."""
    application = typer.Typer(cls=lazy_group(commands, examples), no_args_is_help=True, help=summary)

    @application.callback()
    def callback() -> None:
        pass  # Typer takes an application without commands of its own for a group only if it has a callback.

    return application
