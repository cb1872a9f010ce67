"""What a file of our own says beside its settings: which policies to mount, how asks end.

The file beside a scenario is one::

    policy: [reminder, breaker]
    answer: approve
    breaker: {window: 20}
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from repeat_reminder.config.keys import no_policy, suggestion
from repeat_reminder.config.table import CHOICES, NONE, POLICIES
from repeat_reminder.config.tree import Table, Value, lines_in, plain
from repeat_reminder.events import Json
from repeat_reminder.policies.answers import ANSWERS, Answer
from repeat_reminder.policies.checks import Fault, shown, text_list


class Choice(Struct, frozen=True, kw_only=True):
    """What a file chooses."""

    policies: tuple[str, ...] = ()
    """Policies to mount, in order; empty if it does not say."""
    answer: Answer | None = None
    """What the operator says to every question; None if it does not say."""

    def __bool__(self) -> bool:
        """Tell whether it chooses anything."""
        return bool(self.policies or self.answer)


def choice_of(root: Value, path: str) -> Choice:
    """Read the choices of a file. What is a harness's own, such as a row, has none.

    Args:
        root: the whole file.
        path: what it is called.

    Raises:
        ConfigError: there is no such policy or answer.
    """
    if not isinstance(root, Table) or "tool" in root:
        return Choice()
    chosen = root.without(set(root).difference(CHOICES))
    fault = Fault(path, lines_in(chosen).get)
    values = plain(chosen, path=path)
    given = values if isinstance(values, dict) else {}
    return Choice(policies=policies_named(given, fault), answer=_answer(given, fault))


def last_of(choices: Iterable[Choice]) -> Choice:
    """Return what files choose together: of each thing, what the last one says about it."""
    together = Choice()
    for choice in choices:
        together = Choice(
            policies=choice.policies or together.policies, answer=choice.answer or together.answer
        )
    return together


def policies_named(given: Mapping[str, Json], fault: Fault) -> tuple[str, ...]:
    """Return the policies under ``policy``, in their order; empty if there is no such key.

    Raises:
        ConfigError: there is no policy of that name.
    """
    names = texts("policy", given, fault)
    for name in names:
        if name not in (*POLICIES, NONE):
            raise fault("policy", *no_policy(name))
    return names


def texts(key: str, given: Mapping[str, Json], fault: Fault) -> tuple[str, ...]:
    """Return a list of strings; one alone may stand without the list.

    Raises:
        ConfigError: it is something else.
    """
    value = given.get(key, [])
    return (value,) if isinstance(value, str) else text_list(key, value, fault)


def _answer(given: Mapping[str, Json], fault: Fault) -> Answer | None:
    if "answer" not in given:
        return None
    value = given["answer"]
    for answer in ANSWERS:
        if value == answer:
            return answer
    meant = suggestion(value, ANSWERS) if isinstance(value, str) else None
    hint = f"did you mean {meant}?" if meant else None
    raise fault("answer", f"expected {', '.join(ANSWERS)}, found {shown(value)}", hint)
