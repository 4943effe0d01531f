"""What SQLite keeps in memory is bounded for the whole process, however many connections there are."""

import subprocess
import sys
from pathlib import Path

import pytest

_MEMORY_OF_READERS = """
import os, sys
from pathlib import Path
from db.storage import database

path = Path(sys.argv[1])
database.make_file(path)
writer = database.sqlite_engine(path, read_only=False)
with writer.connect() as connection:
    connection.exec_driver_sql("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)")
    connection.exec_driver_sql("INSERT INTO t (b) VALUES (randomblob(2000))")
    for _ in range(14):
        connection.exec_driver_sql("INSERT INTO t (b) SELECT randomblob(2000) FROM t")
    connection.commit()
writer.dispose()
database.CACHES_BYTES = 12 << 20

def memory():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("RssAnon")).split()[1]) >> 10

engine = database.sqlite_engine(path, read_only=True)
before, held = memory(), []
for _ in range(8):
    held.append(engine.connect())
    held[-1].exec_driver_sql("SELECT sum(length(b)) FROM t").all()
print(path.stat().st_size >> 20, memory() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="what a process holds is read in /proc")
def test_many_connections_keep_no_more_than_the_process_may(tmp_path: Path) -> None:
    run = [sys.executable, "-c", _MEMORY_OF_READERS, str(tmp_path / "big.sqlite")]
    size, grown = map(int, subprocess.run(run, check=True, capture_output=True, text=True).stdout.split())
    assert size > 30, "each connection alone would keep more than all may"
    assert grown < 24
