"""The figures in the README and the guides are those of one file, which a command writes."""

import json
import re

import pytest

from trapcore.errors import InputError
from workshop.figures import DOCUMENTS, FILE, figures, filled, names_in

KNOWN: dict[str, str] = json.loads(FILE.read_text("utf-8"))


def test_figures_are_those_of_the_pages_and_the_library() -> None:
    assert figures() == KNOWN, "run `python -m workshop.figures`"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_document_has_the_figures_of_the_file(path: object) -> None:
    text = path.read_text("utf-8")  # type: ignore[attr-defined]
    assert filled(text, KNOWN) == text, "run `python -m workshop.figures`"
    # A mark that is not closed on its line would never be filled.
    assert len(re.findall("<!-- figure", text)) == len(re.findall("<!-- /figure -->", text))


def test_readme_has_no_accuracy_beside_the_file() -> None:
    (readme,) = (path for path in DOCUMENTS if path.name == "README.md" and path.parent == FILE.parents[2])
    table = readme.read_text("utf-8").partition("## Accuracy and speed")[2].partition("\n## ")[0]
    assert len(names_in(table)) > 8
    by_hand = re.sub(r"<!-- figure.*?/figure -->", "", table)
    assert re.findall(r"\d+(?:\.\d+)? ?%", by_hand) == []


def test_the_counts_of_the_bundled_library_stand_in_marked_places_alone() -> None:
    counts = "|".join(KNOWN[f"traps.{name}"] for name in ("lines", "in-all", "families"))
    for path in DOCUMENTS:
        by_hand = re.sub(r"<!-- figure.*?/figure -->", "", path.read_text("utf-8"))
        assert re.findall(rf"\b(?:{counts}) (?:traps|lines|families)\b", by_hand) == [], path


def test_a_marked_place_is_filled_by_name() -> None:
    text = "has <!-- figure: a.b -->1<!-- /figure --> and <!-- figure: c -->?<!-- /figure -->"
    assert filled(text, {"a.b": "2", "c": "3"}) == (
        "has <!-- figure: a.b -->2<!-- /figure --> and <!-- figure: c -->3<!-- /figure -->"
    )
    with pytest.raises(InputError, match="no figure c"):
        filled(text, {"a.b": "2"})
