"""Many breaker configurations over one corpus: whole replays, for results are not monotone.

With a window or a gate, a smaller limit may well lead to fewer messages: so nothing is derived
from another configuration, and each is replayed over every session that could hear of it.
"""

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from repeat_reminder.errors import UsageError
from repeat_reminder.events import Action, Json
from repeat_reminder.policies.answers import UNATTENDED, Answer
from repeat_reminder.policies.breaker import BreakerConfig
from repeat_reminder.render.tune.breaker_values import BreakerCandidate, BreakerReport
from repeat_reminder.render.tune.figures import Constraints, Interval
from repeat_reminder.tune.binomial import lower_bound
from repeat_reminder.tune.bootstrap import mean_intervals
from repeat_reminder.tune.breaker_configs import configurations
from repeat_reminder.tune.breaker_replay import Outcome, Play
from repeat_reminder.tune.breaker_table import BreakerTable
from repeat_reminder.tune.candidates import Objective, undominated
from repeat_reminder.tune.corpus import Corpus
from repeat_reminder.tune.labels import Label
from repeat_reminder.tune.report import corpus_figures
from repeat_reminder.tune.request import Request
from repeat_reminder.tune.runs import Choice, chain
from repeat_reminder.tune.scoring import Chosen

MOST_INTERVALS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerRequest:
    """One sweep."""

    common: Request
    """Its config plays no part."""
    config: BreakerConfig
    """The current one."""
    tried: tuple[str, ...] = ()
    """``KEY=VALUE,…`` of further configurations."""
    sweeps: tuple[str, ...] = ()
    """``KEY=VALUE,VALUE…``; all combinations."""
    answer: Answer = UNATTENDED


def breaker_report(
    corpus: Corpus, labels: Sequence[Label], request: BreakerRequest
) -> BreakerReport:
    """Replay the configurations, and work out the report.

    Args:
        corpus: all sessions; their tables hold what the breaker met.
        labels: one for each session.
        request: what is asked.

    Raises:
        UsageError: a configuration makes no sense.
    """
    common = request.common
    if common.constraints.alpha is not None:
        raise UsageError("--alpha is for the reminder: a window has no longest run")
    configs = configurations(request.config, request.tried, request.sweeps)
    stuck = [label is Label.STUCK for label in labels]
    outcomes = replayed(corpus, [config for config, _, _ in configs], request.answer)
    candidates = [
        _candidate(config, changes, named, own, stuck, common.constraints)
        for (config, changes, named), own in zip(configs, outcomes, strict=True)
    ]
    candidates[0] = replace(candidates[0], is_now=True)
    chosen = _best(candidates, common.objective)
    candidates = _marked(candidates, chosen)
    candidates = _bounded(candidates, outcomes, stuck, common)
    choice = Choice(include=request.config.include, exclude=request.config.exclude)
    sessions = [
        Chosen(table, chain(table, choice), is_stuck)
        for table, is_stuck in zip(corpus.sessions, stuck, strict=True)
    ]
    return BreakerReport(
        version=common.version,
        command=common.command,
        corpus=corpus_figures(corpus, labels, sessions, common),
        now=request.config.record(),
        origins=common.origins,
        objective=common.objective.value,
        constraints=common.constraints,
        candidates=tuple(candidates),
        answer=request.answer,
        is_recommended=bool(chosen and chosen.stuck),
        resamples=common.resamples,
        seed=common.seed,
    )


def replayed(
    corpus: Corpus, configs: Sequence[BreakerConfig], answer: Answer
) -> list[list[Outcome]]:
    """Return for each configuration what it does in each session."""
    outcomes: list[list[Outcome]] = [[] for _ in configs]
    for table in corpus.sessions:
        play = Play(table.breaker or BreakerTable())
        for config, own in zip(configs, outcomes, strict=True):
            own.append(play.outcome(config, answer))
    return outcomes


