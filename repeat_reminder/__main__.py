"""``python -m repeat_reminder`` is ``repeat-reminder``."""

import os
import signal
from types import FrameType

INTERRUPTED = 130


def main() -> None:
    """Run the command line; Ctrl-C is quiet also while it is being imported."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from repeat_reminder.cli import main as run  # noqa: PLC0415 - imported under guard

    run()


def _leave(_number: int, _: FrameType | None) -> None:
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
