"""Studies: fetched when they have changed."""

from service.clock import Halt
from service.job_log import Outcome
from service.service import Service
from service.sources.retry import each, patiently, told

KIND = "studies"

_PRIVATE = "it is private or was deleted; a private one needs the token of a member, with the scope study:read"
MEANINGS = {401: _PRIVATE, 403: _PRIVATE, 404: "there is no such study, or it is private"}


def fetch(service: Service, halt: Halt, outcome: Outcome) -> None:
    """All studies of the settings that have changed, into the depot and into the library."""
    archive = service.lichess_games
    changed: dict[str, int] = {}
    for user in each(service.mine.studies_of, halt):
        with told(outcome, f"studies of {user}", {404: "there is no such user"}):
            changed |= patiently(lambda user=user: archive.studies_of(user, halt), halt)  # type: ignore[misc]
    for study in each(service.mine.studies, halt):
        if study not in changed:
            with told(outcome, f"study {study}", MEANINGS):
                changed[study] = patiently(lambda study=study: archive.study_changed(study, halt), halt)  # type: ignore[misc]
    for study in each(sorted(changed), halt):
        feed = f"study {study}"
        if service.source_state.get(feed).get("changed") == changed[study]:
            outcome.counts["unchanged"] += 1
            continue
        with told(outcome, feed, MEANINGS):
            text, broke = archive.study(study, halt)
            if text.strip():
                service.game_files.put(KIND, study, [text])
            if broke is not None:
                raise broke
            outcome.counts["fetched"] += 1
            service.source_state.set(feed, {"changed": changed[study]})
    service.game_files.index(service.game_files.files(KIND), halt, outcome)
