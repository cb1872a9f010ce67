"""Random sessions for the breaker, twice: as a canonical log, and as the real plugin sees them."""

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from repeat_reminder.policies.answers import ANSWERS
from tests.breaker_generator import FAILING, PASSING, Event, call, config

CALLS_A_SESSION: Final = 400
MOUNTS: Final = (["breaker"], ["breaker"], ["reminder", "breaker"], ["breaker", "reminder"])

VALUES: Final[list[tuple[Event, Event]]] = [
    ({"exit_code": 3}, {"exitCode": 3}),
    ({"exit_code": 0, "content": "HTTP Error 500"}, {"exitCode": 0}),
    ({"timed_out_ms": 60000}, {"timedOut": True, "timeoutMs": 60000}),
    ({"signal": "SIGTERM"}, {"signal": "SIGTERM"}),
    ({"http_status": 404}, {"statusCode": 404}),
    ({"http_status": 204, "content": "[exit code: 1]"}, {"statusCode": 204}),
    ({"sandbox_denied": True}, {"sandbox": {"denied": True}}),
    ({"background": True, "exit_code": 1}, {"kind": "background", "exitCode": 1}),
    ({"status": "timeout"}, {"timedOut": True}),
]
"""Fields of a log's result, and the structured result that they stand for."""
ENDINGS: Final = ("error", "aborted")
"""Ways in which a call that ran can fail as a whole."""


class Part(NamedTuple):
    """A step or a message: its records in the log, and the events of the harness."""

    records: list[Event]
    events: list[Event]


