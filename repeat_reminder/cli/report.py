"""How a replay is printed: the format picks the renderer."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import assert_never

from repeat_reminder.cli.options import ReplayFormat, TextAmount
from repeat_reminder.cli.output import Writer
from repeat_reminder.events import Item
from repeat_reminder.render import records
from repeat_reminder.render.acp import acp_lines
from repeat_reminder.render.concise import concise
from repeat_reminder.render.excerpts import Texts
from repeat_reminder.render.header import Header
from repeat_reminder.render.look import Look
from repeat_reminder.render.tally import Tally
from repeat_reminder.render.timeline import full


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How a replay is printed."""

    form: ReplayFormat
    header: Header
    look: Look
    text: TextAmount = TextAmount.FIRST_LINE
    all_calls: bool = False
    origins: bool = False

    def write(self, items: Iterable[Item], tally: Tally, writer: Writer) -> None:
        """Print the items as they come, and count them."""
        match self.form:
            case ReplayFormat.JSONL:
                for data in records.jsonl(
                    items, self.header, all_calls=self.all_calls, tally=tally
                ):
                    writer.write(data)
            case ReplayFormat.JSON:
                writer.write(
                    records.json_document(items, self.header, all_calls=self.all_calls, tally=tally)
                )
            case ReplayFormat.ACP:
                policies = [(one.name, dict(one.config)) for one in self.header.policies]
                for data in acp_lines(tally.watch(items), policies):
                    writer.write(data)
            case ReplayFormat.CONCISE:
                for line in concise(items, self.header, look=self.look, tally=tally):
                    writer.line(line)
            case ReplayFormat.FULL:
                for line in full(
                    items,
                    self.header,
                    look=self.look,
                    texts=Texts(self.text.value),
                    origins=self.origins,
                    tally=tally,
                ):
                    writer.line(line)
            case _:
                assert_never(self.form)


def format_of(output: str | None) -> ReplayFormat:
    """Pick the format that an output file's name asks for."""
    name = PurePath(output or "").name.lower()
    for suffix, form in _SUFFIXES.items():
        if name.endswith(suffix):
            return form
    return ReplayFormat.FULL


_SUFFIXES = {
    ".acp.jsonl": ReplayFormat.ACP,
    ".jsonl": ReplayFormat.JSONL,
    ".ndjson": ReplayFormat.JSONL,
    ".json": ReplayFormat.JSON,
}
