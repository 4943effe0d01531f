"""Declared interface of annotator, as type checkers see it; the names are those of ``__init__.py``."""

from annotator.counts import Tally as Tally
from annotator.events import TrapEvent as TrapEvent
from annotator.pipeline import Run as Run
from annotator.plan import Plan as Plan
from annotator.plan import plan_run as plan_run
from annotator.request import AnalysisOptions as AnalysisOptions
from annotator.request import AnalysisRequest as AnalysisRequest
from annotator.selection import Selection as Selection
from annotator.settings import AnalysisSettings as AnalysisSettings
from annotator.stream import annotated as annotated
