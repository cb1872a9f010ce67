"""mini-swe-agent trajectories, ``<instance>.traj.json``: one document, versions 1 and 2.

A step is one assistant message. What it calls stands in ``tool_calls``, in the items of a Responses
answer, or, in version 1 and with models that answer in text, in one fenced block of shell: exactly
one is a call of ``bash``, none or several are an answer that was refused. Such a call has no id; it
is called ``unnamed-1``, ``unnamed-2``, … here, and the next user-role message is its result.

Only the first user-role message is a human's: all others are observations and complaints.

Memory: the document.
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from repeat_reminder.events import Event
from repeat_reminder.formats import model
from repeat_reminder.formats.mini_swe.run import Run
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import PATIENCE, Session
from repeat_reminder.formats.shared.content import texts_of
from repeat_reminder.formats.shared.lenient import members, objects, started, text
from repeat_reminder.formats.shared.one_value import document_of
from repeat_reminder.source import Log

NAME: Final = "mini-swe"
FORMAT_MARK: Final = "mini-swe-agent"
INFO: Final = frozenset({"exit_status", "mini_version", "model_stats", "submission"})
MARKS: Final = (
    *("mswea_bash_command", "MINI_SWE_AGENT_FINAL_OUTPUT"),
    "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
)
"""Words of the prompts and of the last command."""


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: the format's name, a run's outcome, or a telling word."""
    document = sample.document
    if isinstance(document, dict):
        messages = objects(document.get("messages"))
        named = text(document.get("trajectory_format")) or ""
        if named.startswith(FORMAT_MARK) and "messages" in document:
            return f"a document of trajectory_format {named[:40]}"
        if messages and "role" in messages[0] and INFO & members(document.get("info")).keys():
            return "a document with messages and the outcome of a run in info"
        return None
    for message in objects(document):
        said = "\n".join(texts_of(message.get("content"))) if "role" in message else ""
        mark = next((mark for mark in MARKS if mark in said), None)
        if mark is not None:
            return f"a list of messages with the word {mark}"
    return None


def records(log: Log) -> Iterator[Record]:
    """Yield the run.

    Raises:
        FormatError: the file is not one JSON value.
    """
    document = document_of(log)
    yield document if isinstance(document, dict) else {"messages": document}


class MiniSweReader:
    """Reads runs; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin with a file."""
        self._origin = origin

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map a run."""
        config = members(members(record.get("info")).get("config"))
        cwd = members(config.get("environment")).get("cwd")
        start = started(self._origin, NAME, line, text(record.get("instance_id")), cwd=cwd)
        # Many runs are of one instance.
        session = Session(replace(start, unique_id=False), ids_repeat=True, patience=PATIENCE)
        yield from session.begin()
        run = Run(session)
        for message in objects(record.get("messages")):
            yield from run.message(line, message)
        yield from session.end(line)

    def end(self, line: int | None) -> Iterator[Event]:  # noqa: ARG002 - see Reader
        """End nothing: a run ends in its own document."""
        yield from ()


FORMAT: Final = Format(
    name=NAME,
    title="mini-swe-agent trajectory",
    where="<output folder>/<instance>/<instance>.traj.json",
    shape=Shape.DOCUMENT,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=MiniSweReader,
    records=records,
    lossy="lines; a block pattern of the user's own; what the user says in between",
)
