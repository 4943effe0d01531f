"""The commands ``trapline repertoire ...``.

==========  =====================================================================
build.py    ``build``: the moves with the best expected score, and their traps
own.py      ``check`` and ``from-games``: a player's own repertoire
==========  =====================================================================
"""

from trapline.lazy_group import lazy_application

repertoire = lazy_application(
    "Check your opening repertoire against your games, take one from them, or build one with traps.",
    {
        "check": "trapline.commands.repertoire.own:check",
        "from-games": "trapline.commands.repertoire.own:from_games",
        "build": "trapline.commands.repertoire.build:build",
    },
)
