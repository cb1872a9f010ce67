"""Replayed sessions as Agent Client Protocol v1 notifications, one JSON line each.

Injected messages stand where they land, as user messages with a note of our own. Whatever changes
from recording to recording (ids, working directory, times) is replaced or left out, so that the
bytes can be kept as a snapshot.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from repeat_reminder.canonical import canonical_of, utf16_cut, utf16_length
from repeat_reminder.events import (
    Action,
    Agent,
    AgentEnd,
    AgentStart,
    AssistantMessage,
    Compaction,
    InjectedMessage,
    Intervention,
    Item,
    Json,
    Problem,
    Resume,
    SessionEnd,
    SessionStart,
    Settlement,
    Status,
    StepEnd,
    StepStart,
    ToolCall,
    ToolResult,
    UserMessage,
)
from repeat_reminder.jsontext import TooDeep, dumps
from repeat_reminder.render.acp.aliases import Aliases
from repeat_reminder.render.acp.normalise import Normaliser
from repeat_reminder.render.acp.notes import (
    Note,
    Policies,
    ask_note,
    denied_note,
    event_note,
    injected_note,
    source_note,
    stamps,
    transcript_note,
)
from repeat_reminder.render.acp.toolkinds import tool_kind
from repeat_reminder.render.safe import first_line

RESULT_UNITS = 200
"""UTF-16 units kept of a result: bodies hold secrets, and change from run to run."""

_TOO_DEEP = "[nested too deep]"


def acp_lines(items: Iterable[Item], policies: Policies) -> Iterator[bytes]:
    """Yield the transcript of a replay, one LF-ended line at a time.

    Streams. Memory: one number per call of the open sessions (about 200 bytes), one token per
    session and agent, and the denials that wait for their call's result.

    Args:
        items: what the engine yields, of one or many sessions.
        policies: name and full config of every mounted policy; empty for none.
    """
    transcript = Transcript(policies)
    for item in items:
        yield from transcript.lines(item)


class Transcript:
    """One transcript under way: the numbers given so far, and what guards did to open calls."""

    def __init__(self, policies: Policies) -> None:
        """Remember the policies for the first line of every session."""
        self._policies = policies
        self._stamps = stamps(policies)
        self._aliases = Aliases()
        self._gates: dict[str, list[Intervention]] = {}
        """Asks and denials, by the number of the call that is about to follow."""
        self._denied: dict[str, Intervention] = {}
        """Denials, by the number of the call whose result is to come."""

    def lines(self, item: Item) -> Iterator[bytes]:  # noqa: C901, PLR0912 - one arm per item
        """Yield the lines that one item gives."""
        match item:
            case SessionStart():
                self._aliases.start(item)
                note = transcript_note(item.format, self._policies)
                yield _info(self._aliases.session(item.session), note)
            case AgentStart():
                self._aliases.agent(item.agent, is_root=item.parent is None)
            case UserMessage():
                yield from self._user_message(item)
            case InjectedMessage():
                yield from self._injected_message(item)
            case AssistantMessage():
                texts = [text for text in item.texts if text]
                yield from self._chunks("agent_message_chunk", item.agent, texts)
            case ToolCall():
                yield self._call(item)
            case ToolResult():
                yield from self._result(item)
            case Intervention():
                yield from self._intervention(item)
            case Compaction():
                yield _info(self._aliases.agent(item.agent), event_note("compaction"))
            case Resume():
                yield self._resume(item)
            case SessionEnd():
                self._aliases.end(item.session)
            case AgentEnd() | StepStart() | StepEnd() | Settlement() | Problem():
                pass
            case _:
                assert_never(item)

    def _resume(self, resume: Resume) -> bytes:
        agent = resume.agent
        token = self._aliases.agent(agent) if agent else self._aliases.session(resume.session)
        return _info(token, event_note("resume"))

    # ------------------------------------------------------------ messages

    def _user_message(self, message: UserMessage) -> Iterator[bytes]:
        """Give one line per block; none for a message refused before the model read it."""
        note = None
        if message.source.get("kind") != "user":
            note = source_note(message.source, self._normaliser(message.agent))
        return self._chunks("user_message_chunk", message.agent, message.texts, note)

    def _injected_message(self, message: InjectedMessage) -> Iterator[bytes]:
        """Give a recorded message, unless the replay says it anew."""
        source = message.source
        if source.get("plugin") in self._stamps or source.get("kind") in self._stamps:
            return
        note = source_note(source, self._normaliser(message.agent))
        texts = message.texts or ("",)
        yield from self._chunks("user_message_chunk", message.agent, texts, note)

    def _intervention(self, said: Intervention) -> Iterator[bytes]:
        """Give a message for the model; keep what is done about a call until it comes."""
        agent, number = said.call.agent, self._aliases.call(said.call)
        if said.action in (Action.ASK, Action.DENY):
            self._gates.setdefault(number, []).append(said)
            return
        note = injected_note(said, number, self._normaliser(agent))
        yield from self._chunks("user_message_chunk", agent, [said.text], note)

    def _chunks(
        self, kind: str, agent: Agent, texts: Sequence[str], note: Note | None = None
    ) -> Iterator[bytes]:
        if not texts:
            return
        token, normaliser = self._aliases.agent(agent), self._normaliser(agent)
        message_id = self._aliases.message()
        for text in texts:
            update: dict[str, Json] = {
                "sessionUpdate": kind,
                "content": _text_block(normaliser.text(text)),
                "messageId": message_id,
            }
            yield _line(token, dumps(update if note is None else {**update, "_meta": note}))

    # ------------------------------------------------------------ calls

    def _call(self, call: ToolCall) -> bytes:
        token, normaliser = self._aliases.agent(call.agent), self._normaliser(call.agent)
        number = self._aliases.call(call)
        ask, denial = _asked_and_denied(self._gates.pop(number, []))
        if denial:
            self._denied[number] = denial
        update_follows = call.result_recorded or denial
        update: dict[str, Json] = {
            "sessionUpdate": "tool_call",
            "toolCallId": number,
            "title": normaliser.text(call.name),
            "kind": tool_kind(call.name),
            "status": "pending" if ask else "in_progress" if update_follows else "completed",
        }
        # The arguments are put in as text: their keys and numbers are canonical already.
        parts = [dumps(update)[:-1], b',"rawInput":', _raw_input(call, normaliser)]
        if ask:
            parts += b',"_meta":', dumps(ask_note(ask, normaliser))
        return _line(token, b"".join([*parts, b"}"]))

    def _result(self, result: ToolResult) -> Iterator[bytes]:
        call, normaliser = result.call, self._normaliser(result.call.agent)
        number = self._aliases.call(call)
        denial = self._denied.pop(number, None)
        update: dict[str, Json] = {
            "sessionUpdate": "tool_call_update",
            "toolCallId": number,
            "status": "completed" if result.status is Status.OK else "failed",
        }
        # A skipped call never came before the guard, so nothing was denied.
        if denial and result.status is not Status.SKIPPED:
            note = denied_note(denial, str(update["status"]), normaliser)
            said = denial.text if denial.denial is None else denial.denial
            content = _call_content(normaliser.text(f"Error: {said}"))
            update |= {"status": "failed", "content": content, "_meta": note}
        elif not call.result_recorded:
            return
        elif preview := _preview(result.texts):
            update["content"] = _call_content(normaliser.text(preview))
        yield _line(self._aliases.agent(call.agent), dumps(update))

    def _normaliser(self, agent: Agent) -> Normaliser:
        return self._aliases.normaliser(agent.session)


def _line(session: str, update: bytes) -> bytes:
    head = b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":'
    return b"".join([head, dumps(session), b',"update":', update, b"}}\n"])


def _info(session: str, note: Note) -> bytes:
    return _line(session, dumps({"sessionUpdate": "session_info_update", "_meta": note}))


def _asked_and_denied(
    gates: Sequence[Intervention],
) -> tuple[Intervention | None, Intervention | None]:
    """Return who asked about a call and who denied it: an ask that is not granted denies too."""
    ask = next((gate for gate in gates if gate.action is Action.ASK), None)
    denial = next((gate for gate in gates if gate.action is Action.DENY), None)
    if denial is None and ask is not None and ask.outcome != "allowed-once":
        denial = ask
    return ask, denial


def _raw_input(call: ToolCall, normaliser: Normaliser) -> bytes:
    try:
        canonical = canonical_of(call.arguments_text, call.arguments)
    except TooDeep:
        return dumps(_TOO_DEEP)
    return normaliser.json(canonical).encode()


def _text_block(text: str) -> Json:
    return {"type": "text", "text": text}


def _call_content(text: str) -> Json:
    return [{"type": "content", "content": _text_block(text)}]


def _preview(texts: Sequence[str]) -> str:
    """Return the first line of a result that is not blank, at most 200 UTF-16 units of it."""
    line = next((line for text in texts if (line := first_line(text))), "")
    # The first test spares counting the units of a line of many megabytes.
    if len(line) > RESULT_UNITS or utf16_length(line) > RESULT_UNITS:
        return utf16_cut(line, RESULT_UNITS) + "…"
    return line
