"""The commands ``trapline research ...``.

===============  ==========================================================================
accuracy.py      ``puzzles`` and ``games``: how good the proposed killers are
causes.py        ``causes``: why losing moves lose
coverage.py      ``coverage``: how many of the losing moves are reported
dynamics.py      ``dynamics``: how much a game's local trees change from ply to ply
endings.py       ``endings``: whether the moves marked in endings cost what the marks say
local_search.py  ``local-search``: forced wins inside a region, compared with other searches
monte_carlo.py   ``mcts``: the baits that Monte Carlo searches take, their strength and speed
network.py       ``network``: the network of the search, trained on an engine's values
paper.py         ``paper``: the experiments of the founding paper, repeated
patterns.py      ``patterns``: whether players repeat themselves more than others
practice.py      ``practice``: judgements of answers in practice, held against an engine
themes.py        ``themes``: our themes of lines held against lichess's tags
===============  ==========================================================================
"""

from trapline.lazy_group import lazy_application

research = lazy_application(
    "Measure accuracy on puzzles and games, and repeat the experiments of the founding paper.",
    {
        "puzzles": "trapline.commands.research.accuracy:puzzles",
        "games": "trapline.commands.research.accuracy:games",
        "mcts": "trapline.commands.research.monte_carlo:mcts",
        "local-search": "trapline.commands.research.local_search:local_search",
        "network": "trapline.commands.research.network:network",
        "coverage": "trapline.commands.research.coverage:coverage",
        "endings": "trapline.commands.research.endings:endings",
        "patterns": "trapline.commands.research.patterns:patterns",
        "practice": "trapline.commands.research.practice:practice",
        "themes": "trapline.commands.research.themes:themes",
        "causes": "trapline.commands.research.causes:causes",
        "paper": "trapline.commands.research.paper:paper",
        "dynamics": "trapline.commands.research.dynamics:dynamics",
    },
)
