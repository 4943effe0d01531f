"""Names of a package that are imported from its modules when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_names(package: str, module_of: Mapping[str, str]) -> Callable[[str], object]:
    """Function ``__getattr__`` for a package with these names, each by the module that it lies in (PEP 562).

    ``import trapcore`` then loads nothing that is not used. The function raises ``AttributeError`` for any other name.
    """

    def get(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(module_of[name]), name)
        setattr(sys.modules[package], name, value)  # the next use finds it without this function
        return value

    return get
