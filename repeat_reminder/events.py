"""The vocabulary: what happens in a session, and what a guard adds to it.

A reader (``formats/``) turns a log into `Event`s **in the harness's own order**: a call where it
starts, results in model order within a step, then the step's end. The engine puts the policies'
`Intervention`s and `Settlement`s where they land. Every output is a function of that one stream
of `Item`s.

Lines are 1-based positions in the uncompressed text; ``None`` in formats without lines.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple, NewType, TypeAlias

from msgspec import Struct

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""A JSON value. Text may hold lone surrogates; numbers may be infinite (``1e400``)."""

Source: TypeAlias = Mapping[str, Json]
"""Who a message is from, as the log has it: ``kind``, for plugins ``plugin``, ``form``, …"""

SessionId = NewType("SessionId", str)
CallId = NewType("CallId", str)


class Agent(NamedTuple):
    """One agent of one session. Agents never share a chain; a subagent is its own agent."""

    session: SessionId
    id: str


class Status(StrEnum):
    """How a call ended. All count but `SKIPPED`."""

    OK = "ok"
    ERROR = "error"
    DENIED = "denied"
    ABORTED = "aborted"
    """Stopped while it ran."""
    TIMEOUT = "timeout"
    SKIPPED = "skipped"
    """Never started, or refused by the harness before its guards."""


class Severity(StrEnum):
    """How much a `Problem` matters: a warning fails a strict run, a note never does."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Place(NamedTuple):
    """A spot behind a call's result (or behind the call, where no results are recorded)."""

    line: int | None
    call_id: CallId


class Usage(Struct, frozen=True, kw_only=True):
    """Tokens of one model response."""

    input: int = 0
    output: int = 0


# ---------------------------------------------------------------- events: what a log tells


class SessionStart(Struct, frozen=True, kw_only=True):
    """A session begins: no state is carried into it."""

    session: SessionId
    line: int | None
    format: str
    path: str
    """The file, as the user gave it."""
    compression: str | None = None
    cwd: str | None = None
    unique_id: bool = False
    """The reader vouches that no other session has this id."""
    unique_call_ids: bool = False
    """The reader vouches that no other call anywhere has one of this session's call ids."""
    records_results: bool = True
    parent: str | None = None
    """Id of the session this one is a subagent of."""
    labels: Mapping[str, Json] | None = None


class AgentStart(Struct, frozen=True, kw_only=True):
    """An agent is introduced. Agents that only act are introduced by their first act."""

    agent: Agent
    line: int | None
    parent: str | None = None
    name: str | None = None


class AgentEnd(Struct, frozen=True, kw_only=True):
    """The agent object is gone: its chain is dropped, its queued messages are never read."""

    agent: Agent
    line: int | None


class UserMessage(Struct, frozen=True, kw_only=True):
    """A user-role message the model reads. One that comes inside a step takes effect at its end."""

    agent: Agent
    line: int | None
    texts: tuple[str, ...]
    """One entry per block; other blocks than text as ``[image]``, ``[audio]``, ``[resource]``.
    Empty: it was refused before the model saw it."""
    source: Source
    resets: bool
    """A human message: the agent's chain is dropped at the step boundary that takes it in."""
    queued_line: int | None = None
    """Where it was queued, if its landing stands elsewhere: reminders settled later follow it."""
    time: float | None = None


class AssistantMessage(Struct, frozen=True, kw_only=True):
    """What the model said beside its calls."""

    agent: Agent
    line: int | None
    texts: tuple[str, ...]
    usage: Usage | None = None
    time: float | None = None


class ToolCall(Struct, frozen=True, kw_only=True):
    """A call, where it starts."""

    agent: Agent
    id: CallId
    index: int
    """The agent's calls count from 1 in file order, unfinished ones included."""
    line: int | None
    name: str
    arguments_text: str | None
    """The text as the model sent it, or None where the log holds a parsed value."""
    arguments: Json = None
    """The parsed value; without meaning where ``arguments_text`` is given."""
    turn: int | None = None
    step: int | None = None
    result_recorded: bool = True
    """False in a log that records no results: the call settles where it stands."""
    nested: bool = False
    """Another call of the step makes it, not the model: it settles when it is answered."""
    time: float | None = None


class Failure(Struct, frozen=True, kw_only=True):
    """The error a result carries."""

    name: str | None = None
    code: str | None = None
    message: str | None = None


class ToolResult(Struct, frozen=True, kw_only=True):
    """A call settles: this is where it counts, in model order within its step."""

    call: ToolCall
    line: int | None
    """The line of the result itself."""
    settled_line: int | None
    """The line being read when it settled: later than its own if an earlier call was awaited."""
    status: Status = Status.OK
    texts: tuple[str, ...] = ()
    value: Json = None
    """The structured result as the harness has it."""
    is_error: bool = False
    failure: Failure | None = None
    late: bool = False
    """It came after its step had ended: it settles alone and lands behind its own line."""
    time: float | None = None


