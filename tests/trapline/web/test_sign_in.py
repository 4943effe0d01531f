"""Signing in with lichess on a public server, against the fake one: who is told from whom, and what is refused."""

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from sqlalchemy import insert, update

from annotator.record import record_losing_moves
from annotator.settings import AnalysisSettings
from db.games.accounts import NO_ACCOUNT, SiteAccount
from db.games.index_games import index_files
from db.games.sightings import sightings
from db.library.open import open_library
from db.storage.tables import GameRow, PlayerProfileRow
from tests.conftest import NewLibrary
from tests.fake_lichess.http.server import Server
from tests.support.db_traps import LEGAL_MOVES
from tests.support.practice_library import PLAYER, copy_practice_library
from tests.support.service_site import LEGAL, finished
from tests.support.trap_games import game
from tests.support.web_server import served, words
from tests.trapline.web.test_report import ended
from trapcore.errors import InputError, OutputError
from trapcore.parallel.pools import threads
from trapline.web.profile import session
from trapline.web.token import session_key, session_key_file

HERE = "https://traps.example"
NOTHING = {"file": ("", b"")}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return copy_practice_library(tmp_path / "library.sqlite")


@dataclass
class Elsewhere:
    """A lichess that is never asked."""

    url: str = "https://lichess.example"


@contextmanager
def public(library: Path | str, lichess: Server | Elsewhere, folder: Path | None = None) -> Iterator[httpx.Client]:
    """A client of a public server, whose home is ``folder``, the library's own one unless given."""
    there = {"web_lichess": lichess.url, "service_url": lichess.url, "web_address": HERE}
    with (
        served(library, folder or Path(library).parent, web_public=True, **there) as running,
        running.client() as client,
    ):
        client.headers["accept"] = "text/html"
        yield client


def cookie(answer: httpx.Response, name: str) -> str:
    """The cookie as a browser would send it back, which must be safe; the test's own client speaks plain HTTP."""
    (found,) = [each for each in answer.headers.get_list("set-cookie") if each.startswith(f"{name}=")]
    for part in ("HttpOnly", "SameSite=lax", "Secure"):
        assert part in found
    return found.partition(";")[0]


def back_from_lichess(client: httpx.Client) -> tuple[httpx.Response, str]:
    """Goes to lichess and comes back: the answer there, and the cookie of the attempt."""
    begun = client.get("/sign-in", params={"back": "/practise"})
    assert begun.status_code == 303
    agreed = httpx.get(begun.headers["location"])
    assert agreed.headers["location"].startswith(f"{HERE}/sign-in/done?")
    return agreed, cookie(begun, "trapline-sign-in")


def signed_in(client: httpx.Client) -> str:
    agreed, attempt = back_from_lichess(client)
    path = agreed.headers["location"].removeprefix(HERE)
    done = client.get(path, headers={"cookie": attempt})
    assert done.status_code == 303, words(done)
    assert done.headers["location"] == "/practise"
    return cookie(done, "trapline-session")


def visits(lichess: Server, name: str) -> None:
    def sit(site: object) -> None:
        from tests.fake_lichess.site import Site

        assert isinstance(site, Site)
        site.visitor = site.accounts.get(name.lower()) or site.join(name)

    lichess.do(sit)


