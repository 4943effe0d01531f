"""A game against trapline on the pages, as a server answers them: the choice, the moves, the end, the traps."""

import io
import json
import random
import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import chess
import chess.pgn
import httpx
import pytest

from coach.repertoire.live_traps import LiveTrap
from coach.sparring.strength import Style
from tests.support.web_server import Served, make_library, served
from trapcore.parallel.budget import Cancellation
from trapline.web.pages.practise.play import Game, _reply

INVITING = "d2d4,g8f6,c2c4,e7e5,d4e5,f6g4,c1f4,b8c6,g1f3"
"""5...Bc5 threatens to take on f2, and 6.Qd5 does not meet it."""
FOOLED = "f2f3,e7e5,g2g4,d8h4"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = tmp_path_factory.mktemp("play") / "library.sqlite"
    make_library(path)
    with served(path, path.parent) as running:
        yield running


@pytest.fixture
def client(server: Served) -> Iterator[httpx.Client]:
    with server.client() as found:
        found.headers["accept"] = "text/html"
        yield found


def ground(answer: httpx.Response) -> dict[str, Any]:
    """What the page tells the script of its board."""
    found = re.search(r"data-ground='([^']*)'", answer.text)
    assert found is not None
    told: dict[str, Any] = json.loads(unescape(found[1]))
    return told


def status_of(answer: httpx.Response) -> str:
    found = re.search(r"data-say>([^<]*)", answer.text)
    assert found is not None
    return unescape(found[1])


def play(client: httpx.Client, *, side: str = "white", **params: object) -> httpx.Response:
    values = {"level": 1200, "style": "solid", "side": side, **params}
    return client.get("/play/game", params={name: str(value) for name, value in values.items()})


@pytest.mark.parametrize(
    ("start", "line", "fen"),
    [
        ("", "", ""),
        ("e4 e5 Nf3", "e2e4,e7e5,g1f3", ""),
        ("Italian Game", "", "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 1"),
        ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", "", "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1"),
    ],
)
def test_a_game_begins_at_the_start_an_opening_moves_or_a_position(
    client: httpx.Client, start: str, line: str, fen: str
) -> None:
    answer = client.get("/play/new", params={"level": "1600", "side": "black", "start": start})
    assert answer.status_code == 303
    asked = {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()}
    assert asked["level"] == "1600"
    assert asked["side"] == "black"
    assert asked.get("line", "") == line
    assert asked.get("fen", "") == fen


def test_a_start_that_means_nothing_is_refused_with_the_reason(client: httpx.Client) -> None:
    answer = client.get("/play/new", params={"start": "xyzzy"})
    assert answer.status_code == 400
    assert "'xyzzy' is no opening, ECO code or FEN (the moves: 'xyzzy' is no legal move" in unescape(answer.text)
    german = client.get("/play/new", params={"start": "xyzzy", "lang": "de"})
    assert "'xyzzy' ist weder Eröffnung noch ECO-Code noch FEN (die Züge: 'xyzzy' ist kein" in unescape(german.text)


def test_the_same_address_has_the_same_reply_and_another_number_may_have_another(client: httpx.Client) -> None:
    def reply(number: int) -> list[str]:
        return list(ground(play(client, line="e2e4", number=number))["last"])

    first = reply(7)
    assert len(first) == 2
    assert reply(7) == first
    assert len({tuple(reply(number)) for number in range(12)}) > 1


def test_a_script_sees_the_own_move_before_the_reply(client: httpx.Client) -> None:
    values = {"level": "1200", "style": "solid", "side": "white", "line": "e2e4"}
    quick = client.get("/play/game", params=values, headers={"x-part": "quick"})
    assert ground(quick)["last"] == ["e2", "e4"]
    assert "data-later" in quick.text
    assert status_of(quick) == "trapline thinks …"
    whole = client.get("/play/game", params=values)
    assert status_of(whole) == "You are to move."
    assert ground(whole)["turn"] == "white"


def test_without_a_script_squares_are_links(client: httpx.Client) -> None:
    page = play(client, line="")
    chosen = re.search(r'<a id="square-e2" href="([^"]+)"', page.text)
    assert chosen is not None
    page = client.get(unescape(chosen[1]))
    move = re.search(r'<a id="square-e4" href="([^"]+)"', page.text)
    assert move is not None
    page = client.get(unescape(move[1]))
    assert status_of(page) == "You are to move."
    assert ground(page)["fen"].split("/")[4].startswith("4P")


def test_a_pawn_that_arrives_may_become_what_the_player_wants(client: httpx.Client) -> None:
    fen = "8/P6k/8/8/8/8/7K/8 w - - 0 1"
    page = play(client, fen=fen, **{"from": "a7", "to": "a8"})
    links = dict(
        re.findall(r'<a class="button" data-turn="move" href="([^"]+)">(Queen|Rook|Bishop|Knight)</a>', page.text)
    )
    assert sorted(links.values()) == ["Bishop", "Knight", "Queen", "Rook"]
    knight = next(address for address, name in links.items() if name == "Knight")
    assert "a7a8n" in unescape(knight)


