"""The memory of a server: its threads share the arenas of the C library, and large tables are none of them."""

import subprocess
import sys

import pytest

_ARENAS_OF_THREADS = """
import ctypes, os, sys, threading
from trapcore.parallel.arenas import share_arenas

if sys.argv[1] == "shared":
    share_arenas()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.fdopen.restype, libc.fdopen.argtypes = ctypes.c_void_p, [ctypes.c_int, ctypes.c_char_p]
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
libc.fflush.argtypes = [ctypes.c_void_p]
together = threading.Barrier(12)

def work():
    together.wait()
    for _ in range(100):
        libc.malloc(10_000)
    together.wait()

threads = [threading.Thread(target=work) for _ in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
reading, writing = os.pipe()
file = libc.fdopen(writing, b"w")
libc.malloc_info(0, file)
libc.fflush(file)
print(os.read(reading, 1 << 20).count(b"<heap nr="))
"""


_LARGE_TABLES = """
import ctypes, sys
from trapcore.parallel.arenas import share_arenas

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
        "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]

if sys.argv[1] == "shared":
    share_arenas()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
libc.mallinfo2.restype = Info
libc.free(libc.malloc(16 << 20))
before = libc.mallinfo2().hblkhd
table = libc.malloc(8 << 20)
print(libc.mallinfo2().hblkhd - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc gives threads arenas of their own")
def test_threads_share_two_arenas() -> None:
    found = {
        how: int(
            subprocess.run([sys.executable, "-c", _ARENAS_OF_THREADS, how], check=True, capture_output=True).stdout
        )
        for how in ("shared", "own")
    }
    assert found["shared"] <= 2 < found["own"]


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc puts large tables into arenas")
def test_a_large_table_has_a_mapping_of_its_own_also_after_another_one() -> None:
    mapped = {
        how: int(subprocess.run([sys.executable, "-c", _LARGE_TABLES, how], check=True, capture_output=True).stdout)
        for how in ("shared", "own")
    }
    assert mapped["own"] == 0 < 8 << 20 <= mapped["shared"]


_TABLES_AT_ONCE = """
import ctypes, os, threading
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
from trapcore.parallel.arenas import share_arenas
from trapcore.parallel.budget import Budget
from trapcore.proof.search import search

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
        "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]

share_arenas()
libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Info
together = threading.Barrier(5)

def work():
    together.wait()
    search("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3", Budget(nodes=200_000))

before = libc.mallinfo2().hblkhd
threads = [threading.Thread(target=work) for _ in range(5)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print((libc.mallinfo2().hblkhd - before) >> 20)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc tells what is mapped")
def test_two_processors_keep_one_table_of_searches_that_ran_together() -> None:
    done = subprocess.run([sys.executable, "-c", _TABLES_AT_ONCE], check=True, capture_output=True)
    assert 16 <= int(done.stdout) < 32
