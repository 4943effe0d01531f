"""The pages of a report as a browser without scripts uses them: from games or an account to a game and an exercise."""

import html
import io
import re
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import chess.pgn
import httpx
import pytest
import zstandard

from db.games.accuracy import accuracy_of
from db.library.open import open_library
from db.wording.languages.available import LANGUAGES, Language
from db.wording.languages.grammar import Grammar
from tests.fake_lichess.http.server import Server
from tests.support.db_traps import LEGAL_MOVES
from tests.support.polling import PATIENCE_SECONDS
from tests.support.practice_library import GAMES, PLAYER, copy_practice_library
from tests.support.service_site import LEGAL, finished
from tests.support.trap_games import QUIET
from tests.support.trap_games import game as trap_game
from tests.support.web_server import links, served, words
from tests.trapline.service.chesscom_archive import chesscom
from tests.trapline.service.test_chesscom import game as chesscom_game
from trapline.web.pages.game_viewer import GameView, view_of
from trapline.web.pages.games import summary

ENGLISH = LANGUAGES[Language.EN]
KNIGHTS = "Nf3 Nf6 Ng1 Ng8 " * 7
NOTHING = {"file": ("", b"")}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return copy_practice_library(tmp_path / "library.sqlite")


@pytest.fixture
def client(library: Path) -> Iterator[httpx.Client]:
    with served(library, library.parent) as running, running.client() as found:
        found.headers["accept"] = "text/html"
        yield found


def ended(client: httpx.Client, answer: httpx.Response) -> httpx.Response:
    """The page that the job leads to: the report, or what went wrong."""
    assert answer.status_code == 303, words(answer)
    at, deadline = answer.headers["location"], time.monotonic() + PATIENCE_SECONDS
    while True:
        page = client.get(at)
        if page.status_code == 303:
            return client.get(page.headers["location"])
        if 'http-equiv="refresh"' not in page.text:
            return page
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_pasted_games_become_the_report_of_who_played_most_of_them(client: httpx.Client) -> None:
    page = ended(client, client.post("/report", files=NOTHING, data={"pgn": "".join(GAMES)}))
    assert page.url.params["player"] == PLAYER
    said = words(page)
    assert "3 games looked through: " in said
    # The same move of her opponent in another game is not hers.
    assert said.count("5...Bxd1?? ignores the threat of mate in 2: 6.Bxf7+ Ke7 7.Nd5#.") == 1
    assert said.index("6.Nxd1??") < said.index("5...Bxd1??") < said.index("5.Nxe5??")
    board = links(page, "Board")[1]
    shown = client.get(board)
    assert shown.status_code == 200
    assert "last move g4 to d1" in shown.text
    assert "flipped=1" in shown.text
    exercise = links(page, "Exercise")[1]
    assert "Black to move: a natural move loses here." in words(client.get(exercise))
    assert links(page, "The game where it was played") == ["https://lichess.org/x#10"]


def test_pasted_games_of_several_players_ask_who_one_is_and_lead_to_games_and_practice(client: httpx.Client) -> None:
    start = words(client.get("/"))
    assert start.index("Paste your games, drop a file here, or write your name") < start.index("Famous traps")
    fell = f"{LEGAL_MOVES} Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n"
    games = [trap_game(fell, white=f"Rival {day}", black="Zed", Date=f"2022.03.{day:02}") for day in range(1, 13)]
    pasted = "".join([*games, trap_game(QUIET, white="Rival 1", black="Rival 2", Date="2022.04.01")])
    answer = client.post("/report", files=NOTHING, data={"pgn": pasted})
    asked = ended(client, answer)
    said = words(asked)
    assert "Which player are you?" in said
    assert said.index("Zed 12 games") < said.index("Rival 1 2 games") < said.index("Rival 3 1 game")
    (zed,) = links(asked, "Zed")
    found = client.get(client.get(zed).headers["location"])
    assert found.url.params["player"] == "Zed"
    assert "What costs you most in 12 games: you walked into a mate (12 times)." in words(found)
    assert "What you lose to" in words(found)
    shown = client.get(links(found, "The games")[0])
    assert "12 games, the latest first" in words(shown)
    assert words(shown).index("Rival 12 – Zed") < words(shown).index("Rival 1 – Zed")
    assert client.get(links(shown, "Rival 12 – Zed")[0]).status_code == 200
    assert "Find a safe move" in words(client.get(links(found, "Practise it")[0])) or links(found, "Practise them")
    # A name that is in the tags needs no question, and neither does one that is not: it may be chosen.
    assert "What costs you most" in words(ended(client, client.post("/report", data={"pgn": pasted, "player": "zed"})))
    other = words(ended(client, client.post("/report", data={"pgn": pasted, "player": "Zoe"})))
    assert "No one player of these games is called Zoe." in other


