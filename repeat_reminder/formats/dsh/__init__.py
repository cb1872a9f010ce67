"""DeepSeek Harness session logs, ``session[.vN].jsonl[.zstd]``, of every version and era.

Checked against logs that the harness's own loop wrote with the real plugin.

====================  ======================================================================
module                knows
====================  ======================================================================
`vocabulary`          the record types
`shapes`              what a record holds, in each of the shapes it has had
`steps`               which step runs, and what has settled in it
`inbox`               the two lists of waiting messages, rebuilt from splices
`open_call`           a call between its start and its result, and what identifies it
`calls`               which stand there twice, which are refused, which a program made
`messages`            queued, claimed, read: which message resets, which reminder arrived
`story`               which record concerns what
`lineage`             which records are the session's own, and which its parent's
`proofs`              which lines need no parsing
`reader`              header and versions
====================  ======================================================================
"""

from typing import Final

from repeat_reminder.formats import model
from repeat_reminder.formats.dsh.proofs import irrelevant
from repeat_reminder.formats.dsh.reader import HEADER, NAME, Reader
from repeat_reminder.formats.dsh.shapes import whole
from repeat_reminder.formats.dsh.vocabulary import KNOWN
from repeat_reminder.formats.model import Format, Record, Sample, Shape

__all__ = ["FORMAT", "Reader", "recognise"]


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: its header, or two records of its types if the header is lost.

    Another agent writes ``"type":"session"`` headers too: one of DSH has ``createdAt`` or
    ``delegationDepth``, or is followed by a record of DSH.
    """
    if sample.kind != "text":
        return None
    header = next((r for r in sample.records if r.get("type") == HEADER), None)
    body = [str(r["type"]) for r in sample.records if _is_event(r)]
    if header is not None and "schema" not in header:
        version = whole(header.get("version"))
        what = "a DSH session header" + ("" if version is None else f" of version {version}")
        if "createdAt" in header or "delegationDepth" in header:
            return what
        if body:
            return f"{what}, then {body[0]}"
    if len(set(body)) > 1:
        return f"DSH records without a header: {body[0]}, {body[1]}"
    return None


def _is_event(record: Record) -> bool:
    kind = record.get("type")
    return isinstance(kind, str) and kind in KNOWN and "data" in record


FORMAT: Final = Format(
    name=NAME,
    title="DeepSeek Harness session log",
    where="~/.dsh/sessions/--<working directory>--/<session id>/session[.vN].jsonl[.zstd]",
    shape=Shape.LINES,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=Reader,
    irrelevant=irrelevant,
    # Calls made by programs have their arguments in the line itself, as a value.
    exact_numbers=True,
    lossy="structured results (exit codes, time-outs), and refused prompts' effect on the chain",
)
