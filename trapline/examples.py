"""Example of each command, as its help shows it; a test holds that every command has one and can read it."""

from collections.abc import Mapping

_FEN = '"r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5"'
_OTHER = '"r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"'

EXAMPLES: Mapping[str, str] = {
    "annotate": "games.pgn -o annotated.pgn",
    "library init": "--db my.sqlite",
    "library add": '--moves "e4 e5 Nf3 d6 Bc4 Bg4 Nc3 h6 Nxe5" --bait Bxd1 --line "Bxf7+ Ke7 Nd5#" --name "My trap"',
    "library import": "puzzles.csv.zst --limit 20000 --db my.sqlite",
    "library list": "--db my.sqlite",
    "library show": "legal-mate",
    "library export": "legal-mate -o legal.pgn",
    "library verify": "--engine auto --db my.sqlite",
    "library train": "--db my.sqlite",
    "library backup": "copy.sqlite --db my.sqlite",
    "library restore": "copy.sqlite --db my.sqlite --replace",
    "index": "games.pgn --db my.sqlite",
    "mine": "games.pgn --rating 1200-1599 --db my.sqlite",
    "repertoire check": 'my-repertoire.pgn --player "Your Name" --db my.sqlite',
    "repertoire from-games": '--player "Your Name" -o my-repertoire.pgn --db my.sqlite',
    "repertoire drill": 'my-repertoire.pgn --player "Your Name" --db my.sqlite',
    "repertoire export": "https://lichess.org/study/abcdefgh -o my-repertoire.pgn",
    "repertoire build": "--color white --rating 1200-1599 -o repertoire.pgn --db my.sqlite",
    "query": f"--fen {_FEN} --similar 5",
    "explore": '--moves "e4 e5 Nf3" --db my.sqlite',
    "prepare": '--against "Her Name" -o sheet.html --db my.sqlite',
    "report": '"Your Name" -o report.html --db my.sqlite',
    "practise": '--player "Your Name" --db my.sqlite',
    "group create": '"Wednesday" --db my.sqlite',
    "group add": '"Wednesday" "Ann Lee" "Bob Ray" --db my.sqlite',
    "group remove": '"Wednesday" "Bob Ray" --db my.sqlite',
    "group delete": '"Wednesday" --db my.sqlite',
    "group list": "--db my.sqlite",
    "group assign": '"Wednesday" --pattern fork:N:KR --count 8 --db my.sqlite',
    "group report": '"Wednesday" -o sheet.html --db my.sqlite',
    "bot": "--check",
    "bot ctl status": "--json",
    "bot ctl challenge": "maia1 --clock 3+2",
    "bot ctl join": "abcd1234",
    "bot ctl leave": "abcd1234",
    "bot ctl stop": "",
    "bot ctl reload": "",
    "service": "--check",
    "service run": "--db my.sqlite",
    "jobs list": "--db my.sqlite",
    "jobs run": "backup --db my.sqlite",
    "jobs pause": "mine --db my.sqlite",
    "jobs resume": "mine --db my.sqlite",
    "jobs log": "--limit 20 --db my.sqlite",
    "follow": "yourname --once --study 12345678 --db my.sqlite",
    "serve": "--db my.sqlite --port 8321",
    "doctor": "--db my.sqlite",
    "settings": "--all",
    "similarity": f"{_FEN} {_OTHER}",
    "match": f"{_FEN} {_OTHER} --explain",
    "tree": f"{_FEN} --depth 2",
    "propose": f"{_FEN} --top 3",
    "prove": f"{_FEN} --bait Bxd1",
}
"""What is written behind ``trapline`` and the name of the command."""


def example(command: str, examples: Mapping[str, str] = EXAMPLES) -> str | None:
    """The line that the help of a command shows, or None for a group of commands."""
    arguments = examples.get(command)
    return None if arguments is None else f"Example: trapline {command} {arguments}".rstrip()