def test_who_has_signed_in_sees_his_own_report_and_practice_alone(library: Path) -> None:
    with Server(speed=0.0) as lichess, public(library, lichess) as client:
        lichess.do(lambda site: finished(site, "game0001", "Alice", "Bob", LEGAL))
        assert "Sign in with lichess" in words(client.get("/report"))
        assert client.post("/report", files=NOTHING, data={"most": "5"}).status_code == 403
        visits(lichess, "Bob")
        client.headers["cookie"] = signed_in(client)
        page = client.get("/report")
        assert "Signed in as Bob" in words(page)
        # Of others he sees nothing, and he cannot speak for them.
        assert PLAYER not in words(client.get("/report", params={"player": PLAYER}))
        assert client.get("/games/1").status_code == 404
        pasted = client.post("/report", files=NOTHING, data={"pgn": "1. e4 e5 *", "player": PLAYER})
        assert "paste none" in words(pasted)
        fetched = ended(client, client.post("/report", files=NOTHING, data={"most": "5", "account": PLAYER}))
        assert "Bxd1" in words(fetched)
        assert client.get(html.unescape(re.findall(r'<a href="(/games/[^"]+)"', fetched.text)[0])).status_code == 200
        exercise = client.get("/practise", params={"go": "1", "player": PLAYER})
        assert words(exercise).count("Bob:") == 1
        assert client.post("/sign-out").headers["location"] == "/report"
        # The token was given back, and is kept nowhere.
        assert lichess.do(lambda site: len(site.tokens)) == 0


FELL_AGAIN = f"{LEGAL_MOVES} Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n"
EARLIER = "The same knight mate on d5 as against Ann (2020-05-01)."


def closing_words(client: httpx.Client, site: str, black: str = "Bob", **headers: str) -> str:
    """What an upload gets of a game of two years later that these players played there."""
    pgn = game(FELL_AGAIN, "Cec", black, Date="2022.05.01", Site=f"{site}/later001")
    url = "/api/v1/annotate"
    kind = {"content-type": "application/x-chess-pgn", "accept": "application/x-chess-pgn"}
    answer = client.post(url, params={"tell": "losses"}, content=pgn.encode(), headers={**kind, **headers})
    assert answer.status_code == 200, answer.text
    assert "The turning point is 5...Bxd1??" in " ".join(answer.text.split())
    return " ".join(answer.text.split())


