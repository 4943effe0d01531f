"""The bot below full strength: whom it spares, which sources it leaves alone, and what it knows of the opponent."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import chess
import pytest
from pydantic import ValidationError

from bot.chat.memory import FellBefore
from bot.moves.draws_and_resigning import DrawResignPolicy
from bot.moves.move_choice import MoveSources, move_without_search
from bot.moves.search_pool import SearchPool
from bot.moves.set_traps import SetTraps
from bot.moves.sparring import Sparring
from bot.moves.trap_book import TrapBook, TrapLibrary
from bot.settings import BotSettings
from coach.repertoire.live_traps import LiveBait, LiveTrap
from coach.sparring.partner import nobody
from coach.sparring.strength import Strength, Style
from db.library.open import create_library
from db.patterns.recall import Again, Occasion
from db.proof.prover import TrapProver
from tests.db.patterns.samples import LINES, game, store
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.players import Habits
from tests.support.bot_games import INFO
from tests.support.db_traps import elephant, legal
from tests.support.playing_bot import challenged, ended, no_violations, playing
from tests.support.polling import until
from trapcore.parallel.budget import Cancellation
from trapcore.proof.search import MATE_BOUND
from trapline.settings import Settings

RATED = replace(INFO, opponent=replace(INFO.opponent, rating=1650))


@pytest.mark.parametrize("strength", [1199, 2401, "strong", 1500.5])
def test_a_strength_is_a_rating_or_one_of_two_words(strength: object) -> None:
    with pytest.raises(ValidationError):
        BotSettings(strength=strength)  # type: ignore[arg-type]


def test_strengths_are_read_as_configuration_and_environment_write_them() -> None:
    for text, strength in (("full", Strength.FULL), ("opponent", Strength.OPPONENT), ("1500", 1500)):
        assert BotSettings(strength=text).strength == strength  # type: ignore[arg-type]
    assert (BotSettings().strength, BotSettings().style) == (Strength.FULL, Style.TRICKSTER)


def test_a_strength_holds_against_people_only_and_profiles_change_it() -> None:
    profile = {"speeds": ["bullet"], "strength": "full", "style": "solid"}
    slow = {"speeds": ["classical"], "strength": 2000}
    settings = BotSettings(strength="opponent", profiles=(profile, slow))  # type: ignore[arg-type]
    sources = replace(MoveSources.of(settings), trap_loss=0.08)

    def way(speed: str, title: str = "") -> tuple[int | None, float]:
        opponent = replace(RATED.opponent, title=title)
        found = sources.for_game(replace(RATED, speed=speed, opponent=opponent))
        return found.rating, found.trap_loss

    assert way("blitz") == (1650, 0.08)
    assert way("blitz", "BOT") == (None, 0.08)
    assert way("bullet") == (None, 0.0)
    assert way("classical") == (2000, 0.08)
    assert way("classical", "BOT") == (None, 0.08)


def test_at_full_strength_nobody_spars(search_pool: SearchPool) -> None:
    sources = MoveSources.of(BotSettings()).for_game(RATED)
    assert Sparring.of(sources, RATED.opponent, search_pool, nobody) is None


@pytest.fixture(scope="module")
def search_pool() -> SearchPool:
    return SearchPool(1)


@pytest.fixture(scope="module")
def book(search_pool: SearchPool) -> TrapBook:
    traps = [TrapProver().prove(legal()), TrapProver(search_nodes=200_000).prove(elephant())]
    return TrapBook(traps, {}, Settings(measure="sequences"), search_pool)


def after(moves: str) -> chess.Board:
    board = chess.Board()
    for uci in moves.split():
        board.push_uci(uci)
    return board


def test_a_strong_level_plays_the_mate_of_a_trap_and_its_value_goes_to_the_draw_rule(
    search_pool: SearchPool, book: TrapBook
) -> None:
    settings = BotSettings(strength=2400, resign=True)
    sources = MoveSources.of(settings).for_game(RATED)
    sparring = Sparring.of(sources, RATED.opponent, search_pool, nobody)
    assert sparring is not None
    board = after("e2e4 e7e5 g1f3 b8c6 f1c4 d7d6 b1c3 c8g4 f3e5 g4d1")
    assert move_without_search(board, sources, book, SetTraps()) is None
    choices = [sparring.choose(board, 100, book, SetTraps(), Cancellation()) for _ in range(6)]
    killers = [choice for choice in choices if choice.why == "killer"]
    assert {choice.uci for choice in killers} == {"c4f7"}
    assert all(choice.value is not None and choice.value > MATE_BOUND for choice in killers)
    policy = DrawResignPolicy(settings)
    assert not policy.resigns(killers[0])
    assert not policy.accepts_draw(60)


def test_a_trickster_sets_the_trap_of_the_library_and_a_solid_one_sets_none(
    search_pool: SearchPool, book: TrapBook
) -> None:
    board = after("d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 b8d7 c4d5")
    for style in Style:
        sources = MoveSources.of(BotSettings(strength=1500, style=style, trap_loss=0.5)).for_game(RATED)
        sparring = Sparring.of(sources, RATED.opponent, search_pool, nobody)
        assert sparring is not None
        choices = [sparring.choose(board, 1_000, book, SetTraps(), Cancellation()) for _ in range(4)]
        assert all(board.parse_uci(choice.uci) for choice in choices)
        traps = [choice.trap for choice in choices if choice.trap is not None]
        assert {bait.uci for trap in traps for bait in trap.baits} >= ({"c3d5"} if style is Style.TRICKSTER else set())
        assert bool(traps) == (style is Style.TRICKSTER)


def test_a_weaker_bot_plays_a_person_and_its_values_are_recorded(server: Server, settings: Settings) -> None:
    mine = settings.bot.model_copy(update={"strength": 1300})
    with playing(settings.model_copy(update={"bot": mine}), ()):
        name = challenged(server, Habits(resign_at=12))
        until(lambda: ended(server, name))
        until(lambda: bool(list((mine.folder / "games").glob(f"*/{name}.pgn"))))
    no_violations(server)
    (path,) = (mine.folder / "games").glob(f"*/{name}.pgn")
    assert path.read_text().count("[%eval ") >= 4


def test_the_library_knows_the_patterns_that_the_opponent_fell_for(tmp_path: Path, search_pool: SearchPool) -> None:
    lichess = "https://lichess.org"
    path = tmp_path / "library.sqlite"
    played = game("fork", "You", "Me", "2021.05.03", Site=f"{lichess}/abcdabcd")
    create_library(path, lambda library: store(library, tmp_path / "games.pgn", [played]))
    before, line = LINES["fork"]
    board = chess.Board()
    for san in before.split():
        board.push_san(san)
    fen, rest = board.fen(), board.copy(stack=False)
    bait, *killer = [rest.push_san(san).uci() for san in line.split()]
    trap = LiveTrap("c6d4", fen, (LiveBait(bait, tuple(killer), None, 0.5, 0.2),), 0.0)
    asked: list[str] = []
    traps = TrapLibrary(Settings(db=path), search_pool)

    def fell(name: str) -> bool:
        info = replace(INFO, color="black", opponent=replace(INFO.opponent, name=name), created=1_700_000_000_000)

        def again(occasions: Iterable[Occasion]) -> Again | None:
            asked.append(name)
            return traps.again(occasions)

        fell_before = FellBefore(again, info, lichess)
        assert fell_before(trap) == fell_before(trap)
        return fell_before(trap)

    assert fell("You")
    assert not fell("Somebody")
    assert asked == ["You", "Somebody"]
