"""Every value of a position that comments, reports, pages and answers state about games, and which of them differ."""

import html
import io
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import httpx

from db.games.stored_game import stored_game
from db.library.open import open_library
from db.wording.languages.english import ENGLISH
from db.wording.sentences import Narrator
from tests.support.polling import until
from tests.support.web_server import GAMES, ROOT, environment, served
from trapcore.win_chance import win_chance

_COST = re.compile(r"\((\d+)\s*%\s*(?:→|->)\s*(\d+)\s*%\)")
_TURN = re.compile(r"(?:turning point|costliest move) is (\d+)\.(\.\.)?")
_BEST = re.compile(r"Best: [^<]*?\((\d+) % for (White|Black),")
_CHANCE = re.compile(r"White’s win chance: (\d+) %")
_POINTS = re.compile(r'<polyline class="chance-line" points="([^"]+)"')
_BAR = re.compile(r'<rect class="white-part" width="10" y="[^"]+" height="([\d.]+)"')
_SAID = re.compile(r'<p class="say" data-say>(.*?)</p>', re.DOTALL)

_HIT = re.compile(r'<li class="hit[^"]*">(.*?)</li>', re.DOTALL)
_LINK = re.compile(r'"(/games/\d+)\?ply=(\d+)')

PLOT = 0.1
"""Percentage points that the plot is rounded to, and"""
WHOLE = 0.51
"""those that figures are rounded to."""


PLACES = {
    "comment", "eval", "report line", "cost of a report line", "report", "answer of the API",
    *(f"{what} of the {where}" for where in ("game", "upload") for what in ("plot", "bar", "figure", "best move")),
    "comment of an upload", "words of the game", "words of the upload",
}  # fmt: skip


@dataclass
class Stated:
    """The values of positions, in percent for White, by EPD: where each is stated, and how finely."""

    values: dict[str, list[tuple[str, float, float]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, board: chess.Board, where: str, white: float, rounding: float) -> None:
        """Note that a place states this value of White."""
        self.values[board.epd()].append((where, white, rounding))

    def add_of(self, board: chess.Board, where: str, side: chess.Color, percent: float, rounding: float) -> None:
        """The same of a value that is of one side."""
        self.add(board, where, percent if side else 100 - percent, rounding)

    def contradictions(self, epds: list[str] | None = None) -> list[tuple[str, list[tuple[str, float, float]]]]:
        """The positions with two values that no rounding explains."""
        found = []
        for epd in self.values if epds is None else epds:
            stated = self.values[epd]
            low = max(value - rounding for _, value, rounding in stated)
            high = min(value + rounding for _, value, rounding in stated)
            if low > high:
                found.append((epd, stated))
        return found


def stated_values(text: str, folder: Path, *, of_games: int, every: int = 1) -> Stated:
    """What is stated about the first games of a PGN text.

    Best moves are asked for first, at every ``every``-th half-move with a comment and at one without. A best move that
    is asked for replaces the first look at a position, so the games are annotated after that.
    """
    stated = Stated()
    source, library = folder / "games.pgn", folder / "library.sqlite"
    bare = chess.pgn.StringExporter(variations=False, comments=False)
    source.write_text("\n\n".join(game.accept(bare) for game in _games(text, of_games)), encoding="utf-8")
    _run("index", str(source), "--db", str(library), folder=folder)
    indexed = _indexed(library)
    with served(library, folder, tell="losses") as running, running.client() as client:
        client.headers["accept"] = "text/html"
        client.timeout = httpx.Timeout(600)
        pages = _upload(stated, client, source.read_text(encoding="utf-8"))
        told = {_moves(game): game for _, game, _ in pages}
        pages += [(f"/games/{number}", told.get(_moves(game), game), "game") for number, game in indexed.items()]
        asked = [(path, ply, game, where) for path, game, where in pages for ply in _plies_with_page(game, every)]
        for path, ply, _, _ in asked:
            client.get(path, params={"ply": ply, "best": 1})
        _annotated(stated, source, library, of_games)
        for path, ply, game, where in asked:
            _page(stated, client, path, ply, game, where)
        for player in sorted({game.headers[side] for game in told.values() for side in ("White", "Black")}):
            _report(stated, client, player, {path: game for path, game, _ in pages})
        for _, ply, game, where in asked:
            if where == "game":
                _proposal(stated, client, [game.board(), *(node.board() for node in game.mainline())][ply])
    return stated


def _run(*command: str, folder: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "trapline", *command],
        cwd=ROOT,
        env=environment(folder, {"tell": "losses"}),
        capture_output=True,
    )
    assert ran.returncode == 0, ran.stderr.decode()


