"""Makes the losing moves that come with trapline, ``db/patterns/bundled.tsv``, from games that trapline plays itself.

    python -m workshop.experiments.bundled_patterns --jobs 2       (or `make patterns`)

Each game begins with a named opening. Both sides are played by the model of human replies, each at a rating of its own.
At every move the replies that such a player may choose are searched briefly. A reply that seems to lose, and shows a
cause, becomes a game of one move, which the annotator judges as it judges any game. What it proves is a candidate.

The games are numbered and each has random numbers of its own, so that the same games come out by any number of
processes. What each brought is written to ``out/patterns/games.jsonl`` at once, and another run goes on from there.
With ``--judge-again`` the patterns of the file are judged again instead, and those that are not proved any more go.
"""

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib import resources
from itertools import chain, count, islice, zip_longest
from multiprocessing import get_context
from pathlib import Path

import chess

from annotator.annotation import Annotator
from annotator.events import TrapEvent
from annotator.known_traps import KnownTraps
from annotator.request import AnalysisOptions, AnalysisRequest, BatchAnalyzer
from annotator.settings import AnalysisSettings, Tell
from coach.repertoire.expectation import likely_replies
from coach.repertoire.replies import ReplyModel
from db.patterns.bundled import FILE, MEANS, ProvedPattern, bundled_patterns
from db.proof.engine_choice import OFF
from db.traps.temptation import RatingBand
from db.traps.terms import Event
from trapcore import _native
from trapcore.errors import InputError
from trapcore.measures.options import IndexedMeasure
from trapcore.parallel.budget import Cancellation
from trapcore.proof.causes import Mistake, explain
from trapcore.trees.position_key import mirror

WANTED = 3_400
"""Patterns that are bundled."""
SEED = 1
MORE = 10_000
"""Number of the first game that makes up for patterns which are no longer found when they are judged anew."""
RATINGS = range(1000, 2001, 100)
PLIES = 80
"""Of a game, after its opening."""
NODES = 1_000
"""For the brief search of a position; each likely reply has half as many."""
LIKELY = 0.01
"""Probability of a reply from which it may become a pattern,"""
LOSING = 0.45
"""win chance that it seems to give away,"""
LOOKED_AT, BAITS = 6, 3
"""how many of a position are explained, the likeliest, and how many of these are judged."""
RESIGNED = 0.9
"""Win chance at which a game ends."""

_PART = 50

Case = tuple[str, str]
"""A position (EPD) and a move that may lose there (UCI)."""


def cases(number: int) -> Iterator[Case]:
    """The moves that seem to lose in the game of this number."""
    draw = random.Random(f"{SEED} {number}")
    board = chess.Board(f"{draw.choice(_openings())} 0 1")
    models = [ReplyModel(None, RatingBand(rating, rating)) for rating in draw.choices(RATINGS, k=2)]
    for _ in range(PLIES):
        if board.is_game_over() or board.is_repetition(3):
            return
        fen, model = board.fen(), models[board.turn]
        every = model.replies(board)
        moves = [one.uci for one in likely_replies(every)]
        ((chance, best, values),) = _native.move_values([(fen, moves)], NODES)
        top = max([chance, *(value for value, _ in values)])
        if abs(top) > RESIGNED:
            return
        seen = dict(zip(moves, values, strict=True))
        gifts = {move: top - value for move, (value, _) in seen.items()}
        replies = model.foreseen(every, gifts, _native.tempting_moves(fen))
        mistakes = [
            Mistake(fen, one.uci, (answer,), () if best in (None, one.uci) else (best,), top, top - gifts[one.uci])
            for one in replies
            if one.probability >= LIKELY and gifts.get(one.uci, 0.0) >= LOSING and (answer := seen[one.uci][1])
        ]
        yield from ((_native.epd(fen), bait) for bait in _explained(mistakes[:LOOKED_AT]))
        board.push_uci(draw.choices([one.uci for one in replies], [one.probability for one in replies])[0])


def _explained(mistakes: Sequence[Mistake]) -> list[str]:
    """The moves that show a cause, each with another one or elsewhere."""
    found: dict[tuple[str, str], str] = {}
    for mistake, reason in zip(mistakes, explain(mistakes), strict=True):
        if reason.causes:
            found.setdefault((reason.causes[0].name, reason.place), mistake.bait)
    return list(found.values())[:BAITS]


def judged(moves: Iterable[Case]) -> Iterator[ProvedPattern]:
    """Those that the annotator proves to lose, and that have a cause."""
    analyzer, annotator = _judges()
    games = (f'[SetUp "1"]\n[FEN "{epd} 0 1"]\n\n{bait} *\n\n' for epd, bait in moves)
    splitter = _native.PgnSplitter(1 << 14)
    for batch in chain(*(splitter.feed(game.encode()) for game in games), splitter.finish()):
        found = analyzer(batch, Cancellation())
        if found.skipped:
            raise InputError(f"a game of one move cannot be read: {found.skipped[0].detail}")
        for events, _ in annotator.all_reported(found.found):
            for event in events:
                if event.event is Event.FELL and event.proved and event.cause_keys:
                    yield _pattern(event)


def _pattern(event: TrapEvent) -> ProvedPattern:
    assert event.explanation is not None
    assert event.before is not None
    assert event.after is not None
    assert event.probability is not None
    return ProvedPattern(
        epd=_native.epd(event.fen),
        bait=event.bait,
        killer_line=event.killer_line,
        causes=event.cause_keys,
        mechanism=event.explanation.mechanism,
        place=event.explanation.place,
        before=event.before,
        after=event.after,
        mate_in=event.proof.mate_in,
        settled=event.settled,
        probability=event.probability,
        nodes=event.proof.nodes,
    )


