"""Short notation for sessions in tests: records in a line, placements out."""

from collections.abc import Iterable, Iterator, Sequence

from repeat_reminder.engine import replay
from repeat_reminder.events import Event, Intervention, Item, Json, Settlement
from repeat_reminder.formats import by_name
from repeat_reminder.formats.model import Origin, Record
from repeat_reminder.policies.reminder import Reminder, ReminderConfig

Placement = tuple[str, str, int, str, int | None, int | None, bool]
"""Agent, tool, count, tier, settled line, line it lands after, delivered."""


def call(name: str, call_id: str | None = None, *, agent: str = "main", **rest: Json) -> Record:
    record: Record = {"type": "tool_call", "name": name, "agent": agent, "arguments": {"q": 1}}
    if call_id is not None:
        record["id"] = call_id
    if "arguments_text" in rest:
        del record["arguments"]
    return record | rest


def result(call_id: str, content: str = "ok", **rest: Json) -> Record:
    return {"type": "tool_result", "call_id": call_id, "content": content} | rest


def user(content: str = "go", *, agent: str = "main", kind: str = "user") -> Record:
    return {"type": "user_message", "agent": agent, "content": content, "source": {"kind": kind}}


def assistant(content: str = "done", *, agent: str = "main") -> Record:
    return {"type": "assistant_message", "agent": agent, "content": content}


def session(words: str) -> list[Record]:
    """Spell a session: a capital is a call of that tool with its result, at once answered.

    ``X!`` is denied, ``u`` a human message, ``p`` one of a plugin, ``c`` a compaction, ``r`` a
    resume, ``.`` the model's last word; ``X*5`` repeats. ``child:X`` is a call of that agent.
    """
    records: list[Record] = []
    for word in words.split():
        body, _, times = word.partition("*")
        for _ in range(int(times or 1)):
            records += _spell(body, len(records))
    return records


def _spell(word: str, number: int) -> list[Record]:
    agent, _, body = word.rpartition(":")
    agent = agent or "main"
    match body:
        case "u" | "p":
            return [user(agent=agent, kind={"u": "user", "p": "plugin"}[body])]
        case "c":
            return [{"type": "compaction", "agent": agent}]
        case "r":
            return [{"type": "resume"}]
        case ".":
            return [assistant(agent=agent)]
        case _:
            name, status = body.rstrip("!"), "denied" if body.endswith("!") else "ok"
            call_id = f"k{number}"
            return [call(name, call_id, agent=agent), result(call_id, status=status, agent=agent)]


def events_of(records: Iterable[Record], form: str = "canonical") -> Iterator[Event]:
    """Read records as the lines of one log."""
    reader = by_name(form).reader(Origin(path="s.jsonl", name="s"))
    line = 0
    for line, record in enumerate(records, 1):
        yield from reader.record(line, record)
    yield from reader.end(line or None)


def items_of(
    records: Iterable[Record], *, thresholds: Sequence[int] = (3, 5, 8), **config: object
) -> list[Item]:
    """Replay records under the reminder."""
    block: dict[str, Json] = {"thresholds": list(thresholds)}
    block |= {key: value for key, value in config.items() if isinstance(value, list | int)}
    guard = Reminder(ReminderConfig.from_mapping(block))
    return list(replay(events_of(records), guard))


def placements(items: Iterable[Item]) -> list[Placement]:
    """List where every reminder lands."""
    return [
        (
            item.call.agent.id,
            item.call.name,
            item.count,
            item.tier or "",
            item.result.settled_line if item.result else None,
            item.inject_after.line if item.inject_after else None,
            item.delivered,
        )
        for item in items
        if isinstance(item, Intervention)
    ]


def counts(items: Iterable[Item]) -> list[int | None]:
    """List the run length at every settled call."""
    return [item.count for item in items if isinstance(item, Settlement)]
