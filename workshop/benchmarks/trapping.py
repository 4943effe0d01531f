"""Traps set and fallen for, and the score, in games of the bot's move choice against two kinds of opponents.

::

    python -m workshop.benchmarks trapping [games] [--games N] [--opponent stockfish|people] [--traps on|off|both]
        [--milliseconds M] [--rating LOW-HIGH] [--db LIBRARY] [--repertoires FOLDER] [--engine] [--seed S]
    python -m workshop.benchmarks trapping games --people RATING [--strength full|opponent|RATING]
        [--style solid|trickster] [--games N] [--milliseconds M] [--db LIBRARY] [--engine] [--seed S]
    python -m workshop.benchmarks trapping funnel [--games N] [--milliseconds M] [--rating LOW-HIGH] [--seed S]
    python -m workshop.benchmarks trapping recall --db LIBRARY [--positions N]

``stockfish`` is a Stockfish limited to ratings spread evenly over the range, with the same time for a move; ``people``
draws each move by the reply model of a player of such a rating, from the games of the library if there is one. Our side
chooses as the bot does (`coach.repertoire.trap_choice`), by its own search, without books and without the library's
traps; colours alternate. With ``--repertoires``, and ``--db`` to build them of, it plays from those that the bot itself
would build, and which are built and kept in the folder if they are not there yet. With ``--traps both`` every opponent
is met twice, and the difference of the scores is printed. A trap is fallen for if the next move is one of its baits.
``--people`` is short for people of one rating, met once. The milliseconds of our side are those of the processor, and
its searches have as many nodes as they take on a processor of its own. So other work on the machine changes little.
Below full strength our side is the sparring partner (`coach.sparring.partner`), without a limit of time. A trap is set
on purpose if without traps our side would have played another move. A second table says how many of the traps have a
likely bait, and with ``--engine`` how many baits lose by Stockfish (see `set_traps`).

``funnel`` plays against people and says why replies that lose were no baits of a trap (see `trap_funnel`). ``recall``
counts, among the moves of indexed games that the full trap test proves to be baits taken, how many the quick look of a
move would have seen.
"""

import argparse
import math
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import chess
import chess.engine
from sqlalchemy import select

from coach.repertoire.expectation import foreseen_replies
from coach.repertoire.folder import RepertoireName, build_into, read_all
from coach.repertoire.live_traps import LiveTrap, allowed_cost, baits_of, is_trap, weigh_baits
from coach.repertoire.replies import ReplyModel
from coach.repertoire.stored import StoredRepertoire
from coach.repertoire.trap_choice import Chosen, Opponent, choose_move
from coach.sparring.partner import Mate, Partner, mate_after
from coach.sparring.strength import TRAP_LOSS, Strength, Style, playing_rating
from db.library.library import Library
from db.library.open import open_library
from db.storage.tables import GameRow, LosingMoveRow
from db.traps.temptation import RatingBand, rating_band
from trapcore import _native
from trapcore.engines.process import EngineProcess
from trapcore.errors import UsageError
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.search import search
from trapcore.proof.trap_test import check_bait
from workshop.benchmarks.set_traps import SetTrap, quality
from workshop.benchmarks.stockfish import STOCKFISH, LimitedEngine
from workshop.benchmarks.trap_funnel import FULL_NODES, Funnel, Watch
from workshop.report import Report, Table, markdown, mean_and_error, number

REPERTOIRE_SECONDS = 300.0
"""The bot's setting, unless changed."""
PEOPLE_NODES = 4_000
"""Of the search of what the moves of people give away."""
NODES_A_MILLISECOND = 1_000
"""Of our search: as many as it has on a processor of its own."""
DECIDED = 900
"""A game is over when one side is ahead by this, in centipawns, for so many moves of ours."""
DECIDED_MOVES = 6
LONGEST = 240
"""Plies after which a game is a draw."""
QUICK_NODES = (1_000, 4_000, 8_000)
"""Of the quick look there: what it has with a tenth of a second for a move, with half a second, and with a second."""


class Answering(Protocol):
    """An opponent."""

    def move(self, board: chess.Board) -> chess.Move:
        """What he plays."""


