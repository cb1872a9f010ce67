"""What ``tune`` does between its options and its page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from repeat_reminder import __version__
from repeat_reminder.cli import options as opt
from repeat_reminder.cli import shared
from repeat_reminder.cli.asking import breaker_of, labels_of, lists, reminder_of, share
from repeat_reminder.cli.caching import Caching, intervals
from repeat_reminder.cli.gathering import Gathered, gather
from repeat_reminder.cli.output import writing
from repeat_reminder.cli.tune_html import check_page, without_arguments, write_page
from repeat_reminder.cli.tune_output import emit, print_report
from repeat_reminder.config import Loaded
from repeat_reminder.errors import UsageError
from repeat_reminder.policies.reminder_config import ReminderConfig
from repeat_reminder.render.tune.figures import Constraints
from repeat_reminder.tune.candidates import Objective
from repeat_reminder.tune.corpus import check_selection, corpus_of, selected
from repeat_reminder.tune.labels import Label
from repeat_reminder.tune.report import tune_report
from repeat_reminder.tune.request import Request

if TYPE_CHECKING:
    from repeat_reminder.policies.breaker import BreakerConfig
    from repeat_reminder.render.tune.breaker_values import BreakerReport
    from repeat_reminder.render.tune.values import TuneReport
    from repeat_reminder.tune.breaker_sweep import BreakerRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What to compute, as it was typed."""

    labels: str | None
    label_from: str | None
    max_warned: str | None
    max_messages: float | None
    require_caught: str | None
    alpha: str | None
    objective: str
    tried: Sequence[str]
    try_exclude: Sequence[str]
    sweep: Sequence[str]
    hold_out: str | None
    resamples: int
    seed: int
    sessions: Sequence[str]
    agents: Sequence[str]

    @property
    def constraints(self) -> Constraints:
        """Return what a configuration has to meet.

        Raises:
            UsageError: a share is none.
        """
        alpha = share("--alpha", self.alpha)
        if alpha in (0, 1):
            raise UsageError("must lie between 0 and 100%", path="--alpha")
        return Constraints(
            max_warned=share("--max-warned", self.max_warned),
            max_messages=self.max_messages,
            require_caught=share("--require-caught", self.require_caught),
            alpha=alpha,
        )

    def request(
        self, config: ReminderConfig, origins: Mapping[str, str], read: Gathered
    ) -> Request:
        """Return what to compute, whatever the policy.

        Raises:
            UsageError: something typed makes no sense.
        """
        hold_out = share("--hold-out", self.hold_out) or Fraction(0)
        if hold_out == 1:
            raise UsageError("leaves no session to choose on", path="--hold-out")
        return Request(
            config=config,
            origins=origins,
            constraints=self.constraints,
            objective=Objective(self.objective),
            hold_out=hold_out,
            resamples=self.resamples,
            seed=self.seed,
            version=__version__,
            command=opt.typed(),
            skipped_lines=read.skipped_lines,
            skipped_files=read.skipped_files,
        )

    def of_reminder(self, loaded: Loaded, read: Gathered) -> Request:
        """Return what to compute for the reminder.

        Raises:
            UsageError: something typed makes no sense for it.
        """
        if self.sweep:
            raise UsageError("--sweep is for the breaker", hint="--policy breaker, or --try 4,7,12")
        common = self.request(*reminder_of(loaded), read)
        return replace(
            common, tried=lists("--try", self.tried), try_exclude=tuple(self.try_exclude)
        )

    def of_breaker(
        self, config: "BreakerConfig", loaded: Loaded, read: Gathered
    ) -> "BreakerRequest":
        """Return what to compute for the breaker.

        Raises:
            UsageError: something typed makes no sense for it.
        """
        from repeat_reminder.tune.breaker_sweep import BreakerRequest

        for option, given in (
            ("--try-exclude", self.try_exclude),
            ("--hold-out", self.hold_out),
            ("--alpha", self.alpha),
        ):
            if given:
                raise UsageError(f"{option} is for the reminder")
        return BreakerRequest(
            common=self.request(ReminderConfig(), loaded.policies[0].origins, read),
            config=config,
            tried=tuple(self.tried),
            sweeps=tuple(self.sweep),
            answer=loaded.answer,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How to print it."""

    form: opt.TableFormat
    emit: opt.EmitAs | None
    output: str | None
    color: opt.ColorWhen
    origins: bool
    jobs: int | None
    quiet: bool
    caching: Caching
    html: str | None = None
    """Where to write the page."""
    redact: bool = False


def run(
    inputs: shared.Inputs,
    settings: shared.PolicyOptions,
    asked: Asked,
    wanted: Wanted,
    console: shared.Console,
) -> bool:
    """Read, compute and print.

    Returns:
        Whether the constraints are met, or there are none.

    Raises:
        RepeatReminderError: something typed makes no sense, or nothing can be read.
    """
    loaded = shared.load_policies(settings)
    console.problems(loaded.notes)
    check_page(wanted.html, wanted.output, is_reminder=breaker_of(loaded) is None)
    constraints = asked.constraints
    if wanted.emit is not None and not constraints.any:
        hint = "give a constraint, such as --max-warned 20%"
        raise UsageError("without a constraint there is no best config to emit", hint=hint)
    report = _computed(loaded, inputs, asked, wanted, console)
    if wanted.redact:
        report = without_arguments(report)
    met = report.best is not None or not constraints.any
    if not met and (wanted.emit or wanted.form is not opt.TableFormat.FULL):
        console.tell(["no configuration meets the constraints"])
    if wanted.emit is None:
        with writing(wanted.output, inputs.paths, live=False) as writer:
            print_report(report, wanted, writer)
    elif met:
        with writing(wanted.output, inputs.paths, live=False) as writer:
            emit(report, wanted.emit, settings.config, writer)
    if wanted.html is not None:
        write_page(report, wanted.html, inputs, console)
    return met


def _computed(
    loaded: Loaded,
    inputs: shared.Inputs,
    asked: Asked,
    wanted: Wanted,
    console: shared.Console,
) -> "TuneReport | BreakerReport":
    config = breaker_of(loaded)
    _checked(config, loaded, asked)
    read = gather(
        inputs,
        console,
        jobs=wanted.jobs,
        quiet=wanted.quiet,
        breaker=config,
        caching=wanted.caching,
    )
    if not read.tables:
        console.exit()
    whole = corpus_of(read.tables)
    marks = labels_of(whole, asked.labels, asked.label_from)
    check_selection(whole, asked.sessions, asked.agents)
    corpus, kept = selected(whole, asked.sessions, asked.agents)
    labels = [marks[at] for at in kept]
    if asked.require_caught is not None and Label.STUCK not in labels:
        hint = "label some with --labels or --label-from"
        raise UsageError("no session is labelled stuck", path="--require-caught", hint=hint)
    if config is None:
        in_full = wanted.form is opt.TableFormat.JSON or wanted.html is not None
        request = replace(asked.of_reminder(loaded, read), in_full=in_full)
        with intervals(console, use=read.cached) as memory:
            return tune_report(corpus, labels, replace(request, memory=memory))
    from repeat_reminder.tune.breaker_sweep import breaker_report

    return breaker_report(corpus, labels, asked.of_breaker(config, loaded, read))


def _checked(config: "BreakerConfig | None", loaded: Loaded, asked: Asked) -> None:
    """Let a slip of the pen be told before hours of reading."""
    nothing = Gathered(tables=(), skipped_lines=0, skipped_files=0)
    if config is None:
        asked.of_reminder(loaded, nothing)
        return
    from repeat_reminder.tune.breaker_configs import configurations

    asked.of_breaker(config, loaded, nothing)
    configurations(config, asked.tried, asked.sweep)
