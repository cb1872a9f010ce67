"""``python -m repeat_reminder`` is ``repeat-reminder``."""

import gc
import os
import signal
from types import FrameType

INTERRUPTED = 130
OBJECTS = 50_000
"""New objects after which garbage is looked for. Imports alone make a hundred times the 700 of
Python, and hardly anything here becomes garbage that only such a search finds."""


def main() -> None:
    """Run the command line; Ctrl-C is quiet also while it is being imported."""
    gc.set_threshold(OBJECTS)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from repeat_reminder.cli import main as run  # noqa: PLC0415 - imported under guard

    try:
        run()
    finally:
        gc.freeze()  # the process ends, and need not look through all it has for garbage first


def _leave(_number: int, _: FrameType | None) -> None:
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
