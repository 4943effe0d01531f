"""Fetches Syzygy tables of up to four men for the tests: ``python deploy/fetch_tables.py FOLDER``.

They lie in the source archive of python-chess, of the version that is installed.
"""

import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path, PurePosixPath


def fetch(folder: Path) -> None:
    """Fetch the tables into a folder that is not there yet. Raises `subprocess.CalledProcessError` if pip fails."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=:all:"]
        subprocess.run([*command, f"--dest={temporary}", f"chess=={version('chess')}"], check=True)
        (archive,) = Path(temporary).glob("*.tar.gz")
        made = Path(temporary) / "tables"
        made.mkdir()
        with tarfile.open(archive) as files:
            for member in files:
                path = PurePosixPath(member.name)
                source = files.extractfile(member) if path.suffix in (".rtbw", ".rtbz") else None
                if source is not None:
                    (made / path.name).write_bytes(source.read())
        made.rename(folder)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    fetch(target)
