"""Text that no terminal obeys."""

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from trapcore.io.plain_text import harmless, harmless_line

ANY = st.text(st.characters(exclude_categories=[]))


@given(ANY)
def test_nothing_is_left_that_a_terminal_would_obey(text: str) -> None:
    for letter in harmless_line(text):
        assert unicodedata.category(letter) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(letter) not in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    harmless_line(text).encode()  # halves of characters would raise
    assert harmless(text).replace("\n", "").replace("\t", "") == harmless_line(text.replace("\n", "").replace("\t", ""))


@given(ANY)
def test_json_means_the_same(text: str) -> None:
    written = json.dumps({"name": text}, ensure_ascii=False, indent=2)
    assert json.loads(harmless(written)) == {"name": text}
