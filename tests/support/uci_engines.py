"""UCI engines of one opinion each: processes of their own, that know the rules from python-chess."""

import stat
import sys
from pathlib import Path

REFUTING = "0"
"""Every position is level, so that no move loses anything."""
PROVING = "(500 if played % 2 else -500) if played else 0"
"""Level until a move is played; from then on the other side wins."""

_ENGINE = """#!{python}
import sys
import chess
for line in sys.stdin:
    words = line.split()
    if words == ["uci"]:
        print("id name {name}\\nuciok", flush=True)
    elif words == ["isready"]:
        print("readyok", flush=True)
    elif words == ["quit"]:
        break
    elif words[:1] == ["position"]:
        moves = words[words.index("moves") + 1 :] if "moves" in words else []
        board = chess.Board() if words[1] == "startpos" else chess.Board(" ".join(words[2:8]))
        for move in moves:
            board.push_uci(move)
        played = len(moves)
    elif words[:1] == ["go"]:
        nodes = int(words[words.index("nodes") + 1]) if "nodes" in words else 0
        move = max(board.legal_moves, key=lambda move: not board.is_capture(move))
        print(f"info depth 9 score cp {{{score}}} nodes 9 time 1", flush=True)
        print(f"bestmove {{move.uci()}}", flush=True)
"""


def engine_of(folder: Path, score: str, name: str = "Opinionated 1") -> str:
    """The path of an engine that gives ``score``, in centipawns for the side to move.

    It is an expression in ``played``, the moves since the position that was given, and ``nodes``, the limit, 0 if there
    is none.
    """
    path = folder / name.lower().replace(" ", "-")
    path.write_text(_ENGINE.format(python=sys.executable, name=name, score=score))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)
