"""Advice in words: what the data say, with their numbers and their places."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from repeat_reminder.render.look import Look, Style, plural
from repeat_reminder.render.paragraphs import paragraph, places
from repeat_reminder.render.tune.advice_values import (
    Advice,
    DeadStage,
    PollingTool,
    ReminderEffect,
    TransparencyTrap,
    UnmatchedPattern,
    VolatileArgument,
)
from repeat_reminder.render.tune.amounts import results_text

NAME_CELLS: Final = 40
MOST: Final = 5
"""Pieces of one kind."""


def advice_lines(advice: Sequence[Advice], first: int, look: Look) -> Iterator[str]:
    """Yield the advice as paragraphs, without line ends.

    Args:
        advice: what is to be said.
        first: the current first threshold, which the numbers are about.
        look: how to write.
    """
    if not advice:
        return
    yield look.paint("advice from these sessions", Style.TITLE)
    told: Counter[type] = Counter()
    for one in advice:
        told[type(one)] += 1
        if told[type(one)] > MOST:
            continue
        yield from paragraph(_text(one, first, look), look, indent="  ")
        match one:
            case DeadStage() | UnmatchedPattern():
                pass
            case _:
                yield from places(one.examples, look, indent="    at ")
    rest = sum(max(0, number - MOST) for number in told.values())
    if rest:
        yield look.paint(f"  and {rest} more (-f json)", Style.FAINT)
    yield ""


def _text(one: Advice, first: int, look: Look) -> str:
    match one:
        case DeadStage():
            return (
                f"threshold {one.threshold} never fires: the longest run has "
                f"{plural(one.longest, 'call')}"
                + (f" ({look.safe(one.place)})" if one.place else "")
            )
        case UnmatchedPattern():
            return _unmatched(one, look)
        case PollingTool():
            return _polling(one, first, look)
        case TransparencyTrap():
            return _trap(one, first, look)
        case VolatileArgument():
            return _volatile(one, first, look)
        case ReminderEffect():
            return _effect(one)


def _name(text: str, look: Look) -> str:
    return look.cut(text, NAME_CELLS)


def _unmatched(one: UnmatchedPattern, look: Look) -> str:
    said = f'{one.key} "{_name(one.pattern, look)}" matches no tool that was called'
    if one.meant is not None:
        return f"{said}: did you mean {_name(one.meant, look)}?"
    tools = ", ".join(_name(tool, look) for tool in one.tools)
    return f"{said}; tools: {tools}" if tools else said


def _polling(one: PollingTool, first: int, look: Look) -> str:
    runs = f"{one.results.changing} of {plural(one.results.runs, 'run')} of {first} or more"
    said = f"{_name(one.tool, look)} polls: {runs} had changing results"
    if one.is_excluded:
        return f"{said}; it is excluded, rightly so by this evidence"
    arrow = look.glyphs.arrow
    said += f"; excluding it: {one.messages_now:,} {arrow} {one.messages_without:,} messages"
    if one.caught_without < one.caught_now:
        lost = plural(one.caught_now - one.caught_without, "stuck session")
        said += f", but {lost} would no longer be caught"
    if one.new_runs:
        said += f", and {plural(one.new_runs, 'new run')} glued together by its absence"
    return f"{said} (--try-exclude scores it)"


def _trap(one: TransparencyTrap, first: int, look: Look) -> str:
    tool, runs = _name(one.tool, look), plural(one.new_runs, "run")
    if one.is_excluded:
        return (
            f"{tool} is excluded, which glues the calls around it together: {runs} of "
            f"{first} or more {'is' if one.new_runs == 1 else 'are'} there only because of that"
        )
    return (
        f"excluding {tool} would glue the calls around it into "
        f"{plural(one.new_runs, 'new run')} of {first} or more"
    )


def _volatile(one: VolatileArgument, first: int, look: Look) -> str:
    entry = f"{_name(one.tool, look)}:{_name(one.argument, look)}"
    times = "once" if one.pairs == 1 else f"{one.pairs:,} times"
    verdicts = {
        "for": f"evidence for --ignore-args {entry}",
        "against": f"evidence against --ignore-args {entry}",
        "mixed": f"no clear evidence about --ignore-args {entry}",
    }
    return (
        f"{_name(one.tool, look)} is called again with only {_name(one.argument, look)} changed "
        f"{times}; ignoring it gives {plural(one.results.runs, 'new run')} of {first} or more, "
        f"results: {results_text(one.results)}; {verdicts[one.verdict]}"
    )


def _effect(one: ReminderEffect) -> str:
    judged = one.changed + one.repeated
    parts = [f"{plural(one.reminders, 'recorded reminder')}"]
    if judged:
        parts.append(f"the next tracked call changed after {one.changed} of {judged}")
    if one.human:
        parts.append(f"a human spoke first after {one.human}")
    if one.ended:
        parts.append(f"nothing was called after {one.ended}")
    return "; ".join(parts)