def _candidate(  # noqa: PLR0913, PLR0917 - the parts of one candidate
    config: BreakerConfig,
    changes: dict[str, Json],
    named: bool,  # noqa: FBT001 - private, one caller
    outcomes: Sequence[Outcome],
    stuck: Sequence[bool],
    constraints: Constraints,
) -> BreakerCandidate:
    cost = [one for one, is_stuck in zip(outcomes, stuck, strict=True) if not is_stuck]
    lost = [one for one, is_stuck in zip(outcomes, stuck, strict=True) if is_stuck]
    actions: Counter[Action] = sum((one.actions for one in cost), Counter())
    hits = [one.first for one in lost if one.first is not None]
    found = BreakerCandidate(
        config=config.record(),
        changes=changes,
        sessions=len(cost),
        messages=sum(one.messages for one in cost),
        by_action={action.value: actions[action] for action in Action if actions[action]},
        sessions_warned=sum(one.first is not None for one in cost),
        sessions_gated=sum(one.gate_calls > 0 for one in cost),
        gate_calls=sum(one.gate_calls for one in cost),
        stuck=len(lost),
        caught=len(hits),
        caught_gated=sum(one.gate_calls > 0 for one in lost),
        first_hit=statistics.median(hits) if hits else None,
        all_messages=sum(one.messages for one in outcomes),
        all_sessions_warned=sum(one.first is not None for one in outcomes),
        all_sessions_gated=sum(one.gate_calls > 0 for one in outcomes),
        all_gate_calls=sum(one.gate_calls for one in outcomes),
        caught_at_least=lower_bound(len(hits), len(lost)) if lost else None,
        is_named=named,
    )
    return replace(found, unmet=_unmet(found, constraints) if constraints.any else None)


def _unmet(one: BreakerCandidate, constraints: Constraints) -> tuple[str, ...]:
    broken: list[str] = []
    most = constraints.max_warned
    if most is not None and one.sessions_warned > most * one.sessions:
        broken.append("max-warned")
    if constraints.max_messages is not None and one.per_session > constraints.max_messages:
        broken.append("max-messages-per-session")
    least = constraints.require_caught
    if least is not None and one.caught < least * one.stuck:
        broken.append("require-caught")
    return tuple(broken)


def _best(candidates: Sequence[BreakerCandidate], objective: Objective) -> BreakerCandidate | None:
    """Return the best that meets all constraints.

    Early: the earliest median hit; without stuck sessions, what warns most within the constraints.
    Quiet: the fewest messages and gates. Of equals the one that changes least.
    """
    fit = [one for one in candidates if one.unmet == ()]
    if objective is Objective.QUIET:
        return min(fit, key=lambda one: (_noise(one), len(one.changes)), default=None)
    if any(one.stuck for one in fit):
        return min(
            fit,
            key=lambda one: (-one.caught, one.first_hit or 0, _noise(one), len(one.changes)),
            default=None,
        )
    return min(fit, key=lambda one: (-one.sessions_warned, len(one.changes)), default=None)


def _noise(one: BreakerCandidate) -> int:
    return one.messages + one.gate_calls


def _marked(
    candidates: Sequence[BreakerCandidate], chosen: BreakerCandidate | None
) -> list[BreakerCandidate]:
    merits = [
        (
            one.messages,
            one.gate_calls,
            one.sessions_warned,
            one.sessions_gated,
            -one.caught,
            -one.caught_gated,
            math.inf if one.first_hit is None else one.first_hit,
        )
        for one in candidates
    ]
    return [
        replace(one, is_front=is_front, is_best=one is chosen)
        for one, is_front in zip(candidates, undominated(merits), strict=True)
    ]


def _bounded(
    candidates: list[BreakerCandidate],
    outcomes: Sequence[Sequence[Outcome]],
    stuck: Sequence[bool],
    common: Request,
) -> list[BreakerCandidate]:
    """Give intervals to the candidates that a page shows."""
    shown = sorted(range(len(candidates)), key=lambda at: (_interest(candidates[at]), at))
    shown = shown[:MOST_INTERVALS]
    if not common.resamples:
        return candidates
    groups: Counter[tuple[float, ...]] = Counter()
    for session, is_stuck in enumerate(stuck):
        if not is_stuck:
            row = [_row(outcomes[at][session]) for at in shown]
            groups[tuple([value for part in row for value in part])] += 1
    found = mean_intervals(
        groups, [False, True, True] * len(shown), resamples=common.resamples, seed=common.seed
    )
    for position, at in enumerate(shown):
        if found:
            low, high = found[3 * position]
            sessions = candidates[at].sessions
            candidates[at] = replace(
                candidates[at],
                messages_interval=Interval(low * sessions, high * sessions),
                warned_interval=found[3 * position + 1],
                gated_interval=found[3 * position + 2],
            )
    return candidates


def _row(one: Outcome) -> tuple[float, float, float]:
    return one.messages, float(one.first is not None), float(one.gate_calls > 0)


def _interest(one: BreakerCandidate) -> int:
    if one.is_now or one.is_best:
        return 0
    return 1 if one.is_named else 2 if one.is_front else 3
