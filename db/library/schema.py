"""Making the schema of a library and bringing it up to date.

The revisions in ``db/storage/migrations/versions`` say what the schema is. What they make of an empty SQLite file is
kept in ``db/storage/migrations/newest.sql``, so that a new library needs neither Alembic nor the way through all of
them; a test holds the file to them. ``python -m db.library.schema`` writes it anew, after a revision was added.
"""

import secrets
from importlib import resources
from pathlib import Path

from sqlalchemy import Connection, column, create_engine, insert, select, table

from db.storage.models import MetaRow
from db.storage.trap_rows import STATE
from trapcore.io.atomic_write import replacing

REVISIONS = tuple(
    sorted(
        file.name[:4]
        for file in resources.files("db.storage.migrations").joinpath("versions").iterdir()
        if file.name.endswith(".py")
    )
)
"""Every revision of the schema, oldest first: the files in ``db/storage/migrations/versions``."""

CURSOR_SECRET = "cursor_secret"
"""Key of ``meta``: by what the cursors of a library's answers are sealed."""

_END = ";\n"


def make_schema(connection: Connection) -> None:
    """Make the tables and indexes of the newest revision in an empty database, and what its revisions put into them."""
    if connection.dialect.name != "sqlite":
        migrate(connection)
        return
    for statement in newest_schema():
        connection.exec_driver_sql(statement)
    connection.execute(insert(table("alembic_version", column("version_num"))), [{"version_num": REVISIONS[-1]}])
    random = [{"key": key, "value": secrets.token_hex(16)} for key in (CURSOR_SECRET, STATE)]
    connection.execute(insert(MetaRow), random)


def migrate(connection: Connection) -> None:
    """Run the revisions that a database, which may be empty, does not have yet."""
    # Imported here: it takes a quarter of a second, and hardly any command has something to migrate.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "db.storage:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def newest_schema() -> list[str]:
    """The statements of ``newest.sql``, in the order in which the revisions made what they make."""
    text = resources.files("db.storage.migrations").joinpath("newest.sql").read_text(encoding="utf-8")
    return text.split(_END)[:-1]


def migrated_schema() -> list[str]:
    """The statements of the tables and indexes that the revisions make of an empty SQLite file, as it keeps them."""
    engine = create_engine("sqlite://")
    master = table("sqlite_master", column("rowid"), column("sql"))
    with engine.begin() as connection:
        migrate(connection)
        made = connection.scalars(select(master.c.sql).where(master.c.sql.is_not(None)).order_by(master.c.rowid))
        return list(made)


if __name__ == "__main__":
    with replacing(Path(__file__).parents[1] / "storage" / "migrations" / "newest.sql") as _building:
        _building.write_text("".join(statement + _END for statement in migrated_schema()), encoding="utf-8")
