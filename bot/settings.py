"""The table ``[bot]`` of the settings: what the owner of a lichess bot decides. `trapline.settings` reads it."""

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator

from annotator.settings import AnalysisSettings
from coach.sparring.strength import LEAST_RATING, MOST_RATING, TRAP_LOSS, Strength, Style
from lichess.api import ULTRA_BULLET, GameInfo, speed_of
from trapcore.errors import UsageError
from trapcore.settings import Section, data_folder

PUBLIC = (".lichess.org", ".lichess.dev")
"""Servers on which strangers play by lichess's rules."""


SHORT_CLOCKS = (0, 15, 30, 45, 60, 90)
"""Initial times in seconds that lichess has besides whole minutes."""


class Variant(StrEnum):
    """What can be played, by lichess's names."""

    STANDARD = "standard"
    CHESS960 = "chess960"
    FROM_POSITION = "fromPosition"
    CRAZYHOUSE = "crazyhouse"
    ATOMIC = "atomic"
    ANTICHESS = "antichess"
    HORDE = "horde"
    KING_OF_THE_HILL = "kingOfTheHill"
    RACING_KINGS = "racingKings"
    THREE_CHECK = "threeCheck"

    @property
    def has_other_rules(self) -> bool:
        """Whether only an engine can play it: trapline knows the moves, but neither a search nor traps."""
        return self not in (Variant.STANDARD, Variant.CHESS960, Variant.FROM_POSITION)


def has_other_rules(variant: str) -> bool:
    """Whether lichess's variant of that name is one of those that only an engine can play."""
    return variant in set(Variant) and Variant(variant).has_other_rules


class Speed(StrEnum):
    """How fast, by lichess's names; bots may not play its ultraBullet."""

    BULLET = "bullet"
    BLITZ = "blitz"
    RAPID = "rapid"
    CLASSICAL = "classical"
    CORRESPONDENCE = "correspondence"


class Mode(StrEnum):
    """Whether a game counts for the rating."""

    CASUAL = "casual"
    RATED = "rated"


class Color(StrEnum):
    """Side that the bot plays, by lichess's names."""

    WHITE = "white"
    BLACK = "black"


class OpponentKind(StrEnum):
    """Who plays against the bot."""

    PEOPLE = "people"
    BOTS = "bots"


class OnlineExplorer(StrEnum):
    """Games that lichess's opening explorer is asked for."""

    OFF = "off"
    LICHESS = "lichess"
    MASTERS = "masters"


class EngineSettings(Section):
    """An engine and how it is used."""

    command: str = Field(min_length=1, description="Path or name in the search path.")
    arguments: tuple[str, ...] = ()
    """Of the command line."""
    working_dir: Path | None = None
    protocol: Literal["uci", "xboard"] = "uci"
    uci_options: dict[str, str | int | bool] = Field(default_factory=dict)
    """By the names that the engine gives them; by default one thread and 64 MiB."""
    nodes: int | None = Field(default=None, ge=1)
    """Most nodes for a move; the time that the clock allows is a limit as well."""
    depth: int | None = Field(default=None, ge=1, le=200)
    """Most plies for a move, likewise."""
    ponder: bool = False
    """It searches on while the opponent thinks."""

    @model_validator(mode="after")
    def _is_limited(self) -> Self:
        """An XBoard engine is limited by its time or its nodes, not by both."""
        if self.protocol == "xboard" and self.nodes is not None:
            raise ValueError("an engine with the protocol xboard has no limit of nodes")
        return self

    @model_validator(mode="before")
    @classmethod
    def _of_command(cls, value: object) -> object:
        """A plain text is the command alone."""
        return {"command": value} if isinstance(value, str) else value


PlayingStrength = Strength | Annotated[int, Field(ge=LEAST_RATING, le=MOST_RATING)]
"""Full, as strong as the opponent, or a rating."""


class GameProfile(Section):
    """Books, engine and strength for games of some kinds; a condition without values holds for all games."""

    variants: tuple[Variant, ...] = ()
    speeds: tuple[Speed, ...] = ()
    color: Color | None = None
    opponent: OpponentKind | None = None
    books: tuple[Path, ...] | None = None
    """Without it those of the bot."""
    book_plies: int | None = Field(default=None, ge=0, le=400)
    """Plies for which books are used; without it as long as they know the position."""
    engine: EngineSettings | None = None
    """Likewise."""
    strength: PlayingStrength | None = None
    """Likewise."""
    style: Style | None = None
    """Likewise."""

    def fits(self, info: GameInfo) -> bool:
        """Whether a game is of this kind."""
        opponent = OpponentKind.BOTS if info.opponent.is_bot else OpponentKind.PEOPLE
        return (
            # A game of other rules needs an engine that knows them.
            (info.variant in set(self.variants) if self.variants else not has_other_rules(info.variant))
            and (not self.speeds or info.speed in set(self.speeds))
            and (self.color is None or info.color == self.color)
            and self.opponent in (None, opponent)
        )


