"""The whole bot where lichess is not kind: limits, absent opponents, odd positions, and people it knows little of."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import chess
import pytest

from bot.challenges.block_lists import BlockLists
from bot.challenges.queue import MOST_WAITING, ChallengeQueue
from bot.settings import BotSettings, Variant
from lichess.api import GameStart
from lichess.parse import challenge
from lichess.rate_limits import Pauses
from tests.fake_lichess.archive.stored import Tournament
from tests.fake_lichess.challenges import Challenge
from tests.fake_lichess.faults import Fault
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.limits import Limit
from tests.fake_lichess.people import Account
from tests.fake_lichess.players import Habits, Player
from tests.fake_lichess.site import BOT_SCOPES
from tests.fake_lichess.terms import Terms
from tests.support.playing_bot import LEGAL, SECRET, challenged, chat_of, ended, moves, no_violations, playing
from tests.support.polling import until
from trapline.settings import Settings

ROOKS_INSIDE = "1rqbkr2/pppppppp/2n2n2/8/8/2N2N2/PPPPPPPP/1RQBKR2 w KQkq - 0 1"
USUAL_ROOKS = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"


def changed(settings: Settings, **changes: Any) -> Settings:
    return settings.model_copy(update={"bot": settings.bot.model_copy(update=changes)})


def test_the_games_of_a_day_between_bots_make_it_neither_deaf_nor_mute(server: Server, settings: Settings) -> None:
    def invite(site: Any) -> Challenge:
        site.limits.bot_games = Limit(1, 86_400)
        machines = [Player(site, site.join(name, "BOT"), Habits(resign_at=2), 1) for name in ("Machine", "Robot")]
        made = [machine.challenge(site.account("TrapBot"), Terms(color="black")) for machine in machines]
        return made[1]

    refused = server.do(invite)
    with playing(settings) as bot:
        # The second bot waits for its place, and the first game is the last that may be played today.
        until(lambda: any(one["requests"] == "bots" for one in bot.health()["held"]))  # type: ignore[attr-defined]
        until(lambda: not refused.open)
        assert (refused.status, refused.reason) == ("declined", "later")
        game = challenged(server, Habits(resign_at=7))
        until(lambda: ended(server, game))
        until(lambda: sum(room == "player" for room, _ in chat_of(server, game)) == 2)
        health: dict[str, Any] = bot.health()
        assert health["ok"]
        (held,) = health["held"]
        assert held["seconds"] > 80_000
        assert "bot.vsBot" not in held["reason"]
        assert "against other bots today" in held["reason"]
    no_violations(server)


@pytest.mark.parametrize("phase", [0.7, 4.4])
def test_an_opponent_who_leaves_loses(server: Server, settings: Settings, phase: float) -> None:
    def rules(site: Any) -> None:
        site.rules.claim_after, site.rules.gone_phase = 4.5, phase

    server.do(rules)
    with playing(settings, ()):
        game = challenged(server, Habits(leave=1.0, away=None))
        until(lambda: ended(server, game))
        assert server.do(lambda site: (site.games[game].status, site.games[game].winner)) == ("timeout", chess.WHITE)
    no_violations(server)


def test_who_cannot_mate_claims_a_draw(server: Server, settings: Settings) -> None:
    server.do(lambda site: setattr(site.rules, "claim_after", 1.0))
    playing_positions = changed(settings, variants=(Variant.FROM_POSITION,))
    with playing(playing_positions, ()):
        game = challenged(
            server,
            Habits(leave=1.0, away=None),
            variant="fromPosition",
            fen="4k3/pp6/8/8/8/8/8/4K3 w - - 0 1",
            color="black",
        )
        until(lambda: ended(server, game))
        assert server.do(lambda site: site.games[game].winner) is None
    no_violations(server)


@pytest.mark.parametrize(("fen", "castles"), [(ROOKS_INSIDE, "e1f1"), (USUAL_ROOKS, "e1h1")])
@pytest.mark.parametrize("color", ["white", "black"])
def test_positions_whose_castling_is_told_as_king_takes_rook(
    server: Server, settings: Settings, fen: str, castles: str, color: str
) -> None:
    with playing(changed(settings, variants=(Variant.FROM_POSITION,)), ("O-O",)):
        habits = Habits(line=("O-O",), resign_at=12, think=(0.01, 0.02))
        game = challenged(server, habits, variant="fromPosition", fen=fen, color=color)
        until(lambda: ended(server, game))
        assert moves(server, game)[0] == castles
        assert len(moves(server, game)) > 10
        until(lambda: bool(list((settings.bot.folder / "games").glob(f"*/{game}.pgn"))))
    (path,) = (settings.bot.folder / "games").glob(f"*/{game}.pgn")
    assert "1. O-O" in path.read_text()
    no_violations(server)


def test_no_number_of_games_that_begin_takes_more_than_so_many_threads(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.bot.MOST_GAMES", 3)
    with playing(settings) as bot:
        for number in range(2000):
            bot._event(GameStart(f"game{number:04d}", True, None, "blitz"))
            assert len(bot.games) <= 3


def test_no_number_of_challenges_is_kept_waiting() -> None:
    settings = BotSettings()
    with ThreadPoolExecutor(1) as threads:
        queue = ChallengeQueue(
            cast(Any, None), Pauses(), settings, threads, lambda done: done(), lambda game: None, BlockLists(())
        )
        for number in range(MOST_WAITING + 1000):
            given: dict[str, Any] = {"id": f"c{number}", "challenger": {"id": "a", "name": "a", "rating": 1500}}
            given |= {
                "speed": "blitz",
                "variant": {"key": "standard"},
                "rated": False,
                "timeControl": {"limit": 180, "increment": 2},
            }
            queue.challenged(challenge(given, "trapbot"))
        assert queue.waiting == MOST_WAITING


def test_what_cannot_be_played_is_given_up(
    server: Server, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """Games of a variant that somebody began for it by hand."""
    with playing(settings, ()):

        def begin(site: Any) -> None:
            player = Player(site, site.join("Human"), Habits(think=(0.1, 0.1)), 1)
            for ident, terms in (
                ("atomic00", Terms(variant="atomic", limit=60)),
                ("atomic01", Terms(variant="atomic", limit=60, rules=("noAbort",))),
            ):
                site.begin(ident, terms, site.account("TrapBot"), player.account)

        server.do(begin)
        until(lambda: ended(server, "atomic00") and ended(server, "atomic01"))
        statuses = server.do(lambda site: [site.games[ident].status for ident in ("atomic00", "atomic01")])
    assert statuses == ["aborted", "resign"]
    assert not [record.message for record in caplog.records if record.exc_info], "it is no error of the bot's"


@pytest.mark.parametrize(
    "stranger",
    [
        Account("Stockfish3", ai_level=3, rating=None),
        Account("Nobody", anonymous=True, rating=None),
        Account("Fresh", rating=None),
    ],
    ids=lambda account: account.name,
)
def test_opponents_of_whom_little_is_known(server: Server, settings: Settings, stranger: Account) -> None:
    with playing(settings, ()):

        def begin(site: Any) -> None:
            site.accounts[stranger.id] = stranger
            Player(site, stranger, Habits(resign_at=8, give_time=0.5), 1)
            kind = "ai" if stranger.ai_level else "friend"
            site.begin("strange0", Terms(limit=60), stranger, site.account("TrapBot"), kind)

        server.do(begin)
        until(lambda: ended(server, "strange0"))
        until(lambda: bool(list((settings.bot.folder / "games").glob("*/strange0.pgn"))))
    no_violations(server)


def test_questions_are_answered_for_two_minutes_after_the_game(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.chat.missed_lines.WAITS", (0.2,))
    monkeypatch.setattr("bot.chat.missed_lines.LOOK_SECONDS", 0.1)

    def ask(game: str, text: str) -> None:
        def do(site: Any) -> None:
            people = [side.account for side in site.games[game].sides.values() if side.account.name != "TrapBot"]
            site.games[game].write(people[0], "player", text)

        server.do(do)

    def chat_lines(game: str) -> list[str]:
        return [text for room, text in chat_of(server, game) if room == "player"]

    with playing(settings):
        game = challenged(server, Habits(line=LEGAL, think=(0.1, 0.1)))
        until(lambda: server.do(lambda site: game in site.games and site.games[game].ply >= 4))
        ask(game, "!why")
        until(lambda: ended(server, game))
        until(lambda: any(text.startswith("The trap: ") for text in chat_lines(game)))
        before = len(chat_lines(game))
        # Lichess drops what a person has just said.
        ask(game, "!why 1")
        until(lambda: len(chat_lines(game)) > before)
        assert chat_lines(game)[-1].startswith("It is the position of Légal's mate")
        ask(game, "what should I have played, any hint?")
        until(lambda: len(chat_lines(game)) > before + 1)
    no_violations(server)
    assert "While we play I answer !why to spectators only. Ask me again afterwards." in chat_lines(game)
    assert len(chat_lines(game)) == len(set(chat_lines(game))) == before + 2


def test_who_asks_for_training_is_challenged_from_the_position_of_the_trap(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.chat.missed_lines.WAITS", (0.2,))

    def say(game: str, text: str) -> None:
        def do(site: Any) -> None:
            people = [side.account for side in site.games[game].sides.values() if side.account.name != "TrapBot"]
            site.games[game].write(people[0], "player", text)

        server.do(do)

    with playing(settings):
        game = challenged(server, Habits(resign_at=5))
        until(lambda: server.do(lambda site: game in site.games and site.games[game].ply >= 2))
        until(lambda: ended(server, game))
        assert server.do(lambda site: len(site.games)) == 1
        say(game, "!train legals mate")
        until(lambda: server.do(lambda site: len(site.games)) == 2)
        (other,) = server.do(lambda site: [one for ident, one in site.games.items() if ident != game])
        until(lambda: ended(server, other.id))
        until(lambda: any("Accept my challenge" in text for _, text in chat_of(server, game)))
        say(game, "!train nothing at all")
        until(lambda: any("no trap of that name" in text for _, text in chat_of(server, game)))
    assert other.terms.variant == "fromPosition"
    assert str(other.terms.fen).split()[:2] == ["r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R", "b"]
    assert other.sides[chess.WHITE].account.name == "TrapBot"
    assert (other.terms.rated, other.terms.limit, other.terms.increment) == (False, 600, 5)
    no_violations(server)


def test_arenas_that_admit_bots_are_joined_and_left(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.challenges.arenas.AGAIN_SECONDS", 0.3)
    kinds: dict[str, dict[str, Any]] = {
        "openaren": {"bots_allowed": True},
        "lateaern": {"bots_allowed": True, "seconds_to_start": 3600},
        "peopleon": {},
        "overaren": {"bots_allowed": True, "over": True},
    }

    def prepare(site: Any) -> None:
        for ident, more in kinds.items():
            site.archive.tournaments[ident] = Tournament(ident, "tournament", [], **more)
        site.token(site.accounts["trapbot"], SECRET, (*BOT_SCOPES, "tournament:write"))

    def pair(site: Any) -> None:
        rival = Player(site, site.join("Rival", "BOT"), Habits(resign_at=5), 1)
        site.begin("arenagam", Terms(), site.accounts["trapbot"], rival.account, source="arena")

    def arena(ident: str) -> Any:
        return server.do(lambda site: site.archive.tournaments[ident])

    server.do(prepare)
    with playing(changed(settings, tournaments=tuple(kinds)), ()):
        until(lambda: arena("openaren").joins >= 2)
        assert arena("openaren").players == {"trapbot"}
        server.do(pair)
        until(lambda: ended(server, "arenagam"))
    assert {ident for ident in kinds if arena(ident).joins} == {"openaren"}
    assert arena("openaren").players == set()
    no_violations(server)


def test_arenas_are_joined_after_the_games_of_a_day_between_bots(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.challenges.arenas.AGAIN_SECONDS", 0.3)
    arena = Tournament("openaren", "tournament", [], bots_allowed=True, seconds_to_start=3600)

    def prepare(site: Any) -> None:
        site.archive.tournaments[arena.id] = arena
        site.token(site.accounts["trapbot"], SECRET, (*BOT_SCOPES, "tournament:write"))
        site.limits.bot_games = Limit(1, 86_400)
        site.limits.bot_games.use("trapbot", site.clock.now())
        Player(site, site.join("Rival", "BOT"), Habits(), 1)

    server.do(prepare)
    with playing(changed(settings, tournaments=(arena.id,), seek_minutes=0.001), ()) as bot:
        # Its own challenge told the bot of the limit, which holds for hours.
        until(lambda: bot.health()["held"] != [])
        arena.seconds_to_start = 0
        until(lambda: arena.joins > 0)
    no_violations(server)


def test_arenas_wait_after_a_429(server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.challenges.arenas.AGAIN_SECONDS", 0.1)
    monkeypatch.setattr("bot.challenges.arenas.LIMITED_SECONDS", 0.5)
    server.do(lambda site: site.archive.tournaments.update(openaren=Tournament("openaren", "tournament", [])))
    server.order(Fault("429", where="/api/tournament/"))
    before = "GET /api/tournament/{id}"
    with playing(changed(settings, tournaments=("openaren",)), ()):
        until(lambda: server.do(lambda site: site.record.requests[before]) >= 1)
        first = time.monotonic()
        until(lambda: server.do(lambda site: site.record.requests[before]) >= 2)
        assert time.monotonic() - first >= 0.4
