"""Small recorded sessions for the report tests: calls and results as a reader would give them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from repeat_reminder.engine import replay
from repeat_reminder.events import (
    Action,
    Agent,
    Event,
    FingerprintHit,
    Intervention,
    Item,
    Json,
    Problem,
    SessionEnd,
    SessionId,
    SessionStart,
    Severity,
    Source,
    Status,
    ToolCall,
    ToolResult,
)
from repeat_reminder.formats.session import IMPLICIT, Answer, Session
from repeat_reminder.policies import Guard, Verdict
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from repeat_reminder.render.header import Header, Mounted

VERSION = "0.1.0"
NPM: Json = {"command": "npm test"}


class Scene:
    """One session, written down line by line."""

    def __init__(  # noqa: PLR0913 - the fields of a session
        self,
        path: str = "session.jsonl",
        session: str = "7f3a91",
        *,
        lines: bool = True,
        results: bool = True,
        compression: str | None = None,
        line: int = 1,
    ) -> None:
        """Begin with a header line, as the canonical log does."""
        self._session = Session(
            SessionStart(
                session=SessionId(session),
                line=line if lines else None,
                format="canonical",
                path=path,
                compression=compression,
                records_results=results,
            )
        )
        self._lines, self._results = lines, results
        self._first = self._at = line
        self._calls = 0
        self.events: list[Event] = [*self._session.begin()]

    def calls(  # noqa: PLR0913 - what a call can have
        self,
        name: str = "bash",
        arguments: Json = None,
        *,
        times: int = 1,
        agent: str = "main",
        ids: Sequence[str] = (),
        answer: Status | None = Status.OK,
        step: int | None = None,
    ) -> "Scene":
        """Write calls, each with its result on the next line."""
        for nth in range(times):
            self._calls += 1
            call_id = ids[nth] if ids else f"c{self._calls}"
            line = self._next()
            key = IMPLICIT if step is None else (1, step)
            self.events += self._session.call(
                agent, name, line, call_id=call_id, value=arguments, turn=1, step=step, key=key
            )
            if answer and self._results:
                self.result(call_id, answer, agent=agent)
        return self

    def result(
        self,
        call_id: str,
        status: Status = Status.OK,
        *,
        agent: str = "main",
        value: Json = None,
    ) -> "Scene":
        """Write the result of a call."""
        line = self._next()
        answer = Answer(line=line, status=status, value=value)
        self.events += self._session.result(call_id, answer, line, agent=agent)
        return self

    def recorded(self, source: Source, *, agent: str = "main") -> "Scene":
        """Write a message that a plugin injected."""
        self.events += self._session.injected(agent, self._next(), ("advice",), source)
        return self

    def human(self, text: str = "go on", *, agent: str = "main") -> "Scene":
        """Write a message of a human."""
        self.events += self._session.user(agent, self._next(), (text,), resets=True)
        return self

    def assistant(self, text: str = "done", *, agent: str = "main") -> "Scene":
        """Write a message of the model."""
        self.events += self._session.assistant(agent, self._next(), (text,))
        return self

    def child(self, agent: str, parent: str = "main") -> "Scene":
        """Introduce a subagent, without a line of its own."""
        self.events += self._session.introduce(agent, None, parent=parent)
        return self

    def add(self, *events: Event) -> "Scene":
        """Put in events made by hand."""
        self.events += events
        return self

    def end(self, *, skipped: int = 0) -> list[Event]:
        """End the session and return all its events."""
        last = self._at if self._lines else None
        for event in self._session.end(last):
            lines = self._at - self._first + 1 if self._lines else 0
            self.events.append(
                replace(event, lines=lines, skipped_lines=skipped)
                if isinstance(event, SessionEnd)
                else event
            )
        return self.events

    def _next(self) -> int | None:
        self._at += 1
        return self._at if self._lines else None


def example() -> list[Event]:
    """Write the session of the specification's example: 39 lines, 18 calls, two agents."""
    scene = Scene().human("Fix the failing build")
    scene.calls(arguments=NPM, ids=["c1"], step=1).calls(arguments=NPM, ids=["c2"], step=2)
    scene.calls("todo_write", ids=["c3"], step=3).calls(arguments=NPM, ids=["c4"], step=3)
    scene.calls(arguments=NPM, ids=["c5"], step=4).child("sub-1")
    scene.calls("grep", {"q": "X"}, times=2, agent="sub-1", ids=["c6", "c7"])
    scene.calls(arguments=NPM, ids=["c8"], step=5).calls("todo_write", ids=["c9"], step=6)
    scene.calls("grep", {"q": "X"}, agent="sub-1", ids=["c10"])
    scene.calls(arguments=NPM, ids=["c11"], step=7)
    scene.calls("read", {"path": "a"}, agent="sub-1", ids=["c12"])
    scene.calls(arguments=NPM, times=2, ids=["c13", "c14"])
    scene.calls("read", {"path": "b"}, ids=["c15"]).calls("edit", {"path": "b"}, ids=["c16"])
    scene.calls(arguments={"command": "make"}, ids=["c17"]).calls("read", ids=["c18"])
    return scene.assistant("The build is fixed").end()


