"""A session as a table of settled calls: all that any scope and any thresholds need to know.

Tables are plain values: they can be sent, stored (`encoding`), and put together in any order. A
row is a settled call; rows stand in the order of counting. A *lane* is what one agent did between
two resets of its chain, so a run never leaves its lane.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from repeat_reminder.policies.identity import IgnoredArguments
from repeat_reminder.tune.breaker_table import BreakerTable
from repeat_reminder.tune.digests import Parts

if TYPE_CHECKING:
    from repeat_reminder.tune.runs import Chains

    Ints: TypeAlias = array[int]
    Floats: TypeAlias = array[float]
else:  # `encoding` looks these names up, and arrays take a parameter from Python 3.12 on
    Ints = Floats = array

NO_KEY: Final = 0xFFFF_FFFF
"""Key of a call that never counts: its arguments are nested too deep."""
NO_LINE: Final = 0
NO_ROW: Final = -1


class Recorded(NamedTuple):
    """A reminder that the log holds: somebody was reminded when this was recorded."""

    row: int
    """The call it is about; `NO_ROW` if there is none."""
    after: int
    """Rows that had settled when it landed."""
    agent: int
    read: bool
    """False: it was queued and never read."""


class _Remembering:
    """Room for what follows from a value that never changes; it is no part of the value."""

    __slots__ = ("_chains",)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTable(_Remembering):
    """One session. Columns without any value are empty."""

    session: str
    path: str
    """The file, as the user gave it."""
    format: str
    label: str | None = None
    """What the log itself says of the outcome."""
    unique_id: bool = False
    parent: str | None = None
    records_results: bool = True

    agents: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    lane_agent: Ints = field(default_factory=lambda: array("I"))
    lane_open: Ints = field(default_factory=lambda: array("B"))
    """Whether the lane's last run could have gone on where the log ends."""
    keys: tuple[Parts, ...] = ()
    """Arguments by key; equal arguments of two tools have two keys."""
    previews: tuple[tuple[int, str], ...] = ()
    """By key, the beginning of the arguments, for keys that came more than once."""

    lane: Ints = field(default_factory=lambda: array("I"))
    tool: Ints = field(default_factory=lambda: array("I"))
    key: Ints = field(default_factory=lambda: array("I"))
    line: Ints = field(default_factory=lambda: array("I"))
    """Of the call; `NO_LINE` in a format without lines."""
    index: Ints = field(default_factory=lambda: array("I"))
    """The call's number among those of its agent, from 1."""
    likeness: Ints = field(default_factory=lambda: array("B"))
    """`Likeness` of the result with the previous one of the tool in the lane."""
    failed: Ints = field(default_factory=lambda: array("B"))
    time: Floats = field(default_factory=lambda: array("d"))
    """Seconds since the epoch; NaN where not recorded."""
    tokens: Ints = field(default_factory=lambda: array("Q"))
    """Of the model's responses since the agent's call before."""
    identity: Ints = field(default_factory=lambda: array("Q"))
    """What copies of a call in other files have in common; 0 where nothing vouches for the id."""
    ids: tuple[str, ...] = ()
    """Ids of the calls, in formats without lines."""

    breaker: BreakerTable | None = None
    """What a breaker met, if that was asked for."""

    recorded: tuple[Recorded, ...] = ()
    unfinished: int = 0
    resets: int = 0
    lines: int = 0
    skipped_lines: int = 0
    duplicates: int = 0
    """Calls that stood in the file twice."""

    @property
    def calls(self) -> int:
        """Settled calls."""
        return len(self.lane)

    @property
    def off_policy(self) -> bool:
        """Whether the recorded agent was reminded, so that what it did is no evidence of before."""
        return any(one.read for one in self.recorded)

    @property
    def chains(self) -> "Chains | None":
        """Return what was remembered."""
        return getattr(self, "_chains", None)

    def remember(self, chains: "Chains") -> None:
        """Remember what follows from the calls. It is not compared, copied, sent or stored."""
        object.__setattr__(self, "_chains", chains)

    def place(self, row: int) -> str:
        """Return where a call stands: ``path:line``, or ``path#id`` in formats without lines."""
        line = self.line[row]
        if line != NO_LINE:
            return f"{self.path}:{line}"
        return f"{self.path}#{self.ids[row]}" if self.ids else self.path

    def agent_of(self, row: int) -> str:
        """Return the agent that made a call."""
        return self.agents[self.lane_agent[self.lane[row]]]

    def tool_of(self, row: int) -> str:
        """Return the tool that was called."""
        return self.tools[self.tool[row]]

    def preview(self, key: int) -> str | None:
        """Return the beginning of the arguments, if they came more than once."""
        return next((text for known, text in self.previews if known == key), None)

    def keys_without(self, ignored: IgnoredArguments) -> Sequence[int]:
        """Return the column of keys when some arguments are no part of a call's identity."""
        if not ignored.entries:
            return self.key
        names = [ignored.of(tool) for tool in self.tools]
        if not any(names):
            return self.key
        new: dict[tuple[int, Parts], int] = {}
        renamed: dict[int, int] = {NO_KEY: NO_KEY}
        for tool, key in dict.fromkeys(zip(self.tool, self.key, strict=True)):
            if key not in renamed:
                parts = tuple([part for part in self.keys[key] if part[0] not in names[tool]])
                renamed[key] = new.setdefault((tool, parts), key)
        return array("I", map(renamed.__getitem__, self.key))


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTable:
    """What one file came to."""

    path: str
    sessions: tuple[SessionTable, ...] = ()
