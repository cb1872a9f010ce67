"""Codex CLI rollouts, ``~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl``, plain or ``.zst``.

One file is one thread. A header that comes again is a resume, or that of the thread whose history
a fork copied into its own file. Files of early 2025 have bare items behind a header without
``type``. What the lines say: `codex_thread`.
"""

from typing import Final

from repeat_reminder.formats import model
from repeat_reminder.formats.codex.proofs import irrelevant
from repeat_reminder.formats.codex.reader import ENVELOPES, NAME, CodexReader, is_bare_header
from repeat_reminder.formats.model import Format, Sample, Shape


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: an envelope, or the header of files that have none."""
    for record in sample.records:
        kind = record.get("type")
        if isinstance(kind, str) and kind in ENVELOPES and isinstance(record.get("payload"), dict):
            return f"a line of type {kind} with a payload"
        if is_bare_header(record):
            return "a header with id, timestamp and instructions, without a type"
        if record.get("record_type") == "state" and kind is None:
            return "a line with record_type state"
    return None


FORMAT: Final = Format(
    name=NAME,
    title="Codex CLI rollout",
    where="~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl[.zst], ~/.codex/archived_sessions/",
    shape=Shape.LINES,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=CodexReader,
    irrelevant=irrelevant,
    lossy="whether a call failed, but for exit codes in its output",
)