def reminder(
    *thresholds: int, exclude: Sequence[str] = (), origin: str = "command line"
) -> tuple[Guard, Header]:
    """Make a reminder and the header of its report."""
    config = ReminderConfig(thresholds=thresholds or (3, 5, 8), exclude=tuple(exclude))
    return Reminder(config), header(Reminder(config), origin=origin)


def header(*guards: Guard, origin: str = "command line") -> Header:
    """Make the header of a report under some guards."""
    mounted = [
        Mounted(
            name=guard.name,
            config=guard.config_record(),
            origin=dict.fromkeys(guard.config_record(), origin),
        )
        for guard in guards
    ]
    return Header(version=VERSION, policies=tuple(mounted))


def items(guards: Guard | Sequence[Guard], *logs: Iterable[Event]) -> Iterator[Item]:
    """Replay some logs one after the other."""
    for log in logs:
        yield from replay(log, guards)


class Scripted:
    """A guard with a part to play: it says about each call what the script has for its id."""

    name = "breaker"
    gates = True

    def __init__(self, script: Mapping[str, Action], text: str = "Stop\nand think") -> None:
        """Learn the script."""
        self._script = script
        self._text = text

    def config_record(self) -> dict[str, Json]:
        """Return a config with every kind of value."""
        return {
            "window": 16,
            "warnAt": None,
            "onLimit": "ask",
            "limits": {"exact": 5, "site": None},
        }

    def on_call(self, call: ToolCall) -> tuple[Intervention, ...]:
        """Ask or deny."""
        action = self._script.get(call.id)
        return (self._say(action, call),) if action in (Action.ASK, Action.DENY) else ()

    def on_result(self, result: ToolResult) -> Verdict:
        """Advise."""
        action = self._script.get(result.call.id)
        advises = action is not None and action not in (Action.ASK, Action.DENY)
        said = (self._say(action, result.call),) if action and advises else ()
        return Verdict(tracked=True, run=None, interventions=said)

    def on_skipped(self, call: ToolCall) -> None:
        """Do nothing."""

    def on_user_message(self, agent: Agent) -> None:
        """Do nothing."""

    def on_agent_gone(self, agent: Agent) -> None:
        """Do nothing."""

    def on_session_end(self, session: SessionId) -> None:
        """Do nothing."""

    def _say(self, action: Action, call: ToolCall) -> Intervention:
        failed = action is Action.FAIL_WARN
        hit = FingerprintHit(
            f"cmd:{call.name}",
            3,
            None if failed else 12,
            "failure" if failed else "occurrence",
        )
        stopped = action in (Action.ASK, Action.DENY)
        return Intervention(
            policy=self.name,
            action=action,
            call=call,
            text=self._text,
            source={"kind": "plugin", "plugin": "repeat-tool-breaker"},
            count=3,
            fingerprints=(hit, FingerprintHit("host:a.example", 2, 16, "occurrence")),
            outcome="unavailable" if action is Action.ASK else None,
            denial="Blocked" if stopped else None,
        )


def problem(  # noqa: PLR0913 - the fields of a problem
    message: str = "not valid JSON",
    *,
    path: str = "session.jsonl",
    line: int | None = 4,
    severity: Severity = Severity.WARNING,
    kind: str = "not-json",
    hint: str | None = None,
    skipped: bool = False,
) -> Problem:
    """Make a problem."""
    return Problem(
        path=path,
        line=line,
        severity=severity,
        kind=kind,
        message=message,
        hint=hint,
        skipped=skipped,
    )
