"""Calls of a DSH log: which stand there twice, which are refused, which a program made."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from repeat_reminder.batches import Batch, PlainCall, filled_id
from repeat_reminder.canonical import refused
from repeat_reminder.events import Event, Json, Place, Severity, Status
from repeat_reminder.formats.dsh.open_call import Identity, OpenCall, answer_of, program_id
from repeat_reminder.formats.dsh.shapes import REPAIRS, Result, result_of, sub_result_of, text
from repeat_reminder.formats.dsh.steps import Moment, StepId, Steps
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Answer, Session
from repeat_reminder.formats.shared.seen import Seen

REFUSED: Final = (
    "its arguments hold -0 or a number beyond the double range: "
    "the harness refuses it before its guards, so it does not count"
)


class Calls:
    """The calls of one agent.

    Memory: the open calls, and the hash of what identifies each call of the log.
    """

    def __init__(self, session: Session, agent: str) -> None:
        """Begin before the first step."""
        self._session = session
        self._agent = agent
        self._steps = Steps()
        self._seen = Seen()
        """By `Identity`."""
        self._open: dict[str, OpenCall] = {}
        """By id: the newest with that id."""

    @property
    def running(self) -> bool:
        """Whether a step runs."""
        return self._steps.running

    @property
    def any_step(self) -> bool:
        """Whether there has been a step, or a call at least."""
        return self._steps.any or bool(self._seen)

    def step_of(self, data: Record) -> StepId:
        """Return the step that a record belongs to."""
        return self._steps.named(data)

    @property
    def is_quiet(self) -> bool:
        """Whether no step runs and no call is open."""
        return not self._open and not self._steps.running

    @property
    def known(self) -> Seen:
        """What identifies the calls so far; whoever takes calls adds theirs."""
        return self._seen

    def take(self, entries: Sequence[PlainCall], prompts: int) -> list[Event | Batch]:
        """Take in calls, each the only one of a step that has ended, and messages before them."""
        calls = [entry for entry in entries if entry[1] is not None]
        for _, _, _, call_id, settled, place in calls[-2:]:  # nothing is known of older steps
            self._steps.run(StepId(*(place or ())), settled, filled_id(call_id))
        told, taken = self._session.take(self._agent, entries, len(calls), prompts=prompts)
        return [*told, Batch(parts=(taken,))]

    def start_step(self, data: Record) -> None:
        """Begin a step."""
        self._steps.start(data)

    def end_step(self, line: int | None) -> Iterator[Event]:
        """End the step. Calls of a program that broke off have counted when they started."""
        self._steps.end()
        for call in list(self._open.values()):
            yield from self._settle_program(call, all_calls=True)
        yield from self._session.end_step(self._agent, line)

    def resume(self, line: int | None) -> Iterator[Event]:
        """Rebuild the agent: what it kept in memory is gone, unanswered calls too."""
        yield from self.end_step(line)
        self._open.clear()
        yield from self._session.resume(self._agent, line)

    def moment(self) -> Moment:
        """Tell what is going on."""
        now = self._steps.current
        running = (
            call.line
            for call in self._open.values()
            if call.is_program and call.identity.step == now
        )
        return self._steps.moment(next(running, None))

    def only_result(self) -> Place | None:
        """Return the one result of the last step, if it has no other."""
        return self._steps.only_result()

    # ------------------------------------------------------------ calls of the model

    def call(self, line: int | None, data: Record, time: float | None) -> Iterator[Event]:
        """Start a call."""
        call_id, name = text(data.get("callId")), text(data.get("name"))
        if call_id is None or name is None:
            yield self._malformed(line, "tool/call without a callId and a name")
            return
        arguments = data.get("arguments", "")
        given = arguments if isinstance(arguments, str) else None
        identity = Identity(self.step_of(data), call_id)
        if self._note(identity, name, line, given, arguments) is None:
            yield self._session.copy(call_id, line)
            return
        yield from self._session.call(
            self._agent,
            name,
            line,
            call_id=call_id,
            text=given,
            value=None if given is not None else arguments,
            key=identity.step,
            turn=identity.step.turn,
            step=identity.step.step,
            time=time,
        )

    def result(self, line: int | None, data: Record, time: float | None) -> Iterator[Event]:
        """Settle a call, after the calls that its program made."""
        result = result_of(data)
        if result is None:
            yield self._malformed(line, "tool/result without a call's id")
            return
        call = self._open.get(result.call_id)
        if call is None or call.identity.program is not None or not call.is_of(data):
            identity = Identity(self.step_of(data), result.call_id)
            yield from self._stray(line, result, known=identity in self._seen)
            return
        yield from self._settle_program(call, all_calls=True)
        self._steps.settle(line, call.identity.id, call.name if call.is_program else None)
        call.answer = answer_of(line, result, time)
        yield from self._settle(call, line)

    # ------------------------------------------------------------ calls of a program

    def sub_call(self, line: int | None, data: Record, time: float | None) -> Iterator[Event]:
        """Start a call that the program of another call makes.

        Its arguments stand in the log as a value. The writer refuses -0 and overflow before it
        writes them; a log made otherwise is parsed with signs kept (``Format.exact_numbers``).
        """
        call_id, name = text(data.get("subCallId")), text(data.get("name"))
        if call_id is None or name is None:
            yield self._malformed(line, "a program's call without a subCallId and a name")
            return
        program = self._program(data)
        step = program.identity.step if program else self._steps.current
        arguments = data.get("arguments")
        identity = Identity(step, call_id, program_id(data))
        call = self._note(identity, name, line, None, arguments)
        if call is None:
            yield self._session.copy(call_id, line)
            return
        if program is not None:
            program.is_program = True
            program.made.append(call)
        yield from self._session.call(
            self._agent,
            name,
            line,
            call_id=call_id,
            value=arguments,
            key=step,
            turn=step.turn,
            step=step.step,
            nested=program is not None,
            time=time,
        )

    def sub_result(self, line: int | None, data: Record, time: float | None) -> Iterator[Event]:
        """Settle a program's call, after those it started before."""
        result = sub_result_of(data)
        if result is None:
            yield self._malformed(line, "a program's result without a subCallId")
            return
        call = self._open.get(result.call_id)
        if call is None or call.identity.program != program_id(data):
            yield from self._stray(line, result, known=False)
            return
        call.answer = answer_of(line, result, time)
        program = self._program(data)
        if program is not None:
            yield from self._settle_program(program, all_calls=False)
        else:
            yield from self._settle(call, line)

    def _program(self, data: Record) -> OpenCall | None:
        call = self._open.get(program_id(data))
        return call if call is not None and call.identity.program is None else None

    def _settle_program(self, program: OpenCall, *, all_calls: bool) -> Iterator[Event]:
        """Settle calls of a program in the order they started, as far as they are answered.

        They count where they start, so that is their settling line; hence at the end of the
        program those without an answer count too.
        """
        while program.made and (all_calls or program.made[0].answer is not None):
            call = program.made.popleft()
            yield from self._settle(call, call.line)

    # ------------------------------------------------------------ how it is kept

    def _note(
        self, identity: Identity, name: str, line: int | None, given: str | None, value: Json
    ) -> OpenCall | None:
        """Note a call that starts; None if it stands in the log already."""
        if identity in self._seen:
            return None
        self._seen.add(identity)
        call = OpenCall(identity=identity, name=name, line=line, refused=refused(given, value))
        self._open[identity.id] = call
        return call

    def _settle(self, call: OpenCall, line: int | None) -> Iterator[Event]:
        answer = call.answer or Answer(line=None)
        call_id = call.identity.id
        if self._open.get(call_id) is not call:
            return  # its id stands for a newer call, and the session has given this one up
        del self._open[call_id]
        if call.refused:
            answer = replace(answer, status=Status.SKIPPED)
            what = f"call {call_id} of {call.name}: {REFUSED}"
            yield self._session.problem(call.line, Severity.NOTE, "refused-arguments", what)
        yield from self._session.result(call_id, answer, line, agent=self._agent)

    def _stray(self, line: int | None, result: Result, *, known: bool) -> Iterator[Event]:
        """Note a result that settles nothing; repairs of calls that never started are no loss."""
        if result.failure is not None and result.failure.code in REPAIRS:
            return
        what = "a second result for call" if known else "a result for no call:"
        yield self._session.problem(
            line, Severity.NOTE, "stray-result", f"{what} {result.call_id}; ignored"
        )

    def _malformed(self, line: int | None, what: str) -> Event:
        return self._session.problem(line, Severity.WARNING, "malformed", what, skipped=True)
