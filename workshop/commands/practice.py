"""The command ``trapline research practice``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trapline.commands.options import DbOption
from trapline.commands.resources import open_existing


def practice(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Every judgement and the figures are written there.")],
    exercises: Annotated[int, typer.Option(metavar="N", min=1, help="Exercises that are drawn.")] = 500,
    nodes: Annotated[int, typer.Option(metavar="N", min=1, help="The engine's nodes for a position.")] = 400_000,
    engine: Annotated[str, typer.Option(metavar="PATH|auto", help="UCI engine of the reference.")] = "auto",
    seed: Annotated[int, typer.Option(metavar="N", help="Of the draw.")] = 0,
    db: DbOption = None,
) -> None:
    """Hold the judgements of answers in `trapline practise` against an engine.

    The exercises are drawn from the games of the library, which `trapline index` has searched for losing moves,
    and from its traps. On one thread an exercise takes some seconds; an interrupted run goes on where it stopped.
    """
    import json

    from db.proof.engine_choice import engine_command
    from trapcore.engines.uci_engine import UciEngine
    from trapcore.errors import UsageError
    from trapline.commands.terminal import Status, print_json
    from workshop.evaluation.practice import SECONDS, draw_exercises, judge_all, summary
    from workshop.write_report import make_folder, write_text

    command = engine_command(engine)
    if command is None:
        raise UsageError("the judgements are held against an engine: name one with --engine")
    make_folder(out)
    status = Status()
    with open_existing(db) as library:
        drawn = draw_exercises(library, exercises, seed)
    if not drawn:
        raise UsageError("the library has no exercise: index games first, with `trapline index FILE`")
    with UciEngine(command, search_seconds=SECONDS) as reference:
        judgements = out / "judgements.jsonl"
        judged = judge_all(drawn, reference, nodes, judgements, lambda done: status.show(f"{done} exercises"))
        found = {"engine": reference.name, "engine_nodes": nodes, "seed": seed, **summary(judged)}
    status.clear()
    write_text(out / "practice.json", json.dumps(found, indent=1) + "\n")
    print_json(found)
