"""Where the cache of run tables is, and what a command does with it."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from repeat_reminder.cli.options import ENV
from repeat_reminder.cli.shared import Console

if TYPE_CHECKING:
    from repeat_reminder.tune.cache import TableCache
    from repeat_reminder.tune.interval_cache import IntervalCache
    from repeat_reminder.tune.reading import FileReader

VARIABLE: Final = f"{ENV}CACHE_DIR"
"""Names the folder, whatever the system's own is."""
NAME: Final = "repeat-reminder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caching:
    """What was asked for."""

    use: bool = True
    clear: bool = False
    """Begin with an empty one."""
    verify: bool = False
    """Compare logs to the last byte."""


NOT_CACHED: Final = Caching(use=False)


def folder_of(environment: Mapping[str, str], platform: str) -> Path | None:
    """Return the folder for this program's caches, as the system has it.

    Args:
        environment: the variables of the process.
        platform: as `sys.platform`.

    Returns:
        None if nothing says where it is: no variable, and no home.
    """
    own = environment.get(VARIABLE)
    if own:
        return Path(own)
    try:
        home = Path.home()
    except RuntimeError:
        home = None
    match platform:
        case "win32":
            given, usual = environment.get("LOCALAPPDATA"), Path("AppData", "Local")
        case "darwin":
            given, usual = None, Path("Library", "Caches")
        case _:
            given, usual = environment.get("XDG_CACHE_HOME"), Path(".cache")
    # A relative path is invalid there (XDG base directory specification).
    if given and Path(given).is_absolute():
        return Path(given) / NAME
    return home / usual / NAME if home and home.is_absolute() else None


@contextmanager
def opened(caching: Caching, reader: "FileReader", console: Console) -> "Iterator[TableCache]":
    """Open the cache for one run; at its end, write down what was read, and tell of a fault.

    Args:
        caching: what was asked for.
        reader: reads what is not found.
        console: is told if the cache cannot be used.
    """
    from repeat_reminder.tune.cache import TableCache, unused
    from repeat_reminder.tune.store import Store, Unusable

    folder = folder_of(os.environ, sys.platform) if caching.use or caching.clear else None
    store = None if folder is None else Store(folder)
    if store is not None and caching.clear:
        try:
            store.clear()
        except Unusable as error:
            console.problems([unused(str(store.path), str(error))])
            store = None
    elif store is None and caching.use:
        console.problems([unused(VARIABLE, "there is no home folder")])
    cache = TableCache(store if caching.use else None, reader, whole=caching.verify)
    try:
        yield cache
    finally:
        cache.write()
        console.problems([cache.fault] if cache.fault else [])


@contextmanager
def intervals(console: Console, *, use: bool) -> "Iterator[IntervalCache | None]":
    """Open the cache of intervals; at its end, write down what is new, and tell of a fault.

    Args:
        console: is told if the cache can be used no more.
        use: whether it was asked for, and could be used so far.
    """
    folder = folder_of(os.environ, sys.platform) if use else None
    if folder is None:
        yield None
        return
    from repeat_reminder.tune.interval_cache import IntervalCache
    from repeat_reminder.tune.store import Store

    cache = IntervalCache(Store(folder))
    yield cache
    cache.write()
    console.problems([cache.fault] if cache.fault else [])