class GameRules(Section):
    """Which games are accepted, and when they end early; people and bots may have rules of their own."""

    max_game_minutes: float = Field(
        default=90.0,
        ge=1.0,
        le=220.0,
        allow_inf_nan=False,
        description="Longest clock that is accepted: initial time and forty increments in minutes, 1 to 220.",
    )
    min_base: int = Field(default=0, ge=0, le=10_800, description="Least initial time in seconds, 0 to 10800.")
    max_base: int = Field(default=10_800, ge=0, le=10_800, description="Most initial time in seconds, 0 to 10800.")
    min_increment: int = Field(default=0, ge=0, le=60, description="Least increment in seconds, 0 to 60.")
    max_increment: int = Field(default=60, ge=0, le=60, description="Most increment in seconds, 0 to 60.")
    variants: tuple[Variant, ...] = Field(
        default=(Variant.STANDARD, Variant.CHESS960),
        description="Variants that are accepted: standard, chess960, fromPosition. Also crazyhouse, atomic, antichess, "
        "horde, kingOfTheHill, racingKings and threeCheck, if an engine of variant_engine or of a profile plays them.",
    )
    speeds: tuple[Speed, ...] = Field(
        default=(Speed.BULLET, Speed.BLITZ, Speed.RAPID, Speed.CLASSICAL),
        description="Speeds that are accepted: bullet, blitz, rapid, classical, correspondence.",
    )
    modes: tuple[Mode, ...] = Field(
        default=(Mode.CASUAL, Mode.RATED), description="Modes that are accepted: casual, rated."
    )
    min_rating: int = Field(default=0, ge=0, le=4000, description="Lowest rating of an opponent, 0 to 4000.")
    max_rating: int = Field(default=4000, ge=0, le=4000, description="Highest rating of an opponent, 0 to 4000.")
    draws: bool = Field(default=True, description="Agrees to a draw, and offers one, when the game is level.")
    offer_draws: bool = Field(default=True, description="Also offers a draw then; false for agreeing only.")
    offer_draw_score: int = Field(
        default=15, ge=0, le=1000, description="Centipawns, for either side, up to which a game counts as level."
    )
    offer_draw_moves: int = Field(
        default=8, ge=1, le=50, description="Moves of ours in a row that are level before a draw is offered, 1 to 50."
    )
    resign: bool = Field(default=False, description="Resigns when the game has been lost for long.")
    resign_score: int = Field(
        default=-900, ge=-20_000, le=-100, description="Centipawns for us from which on a game counts as lost."
    )
    resign_moves: int = Field(
        default=6, ge=1, le=50, description="Moves of ours in a row that are lost before the bot resigns, 1 to 50."
    )


class BotRules(GameRules):
    """The rules for bots, which need not be accepted at all."""

    accept: bool = True

    @model_validator(mode="before")
    @classmethod
    def _of_switch(cls, value: object) -> object:
        """A plain truth value says whether they are accepted."""
        return {"accept": value} if isinstance(value, bool) else value