def _annotated(stated: Stated, source: Path, library: Path, of_games: int) -> None:
    """The comments and values of an annotated file, and the lines of its report."""
    folder = source.parent
    out, report = folder / "out.pgn", folder / "out.jsonl"
    written = ["-o", str(out), "--report", str(report)]
    _run("annotate", str(source), "--eval", "--db", str(library), *written, folder=folder)
    for game in _games(out.read_text(encoding="utf-8"), of_games):
        _comments(stated, game, "comment")
    for line in report.read_text(encoding="utf-8").splitlines():
        _finding(stated, json.loads(line))


def _indexed(library: Path) -> dict[int, chess.pgn.Game]:
    """The games of a library by their numbers."""
    found = {}
    with open_library(library) as opened:
        for number in range(1, opened.counts().games + 1):
            game = stored_game(opened, number, Narrator(ENGLISH))
            assert game is not None
            found[number] = game[0]
    return found


def _moves(game: chess.pgn.Game) -> str:
    return " ".join(node.move.uci() for node in game.mainline())


def _games(text: str, most: int) -> Iterator[chess.pgn.Game]:
    stream = io.StringIO(text)
    for _ in range(most):
        game = chess.pgn.read_game(stream)
        if game is None:
            return
        yield game


def _costs(text: str, ply: int) -> Iterator[tuple[int, int, int]]:
    """What moves cost by the words at a half-move: the closing comment of a game speaks of an earlier one."""
    text = " ".join(text.split())
    for found in _COST.finditer(text):
        turn = _TURN.search(text, 0, found.start())
        yield ply if turn is None else 2 * int(turn[1]) - 1 + bool(turn[2]), int(found[1]), int(found[2])


def _comments(stated: Stated, game: chess.pgn.Game, where: str) -> None:
    boards = [game.board(), *(node.board() for node in game.mainline())]
    for ply, node in enumerate(game.mainline(), start=1):
        after = node.board()
        for at, first, second in _costs(node.comment, ply):
            side = boards[at - 1].turn
            stated.add_of(boards[at - 1], where, side, first, WHOLE)
            stated.add_of(boards[at], where, side, second, WHOLE)
        score = node.eval()
        if score is not None:
            white = score.white()
            chance = float(2 * (white > chess.engine.Cp(0)) - 1) if white.is_mate() else win_chance(white.score() or 0)
            stated.add(after, "eval", 50 * (1 + chance), PLOT)


def _finding(stated: Stated, line: dict[str, object]) -> None:
    if line["event"] == "skipped" or line["before"] is None or line["after"] is None:
        return
    before = chess.Board(str(line["fen"]))
    after = before.copy()
    after.push_uci(str(line["bait"]))
    chances = float(str(line["before"])), float(str(line["after"]))
    for board, chance in zip((before, after), chances, strict=True):
        stated.add_of(board, "report line", before.turn, 50 * (1 + chance), PLOT)
    if line["played_loss"] is not None and line["event"] != "set":
        board, chance = {"sprung": (after, -chances[1]), "missed": (after, -chances[1])}.get(
            str(line["event"]), (before, chances[0])
        )
        reached = board.copy()
        reached.push_san(str(line["played"]))
        left = max(-1.0, chance - float(str(line["played_loss"])))
        stated.add_of(reached, "cost of a report line", board.turn, 50 * (1 + left), PLOT)


