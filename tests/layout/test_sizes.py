"""Files are small, and no module is a drawer for everything."""

from tests.layout.modules import ROOT, python_files

MOST_LINES = 450


def test_files_are_short_and_none_is_named_after_nothing() -> None:
    sources = [*python_files(), *ROOT.glob("tests/**/*.py"), *ROOT.glob("trapcore/native/src/**/*.rs")]
    lengths = {path.relative_to(ROOT): len(path.read_text("utf-8").splitlines()) for path in sources}
    assert {path: length for path, length in lengths.items() if length > MOST_LINES} == {}
    drawers = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
    assert [path for path in lengths if drawers & set(path.with_suffix("").parts)] == []
