"""Libraries that are installed only with an extra of the package."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from trapcore.errors import UsageError


@contextmanager
def extra(name: str, purpose: str) -> Iterator[None]:
    """Context in which the libraries of the extra ``name`` are imported, because ``purpose`` needs them.

    Raises `UsageError` if one is not installed; the message names the extra that brings it. A missing module of
    trapline's own packages is a bug and stays a `ModuleNotFoundError`.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if not library or find_spec(library) is not None:
            raise
        raise UsageError(
            f"{library} is missing; `pip install 'trapline[{name}]'` brings what {purpose} needs"
        ) from error
