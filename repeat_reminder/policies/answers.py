"""What an operator says to a guard's questions: logs do not record it, so a replay is told."""

from typing import Final, Literal, TypeAlias, get_args

Answer: TypeAlias = Literal["unattended", "approve", "reject"]
"""What becomes of every question; unattended: nobody is there, which is a no."""

ANSWERS: Final[tuple[Answer, ...]] = get_args(Answer)

UNATTENDED: Final[Answer] = "unattended"
"""What holds if nobody says anything."""