class People:
    """Moves drawn by the reply model."""

    def __init__(self, model: ReplyModel, numbers: random.Random) -> None:
        self._model, self._numbers = model, numbers

    def move(self, board: chess.Board) -> chess.Move:
        """A move, each as likely as the model says that has searched what it gives away."""
        _, replies, _ = foreseen_replies(board, self._model, PEOPLE_NODES)
        (chosen,) = self._numbers.choices(replies, [reply.probability for reply in replies])
        return chess.Move.from_uci(chosen.uci)


@dataclass
class Counted:
    """One game."""

    points: float = 0.0
    moves: int = 0
    chosen: int = 0
    """Moves of ours that set a proved trap,"""
    deliberate: int = 0
    """those of them that were set on purpose: the search or the level preferred another move,"""
    taken: int = 0
    """and those whose bait was played at once."""
    hoped: float = 0.0
    """Falls that were predicted."""
    steered: int = 0
    prepared: int = 0
    """Moves of ours out of the repertoire,"""
    opening: int = 0
    """and those of them that set a proved trap."""
    traps: list[SetTrap] = field(default_factory=list, repr=False)
    """The proved traps, in their order."""

    def add_trap(self, trap: LiveTrap, is_on_purpose: bool, after: chess.Board, model: ReplyModel) -> None:
        """The last move on the board ``after`` it has set a trap."""
        self.traps.append(SetTrap.of(trap, is_on_purpose, after, model))
        self.chosen += 1
        self.deliberate += is_on_purpose
        self.hoped += trap.taken


def play(
    ours: chess.Color,
    opponent: Opponent,
    other: Answering,
    milliseconds: int,
    repertoire: StoredRepertoire | None = None,
    watch: Watch | None = None,
    partner: Partner | None = None,
) -> Counted:
    """One game of the bot's move choice, or of a sparring partner; for ``watch`` see `Funnel.watch`."""
    board, counted = chess.Board(), Counted()
    killer: list[str] = []
    mate: Mate | None = None
    pending: LiveTrap | None = None
    row = ahead = 0
    is_searched = False
    stop = Cancellation()
    start = board.fen()

    def searched(position: chess.Board, milliseconds: int) -> tuple[str, int]:
        found = search(
            start,
            Budget(nodes=NODES_A_MILLISECOND * max(3, milliseconds)),
            moves=[move.uci() for move in position.move_stack],
        )
        return (found.line[0] if found.line else next(iter(position.legal_moves)).uci()), found.value

    while not board.is_game_over(claim_draw=True) and board.ply() < LONGEST:
        if board.turn != ours:
            move = other.move(board)
            if watch is not None:
                watch(board, is_searched, pending, move.uci())
            taken = [bait for bait in (pending.baits if pending is not None else ()) if bait.uci == move.uci()]
            if taken:
                counted.taken += 1
                killer = list(taken[0].killer_line)
                mate = None if pending is None else mate_after(pending, move.uci())
            pending = None
            board.push(move)
            continue
        counted.moves += 1
        is_searched = False
        if killer and partner is None:
            board.push_uci(killer[0])
            killer = []
            continue
        if repertoire is not None and (prepared := repertoire.move(board)) is not None:
            uci, pending = prepared
            counted.prepared += 1
            board.push_uci(uci)
            if pending is not None:
                counted.opening += 1
                counted.add_trap(pending, False, board, opponent.model)
            continue
        is_searched = True
        if partner is None:
            chosen = choose_move(board, milliseconds, searched, opponent, stop)
        else:
            found = partner.move(board, mate=mate)
            chosen, mate = Chosen(found.uci, found.value, found.trap, not found.is_on_purpose), None
        board.push_uci(chosen.uci)
        if chosen.trap is not None:
            pending = chosen.trap
            counted.add_trap(pending, not chosen.is_best, board, opponent.model)
        counted.steered += chosen.trap is None and not chosen.is_best
        leader = 0 if abs(chosen.value) < DECIDED else 1 if chosen.value > 0 else -1
        row = row + 1 if leader and leader == ahead else 1
        ahead = leader
        if leader and row >= DECIDED_MOVES:
            counted.points = 1.0 if leader > 0 else 0.0
            return counted
    outcome = board.outcome(claim_draw=True)
    winner = None if outcome is None else outcome.winner
    counted.points = 0.5 if winner is None else float(winner == ours)
    return counted


