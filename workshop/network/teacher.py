"""The network of an installed Stockfish, as a file."""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from trapcore.errors import EngineError

_SECONDS = 60
"""How long the engine may take to write it."""


def network_of(engine: str) -> bytes:
    """The file of the network that comes with the Stockfish at the path ``engine``.

    Raises ``EngineError`` for an engine that does not write one.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder, "network")
        try:
            asked = f"export_net {file}\nquit\n"
            subprocess.run([engine], input=asked, text=True, capture_output=True, timeout=_SECONDS, check=False)
            return file.read_bytes()
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EngineError(f"{engine} writes no network: name Stockfish 15.1 with --engine") from error
