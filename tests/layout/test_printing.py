"""What commands print passes through `trapline.echo`, which makes it harmless for a terminal."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: What writes to the terminal itself: the place that all passes through, and the line that is written over.
ALLOWED = {"trapline/echo.py": 2, "trapline/commands/terminal.py": 2}
#: Examples in docstrings may print.
PRINTS = r"\btyper\.(?:s?echo|secho)\(|(?<![\w.])(?<!\.\.\. {5})print\(|sys\.stdout\.write\("


def test_nothing_else_prints() -> None:
    found = {}
    for path in sorted((ROOT / "trapline").rglob("*.py")):
        count = len(re.findall(PRINTS, path.read_text("utf-8")))
        if count and path.name != "settings.py":  # that prints its own example file
            found[path.relative_to(ROOT).as_posix()] = count
    assert found == ALLOWED
