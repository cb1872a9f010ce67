"""A scenario replayed: what is nearest to it settles how, and nothing depends on the shell."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from repeat_reminder.api import scenario_items, transcript_lines
from repeat_reminder.check.scenarios import Scenario
from repeat_reminder.config import (
    ConfigText,
    Loaded,
    Project,
    answered,
    choice_in,
    load,
    policies_in,
)
from repeat_reminder.config.mounting import guards_of
from repeat_reminder.config.table import REMINDER
from repeat_reminder.events import (
    Intervention,
    Item,
    Json,
    Problem,
    SessionStart,
    ToolCall,
    ToolResult,
)
from repeat_reminder.policies import Guard
from repeat_reminder.policies.answers import Answer
from repeat_reminder.render.acp import Transcript

Tell = Callable[[Problem], None]
"""Takes what was wrong with a log or a config."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """What is laid over every scenario's own settings."""

    policies: tuple[str, ...] = ()
    """Names in mounting order; empty to leave the choice to the scenario."""
    values: Mapping[str, Json] = field(default_factory=dict)
    """By DSH's key; texts are read as on the command line."""
    config: ConfigText | None = None
    answer: Answer | None = None
    """What the operator says to the breaker's questions; None to leave it to the scenario."""


def load_for(scenario: Scenario, overrides: Overrides) -> Loaded:
    """Work out what a scenario is replayed under.

    Later ones win, key by key: defaults, the ``pyproject.toml`` beside the scenarios,
    ``NAME.config.yml``, the overrides. Variables of the environment are not asked.

    Raises:
        UsageError, ConfigError: as `repeat_reminder.config.load`.
    """
    files = [ConfigText.of(scenario.config)] if scenario.config else []
    files += [overrides.config] if overrides.config else []
    loaded = load(
        overrides.policies or _chosen(files, scenario.project),
        command_line=overrides.values,
        config=files,
        project=scenario.project,
    )
    return answered(loaded, overrides.answer)


def _chosen(files: Sequence[ConfigText], project: Project | None) -> tuple[str, ...]:
    """Return the policies that the last file with any chooses; none to leave it to the project.

    Rows of a file choose only where the project would not mount their policies: they may be there
    for a setting alone.
    """
    usual = (project.settings.policy if project else ()) or (REMINDER.name,)
    for file in reversed(files):
        explicit = choice_in(file).policies
        named = explicit or policies_in(file)
        if explicit or not set(named) <= set(usual):
            return named
    return ()


def guards_for(
    scenario: Scenario, overrides: Overrides, tell: Tell | None = None
) -> tuple[Guard, ...]:
    """Mount a scenario's policies, with no state yet.

    Raises:
        UsageError, ConfigError: as `load_for`.
    """
    loaded = load_for(scenario, overrides)
    if tell is not None:
        for note in loaded.notes:
            tell(note)
    return guards_of(loaded)


def transcript_of(
    scenario: Scenario, overrides: Overrides = Overrides(), tell: Tell | None = None
) -> bytes:
    """Return a scenario's transcript under its policies: the bytes of its snapshot.

    Args:
        scenario: see `repeat_reminder.check.scenarios_in` and ``scenario_at``.
        overrides: laid over its own settings.
        tell: is told what is wrong with its logs; nothing of it is an error here.

    Raises:
        RepeatReminderError: its settings break a rule, or a log cannot be read.
    """
    guards = guards_for(scenario, overrides, tell)
    items = scenario_items(scenario.path, guards)
    return b"".join(transcript_lines(_told(items, tell) if tell else items, guards))


def places_of(scenario: Scenario, overrides: Overrides) -> dict[int, str]:
    """Return where the call behind each line of a scenario's transcript stands in its log.

    It replays the scenario once more, which only a failure has a use for.

    Returns:
        By line of the transcript ``file:line``, the file below the folder of scenarios. Calls of
        formats without lines are left out.

    Raises:
        RepeatReminderError: as `transcript_of`.
    """
    guards = guards_for(scenario, overrides)
    lines = Transcript([(guard.name, guard.config_record()) for guard in guards])
    above = scenario.path.rpartition("/")[0]
    places: dict[int, str] = {}
    paths: dict[str, str] = {}
    number = 0
    for item in scenario_items(scenario.path, guards):
        if isinstance(item, SessionStart):
            paths[item.session] = item.path.removeprefix(above).lstrip("/")
        call = item.call if isinstance(item, ToolResult | Intervention) else item
        for _ in lines.lines(item):
            number += 1
            if isinstance(call, ToolCall) and call.line is not None:
                places[number] = f"{paths.get(call.agent.session, '')}:{call.line}"
    return places


def _told(items: Iterable[Item], tell: Tell) -> Iterator[Item]:
    for item in items:
        if isinstance(item, Problem):
            tell(item)
        yield item
