"""Makes the tables of endgames that come with trapline.

    python -m workshop.experiments.endgames --write trapcore/native/src/chess/endgames/tables.bin

Rust makes every table of three and four men by retrograde analysis, which takes minutes. The file holds, for each
table, its length in four bytes (least significant byte first) and the table, compressed with zstd.
"""

import argparse
from pathlib import Path

import zstandard

from workshop.native import _core
from workshop.report import Report, Table, markdown

LEVEL = 19
"""Of the compression: the slow one, because the tables are made once and unpacked by every program."""


def endgames() -> tuple[bytes, Report]:
    """The file of the tables, and the bytes that each takes in it."""
    parts: list[bytes] = []
    rows: list[tuple[str, str, str]] = []

    def add(name: str, table: bytes) -> None:
        packed = zstandard.ZstdCompressor(level=LEVEL).compress(table)
        parts.extend((len(packed).to_bytes(4, "little"), packed))
        rows.append((name, f"{len(table):,}", f"{len(packed):,}"))

    _core.make_endgames(add)
    file = b"".join(parts)
    return file, Report(f"Tables of endgames, {len(file):,} bytes", (Table(("table", "bytes", "packed"), tuple(rows)),))


def main() -> None:
    """Make the tables, print their sizes, and write the file if that is wanted."""
    parser = argparse.ArgumentParser(
        prog="python -m workshop.experiments.endgames", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--write", metavar="tables.bin", type=Path, help="put the tables into this file")
    given = parser.parse_args()
    file, report = endgames()
    print(markdown(report), end="")
    if given.write is not None:
        given.write.write_bytes(file)


if __name__ == "__main__":
    main()