class StepEnd(Struct, frozen=True, kw_only=True):
    """A step boundary. The reminders of the step land ``after`` its last result."""

    agent: Agent
    line: int | None
    after: Place | None
    """None for a step without a settled call."""


class StepStart(Struct, frozen=True, kw_only=True):
    """The agent's next request begins: what was queued for it is read now."""

    agent: Agent
    line: int | None


class InjectedMessage(Struct, frozen=True, kw_only=True):
    """A message a plugin really injected, as recorded. Reminders among them serve parity."""

    agent: Agent
    line: int | None
    """Where it landed; for one that was only queued, where it was queued."""
    texts: tuple[str, ...]
    source: Source
    trigger: Place | None = None
    """The call whose result queued it, where the log tells."""
    delivered: bool | None = None
    """False: queued, never read. None: the log does not tell."""
    time: float | None = None


class Resume(Struct, frozen=True, kw_only=True):
    """State held in memory is gone: chains are empty, queued messages stay queued."""

    session: SessionId
    agent: Agent | None
    """None: every agent of the session."""
    line: int | None


class Compaction(Struct, frozen=True, kw_only=True):
    """The history was summarised. Chains go on."""

    agent: Agent
    line: int | None


class SessionEnd(Struct, frozen=True, kw_only=True):
    """Nothing of this session follows."""

    session: SessionId
    line: int | None
    """The last line read."""
    lines: int = 0
    """Lines read since the previous session of the file ended."""
    skipped_lines: int = 0
    duplicates_dropped: int = 0
    """Calls that stood in the file twice and were counted once."""


class Problem(Struct, frozen=True, kw_only=True):
    """Something about the input the user should know. Nothing is lost silently."""

    path: str
    line: int | None
    severity: Severity
    kind: str
    """Problems of one kind are listed three times, then only counted."""
    message: str
    hint: str | None = None
    skipped: bool = False
    """A line was left out because of it: an error in a strict run."""


Event: TypeAlias = (
    SessionStart
    | AgentStart
    | AgentEnd
    | UserMessage
    | AssistantMessage
    | ToolCall
    | ToolResult
    | StepEnd
    | StepStart
    | InjectedMessage
    | Resume
    | Compaction
    | SessionEnd
    | Problem
)


# ---------------------------------------------------------------- items: what a guard adds


class Action(StrEnum):
    """What a guard does about a call."""

    REMIND = "remind"
    WARN = "warn"
    SUMMARIZE = "summarize"
    FAIL_WARN = "fail_warn"
    ASK = "ask"
    """Before the call runs: the operator is asked."""
    DENY = "deny"
    """Before the call runs: it does not."""


class Tier(StrEnum):
    """How loud a reminder is: the smallest threshold speaks gently, every later one in detail."""

    GENTLE = "gentle"
    DETAILED = "detailed"


class FingerprintHit(NamedTuple):
    """A fingerprint an intervention is about (breaker)."""

    fp: str
    hits: int
    """Occurrences in the window, or consecutive failures."""
    cap: float | None
    track: str
    """``occurrence`` or ``failure``."""


class Intervention(Struct, frozen=True, kw_only=True):
    """Something a policy injects, asks or denies because of one call.

    Policies make it; the engine fills in ``result``, ``inject_after`` and ``delivered`` when the
    landing is known.
    """

    policy: str
    action: Action
    call: ToolCall
    text: str
    source: Source
    count: int
    tier: Tier | None = None
    threshold: int | None = None
    run_first: ToolCall | None = None
    """First call of the run (reminder)."""
    arguments_preview: str | None = None
    arguments_omitted: int = 0
    """UTF-16 units the preview leaves out."""
    fingerprints: tuple[FingerprintHit, ...] = ()
    outcome: str | None = None
    """Of an ask: ``allowed-once``, ``rejected``, ``unavailable``."""
    denial: str | None = None
    """What the model reads in place of the result, without ``Error: ``, if the call did not run."""
    result: ToolResult | None = None
    inject_after: Place | None = None
    delivered: bool = True
    """False where the log ends before the next request would have carried it."""


class Settlement(Struct, frozen=True, kw_only=True):
    """How one policy counted one settled call; comes when the step's landing place is known."""

    policy: str
    result: ToolResult
    tracked: bool
    count: int | None
    """Run length at this call; None if untracked, or in a policy without runs."""
    inject_after: Place | None


Item: TypeAlias = Event | Intervention | Settlement
