"""The tuning report: every figure of it, from a corpus and what is asked."""

import math
from collections.abc import Sequence
from dataclasses import replace

from msgspec import structs

from repeat_reminder.events import Json
from repeat_reminder.policies.reminder_config import ReminderConfig
from repeat_reminder.render.tune.figures import CorpusFigures
from repeat_reminder.render.tune.values import Candidate, Conformal, HeldOut, TuneReport
from repeat_reminder.tune import figures
from repeat_reminder.tune.advice import advice
from repeat_reminder.tune.candidates import (
    best,
    first_thresholds,
    marked,
    pool,
    unmet,
)
from repeat_reminder.tune.chained import Cut
from repeat_reminder.tune.conformal import conformal
from repeat_reminder.tune.corpus import Corpus
from repeat_reminder.tune.holdout import held_out
from repeat_reminder.tune.intervals import curve, with_intervals
from repeat_reminder.tune.labels import Label
from repeat_reminder.tune.request import Request
from repeat_reminder.tune.runs import Choice, chain
from repeat_reminder.tune.scoring import Chosen, Scorer

MOST_INTERVALS = 16
"""Candidates that get intervals: the ones that are shown."""


def choice_of(config: ReminderConfig) -> Choice:
    """Return what of a config decides which calls are one run."""
    return Choice(include=config.include, exclude=config.exclude, ignore_args=config.ignore_args)


def tune_report(corpus: Corpus, labels: Sequence[Label], request: Request) -> TuneReport:
    """Work out the report.

    Args:
        corpus: all sessions.
        labels: one for each session.
        request: what is asked.
    """
    choice = choice_of(request.config)
    everything = _chosen(corpus, labels, choice)
    stuck = [one.is_stuck for one in everything]
    out = held_out(corpus.sessions, stuck, request.hold_out, request.seed)
    scopes = [
        _Scope(_chosen(corpus, labels, choice.without(*more)) if more else everything, more, out)
        for more in _more(request.try_exclude)
    ]
    scored = _candidates(scopes, request)
    chosen = best([one for one, _ in scored], request.objective, len(request.config.thresholds))
    candidates = marked([one for one, _ in scored], chosen)
    owners = [scope for _, scope in scored]
    candidates = _bounded(candidates, owners, request)
    found = next((at for at, one in enumerate(candidates) if one.is_best), None)
    picked = None if found is None else (candidates[found], owners[found])
    return _whole(corpus, labels, request, everything, scopes[0], candidates, picked)


def _chosen(corpus: Corpus, labels: Sequence[Label], choice: Choice) -> list[Chosen]:
    return [
        Chosen(table, chain(table, choice), label is Label.STUCK)
        for table, label in zip(corpus.sessions, labels, strict=True)
    ]


def _more(patterns: Sequence[str]) -> list[tuple[str, ...]]:
    """Return what to exclude beside what is: nothing, each pattern, and all of them."""
    each = [(pattern,) for pattern in dict.fromkeys(patterns)]
    return [(), *each, *([tuple(one for (one,) in each)] if len(each) > 1 else [])]


# ---------------------------------------------------------------- scopes and candidates


class _Scope:
    """One choice of scope, its runs counted."""

    def __init__(
        self, sessions: Sequence[Chosen], more: tuple[str, ...], out: Sequence[bool]
    ) -> None:
        kept = tuple(one for one, is_out in zip(sessions, out, strict=True) if not is_out)
        rest = tuple(one for one, is_out in zip(sessions, out, strict=True) if is_out)
        self.more = more
        self.scorer = Scorer(kept, more)
        self.held_out = Scorer(rest, more)

    def conformal(self, request: Request) -> Conformal | None:
        """Return the conformal first threshold of this scope, if alpha is given."""
        alpha = request.constraints.alpha
        if alpha is None:
            return None
        good = (one.chained for one in self.scorer.sessions if not one.is_stuck)
        return conformal([math.inf if one.reminded else one.longest for one in good], alpha)


def _candidates(scopes: Sequence[_Scope], request: Request) -> list[tuple[Candidate, _Scope]]:
    """Score the current config, the named lists, and the pool, under every scope."""
    now = request.config.thresholds
    named = [now, *(one for one in dict.fromkeys(request.tried) if one != now)]
    first: list[tuple[Candidate, _Scope]] = []
    rest: list[tuple[Candidate, _Scope]] = []
    for scope in scopes:
        bound = scope.conformal(request)
        lowest = bound.threshold if bound else None
        for thresholds in dict.fromkeys([*named, *pool(scope.scorer, len(now))]):
            one = scope.scorer.score(thresholds)
            if request.constraints.any:
                one = structs.replace(one, unmet=unmet(one, request.constraints, lowest))
            is_current = not scope.more and thresholds == now
            is_named = not scope.more and thresholds in request.tried
            one = structs.replace(one, is_now=is_current, is_named=is_named)
            (first if is_current or is_named else rest).append((one, scope))
    rest.sort(key=lambda scored: _order(scored[0]))
    return first + rest


