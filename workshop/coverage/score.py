"""Recall and agreement of one report, with every move that was missed or reported wrongly.

trapline annotate GAMES.pgn -o annotated.pgn --report report.jsonl
python -m workshop.coverage.score report.jsonl LABELS.jsonl --games GAMES.pgn --pgn annotated.pgn
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from workshop.coverage.figures import BY, KIND, Figures
from workshop.coverage.games import read_games
from workshop.coverage.glyphs import false_glyphs, glyphs, marked, nags_of_file
from workshop.coverage.judged import Judged, judged
from workshop.coverage.labels import read_labels
from workshop.coverage.told import numbered, told_of
from workshop.report import Report, Table, markdown


def missed(moves: Sequence[Judged]) -> Table:
    """Moves that lose and were not claimed, those that lose most first."""
    found = sorted((m for m in moves if m.loses and m.claim is None), key=lambda m: -m.loss)
    header = ("game", "move", "loss", "before", "kind", "refutation", "FEN before the move")
    return Table(header, tuple(_row(m, m.kind, _line(m)) for m in found))


def denied(moves: Sequence[Judged]) -> Table:
    """Claims that the reference does not bear out, those that lose least first."""
    found = sorted((m for m in moves if m.claim is not None and not m.agrees), key=lambda m: m.loss)
    header = ("game", "move", "loss", "before", "kind", "claimed", "loss claimed", "FEN before the move")
    rows = []
    for m in found:
        assert m.claim is not None
        *cells, fen = _row(m, m.claimed_kind, " ".join(m.claim.killers_san))
        rows.append((*cells, "–" if m.claim.loss is None else f"{m.claim.loss:.2f}", fen))
    return Table(header, tuple(rows))


def _row(m: Judged, kind: str, line: str) -> tuple[str, ...]:
    return str(m.game.number), m.named(), f"{m.loss:.2f}", f"{m.before:.2f}", kind, line, m.board.fen()


def _line(m: Judged) -> str:
    board, told = m.after(), []
    for uci in m.label.line[m.ply - 1]:
        move = board.parse_uci(uci)
        told.append(board.san(move))
        board.push(move)
    return " ".join(told)


def main() -> None:
    """Print the score of a report."""
    parser = argparse.ArgumentParser(prog="python -m workshop.coverage.score", description=__doc__.partition("\n")[0])
    parser.add_argument("report", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--games", nargs="+", required=True, metavar="GAMES.pgn", type=Path, help="as they were given")
    parser.add_argument("--pgn", metavar="ANNOTATED.pgn", type=Path, help="score the glyphs, too")
    given = parser.parse_args()
    labels = read_labels(given.labels)
    games = [game for game in read_games(given.games) if game.key in labels]
    moves = judged(games, labels, told_of(given.report.read_bytes().splitlines(), numbered(games)))
    figures = Figures.of(moves)
    rows = [(name, str(share)) for name, share in figures.shares().items()]
    blocks: list[str | Table] = [f"{figures.games:,} games, {figures.moves:,} moves", Table(("", "share"), tuple(rows))]
    if given.pgn is not None:
        before = {key: nags for path in given.games for key, nags in nags_of_file(path).items()}
        shares = glyphs(moves, before, nags_of_file(given.pgn))
        told = {f"{glyph}: loses .2": share for glyph, share in shares.items()} | false_glyphs(shares)
        told |= marked(moves, nags_of_file(given.pgn))
        blocks.append(Table(("glyphs", "share"), tuple((name, str(share)) for name, share in told.items())))
    blocks += [figures.table(name) for name in (KIND, *BY)]
    blocks += ["Missed:", missed(moves), "Told, and not borne out:", denied(moves)]
    print(markdown(Report(f"{given.report} against {given.labels}", tuple(blocks))), end="")


if __name__ == "__main__":
    main()