@pytest.mark.parametrize(("side", "words"), [("black", "Mate. You won."), ("white", "Mate. You lost.")])
def test_a_mate_ends_the_game_and_leads_to_its_review(client: httpx.Client, side: str, words: str) -> None:
    page = play(client, side=side, line=FOOLED)
    assert status_of(page) == words
    assert "dests" not in ground(page)
    written = re.search(r'name="pgn" value="([^"]*)"', page.text)
    assert written is not None
    game = chess.pgn.read_game(io.StringIO(unescape(written[1])))
    assert game is not None
    assert game.headers["Result"] == "0-1"
    assert game.headers[side.capitalize()] == "You"
    assert [move.uci() for move in game.mainline_moves()] == FOOLED.split(",")


KNIGHTS_OUT_AND_BACK = "g1f3,g8f6,f3g1,f6g8"


@pytest.mark.parametrize(
    ("fen", "line", "words"),
    [
        ("", f"{KNIGHTS_OUT_AND_BACK},g1f3,g8f6", "You are to move."),
        ("", f"{KNIGHTS_OUT_AND_BACK},{KNIGHTS_OUT_AND_BACK}", "The position was there three times. A draw."),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 99 80", "", "You are to move."),
        (
            "4k3/8/8/8/8/8/8/R3K3 w - - 99 80",
            "a1a2",
            "Fifty moves without a capture or a pawn move. A draw.",
        ),
        (
            "4k3/8/8/8/8/8/8/R3K3 w - - 160 99",
            "",
            "Fifty moves without a capture or a pawn move. A draw.",
        ),
        ("", ",".join([KNIGHTS_OUT_AND_BACK] * 5), "The position was there three times. A draw."),
    ],
)
def test_a_repetition_and_fifty_moves_end_the_game_once_they_are_on_the_board(
    client: httpx.Client, fen: str, line: str, words: str
) -> None:
    assert status_of(play(client, fen=fen, line=line)) == words


def test_a_game_of_300_moves_is_a_draw(client: httpx.Client) -> None:
    board, numbers = chess.Board(), random.Random(62)
    while len(board.move_stack) < 600:
        quiet = [move for move in board.legal_moves if not board.is_capture(move)]
        pawns = [move for move in quiet if board.halfmove_clock > 80 and board.piece_type_at(move.from_square) == 1]
        board.push(numbers.choice(pawns or quiet or list(board.legal_moves)))
    line = ",".join(move.uci() for move in board.move_stack)
    assert status_of(play(client, line=line)) == "The game has had 300 moves, the most here. A draw."


def test_a_game_may_be_given_up_taken_back_and_downloaded(client: httpx.Client) -> None:
    page = play(client, line="e2e4", number=3)
    give_up = re.search(r'id="give-up" href="([^"]+)"', page.text)
    assert give_up is not None
    over = client.get(unescape(give_up[1]))
    assert status_of(over) == "You resigned."
    file = re.search(r'href="([^"]+)" download', over.text)
    assert file is not None
    assert '[Result "0-1"]' in client.get(unescape(file[1])).text
    back = re.search(r'id="take-back" href="([^"]+)"', page.text)
    assert back is not None
    assert status_of(client.get(unescape(back[1]))) == "You are to move."


def set_traps() -> Iterator[tuple[int, Game, LiveTrap]]:
    """Games in which the next move of the trickster sets a trap."""
    for number in range(300):
        game = Game(level=1400, style=Style.TRICKSTER, side="white", line=INVITING, number=number)
        if trap := _reply(game, game.board(), Cancellation()).trap:
            yield number, game, trap


def test_the_traps_of_a_trickster_are_told_when_the_game_is_over(client: httpx.Client) -> None:
    number, game, trap = next(set_traps())
    line = f"{game.line},{trap.move},{trap.baits[0].uci}"
    values = {"level": "1400", "style": "trickster", "side": "white", "number": str(number)}
    running = client.get("/play/game", params=values | {"line": game.line})
    assert "loses to" not in running.text
    over = client.get("/play/game", params=values | {"line": line, "given_up": "1"})
    bait = chess.Board(trap.fen).san(chess.Move.from_uci(trap.baits[0].uci))
    told = re.search(r"<li>([^<]* loses to [^<]*)<strong>([^<]*)</strong>", over.text)
    assert told is not None
    assert re.search(rf"^5\.\.\.\S+ set the .*: 6\.{re.escape(bait)} loses to 6\.\.\.\S", unescape(told[1]))
    assert told[2] == "You fell for it."


def test_what_cannot_be_a_game_is_refused(client: httpx.Client) -> None:
    assert play(client, level=3000).status_code == 400
    assert play(client, line="e2e5").status_code in (400, 422)
    assert "no legal move" in play(client, line="e2e5").text
    assert "no legal move" in play(client, line="0000").text
    assert play(client, fen="8/8/8/8/8/8/8/8 w - - 0 1").status_code in (400, 422)
