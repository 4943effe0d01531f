"""Declared interface of annotator, as type checkers see it; the names are those of ``__init__.py``."""

from annotator.annotate import AnnotatedPgn as AnnotatedPgn
from annotator.annotate import annotate_file as annotate_file
from annotator.annotate import annotate_pgn as annotate_pgn
from annotator.counts import Counts as Counts
from annotator.events import TrapEvent as TrapEvent
from annotator.known_traps import KnownTraps as KnownTraps
from annotator.request import AnalysisOptions as AnalysisOptions
from annotator.request import AnalysisRequest as AnalysisRequest
from annotator.selection import Selection as Selection
from annotator.settings import AnalysisSettings as AnalysisSettings
from annotator.stream import annotate_stream as annotate_stream
