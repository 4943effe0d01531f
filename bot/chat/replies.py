"""Texts of the chat messages, as functions of events and questions. At most 140 characters, no links.

While a game runs, text that could help a player goes to the spectators only: lichess counts it as advice.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotator.comments.evidence import evidence_of
from annotator.comments.telling import Teller, words
from annotator.events import TrapEvent
from bot.saved_state import TRAPS_CHOSEN, TRAPS_KNOWN, TRAPS_ON_PURPOSE, TRAPS_TAKEN
from db.query.answer import Page
from db.query.words import Reading
from db.traps.terms import Event
from db.traps.trap import Trap
from db.wording.evidence import Evidence
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Verbosity
from db.wording.names import safe_name
from db.wording.sentences import Narrator
from lichess.api import ChatLine, GameInfo, Room
from trapcore.proof.verdict import Verdict

LONGEST = 140
"""Most characters of a message; lichess cuts or refuses longer ones."""

COMMANDS = "!help !trap !why !library NAME !traps WORDS !train NAME !stats !name"

_QUESTION = re.compile(
    r"\b(best move|eval(uation)?|hint|is (this|that|it) a trap|what (should|can|do) i|should i|how (should|do) i|"
    r"am i (winning|losing|lost)|are you (winning|losing)|who is (winning|better)|who'?s (winning|better)|help me|"
    r"what('?s| is) your (plan|threat|idea)|your threat|mate in)\b|^\W*(why|what) (did you|was that)",
    re.IGNORECASE,
)
# Lichess drops what looks like an address: a letter, a dot, a letter.
_DOT = re.compile(r"(?<=[^\s.])(\.+)(?=[A-Za-z])")
_LINK = re.compile(r"\S*(://|www\.)\S*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Message:
    """Message for one chat room of one game."""

    room: Room
    text: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Data from which questions are answered."""

    info: GameInfo
    is_over: bool
    events: Sequence[TrapEvent]
    traps: Sequence[Trap]
    stats: Mapping[str, int]
    version: str
    player: str
    """Name of the searcher, such as the engine's."""
    find: Callable[[str], Page | None]
    """Finds traps by name, see `bot.moves.trap_book.TrapLibrary.find`."""
    train: Callable[[str, str], str] = lambda who, name: ""
    """Challenges a person to a trap and returns the answer, see `bot.chat.training.Training.challenge`."""
    may_coach: bool = False
    search: Callable[[str], tuple[Reading, Page] | None] = lambda words: None
    """Finds traps by plain words, see `bot.moves.trap_book.TrapLibrary.search`."""


def key(message: Message) -> str:
    """Key by which a repeated message is recognized."""
    return f"{message.room}: {message.text}"


