"""Rules by which challenges are accepted, as functions of the challenge and the settings."""

from collections.abc import Container, Sequence

from bot.moves.board import first_position
from bot.settings import BotSettings, Mode, Speed
from lichess.api import Challenge, DeclineReason, Person, clock_seconds
from trapcore.errors import TraplineError


def decline_reason(
    challenge: Challenge, settings: BotSettings, block_lists: Container[str] = ()
) -> DeclineReason | None:
    """Reason to decline a challenge, in lichess's terms; None to accept it. ``block_lists``: names in small letters.

    The number of running games plays no part here: an acceptable challenge waits in the queue for a free place.
    """
    person = challenge.challenger
    settings = settings.against(is_bot=person.is_bot)
    names = {person.id.lower(), person.name.lower()}
    if names & _lower(settings.block) or (settings.allow and not names & _lower(settings.allow)):
        return DeclineReason.GENERIC
    if any(name in block_lists for name in names):
        return DeclineReason.GENERIC
    if "noAbort" in challenge.rules:
        # A game that cannot be aborted cannot be left without harm when an opponent never moves.
        return DeclineReason.GENERIC
    if person.is_bot and not settings.bots.accept:
        return DeclineReason.NO_BOT
    if challenge.variant not in {str(variant) for variant in settings.variants}:
        only_standard = [str(variant) for variant in settings.variants] == ["standard"]
        return DeclineReason.STANDARD if only_standard else DeclineReason.VARIANT
    if challenge.initial_fen and not _can_begin(challenge):
        return DeclineReason.VARIANT
    if challenge.speed not in {str(speed) for speed in settings.speeds}:
        return _speed_reason(challenge, settings.speeds)
    if challenge.limit is not None:
        length = clock_seconds(challenge.limit, challenge.increment)
        if length > 60 * settings.max_game_minutes:
            return DeclineReason.TOO_SLOW
        if challenge.limit < settings.min_base or challenge.increment < settings.min_increment:
            return DeclineReason.TOO_FAST
        if challenge.limit > settings.max_base or challenge.increment > settings.max_increment:
            return DeclineReason.TOO_SLOW
    if (Mode.RATED if challenge.rated else Mode.CASUAL) not in settings.modes:
        return DeclineReason.CASUAL if challenge.rated else DeclineReason.RATED
    if person.rating is not None and not settings.min_rating <= person.rating <= settings.max_rating:
        return DeclineReason.GENERIC
    return None


def has_place(person: Person, opponents: Sequence[Person | None], settings: BotSettings) -> bool:
    """Whether a game with this person may begin beside those with these opponents, None for one not known yet."""
    if len(opponents) >= settings.max_games:
        return False
    known = [opponent for opponent in opponents if opponent is not None]
    if sum(opponent.id == person.id for opponent in known) >= settings.games_per_person:
        return False
    # With a single place nothing can be kept free.
    for_bots = max(1, settings.max_games - settings.human_places)
    return not person.is_bot or sum(opponent.is_bot for opponent in known) < for_bots


def in_order(challenges: Sequence[Challenge]) -> list[Challenge]:
    """Order in which waiting challenges get a free place: humans first, then by arrival."""
    return sorted(challenges, key=lambda challenge: challenge.challenger.is_bot)


def _can_begin(challenge: Challenge) -> bool:
    """Whether the position of a challenge can be played: lichess lets people set up any number of queens."""
    try:
        first_position(challenge.variant, challenge.initial_fen)
    except TraplineError:
        return False
    return True


def _lower(names: Sequence[str]) -> set[str]:
    return {name.lower() for name in names}


def _speed_reason(challenge: Challenge, speeds: Sequence[Speed]) -> DeclineReason:
    """Reason to decline a speed: too fast if the bot plays only slower games, too slow if only faster ones."""
    order = ["ultraBullet", *map(str, Speed)]
    if challenge.speed not in order:
        return DeclineReason.TIME_CONTROL
    here = order.index(challenge.speed)
    played = [order.index(str(speed)) for speed in speeds]
    if played and here < min(played):
        return DeclineReason.TOO_FAST
    if played and here > max(played):
        return DeclineReason.TOO_SLOW
    return DeclineReason.TIME_CONTROL
