"""Export to a file or to standard output: traps as PGN or JSON, and any text."""

import json
from collections.abc import Sequence
from pathlib import Path

from db.formats.pgn_export import trap_game
from db.traps.trap import Trap
from trapcore.errors import OutputError
from trapcore.io.atomic_write import replacing
from trapcore.io.output_check import check_outputs, is_stream
from trapcore.io.streams import open_for_write


def write_traps(traps: Sequence[Trap], output: Path | str, *, as_json: bool, library: str) -> None:
    """Write the traps in their order; ``output`` is a path or ``-``.

    A file appears under its name when it is complete; a device or pipe is written to. Raises `UsageError` if it is the
    ``library`` itself or another database, and `OutputError` if it cannot be written.
    """
    if as_json:
        text = json.dumps([trap.to_dict() for trap in traps], ensure_ascii=False, indent=2) + "\n"
    else:
        text = "".join(map(trap_game, traps))
    write_text(text, output, library=library)


def write_text(text: str, output: Path | str, *, library: str) -> None:
    """Write a text as UTF-8; the arguments and what is raised are those of `write_traps`."""
    if str(output) != "-":
        check_outputs([output], [(library, "the library itself")])
    write_file(output, text.encode())


def write_file(output: Path | str, data: bytes) -> None:
    """Write a file, packed if its name says so, as `write_traps` does. Raises `UsageError` and `OutputError`."""
    path = Path(output)
    try:
        if str(output) == "-" or is_stream(path):
            with open_for_write(output) as writer:
                writer.write(data)
            return
        with replacing(path) as building, open_for_write(building, compress_as=path.suffix) as writer:
            writer.write(data)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from error
