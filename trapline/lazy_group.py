"""Command groups of Typer that import the module of a command when the command is looked up."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from trapcore.errors import unknown_name
from trapline.examples import EXAMPLES, example

WORKSHOP = "Workshop"
"""Panel of the commands that other distributions add."""


def hide_flag_types(ctx: Any, command: Any) -> None:
    """Take the type out of the help of flags, which take no value, also of the commands of a group."""
    # Without a context, as tests and documents look commands up, there is no help option yet.
    for parameter in (*command.params, command.get_help_option(ctx) if ctx is not None else None):
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    for each in getattr(command, "commands", {}).values():
        hide_flag_types(ctx, each)


def paragraphs(text: str) -> str:
    """The text, each paragraph in one line."""
    return "\n\n".join(" ".join(each.split()) for each in text.split("\n\n"))


def give_examples(command: Any, path: str, examples: Mapping[str, str]) -> None:
    """Show the example of a command, or those of the commands of a group, below the help, whose paragraphs fill the
    lines of the terminal. ``path`` is how the command is called.
    """
    command.epilog = example(path, examples)
    command.help = paragraphs(command.help or "")
    for name, each in getattr(command, "commands", {}).items():
        give_examples(each, f"{path} {name}", examples)


def lazy_group(
    panels: Mapping[str, Mapping[str, str]],
    rewrite: Callable[[list[str]], list[str]] = list,
    *,
    examples: Mapping[str, str] = EXAMPLES,
    entry_group: str | None = None,
) -> type[TyperGroup]:
    """Class of a command group, for the argument ``cls`` of `typer.Typer`.

    ``panels`` has the commands by the panel of the help that shows them. Each maps the name of a command, in the order
    of the help, to ``"module:name"`` of a Typer application or of a command function. ``rewrite`` is given the words
    behind the group's own options and may put a command before them. ``examples`` are those that the help shows.
    Installed distributions may add commands: entry points of the group ``entry_group``, written in the same way.
    """

    @cache
    def all_panels() -> Mapping[str, Mapping[str, str]]:
        added = {point.name: point.value for point in entry_points(group=entry_group)} if entry_group else {}
        return {**panels, WORKSHOP: added} if added else panels

    def place_of(command: str) -> tuple[str, str] | None:
        """Panel and target of a command. What is installed is looked through only for what is none of ours."""
        among = panels if any(command in inside for inside in panels.values()) else all_panels()
        return next(((panel, inside[command]) for panel, inside in among.items() if command in inside), None)

    class LazyGroup(TyperGroup):
        """Command group whose commands are imported when they are looked up."""

        _is_listing = False

        def format_help(self, ctx: Any, formatter: Any) -> None:
            """The help of the group, for which no command needs its options."""
            self._is_listing = True
            try:
                super().format_help(ctx, formatter)
            finally:
                self._is_listing = False

        def list_commands(self, ctx: Any) -> list[str]:
            """Names of the commands, in the order of the help."""
            return [name for inside in all_panels().values() for name in inside]

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            """The command, or None for an unknown name."""
            place = place_of(cmd_name)
            if place is None:
                return super().get_command(ctx, cmd_name)
            panel, target = place
            module, name = target.split(":")
            entry = getattr(import_module(module), name)
            if self._is_listing:
                told = entry.info.help if isinstance(entry, typer.Typer) else entry.__doc__
                return TyperCommand(cmd_name, help=paragraphs(told or ""), rich_help_panel=panel)
            if not isinstance(entry, typer.Typer):
                single = typer.Typer(add_completion=False)
                single.command(name=cmd_name)(entry)
                entry = single
            command: Any = typer.main.get_command(entry)
            command.name = cmd_name
            command.rich_help_panel = panel
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
            args = rewrite(args)
            if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
                ctx.fail(str(unknown_name("command", args[0], self.list_commands(ctx))))
            return super().resolve_command(ctx, args)

    return LazyGroup


def lazy_application(summary: str, commands: Mapping[str, str], examples: Mapping[str, str] = EXAMPLES) -> typer.Typer:
    """Typer application with these commands, which says ``summary`` in its help; see `lazy_group`."""
    group = lazy_group({"Commands": commands}, examples=examples)
    application = typer.Typer(cls=group, no_args_is_help=True, add_completion=False, help=summary)

    @application.callback()
    def callback() -> None:
        pass  # Typer takes an application without commands of its own for a group only if it has a callback.

    return application
