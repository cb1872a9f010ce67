"""How a replay is printed: the format picks the renderer."""

from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, assert_never

from msgspec import Struct

from repeat_reminder.cli.options import ReplayFormat, TextAmount
from repeat_reminder.cli.output import Writer, note, suffix_notes
from repeat_reminder.cli.shared import Console
from repeat_reminder.events import Problem
from repeat_reminder.render.header import Header
from repeat_reminder.render.look import Look
from repeat_reminder.render.replay.excerpts import Texts
from repeat_reminder.render.tally import Dropped, Reported, Tally

if TYPE_CHECKING:
    from repeat_reminder.parity import Parity


class Report(Struct, frozen=True, kw_only=True):
    """How a replay is printed."""

    form: ReplayFormat
    header: Header
    look: Look
    text: TextAmount = TextAmount.FIRST_LINE
    all_calls: bool = False
    origins: bool = False
    parity: "Parity | None" = None

    @property
    def needs_every_item(self) -> bool:
        """Whether single calls are shown, and not only what guards said and the figures."""
        return self.form is ReplayFormat.ACP or self.all_calls or self.parity is not None

    def write(self, items: Iterable[Reported], tally: Tally, writer: Writer) -> None:
        """Print the items as they come, and count them."""
        match self.form:
            case ReplayFormat.JSONL:
                from repeat_reminder.render.replay import records

                for data in records.jsonl(
                    items, self.header, all_calls=self.all_calls, tally=tally, parity=self.parity
                ):
                    writer.write(data)
            case ReplayFormat.JSON:
                from repeat_reminder.render.replay import records

                document = records.json_document(
                    items, self.header, all_calls=self.all_calls, tally=tally, parity=self.parity
                )
                writer.write(document)
            case ReplayFormat.ACP:
                from repeat_reminder.render.acp import acp_lines

                policies = [(one.name, dict(one.config)) for one in self.header.policies]
                whole = (item for item in tally.watch(items) if not isinstance(item, Dropped))
                for data in acp_lines(whole, policies):
                    writer.write(data)
            case ReplayFormat.CONCISE:
                from repeat_reminder.render.replay.concise import concise

                for line in concise(
                    items, self.header, look=self.look, tally=tally, parity=self.parity
                ):
                    writer.line(line)
            case ReplayFormat.FULL:
                from repeat_reminder.render.replay.timeline import full

                for line in full(
                    items,
                    self.header,
                    look=self.look,
                    texts=Texts(self.text.value),
                    origins=self.origins,
                    tally=tally,
                    parity=self.parity,
                ):
                    writer.line(line)
            case _:
                assert_never(self.form)

    def tell_parity(self, console: Console) -> bool:
        """Tell what the comparison comes to and what would help, and whether all is as recorded."""
        if self.parity is None:
            return True
        from repeat_reminder.render.replay.parity import hint_lines, summary_line

        summary = self.parity.summary()
        if self.form is not ReplayFormat.FULL:
            console.say([summary_line(summary, console.look)])
        console.say(f"hint: {hint}" for hint in hint_lines(summary))
        return summary.passed


def format_of(output: str | None) -> ReplayFormat:
    """Pick the format that an output file's name asks for."""
    name = PurePath(output or "").name.lower()
    for suffix, form in _SUFFIXES.items():
        if name.endswith(suffix):
            return form
    return ReplayFormat.FULL


def format_notes(
    output: str | None, asked: ReplayFormat | None, form: ReplayFormat, *, all_calls: bool
) -> Iterator[Problem]:
    """Yield what to say where the output may not be what was meant."""
    if asked is None:
        yield from suffix_notes(output, form.value, _SUFFIXES)
    if all_calls and form not in (ReplayFormat.JSON, ReplayFormat.JSONL):
        message = f"--all-calls has no effect on {form.value}: only records can hold every call"
        yield note("no-effect", message, "add -f json or -f jsonl")


_SUFFIXES = {
    ".acp.jsonl": ReplayFormat.ACP,
    ".jsonl": ReplayFormat.JSONL,
    ".ndjson": ReplayFormat.JSONL,
    ".json": ReplayFormat.JSON,
}
