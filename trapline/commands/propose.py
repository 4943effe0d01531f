"""The command ``trapline propose``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import DbOption, JsonOption
from trapline.commands.resources import open_existing
from trapline.echo import echo

if TYPE_CHECKING:
    from collections.abc import Sequence

    import chess

    from db.similarity.explanation import Shared
    from db.similarity.propose import LosingMove, MoveSuggester, Proposals, WinningMove


def propose(
    fen: Annotated[
        str | None, typer.Argument(metavar="FEN", help="The position before the bait or after it, quoted.")
    ] = None,
    bait: Annotated[
        str | None,
        typer.Option(metavar="MOVE", help="The bait, SAN or UCI. For a position after the bait only UCI."),
    ] = None,
    input_file: Annotated[
        str | None,
        typer.Option(
            "--input",
            metavar="FILE",
            help='Answer every line of a file: {"id": ..., "fen": FEN, "bait": MOVE}. - is stdin.',
        ),
    ] = None,
    top: Annotated[int, typer.Option(metavar="N", help="Number of moves in each list, 1 or more.")] = 5,
    nodes: Annotated[
        int | None,
        typer.Option(metavar="N", help="Nodes for the proof of each position, by default 30,000. 0 proves nothing."),
    ] = None,
    unproved: Annotated[
        bool, typer.Option("--unproved", help="Add moves that known killers suggest, without a proof.")
    ] = False,
    db: DbOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each move has in common with its trap.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what wins and what loses in a position: killers to play, and baits not to take.

    A move wins if mate is proved, or if the search sees an advantage that no other move comes near. A move loses if it
    tempts and fails the trap test. Each move comes with the known trap that it is most like.

    With --input, answers come in the order of the file, with --json one object a line. A line that is no question gets
    an error in its place. The exit code is 3 if no line can be answered.
    """
    from db.similarity.annotator_index import weights_in_use
    from db.similarity.killer_index import open_killer_index
    from db.similarity.propose import MoveSuggester, Question
    from trapcore.errors import UsageError
    from trapcore.ranking.verification import NODES
    from trapline.commands.terminal import Status, print_json

    if (fen is None) == (input_file is None):
        raise UsageError("propose needs a FEN or --input FILE, and not both")
    if input_file is not None and bait is not None:
        raise UsageError("--bait belongs to one FEN; with --input each line has its own")
    status = Status()
    with open_existing(db) as library:
        weights = weights_in_use(library)
        with open_killer_index(library, weights[0], status.show) as killer_index:
            status.clear()
            suggester = MoveSuggester(
                weights,
                killer_index,
                top=top,
                nodes=NODES if nodes is None else nodes,
                unproved=unproved,
                explain=explain,
            )
            if input_file is not None:
                _answer_file(input_file, suggester, as_json=as_json)
                return
            answer = suggester.answer(Question(str(fen), bait))
    if as_json:
        print_json(answer.to_dict())
    else:
        _print(answer)


def _answer_file(path: str, suggester: MoveSuggester, *, as_json: bool) -> None:
    from db.similarity.propose import answers
    from trapcore.io.streams import open_bytes
    from trapline.commands.terminal import report_unanswered

    done = bad = 0
    with open_bytes(path) as chunks:
        for answer in answers(suggester, chunks):
            failed = answer.proposals is None
            bad += failed
            done += not failed
            if as_json:
                echo(json.dumps(answer.to_dict(), ensure_ascii=False))
            elif answer.proposals is None:
                echo(f"line {answer.number}: error: {answer.error}")
            else:
                echo(f"line {answer.number}{'' if answer.id is None else f', {answer.id}'}:")
                _print(answer.proposals)
    report_unanswered(path, done, bad)


def _print(answer: Proposals) -> None:
    """Both lists, a move a line, each followed by its explanation if it has one."""
    from trapcore.trees.chess_game import parse_position

    board = parse_position(answer.after)
    if not any(board.legal_moves):
        echo("no move: the game is over")
        return
    lists: list[tuple[str, str, Sequence[WinningMove | LosingMove]]] = [
        ("What wins here", "nothing is seen to win by force", answer.wins),
        ("What loses here", "no tempting move is seen to lose", answer.loses),
    ]
    for title, nothing, moves in lists:
        echo(f"{title}:" if moves else f"{title}: {nothing}")
        width = max((len(move.san) for move in moves), default=0)
        for place, move in enumerate(moves, start=1):
            near = "" if move.trap is None else f"like {move.name} ({move.trap}), {move.similarity:.2f}"
            echo(f"{place:>2}  {move.san:<{width}}  {_found(board, move):<40}  {near}".rstrip())
            if move.explanation is not None:
                _explain(move.explanation)


def _explain(shared: Shared) -> None:
    columns = max(map(len, (*shared.here, *shared.there)))
    for where, line in (("here", shared.here), ("there", shared.there)):
        echo(f"      {where:<6} {' '.join(f'{san:<{columns}}' for san in line)}".rstrip())
    for words in shared.shared:
        echo(f"      both   {words}")


def _found(board: chess.Board, move: WinningMove | LosingMove) -> str:
    """The result of the proof of a move, in words, with its line."""
    from db.similarity.propose import LosingMove
    from trapcore import _native

    line = (move.uci, *move.line) if isinstance(move, LosingMove) else move.line
    spelt = " ".join(_native.sans(board.fen(), line)[1:])
    if move.mate_in is not None:
        words = f"{'allows ' * isinstance(move, LosingMove)}mate in {move.mate_in}, proved"
        return f"{words}: {spelt}" if spelt else words
    if isinstance(move, LosingMove):
        return f"costs {100 * move.loss / 2:.0f} points: {spelt}"
    if move.win_chance is not None and move.lead is not None:
        return f"best by {100 * move.lead / 2:.0f} points, no proof"
    return f"not proved, confidence {move.confidence:.3f}"