class Session:
    """One generated session of one to three agents."""

    def __init__(self, seed: int) -> None:
        """Generate from a seed."""
        self.seed = seed
        self.random = Random(seed)  # noqa: S311 - a generator for tests
        self.answer = ANSWERS[seed % len(ANSWERS)]
        self.policies = MOUNTS[seed % len(MOUNTS)]
        self.settings = self._settings()
        self.calls = 0
        self.events: list[Event] = []
        """What the harness does, agent by agent: they share nothing."""
        agents = [list(self._agent(f"agent-{n}")) for n in range(self.random.randint(1, 3))]
        for parts in agents:
            self.events += (event for part in parts for event in part.events)
        self.records = list(self._interleaved(agents))

    @property
    def mount(self) -> Event:
        """The plugin's first line: what is mounted, and what the operator says."""
        mounted = [[name, self.settings[name]] for name in self.policies]
        return {"mount": mounted, "answer": self.answer}

    @property
    def _one_by_one(self) -> bool:
        """Whether a step has one call, and that has its result.

        A call that is declined is over at once, so the plugin's reminder counts it before the calls
        of its step that run, and without a result in the log. Ours counts by the log.
        """
        return len(self.policies) > 1 and self.answer != "approve"

    def _settings(self) -> Event:
        """Take the default config often, for what is reached late."""
        default = self.random.random() < 0.3
        own = {} if default else config(self.random)
        return {"breaker": own, "reminder": {"thresholds": [2, 4]}}

    def _agent(self, agent: str) -> Iterator[Part]:
        """Yield what one agent does: mostly what it did a moment ago."""
        memory, width = [call(self.random)], self.random.choice([1, 1, 2, 4])
        failing, made = self.random.random(), 0
        while made < CALLS_A_SESSION // 3:
            if self.random.random() < 0.15:
                memory.append(call(self.random))
            size = 1 if self._one_by_one else self.random.choice([1, 1, 1, 1, 2, 3])
            made += size
            yield self._step(agent, [self.random.choice(memory[-width:])] * size, failing)
            yield from self._between(agent)

    def _step(self, agent: str, wanted: Sequence[Event], failing: float) -> Part:
        """Make the calls of one step: all start, then their results settle in model order."""
        asked, answered, starts, settles = [], [], [], []
        status = self._alone() if len(wanted) == 1 else None
        for one in wanted:
            self.calls += 1
            call_id = f"k{self.calls}"
            record, result = self._result(failing, status)
            asked.append(_call_record(agent, call_id, one))
            starts.append(_start(agent, call_id, one, refused=status == "denied"))
            if status is None and not self._one_by_one and self.random.random() < 0.01:
                continue  # its result is lost: it started, and never settles
            answered.append({"type": "tool_result", "agent": agent, "call_id": call_id, **record})
            settles.append({"agent": agent, "settle": call_id, "result": result})
        self.random.shuffle(answered)
        if status == "skipped":  # the harness never brings it before its guards
            return Part([*asked, *answered], [])
        steers = self.random.random() < 0.02
        message = [{"type": "user_message", "agent": agent}] if steers else []
        boundary = [{"agent": agent, "user": True}] if steers else []
        return Part([*asked, *message, *answered], [*starts, *settles, *boundary])

    def _alone(self) -> str | None:
        """Draw whether a call never comes before the guards."""
        return self.random.choices([None, "denied", "skipped"], [96, 2, 2])[0]

    def _result(self, failing: float, status: str | None) -> tuple[Event, Event]:
        """Return a result as the log has it, and as the harness has it."""
        fails = self.random.random() < failing
        if status is not None or (fails and self.random.random() < 0.1):
            ended = status or self.random.choice(ENDINGS)
            error = {"name": "ToolError", "code": "E_TOOL", "message": "no"}
            record: Event = {"status": ended, "content": "no", "error": error}
            # the harness keeps name and code one level deeper than the plugin looks
            return record, {**_content("no"), "isError": True, "error": {"info": error}}
        if self.random.random() < 0.2:
            fields, value = self.random.choice(VALUES)
            return fields, {**_content(fields.get("content", [])), "value": value}
        drawn = self.random.choice(FAILING if fails else PASSING) or {}
        result = {**drawn, **_content(drawn.get("content", []))}
        record = {"content": result["content"]}
        if drawn.get("isError"):
            record["status"] = "error"
        return {**record, **({"value": drawn["value"]} if "value" in drawn else {})}, result

    def _between(self, agent: str) -> Iterator[Part]:
        draw = self.random.random()
        if draw < 0.04:
            user = draw < 0.02
            source = {"kind": "user" if user else "schedule"}
            record: Event = {"type": "user_message", "agent": agent, "source": source}
            yield Part([record], [{"agent": agent, "user": user}])
        elif draw < 0.05:
            gone = self.random.choice([{"type": "resume", "agent": agent}, _ended(agent)])
            yield Part([gone], [{"agent": agent, "resume": True}])
        elif draw < 0.2:
            yield Part([{"type": "assistant_message", "agent": agent, "content": "hm"}], [])

    def _interleaved(self, agents: Sequence[Sequence[Part]]) -> Iterator[Event]:
        """Mix the agents' records, each in its own order."""
        queues = [[record for part in parts for record in part.records][::-1] for parts in agents]
        while queues := [queue for queue in queues if queue]:
            yield self.random.choice(queues).pop()


def _ended(agent: str) -> Event:
    return {"type": "agent", "id": agent, "state": "end"}


def _call_record(agent: str, call_id: str, wanted: Event) -> Event:
    record = {"type": "tool_call", "agent": agent, "id": call_id, "name": wanted["name"]}
    if "raw" in wanted:
        return {**record, "arguments_text": wanted["raw"]}
    return {**record, "arguments": wanted["arguments"]}


def _start(agent: str, call_id: str, wanted: Event, *, refused: bool) -> Event:
    given = {"text": wanted["raw"]} if "raw" in wanted else {"arguments": wanted["arguments"]}
    stopped = {"refused": True} if refused else {}
    return {"agent": agent, "start": call_id, "name": wanted["name"], **given, **stopped}


def _content(content: Any) -> Event:  # noqa: ANN401 - any JSON, as results have it
    """Give content as blocks of text."""
    texts = [content] if isinstance(content, str) else content
    return {"content": [{"type": "text", "text": text} for text in texts]}


def lines(records: Sequence[Event]) -> str:
    """Write records as a log."""
    return "".join(json.dumps(record) + "\n" for record in records)
