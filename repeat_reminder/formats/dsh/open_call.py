"""A call of a DSH log between its start and its result, and what identifies it."""

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from repeat_reminder.formats.dsh.shapes import Result, text, whole
from repeat_reminder.formats.dsh.steps import StepId
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Answer


class Identity(NamedTuple):
    """What makes a call one call: providers use ids again in later steps."""

    step: StepId
    id: str
    program: str | None = None
    """The id of the call whose program makes this one; None for calls of the model."""


@dataclass(slots=True, kw_only=True)
class OpenCall:
    """A call that has not settled."""

    identity: Identity
    name: str
    line: int | None
    refused: bool
    answer: Answer | None = None
    made: "deque[OpenCall]" = field(default_factory=deque)
    """Calls of its program that have not settled, in the order they started."""
    is_program: bool = False

    def is_of(self, data: Record) -> bool:
        """Tell whether a result's record names this call's step; early logs name none."""
        named = StepId(whole(data.get("turn")), whole(data.get("step")))
        return all(
            given in (None, mine) for given, mine in zip(named, self.identity.step, strict=True)
        )


def program_id(data: Record) -> str:
    """Return the id of the call whose program made the one of this record."""
    return text(data.get("rootCallId")) or text(data.get("parentCallId")) or ""


def answer_of(line: int | None, result: Result, time: float | None) -> Answer:
    """Make of a result what a session takes."""
    return Answer(
        line=line,
        status=result.status,
        texts=result.texts,
        value=result.value,
        is_error=result.is_error,
        failure=result.failure,
        time=time,
    )
