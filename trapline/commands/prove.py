"""The command ``trapline prove``."""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trapline.commands.options import JsonOption
from trapline.echo import echo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trapcore.parallel.budget import Budget
    from trapcore.proof.mate import Proof


def prove(
    fen: Annotated[str | None, typer.Argument(metavar="FEN", help="A position, as FEN or EPD, quoted.")] = None,
    input_file: Annotated[
        str | None,
        typer.Option("--input", metavar="FILE", help="Prove every position of an EPD file. - is stdin."),
    ] = None,
    mate: Annotated[int, typer.Option(metavar="MOVES", help="Longest mate to search, 1 to 30 moves.")] = 3,
    nodes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Nodes for each position (default 1,000,000), or for each question of the trap test (400,000). No "
            "limit if only --milliseconds is given.",
        ),
    ] = None,
    milliseconds: Annotated[
        int | None,
        typer.Option(metavar="N", help="Time for the same. The answer then depends on the machine."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", help="With --input: positions at the same time. Default: the setting `jobs`."),
    ] = None,
    traps: Annotated[
        bool, typer.Option("--traps", help="Find every bait of the position: moves that tempt and lose.")
    ] = False,
    bait: Annotated[
        str | None, typer.Option(metavar="MOVE", help="Put this move (UCI or SAN) to the trap test.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the board, how each bait ranks by depth, and its refutation.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Prove or refute that the side to move can force mate, or that a move is a bait.

    With --input, answers come in the order of the file. A line that is no position gets an error in its place. The exit
    code is 3 if there is no position at all.
    """
    from trapcore.errors import UsageError
    from trapcore.parallel.budget import Budget
    from trapcore.proof import mate as proof
    from trapcore.proof import trap_test as baits

    about_baits = traps or explain or bait is not None
    if nodes is not None or milliseconds is not None:
        budget = Budget(nodes=nodes, milliseconds=milliseconds)
    else:
        budget = baits.USUAL if about_baits else proof.USUAL
    proof.check_mate(mate)
    if about_baits:
        if fen is None or input_file is not None:
            raise UsageError("--traps, --bait and --explain need one FEN")
        _prove_baits(fen, bait, budget, explain=explain, as_json=as_json)
        return
    if input_file is not None and fen is None:
        _prove_file(input_file, mate, budget, jobs, as_json)
    elif fen is not None and input_file is None:
        if jobs is not None:
            raise UsageError("--jobs belongs to --input")
        found = proof.prove_mate(fen, mate, budget)
        echo(json.dumps(_answer(fen, found)) if as_json else _sentence(fen, found, mate))
    else:
        raise UsageError("prove needs a FEN or --input FILE, and not both")


def _prove_baits(fen: str, bait: str | None, budget: Budget, *, explain: bool, as_json: bool) -> None:
    from trapcore.proof.search import search
    from trapcore.proof.trap_test import check_bait, find_baits
    from trapcore.proof.wording import explained, read_move, sentence

    tests = [check_bait(fen, read_move(fen, bait), (), budget)] if bait is not None else find_baits(fen, budget)
    if as_json:
        from dataclasses import asdict

        found = [asdict(test) | {"verdict": str(test.verdict), "is_trap": test.is_trap} for test in tests]
        shown = found if bait is not None else [test for test in found if test["is_trap"]]
        echo(json.dumps({"fen": fen, "tested": len(tests), "traps": shown}))
        return
    chosen = tests if bait is not None else [test for test in tests if test.is_trap]
    if explain:
        best = None if chosen else next(iter(search(fen, budget).line), None)
        echo(explained(fen, chosen, best))
        return
    for test in chosen:
        echo(sentence(fen, test))
    if not chosen:
        echo(f"no bait: {len(tests)} tempting moves were tested, none was proved to lose")


def _prove_file(path: str, mate: int, budget: Budget, jobs: int | None, as_json: bool) -> None:
    from trapcore.io.streams import open_bytes
    from trapline.commands.resources import jobs_or_default
    from trapline.commands.terminal import report_unanswered

    threads = jobs_or_default(jobs)
    read = bad = 0
    with open_bytes(path) as chunks:
        for answer, sentence in _answers(chunks, mate, budget, threads):
            read += "error" not in answer
            bad += "error" in answer
            echo(json.dumps(answer) if as_json else f"{answer['line_number']:>6}  {sentence}")
    report_unanswered(path, read, bad, what="read")


def _answers(chunks: Iterator[bytes], mate: int, budget: Budget, jobs: int) -> Iterator[tuple[dict[str, Any], str]]:
    """JSON and human answer for each line, in the order of the lines."""
    from concurrent.futures import Future, ThreadPoolExecutor

    from trapcore.errors import InputError
    from trapcore.io.epd import numbered_lines, parse_epd
    from trapcore.parallel.budget import Cancellation
    from trapcore.proof.mate import prove_mate

    def answer(number: int, line: str) -> tuple[dict[str, Any], str]:
        try:
            record = parse_epd(line)
            proof = prove_mate(record.fen, mate, budget, stop)
        except InputError as error:
            return {"line_number": number, "error": str(error)}, f"error: {error}"
        named = {"id": record.id} if record.id is not None else {}
        name = f"{record.id}: " if record.id is not None else ""
        found = _answer(record.fen, proof) | named | {"line_number": number}
        return found, name + _sentence(record.fen, proof, mate)

    # The core releases the GIL, so threads are enough. The window keeps all of them busy while one hard position is
    # waited for, and keeps a long file from being read ahead into memory.
    window = 16 * jobs
    stop = Cancellation()
    pending: deque[Future[tuple[dict[str, Any], str]]] = deque()
    pool = ThreadPoolExecutor(max_workers=jobs)
    try:
        for number, line in numbered_lines(chunks):
            pending.append(pool.submit(answer, number, line))
            while pending and (len(pending) >= window or pending[0].done()):
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        # After an error or Ctrl-C nobody wants what has not been started, nor what is under way.
        stop.cancel()
        pool.shutdown(wait=True, cancel_futures=True)


def _answer(fen: str, proof: Proof) -> dict[str, Any]:
    return {
        "fen": fen,
        "verdict": str(proof.verdict),
        "mate_in": proof.mate_in,
        "line": list(proof.line),
        "nodes": proof.nodes,
    }


def _sentence(fen: str, proof: Proof, mate: int) -> str:
    from trapcore.proof.mate import san_line
    from trapcore.proof.verdict import Verdict

    match proof.verdict:
        case Verdict.PROVED:
            return f"proved, mate in {proof.mate_in}: {san_line(proof, fen)}"
        case Verdict.REFUTED:
            return f"refuted: no mate in {mate} or fewer"
        case Verdict.UNDECIDED:
            known = f"; no mate in {proof.refuted_to} or fewer" if proof.refuted_to else ""
            return f"undecided after {proof.nodes:,} nodes{known}"