class BotSettings(GameRules):
    """Every setting of the bot with its default."""

    url: str = Field(default="https://lichess.org", description="The server to play on.")
    token_variable: ClassVar[str] = "TRAPLINE_BOT_TOKEN"
    token: SecretStr | None = Field(
        default=None,
        description="The account's token, with the scope bot:play. It is taken from this variable or from token_file, "
        "never from a configuration file.",
    )
    token_file: Path | None = Field(
        default=None,
        description="A file that holds the token and nothing else.",
        examples=["~/.config/trapline/token"],
    )
    folder: Path = Field(
        default_factory=lambda: data_folder() / "bot",
        description="Where games are written and what must survive a restart is kept. By default beside the library.",
        examples=["~/.local/share/trapline/bot"],
    )
    max_games: int = Field(default=4, ge=1, le=64, description="Games at the same time, 1 to 64.")
    games_per_person: int = Field(
        default=2, ge=1, le=64, description="Games at the same time with one person, 1 to 64."
    )
    human_places: int = Field(
        default=1, ge=0, le=64, description="Of these games, places that are kept for people; bots get the others."
    )
    people: GameRules = Field(
        default_factory=GameRules,
        description="Rules for games with people where they differ: a table [bot.people] with any of the settings "
        "from max_game_minutes to resign_moves.",
        examples=[{"modes": ["casual"], "offer_draws": False, "resign_moves": 12}],
    )
    bots: BotRules = Field(
        default_factory=BotRules,
        description="Rules for games with bots, likewise, a table [bot.bots]. It also has accept: false, or plainly "
        "bots = false, declines all bots.",
        examples=[{"accept": True, "max_game_minutes": 10.0, "min_rating": 1800}],
    )
    block: tuple[str, ...] = Field(default=(), description="Names of accounts that are always declined.")
    block_lists: tuple[str, ...] = Field(
        default=(),
        description="Files or addresses with more such names, one a line, read again every hour.",
        examples=[["~/.config/trapline/blocked.txt"]],
    )
    allow: tuple[str, ...] = Field(
        default=(), description="Names of the only accounts that are not declined; empty for everybody."
    )
    engine: EngineSettings | None = Field(
        default=None,
        description="Engine that plays; trapline's own search without one. A command, or a table [bot.engine] with "
        "command, arguments, working_dir, protocol (uci or xboard), uci_options, nodes, depth (limits beside the "
        "clock) and ponder.",
        examples=[{"command": "stockfish", "uci_options": {"Threads": 1, "Hash": 256}, "ponder": False}],
    )
    variant_engine: EngineSettings | None = Field(
        default=None,
        description="Engine for the variants that trapline's search does not know, such as fairy-stockfish: one that "
        "names them in its option UCI_Variant. A command or a table, like engine.",
        examples=["fairy-stockfish"],
    )
    books: tuple[Path, ...] = Field(
        default=(), description="Polyglot opening books, the first that knows a move counts."
    )
    profiles: tuple[GameProfile, ...] = Field(
        default=(),
        description="Books, engines and strengths for some games, tables [[bot.profiles]] with the conditions "
        "variants, speeds, color and opponent (people or bots), and with books, book_plies (how long they are used), "
        "engine, strength and style; the first that fits a game counts.",
        examples=[
            [{"opponent": "bots", "color": "white", "books": ["b.bin"], "book_plies": 12, "engine": "stockfish"}]
        ],
    )
    lichess_opening_explorer: OnlineExplorer = Field(
        default=OnlineExplorer.OFF,
        description="Opening moves as people play them, from lichess's explorer: off, lichess (all rated games) or "
        "masters.",
    )
    explorer_url: str = Field(default="https://explorer.lichess.org", description="Server of the explorer.")
    lichess_cloud_analysis: bool = Field(
        default=False, description="Opening moves from the evaluations that lichess has stored."
    )
    online_egtb: bool = Field(default=False, description="Moves of endings with up to 7 men from lichess's tables.")
    tablebase_url: str = Field(default="https://tablebase.lichess.org", description="Server of these tables.")
    move_seconds: float = Field(
        default=15.0,
        gt=0,
        le=3600,
        allow_inf_nan=False,
        description="Longest search for one move in seconds; the clock mostly asks for less.",
    )
    trap_loss: float = Field(
        default=TRAP_LOSS,
        ge=0.0,
        le=0.5,
        allow_inf_nan=False,
        description="Win chance (it goes from -1 to 1) that may be given up to set a trap against a player rated 1600, "
        "0.0 to 0.5; against weaker ones up to twice as much, against stronger ones down to half; 0.0 for no traps.",
    )
    strength: PlayingStrength = Field(
        default=Strength.FULL,
        description="How strong the bot is against people: full, a rating from 1200 to 2400, or opponent for the "
        "opponent's rating. Other bots always meet its full strength.",
    )
    style: Style = Field(
        default=Style.TRICKSTER,
        description="trickster: sets traps and pays up to trap_loss for them; solid: sets none on purpose.",
    )
    repertoire_minutes: float = Field(
        default=5.0,
        ge=0.0,
        le=240,
        allow_inf_nan=False,
        description="Minutes of processor time that the bot takes to build an opening repertoire of traps for one "
        "colour and rating of opponents, by another process of the lowest priority; 0 to play without.",
    )
    studies: tuple[str, ...] = Field(
        default=(),
        description="Studies that get the bot's games with traps as annotated chapters, and lessons out of the traps "
        "that were fallen for: the eight letters at the end of lichess.org/study/…, filled one after the other. The "
        "token needs the scope study:write as well.",
        examples=[["abcd1234"]],
    )
    takebacks: int = Field(
        default=2, ge=0, le=50, description="Takebacks granted in a casual game; in a rated one none."
    )
    greeting: str = Field(
        default="Hello {opponent}, have fun! I like to set traps. Ask me !help.",
        max_length=140,
        description="Said to the opponent before the game, {me} and {opponent} are the names; empty for none.",
    )
    goodbye: str = Field(default="", max_length=140, description="Said to the opponent when the game is over.")
    greeting_spectators: str = Field(default="", max_length=140, description="Said to spectators before the game.")
    goodbye_spectators: str = Field(default="", max_length=140, description="Said to spectators when the game is over.")
    spectator_messages: int = Field(
        default=4, ge=0, le=50, description="Most remarks on traps in the spectator room of one game, 0 for none."
    )
    coach: bool = Field(
        default=False,
        description="On a private server only: in casual games an opponent who says !coach on is warned of traps.",
    )
    seek_minutes: float = Field(
        default=0.0,
        ge=0.0,
        le=1440,
        allow_inf_nan=False,
        description="Minutes without a game after which the bot challenges another bot; 0 for never.",
    )
    seek_clocks: tuple[str, ...] = Field(
        default=("3+2",),
        min_length=1,
        description="Clocks of such challenges, minutes and increment in seconds; one is drawn for each.",
    )
    seek_games: int = Field(
        default=20, ge=0, le=100, description="Most such challenges in 24 hours; lichess allows 100."
    )
    tournaments: tuple[str, ...] = Field(
        default=(),
        description="Arenas that the bot joins if they admit bots, the letters at the end of the address; the token "
        "needs the scope tournament:write as well.",
        examples=[["abcd1234"]],
    )
    health_port: int = Field(
        default=0, ge=0, le=65535, description="Port on the loopback interface that tells how the bot is; 0 for none."
    )
    log_file: Path | None = Field(
        default=None,
        description="Log file, a new one each midnight, seven are kept; standard error without one.",
        examples=["~/.local/state/trapline/bot.log"],
    )
    log_json: bool = Field(default=False, description="Each line of the log is a JSON object.")

    def against(self, *, is_bot: bool) -> Self:
        """The settings with the rules for bots or for people in the place of those for everybody."""
        rules = self.bots if is_bot else self.people
        given = {name: getattr(rules, name) for name in rules.model_fields_set if name in GameRules.model_fields}
        return self.model_copy(update=given) if given else self

    def engine_for(self, info: GameInfo) -> EngineSettings | None:
        """The engine for a game; None for the own search."""
        fitting = next((one for one in self.profiles if one.fits(info)), None)
        usual = self.variant_engine if has_other_rules(info.variant) else self.engine
        return usual if fitting is None or fitting.engine is None else fitting.engine

    @field_validator("studies", "tournaments")
    @classmethod
    def _are_ids(cls, ids: tuple[str, ...]) -> tuple[str, ...]:
        for one in ids:
            if not re.fullmatch(r"[A-Za-z0-9]{8}", one):
                raise ValueError(f"ids have 8 letters and digits, the end of the address; {one!r} is not like that")
        return ids

    @field_validator("seek_clocks")
    @classmethod
    def _are_clocks(cls, clocks: tuple[str, ...]) -> tuple[str, ...]:
        for clock in clocks:
            if speed_of(*parse_clock(clock)) == ULTRA_BULLET:
                raise ValueError(
                    "bots may not play so fast: the initial time and forty increments are 30 seconds or more"
                )
        return clocks