def _order(one: Candidate) -> tuple[int, tuple[str, ...], int, tuple[int, ...]]:
    return len(one.also_excluded), one.also_excluded, one.thresholds[0], one.thresholds


def _bounded(
    candidates: list[Candidate], owners: Sequence[_Scope], request: Request
) -> list[Candidate]:
    """Give intervals to the candidates that a page shows."""
    levels = len(request.config.thresholds)
    shown = sorted(range(len(candidates)), key=lambda at: (_interest(candidates[at], levels), at))[
        :MOST_INTERVALS
    ]
    bounded = with_intervals(
        [candidates[at] for at in shown],
        [owners[at].scorer for at in shown],
        resamples=request.resamples,
        seed=request.seed,
        memory=request.memory,
    )
    for at, one in zip(shown, bounded, strict=True):
        candidates[at] = one
    return candidates


def _interest(one: Candidate, levels: int) -> int:
    if one.is_now or one.is_best:
        return 0
    if one.is_named:
        return 1
    return 2 if one.is_front and len(one.thresholds) == levels else 3


# ---------------------------------------------------------------- the whole


def _whole(  # noqa: PLR0913, PLR0917 - the parts of one report
    corpus: Corpus,
    labels: Sequence[Label],
    request: Request,
    everything: Sequence[Chosen],
    scope: _Scope,
    candidates: Sequence[Candidate],
    picked: tuple[Candidate, _Scope] | None,
) -> TuneReport:
    config, now = request.config, scope.scorer
    thresholds = config.thresholds
    winner = picked[1].scorer if picked else None
    winning = picked[0].thresholds if picked else ()
    kinds = [label for label, is_in in zip(labels, _is_in(corpus, now), strict=True) if is_in]
    firsts = first_thresholds(now)
    return TuneReport(
        version=request.version,
        command=request.command,
        corpus=corpus_figures(corpus, labels, everything, request),
        now=config.record(),
        origins=request.origins,
        objective=request.objective.value,
        constraints=request.constraints,
        candidates=tuple(candidates),
        lengths=figures.length_rows(now, kinds),
        curve=tuple(
            curve(
                now,
                firsts,
                resamples=request.resamples if request.in_full else 0,
                seed=request.seed,
                memory=request.memory,
            )
        ),
        tools=figures.tool_shares(now, thresholds, winner, winning),
        survival=figures.survival(now),
        conformal=scope.conformal(request),
        held_out=_held_out(picked, request),
        missed=figures.missed(winner, winning) if winner else (),
        later=figures.later(now, thresholds, winner, winning) if winner else None,
        changes=figures.changes(now, thresholds, winner, winning, kinds) if winner else (),
        advice=advice(everything, config, choice_of(config)),
        best_config=best_config(config, picked[0]) if picked else None,
        is_recommended=bool(picked and picked[0].stuck),
        resamples=request.resamples,
        seed=request.seed,
    )


def _is_in(corpus: Corpus, scorer: Scorer) -> list[bool]:
    """Tell which sessions of the corpus a scorer has."""
    own = {id(one.table) for one in scorer.sessions}
    return [id(table) in own for table in corpus.sessions]


def _held_out(picked: tuple[Candidate, _Scope] | None, request: Request) -> HeldOut | None:
    if picked is None or not request.hold_out:
        return None
    one, scope = picked
    score = structs.replace(scope.held_out.score(one.thresholds), is_best=True)
    (score,) = with_intervals(
        [score],
        [scope.held_out],
        resamples=request.resamples,
        seed=request.seed,
        memory=request.memory,
    )
    return HeldOut(len(scope.scorer.sessions), len(scope.held_out.sessions), score)


def best_config(config: ReminderConfig, one: Candidate) -> dict[str, Json]:
    """Return every key of the config that a candidate stands for."""
    return replace(
        config,
        thresholds=one.thresholds,
        exclude=tuple(dict.fromkeys((*config.exclude, *one.also_excluded))),
    ).record()


def corpus_figures(
    corpus: Corpus, labels: Sequence[Label], sessions: Sequence[Chosen], request: Request
) -> CorpusFigures:
    """Count what was read."""
    cuts = [run.cut for one in sessions for run in one.chained.runs]
    return CorpusFigures(
        digest=corpus.digest() if request.in_full else "",
        files=corpus.files,
        sessions=len(corpus.sessions),
        calls=corpus.calls,
        tracked=sum(one.chained.tracked for one in sessions),
        stuck=labels.count(Label.STUCK),
        ok=labels.count(Label.OK),
        unknown=labels.count(Label.UNKNOWN),
        off_policy=sum(table.off_policy for table in corpus.sessions),
        cut_by_reminder=cuts.count(Cut.REMINDER),
        cut_by_log=cuts.count(Cut.LOG),
        copies=corpus.copies,
        copied_sessions=corpus.copied_sessions,
        skipped_lines=request.skipped_lines,
        skipped_files=request.skipped_files,
    )
