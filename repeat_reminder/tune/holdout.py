"""Sessions that the choice is not made on, so that it can be checked on them."""

from collections.abc import Sequence
from fractions import Fraction
from hashlib import blake2b

from repeat_reminder.tune.table import SessionTable


def held_out(
    tables: Sequence[SessionTable], stuck: Sequence[bool], share: Fraction, seed: int
) -> list[bool]:
    """Tell which sessions are held out: the same share of the stuck ones and of the others.

    Who it is depends on ids, paths and the seed, never on the order of files.
    """
    out = [False] * len(tables)
    for group in (True, False):
        members = [at for at, is_stuck in enumerate(stuck) if is_stuck is group]
        members.sort(key=lambda at: _ticket(tables[at], seed))
        for at in members[: round(share * len(members))]:
            out[at] = True
    return out


def _ticket(table: SessionTable, seed: int) -> bytes:
    name = f"{seed}\0{table.session}\0{table.path}"
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()