def parse_clock(text: str) -> tuple[int, int]:
    """Initial time and increment in seconds of a clock like ``3+2``. Raises `ValueError` for what lichess refuses."""
    found = re.fullmatch(r"(\d{1,3}(?:\.\d{1,2})?)\+(\d{1,3})", text)
    if found is None:
        raise ValueError("it must be like 3+2, minutes and seconds")
    limit, increment = 60 * float(found[1]), int(found[2])
    if limit not in SHORT_CLOCKS and (limit % 60 or not 0 < limit <= 10_800):
        raise ValueError("lichess has clocks of 0, 0.25, 0.5, 0.75, 1 and 1.5 minutes and of whole minutes up to 180")
    if increment > 60:
        raise ValueError("the increment is 60 seconds at most")
    return int(limit), increment


class BotOptions(AnalysisSettings):
    """Settings that `bot` takes: those of the analysis, and its own section."""

    bot: BotSettings = Field(default_factory=BotSettings, description="What the lichess bot does.")


def check_coach(settings: BotSettings) -> None:
    """Raise `UsageError` if opponents would be advised where that is against the rules."""
    host = (urlsplit(settings.url).hostname or "").lower().rstrip(".")
    if settings.coach and f".{host}".endswith(PUBLIC):
        raise UsageError(
            f"bot.coach cannot be on at {host}: to warn an opponent during a game is advice, which lichess forbids; "
            "it is for private servers"
        )
