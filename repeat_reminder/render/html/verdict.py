"""The verdict: now against best, the config to paste, and what it rests on."""

from collections.abc import Callable
from math import isinf
from typing import Final, TypeAlias

from repeat_reminder.render.html.front import name_of
from repeat_reminder.render.html.markup import Markup, join, tag
from repeat_reminder.render.html.parts import code, facts, table
from repeat_reminder.render.look import Look, plural
from repeat_reminder.render.tune.amounts import median_text, percent, percents, spent
from repeat_reminder.render.tune.config_text import cordis_row
from repeat_reminder.render.tune.corpus import corpus_lines
from repeat_reminder.render.tune.values import Candidate, Constraints, TuneReport

MOST_MISSED: Final = 10
_Row: TypeAlias = tuple[str, Callable[[Candidate], object]]


def verdict_section(report: TuneReport) -> Markup:
    """Return the card that says what to do."""
    best = report.best
    columns = [report.current] if best is None or best.is_now else [report.current, best]
    heads = ("", "now", "best")[: len(columns) + 1]
    config, what = report.best_config, "best config"
    if config is None:
        config, what = report.now, "current config"
    return tag(
        "section",
        tag("p", _sentence(report), class_="verdict"),
        tag(
            "div",
            table(heads, _rows(columns), class_="compare"),
            tag(
                "div",
                tag("h3", "Config to paste" if report.best_config else "Current config"),
                code(cordis_row("reminder", config), "config", what),
                tag("p", "A cordis patch replaces the whole config, so every key is stated.",
                    class_="quiet"),
            ),
            class_="columns",
        ),
        facts(_facts(report)),
        id="verdict",
    )  # fmt: skip


def _sentence(report: TuneReport) -> str:
    now, best = report.current, report.best
    if not report.constraints.any:
        return "No constraint was given, so nothing is called best: these are the figures of now."
    if best is None:
        return f"No configuration meets the constraints. {_closest(report)}"
    if best.is_now:
        return "The current configuration is the best one under the constraints."
    name = name_of(best)
    said = f"Thresholds {name} in place of {name_of(now)}: "
    said += f"messages {now.messages:,} → {best.messages:,}, "
    said += f"sessions warned {percent(now.warned)} → {percent(best.warned)}"
    if best.stuck:
        said += f", stuck sessions caught {now.caught:,} → {best.caught:,} of {best.stuck:,}."
        return said
    return f"{said}. No session is labelled stuck, so what it catches is not known."


def _closest(report: TuneReport) -> str:
    one = min(report.candidates, key=lambda one: (len(one.unmet or ()), one.messages))
    return f"{name_of(one)} comes closest; it breaks --{' and --'.join(one.unmet or ())}."


def _rows(columns: list[Candidate]) -> list[tuple[object, ...]]:
    rows: list[_Row] = [
        ("thresholds", name_of),
        ("messages", _messages),
        ("messages per session", lambda one: f"{one.per_session:.2f}"),
        ("sessions warned", _warned),
        ("messages, 95th percentile", lambda one: f"{one.p95:,}"),
        ("most messages in a session", lambda one: f"{one.most:,}"),
    ]
    if columns[0].stuck:
        rows += [("stuck sessions caught", _caught), ("first reminder (median)", _first)]
    rows += [
        ("thresholds that never fire", lambda one: ", ".join(map(str, one.dead)) or "none"),
        ("spent after first reminders", lambda one: spent(one.spend_after)),
    ]
    return [(name, *map(value, columns)) for name, value in rows]


def _band(text: str) -> Markup:
    return tag("small", f"95%: {text}")


def _messages(one: Candidate) -> Markup:
    parts = [tag("b", f"{one.messages:,}")]
    if one.messages_interval is not None:
        low, high = one.messages_interval
        parts.append(_band("unbounded" if isinf(high) else f"{low:,.0f}-{high:,.0f}"))
    return join(parts, " ")


def _warned(one: Candidate) -> Markup:
    parts = [
        tag("b", percent(one.warned) if one.sessions else "none"),
        tag("span", f"{one.sessions_warned:,} of {one.sessions:,}"),
    ]
    if one.warned_interval is not None:
        parts.append(_band(percents(one.warned_interval)))
    return join(parts, " ")


def _caught(one: Candidate) -> Markup:
    parts = [tag("b", f"{one.caught:,} of {one.stuck:,}")]
    if one.caught_at_least is not None:
        parts.append(_band(f"at least {percent(one.caught_at_least)}"))
    return join(parts, " ")


def _first(one: Candidate) -> str:
    return "none" if one.first_hit is None else f"after call {median_text(one.first_hit)}"


def _facts(report: TuneReport) -> list[tuple[str, object]]:
    corpus = report.corpus
    missed = [("missed under best", _missed(report))] if report.missed else []
    asked = _asked(report.constraints)
    return [
        *missed,
        ("command", code([report.command], "command", "the command line")),
        ("constraints", ", ".join(asked) if asked else "none"),
        ("objective", report.objective),
        ("corpus", join((tag("div", line) for line in corpus_lines(corpus, Look())), "")),
        ("corpus digest", tag("code", corpus.digest)),
        ("version", f"repeat-reminder {report.version}"),
    ]


def _missed(report: TuneReport) -> Markup:
    """Return where the longest runs begin of stuck sessions that get no message."""
    places = [
        tag("div", tag("bdi", one.place), f" · longest run {plural(one.longest, 'call')}")
        for one in report.missed[:MOST_MISSED]
    ]
    rest = len(report.missed) - len(places)
    return join([*places, *([tag("div", f"and {rest:,} more")] if rest else [])])


def _asked(constraints: Constraints) -> list[str]:
    """Return the constraints as they are typed."""
    shares = {
        "max-warned": constraints.max_warned,
        "require-caught": constraints.require_caught,
        "alpha": constraints.alpha,
    }
    asked = [
        f"--{name} {float(share * 100):g}%" for name, share in shares.items() if share is not None
    ]
    if constraints.max_messages is not None:
        asked.append(f"--max-messages-per-session {constraints.max_messages:g}")
    return asked
