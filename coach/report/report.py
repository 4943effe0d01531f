"""Report on a player: what he loses to again and again, and what traps cost him and his opponents.

Shares are of choices: how often a bait was taken of the times that it could have been. Beside each stands what others
of the same rating (`db.traps.temptation.RATING_BANDS`) did in the same positions of the same library, in games without
the player: the mean, over his choices, of their share there. So a player who meets dangerous positions is not held
against one who does not.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from coach.report.losses import Losses
from coach.report.sentences import sentences
from coach.report.summary import Summary, summary_of
from db.games.accounts import SiteAccount
from db.games.losing_moves import lost_moves
from db.games.trap_occurrences import Games, TrapOccurrence, games_of, occurrences, year_of
from db.games.trap_stats import cost
from db.library.library import Library
from db.patterns.recurring import Recurring, recurring
from db.storage.frequency import frequencies_by_rating
from db.storage.sighting_rows import BY_KEY
from db.traps.temptation import Frequency, RatingBand, rating_band
from db.traps.terms import EVENTS, Side
from db.traps.trap import Trap
from db.wording.claims import claim
from trapcore.errors import UsageError
from trapcore.statistics import wilson

PRACTICE = 5
"""Traps to practise, and traps to set, that are named."""

MONTHS_SHOWN = 24
"""Longest time, in months, that is listed by month; a longer one is listed by year."""

_Bands = Mapping[RatingBand, Frequency]
_NONE = Frequency(decisions=0, played=0)


@dataclass(frozen=True, slots=True)
class ScoreRate:
    """The results of the players who had the choice."""

    decisions: int
    fell: int
    low: float
    """Least share, 0..1, by Wilson's interval of 95 %; 0 if nobody had the choice."""
    high: float
    others: float | None
    """Share of others of the same rating in the same positions, 0..1; None if there are none."""
    compared: int
    """Choices in which there are such others: only these may be held against them."""
    compared_fell: int
    """How many of these fell."""

    @property
    def share(self) -> float:
        """0..1; 0 if nobody had the choice."""
        return self.fell / self.decisions if self.decisions else 0.0

    def to_dict(self) -> dict[str, object]:
        """JSON form."""
        return {**asdict(self), "share": self.share}


@dataclass(frozen=True, slots=True)
class RoleStats:
    """The occurrences in which one of the two had the choice."""

    events: dict[str, int]
    """How often each of `EVENTS` happened; what was said of several traps of one position counts once."""
    rate: ScoreRate

    def to_dict(self) -> dict[str, object]:
        """JSON form."""
        return {"events": self.events, **self.rate.to_dict()}


@dataclass(frozen=True, slots=True)
class Group:
    """The occurrences of an opening, a colour or a time."""

    name: str
    victim: RoleStats
    """The player had the choice, his opponent set the trap."""
    attacker: RoleStats
    """The other way round."""

    def to_dict(self) -> dict[str, object]:
        """JSON form."""
        return {"name": self.name, "victim": self.victim.to_dict(), "attacker": self.attacker.to_dict()}


@dataclass(frozen=True, slots=True)
class TrapHistory:
    """A trap and its occurrences in games of the player, on either side."""

    trap: Trap
    """As the library has it."""
    victim: RoleStats
    attacker: RoleStats
    others: dict[RatingBand, Frequency]
    """What others did who were rated as the victims of these occurrences, in games without the player."""
    cost: float
    """Points that the bait gives away, 0..1."""
    score: float
    """Points that the player loses by it, at least, each time he has the choice: his low share times the cost."""
    reward: float
    """The same of his opponents."""
    repeated: str
    """``trap`` if the player fell into it more than once, ``family`` if into it and its relatives, else empty."""
    occurrences: tuple[TrapOccurrence, ...]
    """The newest first."""

    @property
    def others_in_all(self) -> ScoreRate:
        """Those of all the bands together."""
        both = sum(self.others.values(), _NONE)
        return ScoreRate(both.decisions, both.played, *wilson(both.played, both.decisions), None, 0, 0)

    def to_dict(self) -> dict[str, object]:
        """JSON form."""
        bait, *killer = self.trap.sans()
        others = self.others_in_all
        return {
            "slug": self.trap.slug,
            "name": self.trap.name,
            "family": self.trap.family,
            "opening": self.trap.opening,
            "epd": self.trap.epd,
            "bait": bait,
            "killer_line": killer,
            "claim": claim(self.trap),
            "cost": self.cost,
            "score": self.score,
            "reward": self.reward,
            "repeated": self.repeated,
            "victim": self.victim.to_dict(),
            "attacker": self.attacker.to_dict(),
            "others": {
                "decisions": others.decisions,
                "fell": others.fell,
                "low": others.low,
                "high": others.high,
                "by_rating": {str(band): asdict(counts) for band, counts in self.others.items()},
            },
            "encounters": [_occurrence_to_dict(occurrence) for occurrence in self.occurrences],
        }


