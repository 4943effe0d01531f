"""What Alembic runs: the migrations on the connection that `db.library.open` gives, or on ``-x db=PATH`` for the
developer.
"""

from alembic import context
from sqlalchemy import Connection, create_engine

from db.storage.models import Base


def _migrate(connection: Connection) -> None:
    context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


def _run() -> None:
    given = context.config.attributes.get("connection")
    if given is not None:
        _migrate(given)
        return
    path = context.get_x_argument(as_dictionary=True).get("db")
    if not path:
        raise SystemExit("name the library: alembic -x db=PATH ...")
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        _migrate(connection)
    engine.dispose()


_run()
