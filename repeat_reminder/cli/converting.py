"""What a conversion is made of: what is kept, what is replaced, what is written."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from repeat_reminder.cli.options import ConvertFormat
from repeat_reminder.convert import Cut, Slice, canonical_lines, redacted, sliced
from repeat_reminder.engine import replay
from repeat_reminder.errors import UsageError
from repeat_reminder.events import Event, Intervention, Problem, Settlement
from repeat_reminder.render.acp import acp_lines
from repeat_reminder.render.selection import Present, Selection

ACP_SUFFIX = ".acp.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """How one log is converted."""

    to: ConvertFormat
    wanted: Slice | None = None
    redact: bool = False
    sessions: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()

    def lines(
        self, events: Iterable[Event], path: str, tell: Callable[[Iterable[Problem]], None]
    ) -> Iterator[bytes]:
        """Yield the lines to write.

        Args:
            events: of the whole log.
            path: the log, as the user named it.
            tell: gets what there is to say of the slice.

        Raises:
            UsageError: nothing lies in the slice.
        """
        if self.sessions or self.agents:
            events = _selected(events, Selection(sessions=self.sessions, agents=self.agents))
        if self.wanted is not None:
            events = _cut(events, self.wanted, path, tell)
        if self.redact:
            events = redacted(events)
        if self.to is ConvertFormat.CANONICAL:
            return canonical_lines(events)
        return acp_lines(replay(events, ()), ())


def slice_of(lines: str | None, around: int | None, context: int) -> Slice | None:
    """Read the options that say what is kept.

    Raises:
        UsageError: they do not go together, or are not of their form.
    """
    if lines is not None and around is not None:
        raise UsageError("--slice and --around do not go together", hint="give one of them")
    if around is not None:
        return Slice.around(around, context)
    return None if lines is None else Slice.parse(lines)


def format_of(output: str | None) -> ConvertFormat:
    """Pick the format that an output file's name asks for."""
    wants_acp = output is not None and output.lower().endswith(ACP_SUFFIX)
    return ConvertFormat.ACP if wants_acp else ConvertFormat.CANONICAL


def _selected(events: Iterable[Event], selection: Selection) -> Iterator[Event]:
    for item in selection.of(Present(selection).watch(events)):
        if not isinstance(item, Intervention | Settlement):
            yield item


def _cut(
    events: Iterable[Event],
    wanted: Slice,
    path: str,
    tell: Callable[[Iterable[Problem]], None],
) -> Iterator[Event]:
    cut = Cut()
    yield from sliced(events, wanted, cut)
    cut.check(wanted, path)
    tell(cut.notes(wanted, path))
