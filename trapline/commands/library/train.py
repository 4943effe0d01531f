"""The command ``trapline library train``."""

from __future__ import annotations

from trapline.commands.options import DbOption, JsonOption
from trapline.commands.resources import open_existing
from trapline.echo import echo


def train(
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Learn from the library's traps which moves are killers, for `trapline propose` and `trapline annotate`.

    trapline compares the killer of each trap that is not refuted with the other moves of its position, and with
    ordinary moves that lose nothing. First it holds out a tenth of the traps, and measures how often it finds their
    killers.
    """
    from db.similarity.train import HITS, fit_library
    from trapline.commands.terminal import Status, print_json, trap_count

    status = Status()
    with open_existing(db, read_only=False) as library:
        fitted = fit_library(library, log=status.show)
        status.clear()
    if as_json:
        print_json(fitted.to_dict())
        return
    weights, test = fitted.weights, fitted.held_out
    echo(
        f"learned from {trap_count(weights.traps)} and {weights.background:,} ordinary moves "
        f"in {fitted.seconds:.0f} s: "
        f"weights of {weights.seen.size:,} and {weights.answered.size:,} tokens"
    )
    if test is None:
        echo("too few traps to hold some out and tell how often their killers are found")
        return
    first, *more = (f"{hit:.3f}" for hit in test.hits)
    among = "".join(f", among the first {k} of {hit}" for k, hit in zip(HITS[1:], more, strict=True))
    echo(
        f"of {trap_count(test.traps)} that were held out, by weights learned from the other "
        f"{weights.traps - test.traps:,}: the killer is the first move of {first}{among}"
    )
