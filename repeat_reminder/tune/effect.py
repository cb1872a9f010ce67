"""Did reminders help? What the agent did next, where the log holds the reminders it read."""

from collections.abc import Sequence

from repeat_reminder.render.tune.advice_values import ReminderEffect
from repeat_reminder.tune.glue import EXAMPLES
from repeat_reminder.tune.runs import Choice
from repeat_reminder.tune.scoring import Chosen
from repeat_reminder.tune.table import NO_KEY, NO_ROW, Recorded, SessionTable

CHANGED, REPEATED, HUMAN, ENDED = "changed", "repeated", "human", "ended"


def reminder_effect(sessions: Sequence[Chosen], choice: Choice) -> ReminderEffect | None:
    """Return what followed the recorded reminders; None if there are none.

    Args:
        sessions: their tables hold the reminders.
        choice: which calls count; a call that does not is no answer to a reminder.
    """
    reminders = 0
    outcomes: list[str] = []
    examples: list[str] = []
    for one in sessions:
        table = one.table
        reminders += len(table.recorded)
        for told in table.recorded:
            if not told.read or told.row == NO_ROW:
                continue
            outcomes.append(_outcome(table, told, choice))
            if outcomes[-1] == REPEATED:
                examples.append(table.place(told.row))
    if not reminders:
        return None
    return ReminderEffect(
        reminders=reminders,
        changed=outcomes.count(CHANGED),
        repeated=outcomes.count(REPEATED),
        human=outcomes.count(HUMAN),
        ended=outcomes.count(ENDED),
        examples=tuple(examples[:EXAMPLES]),
    )


def _outcome(table: SessionTable, told: Recorded, choice: Choice) -> str:
    scope = choice.scope
    keys = table.keys_without(choice.ignored)
    for row in range(told.after, table.calls):
        agent = table.lane_agent[table.lane[row]]
        if agent != told.agent or keys[row] == NO_KEY or not scope.tracks(table.tool_of(row)):
            continue
        if table.lane[row] != table.lane[told.row]:
            return HUMAN
        return REPEATED if keys[row] == keys[told.row] else CHANGED
    return ENDED
