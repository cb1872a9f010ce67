"""A replay as JSON: one record a line while the log is read, or one document at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repeat_reminder.events import (
    Agent,
    Intervention,
    Json,
    Place,
    Problem,
    Settlement,
    Status,
    StepEnd,
    ToolResult,
)
from repeat_reminder.jsontext import dumps
from repeat_reminder.render.replay.shapes import (
    Record,
    call_record,
    head_record,
    problem_record,
    reminder_record,
    session_record,
    totals_record,
)
from repeat_reminder.render.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from repeat_reminder.parity import Parity
    from repeat_reminder.render.header import Header
    from repeat_reminder.render.tally import Reported

NO_POLICY = "none"
"""What the command line calls a replay without guards."""


def jsonl(
    items: Iterable[Reported],
    header: Header,
    *,
    all_calls: bool = False,
    tally: Tally | None = None,
    parity: Parity | None = None,
) -> Iterator[bytes]:
    """Yield a replay as LF-ended JSON lines, each as soon as it is known.

    Args:
        items: what the engine yields, of one or many sessions.
        header: who reports, under which policies.
        all_calls: a record for every settled call and policy, not for reminders alone.
        tally: counts what goes by; give one to read the figures afterwards.
        parity: has watched the items; what it found makes a record for each reminder.
    """
    counted = Tally() if tally is None else tally
    yield _line({"kind": "header", **head_record(header)})
    for record in _records(items, header, counted, all_calls=all_calls, parity=parity):
        yield _line(record)
    yield _line(_totals(counted, parity))


def json_document(
    items: Iterable[Reported],
    header: Header,
    *,
    all_calls: bool = False,
    tally: Tally | None = None,
    parity: Parity | None = None,
) -> bytes:
    """Return a replay as one JSON document and a final LF; it holds the records of `jsonl`.

    Each session holds its ``reminders`` (``calls``, ``parity``) in the order of counting, and the
    ``problems`` that came while it was read; problems outside any session stand at the top.
    Arguments as in `jsonl`.
    """
    counted = Tally() if tally is None else tally
    held: dict[Json, _Held] = {}
    sessions: list[Json] = []
    problems: list[Json] = []
    for record in _records(items, header, counted, all_calls=all_calls, parity=parity):
        match record["kind"]:
            case "session":
                own = held.pop(record["id"], _Held())
                sessions.append(record | own.members(all_calls, parity is not None))
            case "parity":
                _held(held, record["session"]).parity.append(record)
            case "problem":
                owner = _reading(counted, record["path"])
                (problems if owner is None else _held(held, owner).problems).append(record)
            case "call":
                _held(held, record["session"]).calls.append(record)
            case _:
                _held(held, record["session"]).reminders.append(record)
    totals = _totals(counted, parity)
    return _line(
        {**head_record(header), "sessions": sessions, "problems": problems, "totals": totals}
    )


class _Held:
    """What a session's record will hold."""

    def __init__(self) -> None:
        self.reminders: list[Record] = []
        self.calls: list[Record] = []
        self.parity: list[Json] = []
        self.problems: list[Json] = []

    def members(self, all_calls: bool, compared: bool) -> Record:  # noqa: FBT001 - one caller
        calls: Record = {"calls": [*sorted(self.calls, key=_counting)]} if all_calls else {}
        parity: Record = {"parity": self.parity} if compared else {}
        reminders: Json = [*sorted(self.reminders, key=_counting)]
        return {"reminders": reminders, **calls, **parity, "problems": self.problems}


def _held(held: dict[Json, _Held], session: Json) -> _Held:
    return held.setdefault(session, _Held())


def _reading(tally: Tally, path: Json) -> Json:
    """Return the id of the session that is being read from a file."""
    newest_first = reversed(tally.open.items())
    return next((id_ for id_, s in newest_first if (s.start.path or None) == path), None)


def _counting(record: Record) -> int:
    """Return the line where a call counted; what happens before it runs counts at the call."""
    place = record["settled"] or record["call"]
    line = place["line"] if isinstance(place, dict) else None
    return line if isinstance(line, int) else 0


def _records(
    items: Iterable[Reported],
    header: Header,
    tally: Tally,
    *,
    all_calls: bool,
    parity: Parity | None,
) -> Iterator[Record]:
    for item in items if header.policies or not all_calls else _settled(items):
        ended = tally.add(item)
        match item:
            case Intervention():
                yield reminder_record(item, tally.open[item.call.agent.session].start.path)
            case Settlement() if all_calls:
                path = tally.open[item.result.call.agent.session].start.path
                yield call_record(item, path)
            case Problem():
                yield problem_record(item)
            case _ if ended is not None:
                if parity:
                    from repeat_reminder.render.replay.parity_shapes import parity_record  # noqa: PLC0415 - for a comparison alone

                    yield from map(parity_record, parity.take(ended.start.session))
                yield session_record(ended)
            case _:
                pass


def _settled(items: Iterable[Reported]) -> Iterator[Reported]:
    """Add the settlements of a policy that watches nothing, where the engine would put them."""
    waiting: dict[Agent, list[ToolResult]] = {}
    for item in items:
        match item:
            case ToolResult(status=Status.SKIPPED):
                pass
            case ToolResult(late=True):
                yield _watched(item, Place(item.line, item.call.id))
            case ToolResult():
                waiting.setdefault(item.call.agent, []).append(item)
            case StepEnd():
                yield from (_watched(done, item.after) for done in waiting.pop(item.agent, ()))
            case _:
                pass
        yield item


def _watched(result: ToolResult, after: Place | None) -> Settlement:
    return Settlement(
        policy=NO_POLICY, result=result, tracked=False, count=None, inject_after=after
    )


def _totals(tally: Tally, parity: Parity | None) -> Record:
    totals = totals_record(tally)
    if parity is None:
        return totals
    from repeat_reminder.render.replay.parity_shapes import parity_totals  # noqa: PLC0415 - for a comparison alone

    return totals | {"parity": parity_totals(parity.summary())}


def _line(record: Record) -> bytes:
    return dumps(record) + b"\n"
