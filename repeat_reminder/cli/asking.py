"""What is typed for ``tune`` and ``stats``, read into values."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from repeat_reminder.config import Loaded, Mounted
from repeat_reminder.errors import ConfigError, UsageError
from repeat_reminder.policies.reminder_config import ReminderConfig
from repeat_reminder.tune.corpus import Corpus
from repeat_reminder.tune.labels import Label, assigned, from_template, of_logs, read_labels

if TYPE_CHECKING:
    from repeat_reminder.policies.breaker import BreakerConfig


def share(option: str, text: str | None) -> Fraction | None:
    """Read ``20%`` or ``0.2``.

    Raises:
        UsageError: it is no number, or not between 0 and 1.
    """
    if text is None:
        return None
    number, percent = text.strip(), 1
    if number.endswith("%"):
        number, percent = number[:-1].strip(), 100
    try:
        value = Fraction(number) / percent
    except (ValueError, ZeroDivisionError):
        hint = "a share is written 20% or 0.2"
        raise UsageError(f"{text!r} is no share", path=option, hint=hint) from None
    if not 0 <= value <= 1:
        likely = f"did you mean {number}%?" if value > 1 and percent == 1 else None
        raise UsageError(f"{text} is not between 0 and 100%", path=option, hint=likely)
    return value


def lists(option: str, texts: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Read ``4,7,12`` for each option, by the plugin's own rule.

    Raises:
        UsageError: one is no list of thresholds.
    """
    found = []
    for text in texts:
        try:
            numbers = tuple(int(part) for part in text.strip("[] ").split(","))
        except ValueError:
            hint = f"such as {option} 4,7,12"
            raise UsageError(f"{text!r} is no list of thresholds", path=option, hint=hint) from None
        try:
            found.append(ReminderConfig(thresholds=numbers).thresholds)
        except ConfigError as error:
            raise UsageError(error.message, path=option, hint=error.hint) from None
    return tuple(found)


def labels_of(corpus: Corpus, path: str | None, template: str | None) -> tuple[Label, ...]:
    """Return the label of every session: from the file, else from its path, else from the log.

    Raises:
        UsageError: the file or the template does not fit the sessions.
    """
    every = (*corpus.sessions, *corpus.dropped)  # what is left out may be named all the same
    found = of_logs(every)
    if template is not None:
        found |= from_template(every, template)
    if path is not None:
        found |= assigned(every, read_labels(path, _bytes(path)), path)
    return tuple(found.get(at, Label.UNKNOWN) for at in range(len(corpus.sessions)))


def _bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror or error}", path=path) from None


def reminder_of(loaded: Loaded) -> tuple[ReminderConfig, dict[str, str]]:
    """Return the one reminder config that is mounted, and where its values are from.

    Raises:
        UsageError: something else is mounted, or more.
    """
    mounted = _one(loaded)
    if not isinstance(mounted.config, ReminderConfig):
        message = f"it takes the reminder; mounted: {mounted.policy}"
        raise UsageError(message, hint="--policy reminder")
    return mounted.config, dict(mounted.origins)


def breaker_of(loaded: Loaded) -> "BreakerConfig | None":
    """Return the breaker config, if it is what is mounted.

    Raises:
        UsageError: there is not one policy.
    """
    config = _one(loaded).config
    return None if isinstance(config, ReminderConfig) else config


def _one(loaded: Loaded) -> Mounted:
    if len(loaded.policies) != 1:
        names = ", ".join(one.policy for one in loaded.policies) or "none"
        message = f"it takes one policy; mounted: {names}"
        raise UsageError(message, hint="--policy reminder or --policy breaker")
    return loaded.policies[0]
