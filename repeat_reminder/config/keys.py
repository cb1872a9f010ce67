"""Keys that are nobody's: the plugin ignores them silently, we say so."""

from collections.abc import Iterable, Sequence

from repeat_reminder.config.table import CHOICES, NONE, POLICIES, Policy
from repeat_reminder.config.tree import Table
from repeat_reminder.errors import ConfigError


def check_keys(table: Table, policy: Policy, path: str, *, also: Sequence[str] = ()) -> None:
    """Refuse a key that the policy does not have.

    Args:
        table: the block.
        policy: the policy it is for.
        path: the file it is from.
        also: other keys that may stand there.

    Raises:
        ConfigError: with the key that was probably meant, or the policy it belongs to.
    """
    known = (*policy.keys, *also)
    for key in table:
        if key not in (*known, *policy.removed, *policy.idle):
            message, hint = _unknown(key, policy, known)
            raise ConfigError(message, path=path, line=table.lines.get(key), hint=hint)


def _unknown(key: str, policy: Policy, known: Sequence[str]) -> tuple[str, str]:
    for other in POLICIES.values():
        if key in (*other.keys, *other.removed):
            hint = f"put it in a block for the {other.name}, mounted with --policy {other.name}"
            return f"{key}: a key of the {other.name}, not of the {policy.name}", hint
    if key in CHOICES:
        hint = f"it stands at the top of a scenario's config, or say --{key}"
        return f"{key}: this is no setting of the {policy.name}", hint
    meant = suggestion(key, (*known, *CHOICES))
    hint = f"did you mean {meant}?" if meant else f"the keys are {', '.join(known)}"
    return f"{key}: unknown key", hint


def no_policy(name: str) -> tuple[str, str]:
    """Return the message and the hint for a policy that does not exist."""
    known = [*POLICIES, NONE]
    meant = suggestion(name, known)
    hint = f"did you mean {meant}?" if meant else f"the policies are {', '.join(known)}"
    return f"there is no policy {name}", hint


def suggestion(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that a misspelt one most likely stands for."""
    from difflib import get_close_matches  # noqa: PLC0415 - only an error has a use for it

    folded = {_folded(candidate): candidate for candidate in known}
    close = get_close_matches(_folded(word), folded, n=1, cutoff=0.7)
    return folded[close[0]] if close else None


def _folded(word: str) -> str:
    """Make ``arguments-preview-chars`` and ``argumentsPreviewChars`` one word."""
    return "".join(filter(str.isalnum, word)).casefold()