def fitting(text: str) -> str:
    """Text in the form that lichess accepts: one line, no links, at most `LONGEST` characters."""
    plain = " ".join(_LINK.sub("", text).split())
    plain = _DOT.sub(r"\1 ", plain)
    if len(plain) <= LONGEST:
        return plain
    cut = plain[: LONGEST - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[LONGEST // 2 :] else cut) + "…"


# Messages of the bot's own --------------------------------------------------------------------------------------------


def greeting(template: str, info: GameInfo, room: Room = "player") -> list[Message]:
    """Greeting or farewell with the names filled in; unknown names in braces are removed."""
    text = template.replace("{me}", info.me.name).replace("{opponent}", info.opponent.name)
    text = fitting(re.sub(r"\{[^{}]*\}", "", text))
    return [Message(room, text)] if text else []


def is_answered(event: TrapEvent, plies: int) -> bool:
    """Whether a remark on an event can help nobody after so many plies, because what it is about was answered."""
    return event.event not in (Event.SET, Event.FELL) or plies > event.ply


def remarks(events: Sequence[TrapEvent], info: GameInfo, before: Sequence[TrapEvent] = ()) -> list[Message]:
    """Remarks for spectators on ``events``, in order, where those ``before`` were remarked on already."""
    told = dict(Teller(Narrator(ENGLISH)).comments([*before, *events]))
    return [
        Message("spectator", _fitted(f"{_who(each.event, info)}: ", each.text, each.event))
        for ply in sorted(told)
        for each in told[ply]
        if each.event in events and each.event.event is not Event.AVOIDED
    ]


def summary(events: Sequence[TrapEvent], info: GameInfo) -> list[Message]:
    """Summary for the opponent after the game: the traps that were set, fallen into and avoided, in two messages.

    The second one has the line that was set for the opponent, unless the traps alone need both.
    """
    by_trap: dict[tuple[int, str], list[TrapEvent]] = {}
    for event in events:
        by_trap.setdefault((event.trap_ply, event.slug or event.bait), []).append(event)
    if not by_trap:
        return [Message("player", "Thanks for the game! No trap that I know came up in it.")]
    parts: list[str] = []
    for same in by_trap.values():
        ours = _victim(same[0]) != info.color
        kinds = {event.event for event in same}
        fate = _fate(kinds, ours)
        part = f"{'my' if ours else 'your'} {safe_name(evidence_of(same[0]).name) or 'trap'} ({fate})"
        if part not in parts:
            parts.append(part)
    lines = ["Thanks for the game! Traps:"]
    for part in parts:
        longer = f"{lines[-1]} {part};"
        if len(longer) <= LONGEST:
            lines[-1] = longer
        elif len(lines) < 2:
            lines.append(f"{part};")
        else:
            break
    found = [fitting(line.rstrip(";") + ".") for line in lines]
    set_for_them = [same for same in by_trap.values() if _victim(same[0]) != info.color]
    if len(found) < 2 and set_for_them:
        # The one that they fell for, or else the last one.
        fallen = [same for same in set_for_them if any(event.event is Event.FELL for event in same)]
        found.append(_told_line((fallen or set_for_them)[-1][0]))
    return [Message("player", text) for text in found]


def _told_line(event: TrapEvent) -> str:
    """The bait of a trap and what answers it, with move numbers, as far as it fits."""
    narrator, evidence = Narrator(ENGLISH), evidence_of(event)
    told = fitting(narrator.afterwards(evidence))
    return fitting(narrator.afterwards(evidence, short=True)) if told.endswith("…") else told


def warning(event: TrapEvent) -> Message:
    """Warning for an opponent on a private server when a trap of the bot is on the board."""
    return Message("player", fitting(f"Careful, a trap: {event.bait_san}? is answered by {event.killer_line_san[0]}."))


def _who(event: TrapEvent, info: GameInfo) -> str:
    return info.me.name if event.mover == info.color else info.opponent.name


def _victim(event: TrapEvent) -> str:
    return "white" if event.fen.split()[1] == "w" else "black"


def _fate(kinds: set[Event], ours: bool) -> str:
    victim, attacker = ("you", "I") if ours else ("I", "you")
    if Event.FELL not in kinds:
        return f"{victim} avoided it" if Event.AVOIDED in kinds else "left on the board"
    if Event.SPRUNG in kinds:
        return f"{victim} fell for it"
    return f"{victim} fell for it, {attacker} missed the answer" if Event.MISSED in kinds else f"{victim} fell for it"


def _fitted(lead: str, text: str, event: TrapEvent) -> str:
    """The text about an event, in its brief form if it does not fit."""
    told = fitting(f"{lead}{text}")
    return fitting(f"{lead}{words(event, Narrator(ENGLISH, Verbosity.BRIEF))}") if told.endswith("…") else told


def _name(trap: Trap) -> str:
    return safe_name(trap.name)


# Answers to questions -------------------------------------------------------------------------------------------------


def answer(line: ChatLine, facts: Facts) -> list[Message]:
    """Answer to a line of chat, in the room it came from; empty for most lines."""
    author = line.username.lower()
    if author in (facts.info.me.id, facts.info.me.name.lower(), "lichess"):
        return []
    text = line.text.strip()
    if not text.startswith("!"):
        if line.room != "player" or not _QUESTION.search(text):
            return []
        if facts.is_over:
            return [Message("player", fitting(_trap("", facts)))]
        refusal = "Sorry, I do not speak about the position while we play. Afterwards I will tell you of the traps."
        return [Message("player", refusal)]
    word, _, argument = " ".join(text[1:].split()).partition(" ")
    # The opponent can write in the room of the spectators, too.
    is_secret = not facts.is_over and (line.room == "player" or _is_opponent(line, facts.info))
    found = _command(word.lower(), argument, facts, line, is_secret)
    return [Message(line.room, fitting(found))] if found else []


def _command(word: str, argument: str, facts: Facts, line: ChatLine, is_secret: bool) -> str:
    match word:
        case "help" | "commands":
            return f"You can ask: {COMMANDS}" + (" !coach on" if facts.may_coach else "")
        case "trap" | "why" | "library" | "train" if is_secret:
            return f"While we play I answer !{word} to spectators only. Ask me again afterwards."
        case "traps" if not facts.is_over:
            return "I answer !traps after the game only."
        case "traps":
            return _traps(argument, facts)
        case "trap":
            return _trap(argument, facts)
        case "why":
            return _why(argument, facts)
        case "library":
            return _library(argument, facts)
        case "train":
            return facts.train(line.username, argument)
        case "stats":
            return _stats(facts)
        case "name":
            return f"I am {facts.info.me.name}, trapline {facts.version}; my moves come from {facts.player}."
        case "coach":
            return _coach(argument, facts, line)
    return ""


def _chosen(argument: str, facts: Facts) -> tuple[TrapEvent | None, int]:
    """The trap with that number, or the last one without a number, and how many there are."""
    by_trap: dict[tuple[int, str], TrapEvent] = {}
    for event in facts.events:
        by_trap[event.trap_ply, event.slug or event.bait] = event
    found = [by_trap[which] for which in sorted(by_trap)]
    number = int(argument) if argument.isdecimal() and len(argument) < 4 else len(found)
    return (found[number - 1] if 1 <= number <= len(found) else None), len(found)


def _trap(argument: str, facts: Facts) -> str:
    event, count = _chosen(argument, facts)
    if event is None:
        there_were = "There was 1 trap" if count == 1 else f"There were {count} traps"
        return f"{there_were} in this game." if count else "There was no trap in this game so far."
    return _fitted("", words(event, Narrator(ENGLISH)), event)


def _why(argument: str, facts: Facts) -> str:
    event, _ = _chosen(argument, facts)
    if event is None:
        return "There was no trap in this game so far."
    evidence = evidence_of(event)
    known = f"It is the position of {safe_name(evidence.name)}. " if evidence.name else ""
    plain = replace(evidence, name="")
    for verbosity in (Verbosity.NORMAL, Verbosity.BRIEF):
        why = fitting(f"{known}{_explained(plain, event, verbosity)}")
        if not why.endswith("…"):
            break
    return why


def _explained(evidence: Evidence, event: TrapEvent, verbosity: Verbosity) -> str:
    narrator = Narrator(ENGLISH, verbosity)
    return narrator.fell(evidence) if event.proved else words(event, narrator)


def _library(argument: str, facts: Facts) -> str:
    if not argument:
        return f"I know {len(facts.traps)} traps. Ask !library and a name."
    page = facts.find(argument)
    if page is None:
        return "I cannot look that up now."
    if not page.hits:
        return "I know no trap of that name."
    trap = page.hits[0].trap
    sans = " ".join(trap.sans()[:6])
    verdict = "not proved" if trap.verdict is not Verdict.PROVED else "proved"
    if trap.verdict is Verdict.PROVED and trap.mate_in is not None:
        verdict = f"mate in {trap.mate_in}"
    more = f" ({page.total - 1:,} more)" if page.total is not None and page.total > 1 else ""
    return f"{_name(trap)}{f', {trap.eco}' if trap.eco else ''}: {sans} ({verdict}){more}"


def _traps(argument: str, facts: Facts) -> str:
    if not argument:
        return "Ask !traps and an opening, a theme or a name, such as !traps italian for black."
    found = facts.search(argument)
    if found is None:
        return "I cannot look that up now."
    reading, page = found
    unknown = f" Not understood: {', '.join(reading.unknown)}." if reading.unknown else ""
    if not page.hits:
        return f"I know no such trap.{unknown}"
    more = "" if page.total is None or page.total == len(page.hits) else f", … {page.total:,} in all"
    return f"{'; '.join(_name(hit.trap) for hit in page.hits)}{more}.{unknown}"


def _stats(facts: Facts) -> str:
    stats = facts.stats
    games, set_, taken = stats.get("games", 0), stats.get(TRAPS_CHOSEN, 0), stats.get(TRAPS_TAKEN, 0)
    kinds = f" ({stats.get(TRAPS_ON_PURPOSE, 0)} on purpose, {stats.get(TRAPS_KNOWN, 0)} known by name)" if set_ else ""
    fallen = f"; {taken} {'was' if taken == 1 else 'were'} fallen for" if set_ else ""
    told = f"In {_counted(games, 'game')} I set {_counted(set_, 'trap')}{kinds}{fallen}."
    return f"{told} I know {len(facts.traps)} by name."


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _is_opponent(line: ChatLine, info: GameInfo) -> bool:
    return line.username.lower() in (info.opponent.id, info.opponent.name.lower())


def _coach(argument: str, facts: Facts, line: ChatLine) -> str:
    if not facts.may_coach or not _is_opponent(line, facts.info) or line.room != "player":
        return ""
    if argument.lower() == "on":
        return "I will warn you of traps in this game; !coach off ends it."
    return "I will not warn you of traps." if argument.lower() == "off" else "Say !coach on or !coach off."


def wants_coach(line: ChatLine, info: GameInfo) -> bool | None:
    """Whether the opponent switches coaching on or off with this line; None for any other line."""
    if line.room != "player" or not _is_opponent(line, info):
        return None
    return {"!coach on": True, "!coach off": False}.get(" ".join(line.text.lower().split()))
