"""Variants of other rules: which of them the bot may accept, because an engine of the settings plays them."""

import logging
from collections.abc import Iterator

import chess.variant

from bot.moves.engines import Engine
from bot.settings import BotSettings, EngineSettings, GameRules, Variant
from trapcore.errors import EngineError

log = logging.getLogger(__name__)


def refusals(settings: BotSettings) -> dict[Variant, str]:
    """Variants of other rules that the settings accept and that cannot be played, each with the reason."""
    known: dict[str, frozenset[str]] = {}
    found: dict[Variant, str] = {}
    for variant in sorted(_wanted(settings)):
        engines = list(_engines(settings, variant))
        if None in engines:
            found[variant] = "no engine is set for it; bot.variant_engine names one"
            continue
        for engine in engines:
            assert engine is not None
            try:
                if engine.model_dump_json() not in known:
                    known[engine.model_dump_json()] = _variants_of(engine)
            except EngineError as error:
                found[variant] = str(error)
                break
            if chess.variant.find_variant(variant).uci_variant not in known[engine.model_dump_json()]:
                found[variant] = f"{engine.command} does not name it in its option UCI_Variant"
                break
    return found


def without_unplayable(settings: BotSettings) -> BotSettings:
    """The settings without the variants that cannot be played; the log says which these are."""
    if not (refused := refusals(settings)):
        return settings
    for variant, reason in refused.items():
        log.error("challenges to %s are declined: %s", variant, reason)

    def rest(rules: GameRules) -> tuple[Variant, ...]:
        return tuple(variant for variant in rules.variants if variant not in refused)

    update: dict[str, object] = {"variants": rest(settings)}
    for name, rules in (("people", settings.people), ("bots", settings.bots)):
        if "variants" in rules.model_fields_set:
            update[name] = rules.model_copy(update={"variants": rest(rules)})
    return settings.model_copy(update=update)


def _wanted(settings: BotSettings) -> set[Variant]:
    rules = (settings, settings.people, settings.bots)
    return {variant for one in rules for variant in one.variants if variant.has_other_rules}


def _engines(settings: BotSettings, variant: Variant) -> Iterator[EngineSettings | None]:
    """Every engine that may get a game of a variant; None for a game that no engine gets."""
    for profile in settings.profiles:
        if variant not in profile.variants:
            continue
        yield profile.engine or settings.variant_engine
        if not profile.speeds and profile.color is None and profile.opponent is None:
            return
    yield settings.variant_engine


def _variants_of(engine: EngineSettings) -> frozenset[str]:
    running = Engine(engine)
    try:
        return running.variants
    finally:
        running.close()
