"""The commands ``trapline research ...``.

=================  ==========================================================================
accuracy.py        ``puzzles`` and ``games``: how good the proposed killers are
causes.py          ``causes``: why losing moves lose
coverage.py        ``coverage``: how many of the losing moves are reported
dynamics.py        ``dynamics``: how much a game's local trees change from ply to ply
endings.py         ``endings``: whether the moves marked in endings cost what the marks say
local_search.py    ``local-search``: forced wins inside a region, compared with other searches
monte_carlo.py     ``mcts``: the baits that Monte Carlo searches take, their strength and speed
network.py         ``network``: the network of the search, which learns from an engine's
paper.py           ``paper``: the experiments of the founding paper, repeated
patterns.py        ``patterns``: whether players repeat themselves more than others
play.py            ``play``: a game in the terminal against a search, or between two
practice.py        ``practice``: judgements of answers in practice, held against an engine
scale.py           ``scale``: the cost of annotate, index and mine by the number of games
search.py          ``search``: the best move of one position of any bundled game
search_options.py  options of ``search`` and ``play``, and what a search found as text and JSON
themes.py          ``themes``: our themes of lines held against lichess's tags
=================  ==========================================================================
"""

from trapline.lazy_group import lazy_application

EXAMPLES = {
    "research puzzles": "puzzles.csv.zst -o found",
    "research games": "games.pgn --puzzles puzzles.csv.zst -o found",
    "research network": "games.pgn -o out/network.bin --engine stockfish",
    "research causes": "games.pgn --out out/causes",
    "research coverage": "games.pgn --out out/coverage --engine stockfish",
    "research endings": "games.pgn --endings 100 --engine stockfish",
    "research patterns": "--out out/patterns --db my.sqlite",
    "research practice": "--out out/practice --exercises 100 --engine stockfish",
    "research themes": "puzzles.csv.zst --out out/themes",
    "research scale": "games.pgn --judged club.pgn --figures out/scale.json -o out/scale.md",
    "research paper": "figure-1 table-1 -o found",
    "research mcts": "--positions 40 --out found",
    "research local-search": "--positions 20 --seconds 5 --out out/local",
    "research dynamics": "tic-tac-toe --games 100",
    "research search": "breakthrough-6x6 --search rave --seconds 2",
    "research play": "breakthrough-6x6 --watch --white mcts-local --black uct --seconds .2",
}
"""What is written behind ``trapline`` and the name of the command; see `trapline.examples`."""

research = lazy_application(
    "Measure accuracy on puzzles and games, and repeat the experiments of the founding paper.",
    {
        "puzzles": "workshop.commands.accuracy:puzzles",
        "games": "workshop.commands.accuracy:games",
        "mcts": "workshop.commands.monte_carlo:mcts",
        "local-search": "workshop.commands.local_search:local_search",
        "network": "workshop.commands.network:network",
        "coverage": "workshop.commands.coverage:coverage",
        "endings": "workshop.commands.endings:endings",
        "patterns": "workshop.commands.patterns:patterns",
        "practice": "workshop.commands.practice:practice",
        "themes": "workshop.commands.themes:themes",
        "causes": "workshop.commands.causes:causes",
        "scale": "workshop.commands.scale:scale",
        "paper": "workshop.commands.paper:paper",
        "dynamics": "workshop.commands.dynamics:dynamics",
        "search": "workshop.commands.search:search",
        "play": "workshop.commands.play:play",
    },
    EXAMPLES,
)
