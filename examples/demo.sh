#!/bin/sh
# What `make demo` runs: the bundled real games are annotated with the bundled traps, and the result is shown.
# Usage: demo.sh DIRECTORY-OF-COMMANDS
set -eu
bin=$1
out=out/demo
mkdir -p "$out"
rm -rf "$out"/library.sqlite* # built anew each time, so that the demonstration shows what a first run does
echo "== The trap library, the certificate of each proof checked while it is built"
"$bin/trapline" library init --db "$out/library.sqlite"
echo
echo "== Annotating examples/games.pgn"
"$bin/trapline" annotate examples/games.pgn -o "$out/annotated.pgn" --report "$out/report.jsonl" --db "$out/library.sqlite"
echo
echo "== One of the annotated games"
"$bin/python" - "$out" <<'END'
import io, json, sys
from pathlib import Path
import chess.pgn

out = Path(sys.argv[1])
findings = [f for f in map(json.loads, (out / "report.jsonl").read_text("utf-8").splitlines()) if f["event"] != "skipped"]
sprung = next(f for f in findings if f["event"] == "sprung")
data = io.StringIO((out / "annotated.pgn").read_text("utf-8"))
for _ in range(sprung["game"]):
    game = chess.pgn.read_game(data)
print(game)
print()
print("What the position looked like before the bait:")
print()
print(chess.Board(sprung["fen"]).unicode(borders=False, empty_square="."))
END
echo
echo "Annotated games: $out/annotated.pgn"
echo "Every finding:   $out/report.jsonl"
echo "Trap library:    $out/library.sqlite"