@dataclass(frozen=True, slots=True)
class Report:
    """The traps of a player."""

    players: tuple[str, ...]
    """Names that are taken for one player."""
    since: int | None
    """First year of the games; None if any."""
    until: int | None
    colour: Side | None
    """Only games in which the player had it."""
    games: int
    """Of the player that are examined."""
    unproved: int
    """Occurrences, in any of his games, with traps that are not proved, and so left out."""
    in_all: Group
    by_colour: tuple[Group, ...]
    by_opening: tuple[Group, ...]
    """Those with most falls first, then with most occurrences."""
    by_year: tuple[Group, ...]
    """Ascending; games without a year are left out."""
    by_month: tuple[Group, ...]
    traps: tuple[TrapHistory, ...]
    """Those that the player fell into more than once first, then what costs most."""
    practise: tuple[TrapHistory, ...]
    """What cost the player most, `PRACTICE` at most."""
    best_traps: tuple[TrapHistory, ...]
    """What his opponents fell for, by what it cost them, as many."""
    patterns: tuple[Recurring, ...]
    """What he loses to in several games, what costs most first; none with fewer than `LEAST_GAMES` games."""
    summary: Summary
    """What the report begins with."""
    losses: Losses
    """All losing moves of these games, those of traps too, as far as the games were searched for them."""

    @property
    def over_time(self) -> tuple[Group, ...]:
        """By month if that is no more than `MONTHS_SHOWN`, else by year."""
        if self.by_month and len(self.by_month) > 1:
            (first, first_month), (last, last_month) = (
                map(int, group.name.split("-")) for group in (self.by_month[0], self.by_month[-1])
            )
            if 12 * (last - first) + last_month - first_month < MONTHS_SHOWN:
                return self.by_month
        return self.by_year

    def to_dict(self) -> dict[str, object]:
        """JSON form of all figures."""
        groups = {name: [g.to_dict() for g in getattr(self, name)] for name in _GROUPS}
        return {
            "players": self.players,
            "since": self.since,
            "until": self.until,
            "colour": self.colour,
            "games": self.games,
            "unproved": self.unproved,
            "summary": sentences(self.summary),
            "patterns": [pattern.to_dict() for pattern in self.patterns],
            "in_all": self.in_all.to_dict(),
            **groups,
            "traps": [history.to_dict() for history in self.traps],
            "practise": [history.trap.slug for history in self.practise],
            "weapons": [history.trap.slug for history in self.best_traps],
            "losing_moves": self.losses.to_dict(),
        }


_GROUPS = ("by_colour", "by_opening", "by_year", "by_month")


def report(
    library: Library,
    player: Collection[str] | SiteAccount | Games,
    *,
    since: int | None = None,
    until: int | None = None,
    colour: Side | None = None,
) -> Report:
    """The report of a player: of an account, of these names (`db.games.players.find_players`), or of some of his games.

    With years only the games of these and between, with ``colour`` only those in which the player had it. Raises
    `UsageError` for years that cannot be, and `LibraryError`.
    """
    if since is not None and until is not None and since > until:
        raise UsageError(f"the first year, {since}, must not be after the last, {until}")
    games = player if isinstance(player, Games) else games_of(library, player)
    every, unproved = occurrences(library, games)
    within = [each for each in every if _within(each.year, since, until) and colour in (None, each.colour)]
    looked_at = [
        number
        for number, row in games.rows.items()
        if _within(year_of(row.date), since, until) and (colour is None or colour in games.colours(number))
    ]
    rows = {number: games.rows[number] for number in looked_at}
    these = Games(rows, games.names)
    lost, judged = lost_moves(library, these)
    peers = _others(library, every)
    by_trap: dict[str, list[TrapOccurrence]] = defaultdict(list)
    for each in within:
        by_trap[each.trap.slug].append(each)
    families = Counter(each.trap.family for each in within if each.is_victim and "fell" in each.events)
    histories = [_history(library, slug, seen, peers, families) for slug, seen in by_trap.items()]
    costly = sorted(histories, key=lambda each: (-each.score, -each.victim.rate.fell, each.trap.slug))
    telling = sorted(histories, key=lambda each: (-each.reward, -each.attacker.rate.fell, each.trap.slug))

    def grouped(key: Callable[[TrapOccurrence], str | None]) -> list[Group]:
        parts: dict[str, list[TrapOccurrence]] = defaultdict(list)
        for each in within:
            if (name := key(each)) is not None:
                parts[name].append(each)
        return [_group(name, parts[name], peers) for name in sorted(parts)]

    by_opening = grouped(lambda each: each.opening)
    return Report(
        players=tuple(sorted(games.names)),
        since=since,
        until=until,
        colour=colour,
        games=len(looked_at),
        unproved=unproved,
        in_all=_group("all", within, peers),
        by_colour=tuple(grouped(lambda each: each.colour)[::-1]),
        by_opening=tuple(sorted(by_opening, key=lambda group: (-group.victim.rate.fell, -_occurrences(group)))),
        by_year=tuple(grouped(lambda each: None if each.year is None else f"{each.year:04}")),
        by_month=tuple(grouped(lambda each: each.month)),
        traps=tuple(sorted(costly, key=lambda each: (not each.repeated, each.repeated != "trap"))),
        practise=tuple(each for each in costly if each.victim.rate.fell)[:PRACTICE],
        best_traps=tuple(each for each in telling if each.attacker.rate.fell)[:PRACTICE],
        patterns=recurring(library, these, lost, judged),
        summary=summary_of(these, lost),
        losses=Losses.of(lost, judged),
    )


