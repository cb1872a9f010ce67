"""Writes DSH logs as the harness's loop does, record by record, and replays them."""

from collections.abc import Iterable, Iterator

from repeat_reminder.engine import replay
from repeat_reminder.events import Event, Intervention, Item, Json, Problem, ToolCall, ToolResult
from repeat_reminder.formats.dsh import Reader
from repeat_reminder.formats.model import Origin, Record
from repeat_reminder.policies.reminder import Reminder, ReminderConfig

STEP, TURN = "next-step", "next-turn"
GENTLE = "You are repeating"
"""Stands for the first text: the reader does not look at it."""


def plugin(name: str, **rest: Json) -> dict[str, Json]:
    return {"kind": "plugin", "plugin": name, **rest}


def stamp(tool: str, count: int) -> dict[str, Json]:
    """The current source of a recorded reminder."""
    return plugin("repeat-tool-reminder", form="notice", summary=f"{tool} \u00d7 {count}")


def header(version: int = 0, **rest: Json) -> Record:
    made: Record = {"type": "session", "version": version, "id": "s-1"}
    return made | {"createdAt": 1_800_000_000_000, "delegationDepth": 0, **rest}


def event(kind: str, data: Json, **rest: Json) -> Record:
    return {"type": kind, "data": data, **rest}


def message(text: str, source: Json, ident: str | None = None) -> Record:
    made: Record = {"content": [{"type": "text", "text": text}], "source": source, "role": "user"}
    return made if ident is None else made | {"id": ident}


def tool_result(
    step: tuple[int, int], call_id: str, text: str = "ok", *, failed: bool = False, **rest: Json
) -> Record:
    block: Json = {
        "type": "tool-result",
        "toolCallId": call_id,
        "content": [{"type": "text", "text": text}],
        "isError": failed,
    }
    body: Json = {"source": {"kind": "tool", "callId": call_id}, "content": [block], "role": "user"}
    return event("tool/result", {"turn": step[0], "step": step[1], "message": body, **rest})


