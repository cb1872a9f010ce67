"""Lines that are held until another one tells what they come to: few, and none that is a giant."""

from collections.abc import Sized
from typing import Final

from repeat_reminder.source.lines import GIANT, Line

MOST_WAITING: Final = 16


def has_room(waiting: Sized, line: Line) -> bool:
    """Tell whether one more line may be held: memory must not grow with a log nobody answers."""
    return len(waiting) < MOST_WAITING and len(line[1]) <= GIANT