def test_a_job_says_games_done_of_games_found_until_it_ends(client: httpx.Client) -> None:
    games = "".join(GAMES).replace("2020.05", "2020.07")
    at = client.post("/report", data={"pgn": games}).headers["location"]
    seen, deadline = set[str](), time.monotonic() + PATIENCE_SECONDS
    while (page := client.get(at)).status_code == 200:
        seen |= set(re.findall(r"\d+ of 3 games", words(page)))
        assert time.monotonic() < deadline
    assert seen <= {f"{count} of 3 games" for count in range(4)}
    assert "0 of 3 games" in seen


@pytest.mark.parametrize("kind", ["zip", "zst"])
def test_a_packed_file_of_games_is_taken(client: httpx.Client, kind: str) -> None:
    packed = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("games.pgn", "".join(GAMES))
    else:
        packed.write(zstandard.ZstdCompressor().compress("".join(GAMES).encode()))
    page = ended(client, client.post("/report", files={"file": (f"games.{kind}", packed.getvalue())}))
    assert page.url.params["player"] == PLAYER


def test_a_row_shows_its_moves_alone(client: httpx.Client) -> None:
    page = client.get("/report", params={"player": PLAYER})
    rows = re.findall(r'<a href="(/report\?[^"]+)" data-turn="step">([^<]+)</a>', page.text)
    of = {html.unescape(name): html.unescape(url) for url, name in rows}
    assert "3 losing moves" in words(client.get(of["Opening"]))
    assert "1 losing move" in words(client.get(of["Walked into a mate"]))
    assert client.get("/report", params={"player": PLAYER, "phase": "endgame"}).text.count("None is of this kind") == 1
    assert "Not known" in of  # neither the clock nor the time of day
    assert "Traps of" in words(client.get("/report/traps", params={"player": PLAYER}))


def test_the_games_of_an_account_are_fetched(library: Path) -> None:
    games = {"anna": {"2009/11": chesscom_game(1, "2009.11.01", Black="Anna", White="Ben")}}
    with Server(speed=0.0) as server, chesscom(games) as archive:
        server.do(lambda site: finished(site, "game0001", "Alice", "Bob", LEGAL))
        there = {"service_url": server.url, "service_chesscom_url": archive.url}
        with served(library, library.parent, **there) as running, running.client() as client:
            client.headers["accept"] = "text/html"

            def requested(**fields: str) -> httpx.Response:
                return client.post("/report", files=NOTHING, data=fields)

            page = ended(client, requested(pgn=" bob\n", site="lichess"))
            assert page.url.params["player"] == "Bob"
            assert "Bxd1" in words(page)
            assert "ignores the threat of mate" in words(page)
            page = ended(client, requested(pgn="https://www.chess.com/member/ANNA"))
            assert "No move lost by force" in words(page) or "looked through" in words(page)
            assert page.url.params["player"] == "Anna"
            assert "there is no such user" in words(ended(client, requested(account="nobody", site="lichess")))
            assert "there is no such player" in words(ended(client, requested(account="nobody", site="chess.com")))
            assert "can be no account" in words(requested(account="a b", site="lichess"))
            assert "from lichess or chess.com" in words(requested(account="bob", site="elsewhere"))
            assert "from 1 to 1000" in words(
                client.post("/report", files=NOTHING, data={"account": "bob", "most": "0"})
            )


def test_what_cannot_be_says_what_to_do(client: httpx.Client, library: Path) -> None:
    def message(**fields: str) -> str:
        answer = client.post("/report", files=NOTHING, data=fields)
        return words(answer if answer.status_code != 303 else ended(client, answer))

    assert "Paste games, choose a file, or write the name of an account" in message()
    assert "There is no game in this text" in message(pgn="hello there")
    atomic = '[White "A"]\n[Black "B"]\n[Variant "Atomic"]\n\n1. e4 e5 *\n'
    assert "None of these games can be read (1 " in message(pgn=atomic)
    nameless = GAMES[0].replace('"Anna"', '"?"').replace('"Éva Kiss"', '"?"')
    assert "These games do not say who played them" in message(pgn=nameless)
    assert "give one of them" in words(
        client.post("/report", files={"file": ("a.pgn", GAMES[0])}, data={"pgn": GAMES[0]})
    )
    assert f"the nearest are {PLAYER}" in words(client.get("/report", params={"player": "Eve Kisss"}))
    with open_library(library) as writing, writing.database.write():
        busy = message(pgn=GAMES[0].replace("2020.05.01", "2021.05.01"), player=PLAYER)
    assert "another program" in busy
    assert client.get("/report/jobs/none").status_code == 404
    assert client.get("/games/999").status_code == 404