def test_uploads_name_earlier_games_of_who_has_signed_in_and_of_nobody_else(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    with Server(speed=0.0) as lichess:
        with open_library(path, create=True) as opened, threads(1, "judge") as pool:
            games = tmp_path / "games.pgn"
            tags = {"Date": "2020.05.01", "Site": f"{lichess.url}/early001"}
            games.write_text(game(FELL_AGAIN, "Ann", "Bob", **tags))
            index_files(opened, [games])
            record_losing_moves(opened, [games], AnalysisSettings(engine="off"), pool)
        with public(path, lichess) as client:
            assert EARLIER not in closing_words(client, lichess.url)
            visits(lichess, "Cec")
            assert EARLIER not in closing_words(client, lichess.url, cookie=signed_in(client))
            visits(lichess, "Bob")
            bob = signed_in(client)
            assert EARLIER in closing_words(client, lichess.url, cookie=bob)
            # At another site Bob is somebody else, and of another player's mistakes he hears nothing.
            assert EARLIER not in closing_words(client, "https://elsewhere.example", cookie=bob)
        # Everybody who uses the machine of a private server may see every game.
        with served(path, tmp_path) as running, running.client() as client:
            assert EARLIER in closing_words(client, lichess.url)
            assert EARLIER not in closing_words(client, lichess.url, black="Dora")


def seen(client: httpx.Client, slug: str) -> str:
    """All that is told of games on which a trap of the library stood: by pages and programs."""
    at = f"/api/v1/traps/{slug}"
    trap = client.get(at).json()
    epd = trap["epd"] if "epd" in trap else trap["trap"]["epd"]
    answers = [
        client.get(f"{at}/sightings"),
        client.get(f"{at}/sightings", params={"player": PLAYER}),
        client.get("/api/v1/explore", params={"fen": epd}),
        client.get("/position", params={"fen": epd}),
        client.get(f"/traps/{slug}"),
    ]
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    return " ".join(words(answer) for answer in answers)


def rename(library: Path, name: str, *sites: str) -> None:
    """Give the player of the library another name, and the games these addresses, the last one to all that are left."""
    with open_library(library) as opened, opened.database.write() as connection:
        for column in (GameRow.white, GameRow.black):
            connection.execute(update(GameRow).where(column == PLAYER).values({column: name}))
        for number, site in enumerate(sites, start=1):
            connection.execute(update(GameRow).where(GameRow.id >= number).values(site=site))


def sign_in_as(client: httpx.Client, library: Path, account: SiteAccount) -> None:
    key = session_key(session_key_file(str(library)))
    client.headers["cookie"] = f"trapline-session={session(account, key)}"


def test_whose_games_a_trap_stood_in_is_told_to_the_players_alone(library: Path) -> None:
    lichess = Elsewhere()
    rename(library, "Eva", *(f"{lichess.url}/abcdefg{number}" for number in range(3)))
    own, other = SiteAccount(lichess.url, "Eva"), SiteAccount(lichess.url, "Ev")
    with open_library(library, read_only=True) as opened:
        page = sightings(opened, player="Eva")
        slug = page.sightings[0].trap
        games = [found.game for found in sightings(opened, trap=slug).sightings if found.game is not None]
        assert sightings(opened, trap=slug, only=own).sightings == sightings(opened, trap=slug).sightings
        assert sightings(opened, trap=slug, only=other).sightings == ()
        assert sightings(opened, trap=slug, only=NO_ACCOUNT).sightings == ()
    names = {name for game in games for name in (game.white, game.black)}
    with public(library, lichess) as client:
        for account in (None, other):
            if account is not None:
                sign_in_as(client, library, account)
            told = seen(client, slug)
            assert not [name for name in names if name in told]
            assert client.get("/api/v1/traps", params={"player": PLAYER}).status_code == 403
            assert client.get("/", params={"player": PLAYER}).status_code == 403
        sign_in_as(client, library, own)
        assert "Eva" in seen(client, slug)
        # What one was told is not another's answer.
        tag = client.get(f"/api/v1/traps/{slug}/sightings").headers["etag"]
        client.headers["cookie"] = ""
        again = client.get(f"/api/v1/traps/{slug}/sightings", headers={"if-none-match": tag})
        assert (again.status_code, again.json()["sightings"]) == (200, [])
    with served(library, library.parent) as running, running.client() as client:
        assert "Eva" in words(client.get(f"/api/v1/traps/{slug}/sightings"))


PRIVATE = (
    "/report",
    "/report/traps?player=Hikaru99",
    "/report/games?player=Hikaru99",
    "/games/1",
    "/games/2",
    "/games/3",
    "/practise?go=1",
    "/practise/progress",
    "/practise/exercises.pgn",
)
"""Pages that show games of one player."""


@pytest.mark.parametrize(
    "site",
    [
        "https://www.chess.com/game/live/12345678",
        "Chess.com",
        "",
        "https://lichess.example/study/abcdefgh/ijklmnop",
        "https://lichess.example/broadcast/some-event/round-1/abcdefgh",
        "https://lichess.example.evil.example/abcdefgh",
        "http://lichess.example/abcdefgh",
        "https://lichess.example/abc",
    ],
)
def test_a_name_is_not_the_account_of_that_name_at_another_site(library: Path, site: str) -> None:
    lichess = Elsewhere()
    rename(library, "Hikaru99", site)
    with open_library(library) as opened, opened.database.write() as connection:
        # Somebody of that name has practised, in a terminal.
        connection.execute(insert(PlayerProfileRow).values(name="Hikaru99"))
    with public(library, lichess) as client:
        sign_in_as(client, library, SiteAccount(lichess.url, "hikaru99"))
        for path in PRIVATE:
            answer = client.get(path)
            assert answer.status_code in (400, 404), path
            assert "Nd5#" not in words(answer)
        assert "Went on before" not in words(client.get("/practise"))
        assert "Hikaru99" not in seen(client, "legals-mate")


def test_what_was_not_begun_here_or_was_changed_is_refused(library: Path) -> None:
    with Server(speed=0.0) as lichess, public(library, lichess) as client:
        visits(lichess, "Bob")
        agreed, attempt = back_from_lichess(client)
        path = agreed.headers["location"].removeprefix(HERE)
        state = parse_qs(urlsplit(path).query)["state"][0]
        # Another browser, without the cookie of the attempt.
        other = client.get(path)
        assert (other.status_code, "begin again" in words(other)) == (400, True)
        agreed, attempt = back_from_lichess(client)
        wrong = client.get(f"/sign-in/done?state={state}&code=x", headers={"cookie": attempt})
        assert wrong.status_code == 400
        # A session that somebody made up.
        session = signed_in(client)
        name, _, signature = session.rpartition(".")
        for made_up in (f"{name}.{'0' * len(signature)}", "trapline-session=x", f"trapline-session=.{signature}"):
            assert "Signed in" not in words(client.get("/report", headers={"cookie": made_up}))
        assert client.get("/sign-in", params={"back": "//evil.example"}).status_code == 303
        lichess.do(lambda site: setattr(site, "visitor", None))
        agreed, attempt = back_from_lichess(client)
        denied = client.get(agreed.headers["location"].removeprefix(HERE), headers={"cookie": attempt})
        assert "not allowed to say who you are" in words(denied)


def test_a_session_outlasts_a_restart_while_its_key_is_safe(library: Path) -> None:
    key = Path(f"{library}.session-key")
    with Server(speed=0.0) as lichess:
        visits(lichess, "Bob")
        with public(library, lichess) as client:
            session = signed_in(client)
            assert key.stat().st_mode & 0o777 == 0o600
        with public(library, lichess) as client:
            assert "Signed in as Bob" in words(client.get("/report", headers={"cookie": session}))
        key.unlink()
        with public(library, lichess) as client:
            assert "Signed in as Bob" not in words(client.get("/report", headers={"cookie": session}))
            again = signed_in(client)
            assert "Signed in as Bob" in words(client.get("/report", headers={"cookie": again}))


@pytest.mark.parametrize("new_library", ["postgresql"], indirect=True)
def test_a_session_on_a_library_of_a_database_server_outlasts_a_restart(
    new_library: NewLibrary, tmp_path: Path
) -> None:
    library = new_library()
    open_library(library, create=True).close()
    with Server(speed=0.0) as lichess:
        visits(lichess, "Bob")
        with public(library, lichess, tmp_path) as client:
            session = signed_in(client)
        with public(library, lichess, tmp_path) as client:
            assert "Signed in as Bob" in words(client.get("/report", headers={"cookie": session}))
    (key,) = (tmp_path / ".local" / "share" / "trapline").iterdir()
    assert (key.suffix, key.stat().st_mode & 0o777) == (".session-key", 0o600)


def test_a_key_that_is_none_is_refused(tmp_path: Path) -> None:
    key = session_key_file(str(tmp_path / "my.sqlite"))
    assert key == tmp_path / "my.sqlite.session-key"
    made = session_key(key)
    assert (len(made), session_key(key)) == (32, made)
    assert [each.name for each in tmp_path.iterdir()] == [key.name]
    assert key.stat().st_mode & 0o777 == 0o600
    key.write_bytes(made[:5])
    with pytest.raises(InputError, match="holds no key of sessions; remove the file"):
        session_key(key)
    with pytest.raises(OutputError, match="cannot be written to"):
        session_key(tmp_path / "none" / "my.session-key")


def test_the_key_for_a_library_on_a_server_lies_in_the_folder_of_user_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    key = session_key_file("postgresql+psycopg://me:***@here/traps")
    assert key.parent == tmp_path / "data" / "trapline"
    assert key != session_key_file("postgresql+psycopg://me:***@here/others")
    made = session_key(key)
    assert (len(made), key.stat().st_mode & 0o777, session_key(key)) == (32, 0o600, made)


def test_a_private_server_needs_none(library: Path) -> None:
    with served(library, library.parent) as running, running.client() as client:
        assert client.get("/sign-in").status_code == 404
        assert not list(library.parent.glob("*.session-key"))
        assert client.get("/report", params={"player": PLAYER}).status_code == 200
