"""The front as a table; the script lets its columns be sorted."""

import math
from collections.abc import Callable
from typing import Final, NamedTuple

from repeat_reminder.render.html.front import shown
from repeat_reminder.render.html.markup import Markup, join, show, tag
from repeat_reminder.render.html.parts import scrolling
from repeat_reminder.render.tune.amounts import median_text, percent
from repeat_reminder.render.tune.values import Candidate, TuneReport

DASH: Final = "\N{EN DASH}"


class _Column(NamedTuple):
    title: str
    text: Callable[[Candidate], object]
    value: Callable[[Candidate], float]
    """What it is sorted by."""


def candidates_section(report: TuneReport) -> Markup:
    """Return the table of configurations on the front, the current and the named ones."""
    many = shown(report)
    columns = _columns(stuck=bool(report.current.stuck))
    head = [tag("th", one.title, scope="col", data_sort=True) for one in columns]
    whole = tag(
        "table",
        tag("thead", tag("tr", *head, tag("th", "remarks", scope="col"))),
        tag("tbody", *(_row(at, one, columns) for at, one in enumerate(many))),
        class_="sortable",
    )
    says = (
        f"{sum(one.is_front for one in many):,} of {len(report.candidates):,} configurations that "
        "were scored are on the Pareto front: whatever is better in one respect is worse in "
        "another. Figures are of the cost group."
    )
    return tag(
        "section",
        tag("h2", "The front"),
        tag("p", says),
        scrolling(whole, "The front", "scroll tall"),
        id="candidates",
    )


def _columns(*, stuck: bool) -> list[_Column]:
    columns = [
        _Column("thresholds", lambda one: ", ".join(map(str, one.thresholds)), _by_thresholds),
        _Column("messages", lambda one: f"{one.messages:,}", lambda one: one.messages),
        _Column("per session", lambda one: f"{one.per_session:.2f}", lambda one: one.per_session),
        _Column("sessions warned", _warned, lambda one: one.warned),
        _Column("p95", lambda one: f"{one.p95:,}", lambda one: one.p95),
        _Column("most", lambda one: f"{one.most:,}", lambda one: one.most),
    ]
    if stuck:
        columns += [
            _Column("caught", lambda one: f"{one.caught:,}/{one.stuck:,}", lambda one: one.caught),
            _Column("first hit", _first, lambda one: one.first_hit or math.inf),
        ]
    return columns


def _by_thresholds(one: Candidate) -> float:
    """Order lists by their first threshold, then by the second: enough to tell lists apart."""
    later = [*one.thresholds[1:], 0][0]
    return one.thresholds[0] + later / (later + 1) / 2


def _warned(one: Candidate) -> str:
    return f"{one.sessions_warned:,}/{one.sessions:,} {percent(one.warned)}"


def _first(one: Candidate) -> str:
    return DASH if one.first_hit is None else f"call {median_text(one.first_hit)}"


def _row(at: int, one: Candidate, columns: list[_Column]) -> Markup:
    cells = []
    for place, column in enumerate(columns):
        value = column.value(one)
        kind = {"scope": "row"} if place == 0 else {"class_": "number"}
        cells.append(
            tag(
                "td" if place else "th",
                column.text(one),
                data_v="1e999" if math.isinf(value) else f"{value:g}",
                **kind,
            )
        )
    marked = "best" if one.is_best else "now" if one.is_now else None
    return tag("tr", *cells, tag("td", _remarks(one), class_="remarks"), class_=marked, data_at=at)


def _remarks(one: Candidate) -> Markup:
    """Say what is special about a configuration."""
    chips = [
        tag("b", word, class_=f"chip {word}")
        for word, holds in (
            ("now", one.is_now),
            ("best", one.is_best),
            ("tried", one.is_named and not one.is_best),
        )
        if holds
    ]
    words: list[str] = []
    if one.also_excluded:
        words.append(f"without {', '.join(one.also_excluded)}")
    if one.dead:
        words.append(f"never fires: {', '.join(map(str, one.dead))}")
    if one.unmet:
        words.append(f"breaks --{', --'.join(one.unmet)}")
    return join([*chips, show("; ".join(words))], " ")