def _upload(stated: Stated, client: httpx.Client, text: str) -> list[tuple[str, chess.pgn.Game, str]]:
    """Annotates the games as a visitor does. Returns their pages."""
    answer = client.post("/annotate", files={"file": ("", b"")}, data={"pgn": text})
    path = answer.headers["location"]
    job = f"/api/v1{path.replace('annotate', 'annotations')}"
    until(lambda: client.get(job).json()["state"] == "done")
    games = [game for game in _games(client.get(f"{job}/result").text, 10_000) if _commented_plies(game)]
    for game in games:
        _comments(stated, game, "comment of an upload")
    return [(f"{path}/games/{place}", game, "upload") for place, game in enumerate(games, start=1)]


def _commented_plies(game: chess.pgn.Game) -> list[int]:
    return [ply for ply, node in enumerate(game.mainline(), start=1) if node.comment]


def _plies_with_page(game: chess.pgn.Game, every: int) -> list[int]:
    """Half-moves whose pages are compared: before and after moves with a comment, and one other."""
    middle = sum(1 for _ in game.mainline()) // 2
    return sorted({at for ply in _commented_plies(game)[::every] for at in (ply - 1, ply)} | {middle})


def _page(stated: Stated, client: httpx.Client, path: str, ply: int, game: chess.pgn.Game, where: str) -> None:
    """The page of a game at a half-move: plot, bar and figures, the comment and the best move."""
    boards = [game.board(), *(node.board() for node in game.mainline())]
    page = client.get(path, params={"ply": ply, "side": "white", "best": 1})
    assert page.status_code == 200, (path, page.text)
    text = html.unescape(page.text)
    points, bar, chance, said = (each.search(text) for each in (_POINTS, _BAR, _CHANCE, _SAID))
    assert points is not None
    assert bar is not None
    assert chance is not None
    assert said is not None
    for board, point in zip(boards, points[1].split(), strict=True):
        stated.add(board, f"plot of the {where}", 100 - 100 * float(point.split(",")[1]) / 110, PLOT)
    stated.add(boards[ply], f"bar of the {where}", float(bar[1]), PLOT)
    stated.add(boards[ply], f"figure of the {where}", int(chance[1]), WHOLE)
    for percent, side in _BEST.findall(text):
        stated.add_of(boards[ply], f"best move of the {where}", side == "White", int(percent), WHOLE)
    for at, first, second in _costs(said[1], ply):
        side = boards[at - 1].turn
        stated.add_of(boards[at - 1], f"words of the {where}", side, first, WHOLE)
        stated.add_of(boards[at], f"words of the {where}", side, second, WHOLE)


def _report(stated: Stated, client: httpx.Client, player: str, games: dict[str, chess.pgn.Game]) -> None:
    """The sentences of a player's report, by the games that they lead to."""
    at = 0
    while (page := client.get("/report", params={"player": player, "from": at})).status_code == 200:
        hits = _HIT.findall(html.unescape(page.text))
        if not hits:
            return
        for text in hits:
            link = _LINK.search(text)
            assert link is not None
            ply = int(link[2])
            boards = [games[link[1]].board(), *(node.board() for node in games[link[1]].mainline())]
            for costs in _COST.findall(text):
                for board, percent in zip(boards[ply - 1 : ply + 1], costs, strict=True):
                    stated.add_of(board, "report", boards[ply - 1].turn, int(percent), WHOLE)
        at += len(hits)


def _proposal(stated: Stated, client: httpx.Client, board: chess.Board) -> None:
    answer = client.get("/api/v1/propose", params={"fen": board.fen(), "unproved": True})
    for move in answer.json()["wins"]:
        if move["win_chance"] is not None:
            stated.add_of(board, "answer of the API", board.turn, 50 * (1 + move["win_chance"]), PLOT)


LEGAL_GAME = (
    '[White "Anna"]\n[Black "Eva"]\n[Result "1-0"]\n\n'
    "1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n\n"
)
"""A game of which every place states what two moves cost."""


def test_no_page_comment_or_answer_contradicts_another_one(tmp_path: Path) -> None:
    stated = stated_values(LEGAL_GAME + GAMES.read_text(encoding="utf-8"), tmp_path, of_games=3, every=2)
    assert {where for values in stated.values.values() for where, *_ in values} == PLACES
    assert stated.contradictions() == []
    assert len(stated.values) > 40