def chosen(patterns: Iterable[ProvedPattern], wanted: int) -> list[ProvedPattern]:
    """So many of them at most, by position: no move twice, and no cause twice with the same squares and the same place.

    Those of a new position and of a cause that is new at their place come first. Of these the first of each kind, of
    cause and mechanism, comes before a second one, and so on. A position with its colours exchanged is the same one.
    """
    positions, places, squares = set[str](), set[tuple[str, str]](), set[tuple[str, str]]()
    moves = set[tuple[str, str]]()
    tiers: dict[tuple[bool, bool], dict[tuple[str, str], list[ProvedPattern]]] = {}
    for each in patterns:
        if _squares(each) not in squares and (each.epd, each.bait) not in moves:
            moves.add((each.epd, each.bait))
            tier = (each.cause, each.place) in places, each.epd in positions
            tiers.setdefault(tier, defaultdict(list))[each.cause, each.mechanism].append(each)
            squares.add(_squares(each))
            places.add((each.cause, each.place))
            positions |= {each.epd, mirror(each.epd)}
    found = [each for _, kinds in sorted(tiers.items()) for each in _in_turn(kinds.values())]
    return sorted(found[:wanted], key=lambda each: (each.epd, each.bait))


def _squares(pattern: ProvedPattern) -> tuple[str, str]:
    """The first cause with its squares, and the place."""
    return pattern.causes[0], pattern.place


def _in_turn(kinds: Iterable[Sequence[ProvedPattern]]) -> Iterator[ProvedPattern]:
    """The first of each kind, then the second ones."""
    return (each for part in zip_longest(*kinds) for each in part if each is not None)


def judged_again(jobs: int) -> list[ProvedPattern]:
    """The patterns of the file that are proved as well now, as they are judged now."""
    every = [(each.epd, each.bait) for each in bundled_patterns()]
    parts = [every[at : at + _PART] for at in range(0, len(every), _PART)]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        return [ProvedPattern.of_line(line) for lines in pool.map(_lines, parts) for line in lines]


def _lines(moves: Sequence[Case]) -> list[str]:
    return [_line(pattern) for pattern in judged(moves)]


def _line(pattern: ProvedPattern) -> str:
    """The pattern as a line of the file, without its end."""
    judgement = (pattern.before, pattern.after, pattern.probability)
    figures = (*(f"{figure:.4f}" for figure in judgement), str(pattern.nodes))
    words = (" ".join(pattern.killer_line), " ".join(pattern.causes), pattern.mechanism, pattern.place)
    end = (str(pattern.mate_in or ""), str(int(pattern.settled)))
    return "\t".join((pattern.epd, pattern.bait, *words, *figures, *end))


def file_of(patterns: Iterable[ProvedPattern]) -> str:
    """The content of the file with these patterns."""
    return "".join(f"{line}\n" for line in (MEANS, *map(_line, patterns)))


def brought(number: int) -> tuple[int, list[str]]:
    """The lines of the patterns in the game of this number."""
    return number, _lines(list(cases(number)))


def played(
    path: Path, jobs: int, wanted: int, known: Sequence[ProvedPattern] = (), first: int = 0
) -> list[ProvedPattern]:
    """The ``known`` patterns, and those of as many games as it takes to choose so many: games that the file has, and
    games played now, which count from ``first``."""
    found, different = list(known), {_squares(each) for each in known}
    games = chain(_read(path), _play(path, jobs, first))
    while len(different) < wanted:
        for pattern in map(ProvedPattern.of_line, next(games)):
            found.append(pattern)
            different.add(_squares(pattern))
    return found


def _read(path: Path) -> list[list[str]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _play(path: Path, jobs: int, first: int) -> Iterator[list[str]]:
    """The lines of each game after those of the file, which gets them as well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    numbers = count(first + len(_read(path)))
    with (
        path.open("a", encoding="utf-8") as file,
        ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool,
    ):
        while True:
            for number, lines in pool.map(brought, islice(numbers, 8 * jobs)):
                file.write(json.dumps(lines) + "\n")
                file.flush()
                print(f"{number + 1:,} games", file=sys.stderr)
                yield lines


@cache
def _openings() -> list[str]:
    text = resources.files("db.traps").joinpath("openings.tsv").read_text("utf-8")
    return [line.partition("\t")[0] for line in text.splitlines()]


@cache
def _judges() -> tuple[BatchAnalyzer, Annotator]:
    """What ``trapline annotate`` judges with by default, without traps."""
    options = AnalysisOptions(tell=Tell.LOSSES, measure=IndexedMeasure.SEQUENCES)
    request = AnalysisRequest.from_settings(AnalysisSettings(engine=OFF), options)
    return BatchAnalyzer(request, KnownTraps(())), Annotator((), request.measure, request.selection, False, False, None)


def main() -> None:
    """Play, choose, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="processes")
    parser.add_argument("--wanted", metavar="N", type=int, default=WANTED, help=f"patterns, {WANTED:,} by default")
    parser.add_argument("--out", metavar="FOLDER", type=Path, default=Path("out/patterns"))
    parser.add_argument("--judge-again", action="store_true")
    given = parser.parse_args()
    if given.judge_again:
        known = chosen(judged_again(given.jobs), given.wanted)
        patterns = played(given.out / "more.jsonl", given.jobs, given.wanted, known, MORE)
    else:
        patterns = played(given.out / "games.jsonl", given.jobs, given.wanted)
    patterns = chosen(patterns, given.wanted)
    Path(str(resources.files("db.patterns"))).joinpath(FILE).write_text(file_of(patterns), encoding="utf-8")
    kinds = Counter((each.cause, each.mechanism) for each in patterns)
    print(f"{len(patterns):,} patterns of {len(kinds):,} kinds, the most frequent {kinds.most_common(5)}")


if __name__ == "__main__":
    main()
