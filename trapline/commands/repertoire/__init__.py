"""The commands ``trapline repertoire ...``.

==========  =====================================================================
build.py    ``build``: the moves with the best expected score, and their traps
own.py      ``check`` and ``from-games``: a player's own repertoire
drill.py    ``drill`` and ``export``: lines against the player, and files for others
==========  =====================================================================
"""

from trapline.lazy_group import lazy_application

repertoire = lazy_application(
    "Check and drill your opening repertoire, take one from your games, or build one with traps.",
    {
        "check": "trapline.commands.repertoire.own:check",
        "from-games": "trapline.commands.repertoire.own:from_games",
        "drill": "trapline.commands.repertoire.drill:drill",
        "export": "trapline.commands.repertoire.drill:export",
        "build": "trapline.commands.repertoire.build:build",
    },
)