def report(games: Sequence[Counted], title: str) -> Report:
    """Means a game, with their intervals of 95 %."""
    rows = []
    kinds = (
        ("score", [game.points for game in games]),
        ("traps set", [float(game.chosen) for game in games]),
        ("of these on purpose", [float(game.deliberate) for game in games]),
        ("of these out of the repertoire", [float(game.opening) for game in games]),
        ("fallen for", [float(game.taken) for game in games]),
        ("falls predicted", [game.hoped for game in games]),
        ("moves towards traps", [float(game.steered) for game in games]),
        ("moves out of the repertoire", [float(game.prepared) for game in games]),
    )
    for name, values in kinds:
        rows.append((name, number(sum(values), 1), *(number(figure, 2) for figure in mean_and_error(values))))
    moves = sum(game.moves for game in games)
    return Report(
        f"{title}: {len(games)} games, {moves:,} moves of ours",
        (Table(("", "in all", "a game", "± (95 %)"), tuple(rows)),),
    )


def difference(on: Sequence[float], off: Sequence[float]) -> str:
    """How much the scores of games with traps are above those without, with its interval of 95 %."""
    (with_traps, error), (without, other) = mean_and_error(on), mean_and_error(off)
    return f"score with traps less score without: {with_traps - without:+.3f} ± {math.hypot(error, other):.3f} a game"