def test_a_public_server_keeps_reports_to_itself(library: Path) -> None:
    with served(library, library.parent, web_public=True) as running, running.client() as client:
        client.headers["accept"] = "text/html"
        assert PLAYER not in client.get("/report", params={"player": PLAYER}).text
        for path in ("/report/traps?player=Kiss", "/report/games?player=Kiss", "/games/1", "/report/jobs/x"):
            assert client.get(path).status_code == 403
        assert client.post("/report", files=NOTHING, data={"pgn": GAMES[0]}).status_code == 403


def test_a_single_pasted_game_is_shown_at_once(client: httpx.Client) -> None:
    pasted = GAMES[0]
    answer = client.post("/annotate", files=NOTHING, data={"pgn": pasted})
    page = ended(client, answer)
    assert page.url.path.endswith("/games/1")
    said = words(page)
    assert "Italian Game" in said
    assert "White’s win chance:" in said
    best = client.get(html.unescape(re.findall(r'id="best" data-turn="step" href="([^"]+)"', page.text)[0]))
    assert "Best: " in words(best)
    assert "trapline’s search" in words(best)
    assert "https://lichess.org/analysis/standard/" in page.text


def test_page_of_a_game_states_the_accuracy_that_its_plot_shows(client: httpx.Client) -> None:
    played = "1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. a3 Nxe5 8. Nxd1 Kxf7 *\n"
    upload = ended(client, client.post("/annotate", files=NOTHING, data={"pgn": f'[White "A"]\n\n{played}'}))
    for page in (upload, client.get("/games/1")):
        found = re.search(
            r"Accuracy: White (\d+) %, Black (\d+) %\. Average loss: ([\d.]+) and ([\d.]+) points a move\.", words(page)
        )
        assert found is not None, words(page)
        (points,) = re.findall(r'<polyline class="chance-line" points="([^"]+)"', page.text)
        chances = [1 - 2 * float(point.split(",")[1]) / 110 for point in points.split()]
        if '">Nd5#</a>' in page.text:
            chances.pop()  # the mate on the board
        drawn = accuracy_of(chances)
        assert drawn is not None
        # Points of the plot are rounded.
        assert [float(each) for each in found.groups()[:2]] == pytest.approx(
            [drawn.white.accuracy, drawn.black.accuracy], abs=1.5
        )
        assert [float(each) for each in found.groups()[2:]] == pytest.approx(
            [drawn.white.loss, drawn.black.loss], abs=0.15
        )
    assert "Costliest phase: opening for both sides." in words(upload)
    german = words(client.get("/games/1", params={"lang": "de"}))
    assert re.search(r"Genauigkeit: Weiß \d+ %, Schwarz \d+ %\. Mittlerer Verlust: \d+,\d und \d+,\d Punkte je", german)


def view(moves: str, fen: str | None = None) -> GameView:
    tags = "" if fen is None else f'[FEN "{fen}"]\n[SetUp "1"]\n\n'
    game = chess.pgn.read_game(io.StringIO(f"{tags}{moves} *\n"))
    assert game is not None
    assert game.errors == []
    return view_of(game, flipped=False)


def summary_of(of: GameView, points_of_white: dict[int, float], language: Grammar = ENGLISH) -> str:
    """The summary if White's win percent is 50 at the beginning, and changes by so much with these half-moves."""
    percents = [50.0]
    for ply in range(1, len(of.plies)):
        percents.append(percents[-1] + points_of_white.get(ply, 0.0))
    return summary(of, [percent / 50 - 1 for percent in percents], language)


def test_summary_names_the_accuracy_the_loss_and_the_costliest_phase_of_each_side() -> None:
    # White loses 14 points in 14 moves, 8 of them with his twelfth. Black loses 28, 20 of them with his second.
    lost = {4: 20.0, 5: -6.0, 23: -8.0, 26: 8.0}
    found = summary_of(view(KNIGHTS), lost)
    assert re.fullmatch(
        r"Accuracy: White \d\d %, Black \d\d %\. Average loss: 1\.0 and 2\.0 points a move\. "
        r"Costliest phase: middlegame for White, opening for Black\.",
        found,
    ), found
    german = summary_of(view(KNIGHTS), lost, LANGUAGES[Language.DE])
    assert "Mittlerer Verlust: 1,0 und 2,0 Punkte je Zug. " in german
    assert german.endswith("Teuerste Phase: Mittelspiel für Weiß, Eröffnung für Schwarz.")


@pytest.mark.parametrize(
    ("lost", "phases"),
    [
        ({}, ""),
        ({4: 4.9}, ""),
        ({4: 5.0}, "opening for Black"),
        ({1: -3.0, 3: -2.5}, "opening for White"),
        ({1: -6.0, 23: -7.0}, "middlegame for White"),
    ],
)
def test_phase_is_named_only_if_a_side_loses_as_much_as_an_inaccuracy_there(
    lost: dict[int, float], phases: str
) -> None:
    found = summary_of(view(KNIGHTS), lost)
    assert found.partition("a move.")[2] == (f" Costliest phase: {phases}." if phases else "")
