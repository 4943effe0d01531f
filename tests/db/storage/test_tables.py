"""The tables: names, statements, and the words of PostgreSQL."""

import ast
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from db.storage.bulk import BulkLookup
from db.storage.tables import Base, PositionRow


def test_postgresql_can_be_asked_for_the_same_tables() -> None:
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    for table in Base.metadata.sorted_tables:
        statement = str(CreateTable(table).compile(dialect=dialect))
        assert "BLOB" not in statement
        assert "WITHOUT ROWID" not in statement
        for index in table.indexes:
            assert str(CreateIndex(index).compile(dialect=dialect))


def test_no_statement_is_written_for_one_database_only() -> None:
    """Raw SQL stands only in the places that speak to SQLite about SQLite."""
    raw = {}
    for path in sorted((Path(__file__).parents[3] / "db").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        strings = [
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        found = [s for s in strings if s.startswith(("SELECT ", "INSERT ", "UPDATE ", "DELETE ", "PRAGMA ", "BEGIN"))]
        if found:
            raw[path.name] = found
    assert all(s.startswith(("PRAGMA ", "BEGIN")) for s in raw.pop("backup.py"))
    assert raw.pop("health.py") == ["PRAGMA foreign_key_check"]
    assert raw.pop("library.py") == ["PRAGMA integrity_check(1)"]
    assert all(s.startswith(("PRAGMA ", "BEGIN")) for s in raw.pop("database.py"))
    assert raw == {}


def test_bulk_statements_of_a_database_that_names_its_parameters(tmp_path: Path) -> None:
    """SQLite itself takes named parameters too, so that the other way of `db.storage.bulk` can be run for real."""
    engine = create_engine(f"sqlite:///{tmp_path / 'x.sqlite'}", paramstyle="named")
    Base.metadata.create_all(engine)
    with engine.begin() as connection:
        from db.storage.bulk import BulkInsert

        BulkInsert(connection, PositionRow, ("key", "fingerprint", "id")).insert([(b"k" * 16, b"f", 7)])
        lookup = BulkLookup(connection, [PositionRow.id, PositionRow.fingerprint], PositionRow.key)
        assert list(lookup.find([b"k" * 16, b"x" * 16])) == [(7, b"f")]
        with pytest.raises(ValueError, match="no columns"):
            BulkInsert(connection, PositionRow, ("key", "colour"))
    engine.dispose()
