"""The commands ``trapline bot`` and ``trapline bot ctl ...``.

=======  ===========================================
play.py  ``bot``: play, check, upgrade
ctl.py   ``bot ctl``: speak to the bot that runs
=======  ===========================================
"""

import typer

from trapline.commands.bot.ctl import ctl
from trapline.commands.bot.play import play

bot = typer.Typer(
    add_completion=False,
    help="Play on lichess as a bot: set traps, explain them to spectators, sum them up after the game.",
)
bot.callback(invoke_without_command=True)(play)
bot.add_typer(ctl, name="ctl")