def match(given: argparse.Namespace, traps: bool, funnel: Funnel | None = None) -> list[Counted]:
    """The games, also passed to ``funnel`` if given. Raises `UsageError` without Stockfish if that is the opponent."""
    low, high = map(int, given.rating.split("-"))
    numbers = random.Random(given.seed)
    found = []
    repertoires = {} if given.repertoires is None else read_all(given.repertoires)
    with ExitStack() as stack:
        library = None if given.db is None else stack.enter_context(open_library(given.db, read_only=True))
        engine = None
        if given.opponent == "stockfish":
            engine = stack.enter_context(EngineProcess(stockfish()))
        for at in range(given.games):
            rating = low + (high - low) * (at // 2) // max(1, (given.games - 1) // 2)
            band = RatingBand(rating, rating)
            allowed = allowed_cost(TRAP_LOSS, rating) if traps else 0.0
            ours = Opponent(ReplyModel(None, band, is_engine=engine is not None), allowed, clock=time.thread_time)
            repertoire = None
            if traps and given.repertoires is not None:
                color = "white" if at % 2 == 0 else "black"
                name = RepertoireName(color, rating_band(rating), engine is not None)
                if name not in repertoires:
                    repertoires[name] = build_into(given.repertoires, name, given.db, TRAP_LOSS, REPERTOIRE_SECONDS)
                repertoire = repertoires[name]
            level = playing_rating(given.strength, rating)
            partner = None if level is None else Partner(level, given.style, numbers, rating, TRAP_LOSS)
            other: Answering
            watch = None
            if engine is not None:
                other = LimitedEngine(engine, rating, chess.engine.Limit(time=given.milliseconds / 1000))
            else:
                people = ReplyModel(library, RatingBand(rating - 200, rating + 199))
                other = People(people, numbers)
                if funnel is not None:
                    watch = funnel.watch(people, ours.model)
            found.append(play(at % 2 == 0, ours, other, given.milliseconds, repertoire, watch, partner))
            print(f"game {at + 1}: {found[-1]}", flush=True)
    return found


@dataclass(frozen=True)
class SetInGame:
    """A trap that a player fell for in a game."""

    fen: str
    """Before the move that set it."""
    move: str
    bait: str
    rating: int | None


def set_in_games(library: Library) -> Iterator[SetInGame]:
    """Losing moves of the indexed games, in their order, with the moves before them."""
    columns = LosingMoveRow.ply, GameRow.moves, GameRow.start_fen, GameRow.white_elo, GameRow.black_elo
    wanted = select(*columns).join_from(LosingMoveRow, GameRow, GameRow.id == LosingMoveRow.game_id)
    with library.database.read() as connection:
        rows = connection.execute(wanted.order_by(LosingMoveRow.game_id, LosingMoveRow.ply)).all()
    for ply, moves, start, white, black in rows:
        if ply >= 2:
            (line,) = _native.replay([(start, moves, [ply - 2, ply - 1])])
            if len(line) == 2:
                yield SetInGame(line[0][0], line[0][1], line[1][1], white if ply % 2 else black)


def recall(library: Library, most: int, seed: int) -> tuple[int, list[int]]:
    """Traps that players fell for and that the full test proves, and how many the quick look sees."""
    sets = list(set_in_games(library))
    random.Random(seed).shuffle(sets)
    proved, seen = 0, [0] * len(QUICK_NODES)
    for one in sets:
        if proved >= most:
            break
        board = chess.Board(f"{one.fen} 0 1")
        after = board.copy(stack=False)
        after.push_uci(one.move)
        test = check_bait(after.fen(), one.bait, budget=Budget(nodes=FULL_NODES))
        if not is_trap(test, 0.0):
            continue
        proved += 1
        rating = one.rating
        model = ReplyModel(None, RatingBand(None, None) if rating is None else RatingBand(rating, rating))
        for at, nodes in enumerate(QUICK_NODES):
            looked = weigh_baits(board, (one.move, 0.0, 0.0), model, nodes)
            seen[at] += any(bait.uci == one.bait for bait in baits_of(looked))
    return proved, seen


def stockfish() -> str:
    """The path of Stockfish. Raises `UsageError` if it is not installed."""
    if STOCKFISH is None:
        raise UsageError("this needs Stockfish, which is not installed")
    return STOCKFISH


def strength(text: str) -> Strength | int:
    """What ``--strength`` names. Raises `ValueError` for anything else."""
    return int(text) if text.isdigit() else Strength(text)


def main(arguments: Sequence[str]) -> int:
    """Plays and prints."""
    parser = argparse.ArgumentParser(prog="python -m workshop.benchmarks trapping")
    parser.add_argument("what", nargs="?", choices=("games", "funnel", "recall"), default="games")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--opponent", choices=("stockfish", "people"), default="stockfish")
    parser.add_argument("--traps", choices=("on", "off", "both"), default="both")
    parser.add_argument("--people", type=int, metavar="RATING", help="--opponent people --traps on, of this rating")
    parser.add_argument("--strength", type=strength, default=Strength.FULL, help="full, opponent or a rating")
    parser.add_argument("--style", type=Style, choices=tuple(Style), default=Style.TRICKSTER)
    parser.add_argument("--milliseconds", type=int, default=100, help="for a move, at full strength")
    parser.add_argument("--rating", default="1350-1800", metavar="LOW-HIGH", help="of the opponents")
    parser.add_argument(
        "--db", type=Path, help="library whose games people follow, or whose losing moves are looked at"
    )
    parser.add_argument("--repertoires", type=Path, metavar="FOLDER", help="where those of the bot are, or are built")
    parser.add_argument("--positions", type=int, default=60, help="of recall")
    parser.add_argument("--engine", action="store_true", help="ask Stockfish whether the baits lose")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    if given.what == "recall":
        if given.db is None:
            raise UsageError("recall needs --db: a library with indexed games")
        with open_library(given.db, read_only=True) as library:
            proved, seen = recall(library, given.positions, given.seed)
        print(f"{proved} traps that players fell for are proved by the full test; of these the quick look sees")
        for nodes, count in zip(QUICK_NODES, seen, strict=True):
            print(f"  {count} with {nodes:,} nodes for a position")
        return 0
    if given.people is not None:
        given.opponent, given.traps, given.rating = "people", "on", f"{given.people}-{given.people}"
    if given.style is Style.SOLID:
        given.traps = "off"
    if given.repertoires is not None and given.db is None:
        raise UsageError("--repertoires needs --db: the library that repertoires are built of")
    if given.what == "funnel":
        given.opponent, funnel = "people", Funnel(given.milliseconds)
        games = match(given, True, funnel)
        print(markdown(funnel.report(len(games))))
        return 0
    played = {}
    for traps in ("on", "off") if given.traps == "both" else (given.traps,):
        time = f"{given.milliseconds} ms a move" if given.strength is Strength.FULL else f"strength {given.strength}"
        title = f"{given.opponent}, rated {given.rating}, {time}, traps {traps}"
        played[traps] = match(given, traps == "on")
        print(markdown(report(played[traps], title)))
        if traps == "on":
            with ExitStack() as stack:
                engine = stack.enter_context(EngineProcess(stockfish())) if given.engine else None
                print(markdown(quality([one for game in played[traps] for one in game.traps], engine), 2))
    if len(played) == 2:
        print(difference([game.points for game in played["on"]], [game.points for game in played["off"]]))
    return 0
