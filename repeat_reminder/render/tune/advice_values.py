"""What advice says: plain values, each with its numbers and its places."""

from typing import NamedTuple, TypeAlias

from repeat_reminder.render.tune.figures import Results


class DeadStage(NamedTuple):
    """A threshold of the current config that never fires."""

    threshold: int
    longest: int
    place: str | None
    """Where the longest run begins."""


class UnmatchedPattern(NamedTuple):
    """A pattern of the current config that matches no tool that was called."""

    key: str
    pattern: str
    meant: str | None
    tools: tuple[str, ...]


class PollingTool(NamedTuple):
    """A tool whose repeated calls bring news: a candidate to exclude."""

    tool: str
    results: Results
    """Of its runs that reach the first threshold."""
    messages: int
    """That the current config sends about it, in all sessions."""
    messages_without: int
    """That the config would send in all sessions if the tool were excluded."""
    messages_now: int
    """That it sends in all sessions now."""
    caught_now: int
    """Stuck sessions that the current config warns."""
    caught_without: int
    """Those that it would still warn if the tool were excluded."""
    new_runs: int
    """Runs of other tools that reach the first threshold only if it is excluded."""
    is_excluded: bool
    examples: tuple[str, ...]


class TransparencyTrap(NamedTuple):
    """A tool whose exclusion glues the calls around it into new runs."""

    tool: str
    new_runs: int
    """Of other tools, that reach the first threshold only so."""
    is_excluded: bool
    """It is excluded now, so these runs are there."""
    examples: tuple[str, ...]


class VolatileArgument(NamedTuple):
    """Calls that are equal but for one argument: evidence for or against ignoring it."""

    tool: str
    argument: str
    pairs: int
    """Neighbouring calls that differ in nothing else."""
    results: Results
    """Of the runs that would reach the first threshold only if it were ignored."""
    verdict: str
    """``for``, ``against`` or ``mixed``."""
    examples: tuple[str, ...]


class ReminderEffect(NamedTuple):
    """What the agent did after the reminders it read."""

    reminders: int
    """Recorded, read or not."""
    changed: int
    """The next tracked call was another one."""
    repeated: int
    """It was the same one again."""
    human: int
    """A human spoke before it."""
    ended: int
    """There was none."""
    examples: tuple[str, ...]
    """Of repeated ones."""


Advice: TypeAlias = (
    DeadStage
    | UnmatchedPattern
    | PollingTool
    | TransparencyTrap
    | VolatileArgument
    | ReminderEffect
)
