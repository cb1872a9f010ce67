"""DSH's SQLite backend: one database, every session in it; rows instead of lines.

A session's header is its row of ``sessions``, its records are its rows of ``events`` in the order
of ``seq``. They are handed to the reader of `dsh` logs, one reader a session. A record's place is
the line it would have in the session's own file: the header is 1.

Memory: one row, beside what the reader keeps.

====================  ======================================================================
module                knows
====================  ======================================================================
`data`                the column that holds JSON, packed or not
`rows`                tables and schemas
====================  ======================================================================
"""

from typing import Final

from repeat_reminder.formats import dsh, model
from repeat_reminder.formats.dsh_db.rows import parts
from repeat_reminder.formats.model import Format, Sample, Shape

NAME: Final = "dsh-db"
TABLES: Final = frozenset({"sessions", "events"})
OWN_TABLE: Final = "persistence_state"
OTHERS: Final = frozenset({"message", "messages"})
"""Tables of other agents' databases, which keep their calls there."""


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a database with the tables of the backend."""
    names = frozenset(sample.names)
    if sample.kind != "sqlite" or not names >= TABLES or names & OTHERS:
        return None
    if OWN_TABLE in names:
        return "a database with the tables persistence_state, sessions and events"
    return "a database with the tables sessions and events"


FORMAT: Final = Format(
    name=NAME,
    title="DeepSeek Harness SQLite backend",
    where="the database file that the harness's SQLite persistence is configured with",
    shape=Shape.DATABASE,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=dsh.Reader,
    parts=parts,
    lossy=dsh.FORMAT.lossy,
)
