"""A sheet of sections, notes, tables and boards as a value: the terminal prints it, and `page` makes it HTML."""

from dataclasses import dataclass, replace
from importlib import resources
from importlib.metadata import version

from markupsafe import Markup

from coach.report.html import environment
from coach.report.patterns import embedded
from db.traps.board_svg import Picture
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...] = ()
    """Places of the columns that hold figures."""

    def first(self, most: int, language: Grammar) -> "Table":
        """The table with so many rows at most; the caption says if there are more."""
        count = len(self.rows)
        if count <= most:
            return self
        gaps = {"caption": self.caption, "shown": most, "all": language.number(count)}
        caption = language.text("%(caption)s, %(shown)s of %(all)s", **gaps)
        return replace(self, caption=caption, rows=self.rows[:most])


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a sheet with its heading."""

    title: str
    notes: tuple[str, ...] = ()
    """Sentences, a paragraph each."""
    tables: tuple[Table, ...] = ()
    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is shown, in the language of the reader."""

    title: str
    lead: str
    sections: tuple[Section, ...]


def page(sheet: Sheet, language: Grammar = ENGLISH) -> str:
    """The sheet as one HTML file, with its style and boards in it."""
    style = resources.files("coach.report").joinpath("templates/report.css").read_text("utf-8")
    template = environment().get_template("sheet.html")
    return template.render(
        sheet=sheet, language=language, style=Markup(style), version=version("trapline"), picture_url=embedded
    )