class Log:
    """A log under way: an inbox, turns and steps, calls numbered c1, c2, ….

    ``lines`` counts what is written, so ``log.line`` is the line of the last record.
    """

    def __init__(self, version: int = 0, **rest: Json) -> None:
        """Begin with a header."""
        self.records: list[Record] = [header(version, **rest)]
        self.lists: dict[str, list[Record]] = {STEP: [], TURN: []}
        self.at = (0, 0)
        self.calls = self.messages = 0

    @property
    def line(self) -> int:
        """The number of the last line."""
        return len(self.records)

    def add(self, *records: Record) -> "Log":
        """Append records as they are."""
        self.records += records
        return self

    def queue(self, text: str = "go", source: Json = None, *, target: str = TURN) -> "Log":
        """Put a message into the inbox."""
        self.messages += 1
        made = message(text, source or {"kind": "user"}, f"m{self.messages}")
        self.lists[target].append(made)
        start = len(self.lists[target]) - 1
        return self.add(
            event("agent/inbox/spliced", {"target": target, "start": start, "inserted": [made]})
        )

    def remind(self, tool: str, count: int) -> "Log":
        """Record what the plugin queues."""
        return self.queue(GENTLE, stamp(tool, count), target=STEP)

    def claim(self, target: str, count: int) -> list[Record]:
        """Take messages in for the step that comes."""
        claimed = self.lists[target][:count]
        del self.lists[target][:count]
        if claimed:
            data: Json = {
                "target": target,
                "start": 0,
                "removedCount": len(claimed),
                "inserted": [],
            }
            self.add(event("agent/inbox/spliced", data))
        return claimed

    def cancel(self, target: str) -> "Log":
        """Edit a list away, as a user does."""
        count = len(self.lists[target])
        self.lists[target].clear()
        data: dict[str, Json] = {"target": target, "start": 0, "removedCount": count}
        return self.add(
            event("agent/inbox/spliced", {**data, "inserted": [], "outcome": "canceled"})
        )

    def turn(self, text: str | None = None, source: Json = None) -> "Log":
        """Open a turn with its first step, with a new prompt if a text is given."""
        if text is not None:
            self.queue(text, source)
        self.at = (self.at[0] + 1, 0)
        self.add(event("turn/start", {"turn": self.at[0]}))
        return self.step(first=True)

    def step(self, *, first: bool = False) -> "Log":
        """Open the next step: claims, its start, its messages."""
        claimed = self.claim(STEP, len(self.lists[STEP]))
        claimed += self.claim(TURN, 1) if first else []
        self.at = (self.at[0], self.at[1] + 1)
        self.add(event("step/start", self._place()))
        return self.add(*(event("user/message", made, surfaceOp="append") for made in claimed))

    def call(self, name: str, arguments: Json = '{"q":1}') -> "Log":
        """Start a call."""
        self.calls += 1
        call: dict[str, Json] = {"callId": f"c{self.calls}", "name": name, "arguments": arguments}
        return self.add(event("tool/call", {**self._place(), **call}))

    def result(
        self, number: int | None = None, text: str = "ok", *, failed: bool = False, **rest: Json
    ) -> "Log":
        """Answer a call, the last one if no number is given."""
        return self.add(
            tool_result(self.at, f"c{number or self.calls}", text, failed=failed, **rest)
        )

    def run(self, *names: str) -> "Log":
        """Call tools one after the other, each answered at once."""
        for name in names:
            self.call(name).result()
        return self

    def done(self) -> "Log":
        """End the step."""
        return self.add(event("step/end", self._place()))

    def end(self, reason: str = "completed") -> "Log":
        """End the turn."""
        return self.add(event("turn/end", {"turn": self.at[0], "reason": {"kind": reason}}))

    def steps(self, *names: str) -> "Log":
        """Make each call in a step of its own; the next request follows."""
        for name in names:
            self.run(name).done().step()
        return self

    def sub(
        self, number: int, name: str, arguments: Json = None, ident: str | None = None
    ) -> Record:
        """Give the record of a program's call; ``answer`` of it makes its result."""
        program = f"c{self.calls}"
        data: Json = {
            "rootCallId": program,
            "parentCallId": program,
            "subCallId": ident or f"{program}:code:{number}",
            "name": name,
            "arguments": {"q": 1} if arguments is None else arguments,
        }
        return event("tool/code-dispatch-start", data)

    def _place(self) -> dict[str, Json]:
        return {"turn": self.at[0], "step": self.at[1]}


def answer(start: Record, *, failed: bool = False, **rest: Json) -> Record:
    """Make the result of a program's call."""
    data = start["data"]
    assert isinstance(data, dict)
    kind = str(start["type"]).removesuffix("-start")
    text: Json = [{"type": "text", "text": "ok"}]
    return event(kind, {**data, "isError": failed, "content": text, **rest})


def events(log: "Log | Iterable[Record]") -> Iterator[Event]:
    records = log.records if isinstance(log, Log) else list(log)
    reader = Reader(Origin(path="x.jsonl", name="x"))
    for line, record in enumerate(records, 1):
        yield from reader.record(line, record)
    yield from reader.end(len(records))


def items(log: "Log | Iterable[Record]", *thresholds: int) -> list[Item]:
    config = ReminderConfig(thresholds=thresholds or (3, 5, 8))
    return list(replay(events(log), Reminder(config)))


def reminders(log: "Log | Iterable[Record]", *thresholds: int) -> list[tuple[str, str, int]]:
    """What is replayed: tool, call, count."""
    return [
        (item.call.name, item.call.id, item.count)
        for item in items(log, *thresholds)
        if isinstance(item, Intervention)
    ]


def problems(log: "Log | Iterable[Record]") -> list[tuple[str, str, int | None]]:
    """What is reported: severity, kind, line."""
    return [
        (found.severity.value, found.kind, found.line)
        for found in events(log)
        if isinstance(found, Problem)
    ]


def settled(log: "Log | Iterable[Record]") -> list[ToolResult]:
    return [found for found in events(log) if isinstance(found, ToolResult)]


def started(log: "Log | Iterable[Record]") -> list[ToolCall]:
    return [found for found in events(log) if isinstance(found, ToolCall)]
