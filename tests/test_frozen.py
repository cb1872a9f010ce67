"""What a maker makes is what the class makes."""

from dataclasses import FrozenInstanceError, dataclass, replace
from pickle import dumps, loads

import pytest

from repeat_reminder.events import Agent, SessionId, StepEnd
from repeat_reminder.frozen import maker

AGENT = Agent(SessionId("s"), "main")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    """Something with a default."""

    x: int
    y: int = 0


def test_it_is_an_instance_like_any_other() -> None:
    made = maker(StepEnd)(agent=AGENT, line=3, after=None)
    same = StepEnd(agent=AGENT, line=3, after=None)
    assert type(made) is StepEnd
    assert (made, hash(made), repr(made)) == (same, hash(same), repr(same))
    assert loads(dumps(made)) == same  # noqa: S301 - our own bytes
    assert replace(made, line=4).line == 4


def test_it_is_frozen() -> None:
    made = maker(_Point)(x=1)
    with pytest.raises(FrozenInstanceError):
        made.x = 2  # type: ignore[misc]  # the error under test


def test_defaults_hold_and_missing_fields_are_told() -> None:
    assert maker(_Point)(x=1) == _Point(x=1)
    with pytest.raises(TypeError, match="'x'"):
        maker(_Point)(y=1)  # type: ignore[call-arg]  # the error under test


def test_what_is_no_plain_dataclass_is_refused() -> None:
    with pytest.raises(TypeError, match="is no dataclass of plain fields"):
        maker(lambda: _Point(x=1))
