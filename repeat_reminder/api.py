"""From a path to items and transcripts: what the command line, the check and pytest share."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from repeat_reminder.engine import replay
from repeat_reminder.events import Event, Item, SessionStart
from repeat_reminder.formats import by_name
from repeat_reminder.formats.reading import read_log
from repeat_reminder.formats.recognition import is_log_folder
from repeat_reminder.policies import Guard
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from repeat_reminder.render.acp import acp_lines
from repeat_reminder.source import discover, open_log

AUTO = "auto"


def read(path: str | Path, *, form: str = AUTO) -> Iterator[Event]:
    """Read one log into events in harness order.

    Args:
        path: a file, or ``-`` for standard input.
        form: name of its format; ``auto`` recognises it by content.

    Raises:
        RepeatReminderError: it cannot be opened, or no reader knows it. What is wrong inside it
            comes as `Problem` events, never as an exception.
    """
    chosen = None if form == AUTO else by_name(form)
    with open_log(str(path)) as log:
        yield from read_log(log, chosen)


def scenario_logs(path: str | Path) -> list[str]:
    """Return the logs of a scenario, a file or a folder: the root session first, then by path."""
    if not Path(path).is_dir():
        return [str(path)]
    logs = discover([str(path)], is_log_folder=is_log_folder)
    return sorted(logs, key=lambda log: (_is_child(log), log))


def _is_child(path: str) -> bool:
    start = next((event for event in read(path) if isinstance(event, SessionStart)), None)
    return start is not None and start.parent is not None


def scenario_items(
    path: str | Path, guards: Guard | Sequence[Guard], *, form: str = AUTO
) -> Iterator[Item]:
    """Replay every log of a scenario, one after the other."""
    for log in scenario_logs(path):
        yield from replay(read(log, form=form), guards)


def default_guards() -> tuple[Guard, ...]:
    """Return the default policy: the reminder at 3, 5 and 8, on every tool."""
    return (Reminder(ReminderConfig()),)


def transcript(
    path: str | Path, guards: Guard | Sequence[Guard] | None = None, *, form: str = AUTO
) -> bytes:
    """Return a session's ACP transcript with every reminder where it lands.

    These are the bytes of a snapshot: ``repeat-reminder check`` and the pytest fixture both
    compare them.

    Args:
        path: a log, or a folder with a session's log and those of its subagents.
        guards: the policies to replay; the default policy if not given.
        form: name of the log's format.

    Raises:
        RepeatReminderError: see `read`.
    """
    mounted = default_guards() if guards is None else guards
    several = mounted if isinstance(mounted, Sequence) else (mounted,)
    return b"".join(transcript_lines(scenario_items(path, several, form=form), several))


def transcript_lines(items: Iterable[Item], guards: Sequence[Guard]) -> Iterator[bytes]:
    """Render items as ACP lines under the policies that made them."""
    return acp_lines(items, [(guard.name, guard.config_record()) for guard in guards])