def _within(year: int | None, since: int | None, until: int | None) -> bool:
    if since is None and until is None:
        return True
    return year is not None and (since is None or year >= since) and (until is None or year <= until)


def _occurrences(group: Group) -> int:
    return group.victim.events["set"] + group.attacker.events["set"]


def _others(library: Library, every: Sequence[TrapOccurrence]) -> dict[str, dict[RatingBand, Frequency]]:
    """By slug and rating, how people chose in the positions of these traps in games without the player.

    His opponents in them are left out like himself: they are those who are compared.
    """
    own: Counter[tuple[str, RatingBand, str]] = Counter()
    # A game in which the player had both sides has each choice twice.
    choices = {
        (each.trap.slug, each.game.id, each.ply): each for each in every if each.measure == BY_KEY and each.played
    }
    for each in choices.values():
        own[each.trap.slug, rating_band(each.rating), "fell" if "fell" in each.events else "avoided"] += 1
    found: dict[str, dict[RatingBand, Frequency]] = {}
    with library.database.read() as connection:
        for slug in sorted({each.trap.slug for each in every if each.measure == BY_KEY}):
            found[slug] = {}
            for band, counts in frequencies_by_rating(connection, slug).get(slug, {}).items():
                fell, avoided = own[slug, band, "fell"], own[slug, band, "avoided"]
                others = Frequency(decisions=counts.decisions - fell - avoided, played=counts.played - fell)
                if others.decisions:
                    found[slug][band] = others
    return found


def _history(
    library: Library,
    slug: str,
    seen: Sequence[TrapOccurrence],
    peers: Mapping[str, _Bands],
    families: Mapping[str, int],
) -> TrapHistory:
    trap = library.trap(slug)
    together = _group(slug, seen, peers)
    bands = {rating_band(each.rating) for each in seen if each.played}
    fell = together.victim.rate.fell
    repeated = "trap" if fell > 1 else "family" if fell and families[trap.family] > 1 else ""
    return TrapHistory(
        trap=trap,
        victim=together.victim,
        attacker=together.attacker,
        others={band: counts for band, counts in peers.get(slug, {}).items() if band in bands},
        cost=cost(trap),
        score=together.victim.rate.low * cost(trap),
        reward=together.attacker.rate.low * cost(trap),
        repeated=repeated,
        occurrences=tuple(sorted(seen, key=lambda each: (each.game.date, each.game.id, each.ply), reverse=True)),
    )


def _group(name: str, seen: Iterable[TrapOccurrence], peers: Mapping[str, _Bands]) -> Group:
    seen = list(seen)
    victim, attacker = ([each for each in seen if each.is_victim is is_victim] for is_victim in (True, False))
    return Group(name, _role_stats(victim, peers), _role_stats(attacker, peers))


def _role_stats(seen: Sequence[TrapOccurrence], peers: Mapping[str, _Bands]) -> RoleStats:
    events: Counter[str] = Counter()
    decisions = fell = compared_fell = 0
    expected = []
    for place in _places(seen):
        happened = {event for each in place for event in each.events}
        # A player who took one bait has not avoided the others that the position has.
        happened -= {"avoided"} if "fell" in happened else set()
        happened -= {"missed"} if "sprung" in happened else set()
        events.update(happened)
        if happened & {"fell", "avoided"}:
            decisions += 1
            fell += "fell" in happened
            others = [_share(each, peers) for each in place]
            known = [share for share in others if share is not None]
            if known:
                expected.append(min(1.0, sum(known)))
                compared_fell += "fell" in happened
    low, high = wilson(fell, decisions)
    mean = sum(expected) / len(expected) if expected else None
    return RoleStats(
        {event: events[event] for event in EVENTS},
        ScoreRate(decisions, fell, low, high, mean, len(expected), compared_fell),
    )


def _places(seen: Iterable[TrapOccurrence]) -> Iterator[list[TrapOccurrence]]:
    """The occurrences at each place of a game; a position may have several baits."""
    places: dict[tuple[int, int], list[TrapOccurrence]] = defaultdict(list)
    for each in seen:
        places[each.game.id, each.ply].append(each)
    yield from places.values()


def _share(each: TrapOccurrence, peers: Mapping[str, _Bands]) -> float | None:
    """Of others of the victim's rating who took the bait; None if there are none."""
    if each.measure != BY_KEY:
        return None
    counts = peers.get(each.trap.slug, {}).get(rating_band(each.rating))
    return None if counts is None else counts.share


def _occurrence_to_dict(each: TrapOccurrence) -> dict[str, object]:
    return {
        "game": asdict(each.game),
        "colour": each.colour,
        "role": "victim" if each.is_victim else "attacker",
        "ply": each.ply,
        "events": list(each.events),
        "played": each.played,
        "answer": each.answer,
        "opening": each.opening,
        "exchanged": each.exchanged,
        "measure": each.measure,
        "score": each.score,
    }
