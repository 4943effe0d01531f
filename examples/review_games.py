"""Prints the losing moves of the games in a PGN file, and what they lose to.

    python examples/review_games.py FILE [PLAYER]

With a player it prints only the moves of that player. A part of the name is enough.
"""

import sys
from collections import Counter

import trapline


def main(path: str, player: str = "") -> None:
    """Print a line for each mistake, then the themes, the most frequent first."""
    found = trapline.mistakes(path, player=player) if player else trapline.mistakes(path)
    for mistake in found:
        headers = mistake.node.game().headers
        board = mistake.node.parent.board()
        print(f"{headers['White']} - {headers['Black']}, {board.variation_san([mistake.move])}: {mistake.sentence}")
    for theme, count in Counter(mistake.theme for mistake in found).most_common():
        print(f"{count:>5}  {theme}")


if __name__ == "__main__":
    main(*sys.argv[1:])
