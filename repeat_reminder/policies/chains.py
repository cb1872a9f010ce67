"""Runs of identical calls: what is counted, apart from what any threshold says about a count."""

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from msgspec.structs import replace

from repeat_reminder.canonical import canonical, canonical_of, parse_arguments
from repeat_reminder.events import Agent, Json, SessionId, ToolCall
from repeat_reminder.jsontext import MAX_DEPTH
from repeat_reminder.policies.patterns import Scope, matches

_SHORT = 1_024
"""Characters of arguments that are kept as they are; of longer ones a digest is kept."""
_FEW = 64
"""Values looked at to weigh parsed arguments. Must stay below `MAX_DEPTH`."""


@dataclass(frozen=True, slots=True)
class IgnoredArguments:
    """Top-level argument names that are no part of a call's identity.

    An entry is ``name``, or ``tool:name`` for the tools that match the pattern ``tool``. The last
    colon separates, for tool names may hold some.
    """

    entries: tuple[str, ...] = ()

    def of(self, tool: str) -> frozenset[str]:
        """Return the names that are left out of the calls of one tool."""
        return _ignored_names(self.entries, tool) if self.entries else _NO_NAMES


_NO_NAMES: frozenset[str] = frozenset()


@lru_cache(maxsize=1_024)
def _ignored_names(entries: tuple[str, ...], tool: str) -> frozenset[str]:
    split = (entry.rpartition(":") for entry in entries)
    return frozenset(name for of, colon, name in split if not colon or matches(of, tool))


@dataclass(slots=True)
class Run:
    """A run of identical calls of one agent, as far as it has come."""

    first: ToolCall
    """Its first call; without arguments once the run has an ``identity`` and they are long."""
    count: int = 1
    identity: str | bytes | None = None
    """What its calls have in common beside the tool; None while nobody had to know."""


class Chains:
    """One run for each agent. Thresholds play no part: whoever reads the counts knows some.

    A call that goes on with another tool, or with members that prove it, is never canonicalised.
    That shows in nothing but the time it takes. Memory: for each agent the latest call, with a
    digest in place of long arguments; and for all agents together the long arguments of one call.
    A call that was counted must not be changed afterwards.
    """

    def __init__(self, scope: Scope, ignored: IgnoredArguments) -> None:
        """Start with no run."""
        self._scope = scope
        self._ignored = ignored
        self._runs: dict[SessionId, dict[str, Run]] = {}
        self._loose: Run | None = None
        """The one run without an identity whose arguments are long."""

    def count(self, call: ToolCall) -> Run | None:
        """Count a call that has settled.

        Returns:
            The run it belongs to, which the next call changes; None if its tool is not tracked.

        Raises:
            TooDeep: the arguments are nested too deep to count. Nothing has changed.
        """
        if not self._scope.tracks(call.name):
            return None
        run = self._runs.get(call.agent.session, _NO_RUNS).get(call.agent.id)
        if run is None or run.first.name != call.name:
            return self._start(call)
        identity = None
        alike = self._glance(run.first, call)
        if alike is None:
            identity = identity_of(call, self._ignored)
            alike = self._identify(run) == identity
        if not alike:
            return self._start(call, identity)
        run.count += 1
        return run

    def _glance(self, one: ToolCall, other: ToolCall) -> bool | None:
        """Tell without canonicalising whether two calls are the same, if that is easily proved."""
        if one.arguments_text is not None and one.arguments_text == other.arguments_text:
            return True
        return None if self._ignored.entries else _alike(one.arguments, other.arguments)

    def drop(self, agent: Agent) -> None:
        """Forget the run of one agent."""
        self._runs.get(agent.session, {}).pop(agent.id, None)

    def drop_session(self, session: SessionId) -> None:
        """Forget the runs of all agents of a session."""
        self._runs.pop(session, None)

    def _start(self, call: ToolCall, identity: str | bytes | None = None) -> Run:
        size = _size(call)
        if identity is None and size is None:
            identity = identity_of(call, self._ignored)  # raises if it is too deep indeed
        run = Run(first=call, identity=identity)
        self._runs.setdefault(call.agent.session, {})[call.agent.id] = run
        if size is None or size > _SHORT:
            if identity is None:
                self._keep_loose(run)
            else:
                run.first = _bare(call)
        return run

    def _keep_loose(self, run: Run) -> None:
        """Let one run keep long arguments: in most logs, the next call makes them irrelevant."""
        loose, self._loose = self._loose, run
        if loose is not None and loose.identity is None and self._is_current(loose):
            self._identify(loose)

    def _is_current(self, run: Run) -> bool:
        agent = run.first.agent
        return self._runs.get(agent.session, _NO_RUNS).get(agent.id) is run

    def _identify(self, run: Run) -> str | bytes:
        """Return the identity of a run; from now on its arguments are kept only if short."""
        if run.identity is None:
            run.identity = identity_of(run.first, self._ignored)
            size = _size(run.first)
            if size is None or size > _SHORT:
                run.first = _bare(run.first)
        return run.identity


_NO_RUNS: dict[str, Run] = {}


def identity_of(call: ToolCall, ignored: IgnoredArguments) -> str | bytes:
    """Return what a call has in common with its repeats, beside the tool; long texts as a digest.

    Raises:
        TooDeep: as in `compared`.
    """
    text = compared(call, ignored)
    return text if len(text) <= _SHORT else blake2b(text.encode(), digest_size=16).digest()


def compared(call: ToolCall, ignored: IgnoredArguments) -> str:
    """Print the arguments of a call that are compared: canonical, without the ignored ones.

    Raises:
        TooDeep: they are nested too deep to count.
    """
    names = ignored.of(call.name)
    return _without(names, call) if names else canonical_of(call.arguments_text, call.arguments)


def _without(names: frozenset[str], call: ToolCall) -> str:
    """Print the canonical arguments without some members of the top level."""
    text = call.arguments_text
    value = call.arguments if text is None else parse_arguments(text)
    full = canonical(value)  # first of all: arguments that are too deep never count
    if not isinstance(value, dict) or names.isdisjoint(value):
        return full
    return canonical({key: item for key, item in value.items() if key not in names})


def _bare(call: ToolCall) -> ToolCall:
    """Return the call without its arguments."""
    return replace(call, arguments_text=None, arguments=None)


def _alike(one: Json, other: Json) -> bool | None:
    """Tell whether two values have equal texts, if a look at their members proves it.

    They have if the members are the same, of the same types, and hold nothing. They have not if a
    string differs or is not there; only an ASCII string proves it, for of others two may be
    printed alike (halves of a character).
    """
    if not isinstance(one, dict) or not isinstance(other, dict):
        return None
    same = len(one) == len(other)
    for key, member in one.items():
        theirs = other.get(key)
        if isinstance(member, str):
            if member == theirs:
                continue
            if member.isascii() and _prints(key):
                return False
            same = False
        elif key not in other or type(member) is not type(theirs) or member != theirs:
            same = False
        else:
            same = same and not isinstance(member, dict | list)
    return True if same else None


def _prints(key: str) -> bool:
    """Tell a key that is printed, and printed as no other key is."""
    return key.isascii() and key != "__proto__"


def _size(call: ToolCall) -> int | None:
    """Weigh the arguments, in characters; None where a glance does not prove them shallow."""
    text = call.arguments_text
    if text is not None:
        shallow = len(text) <= MAX_DEPTH or text.count("{") + text.count("[") <= MAX_DEPTH
        return len(text) if shallow else None
    return _weight(call.arguments)


def _weight(value: Json) -> int | None:
    """Add up the characters in a value; None where a few looks do not prove it shallow."""
    size = 0
    if isinstance(value, dict) and len(value) < _FEW:  # nearly all: a few plain members
        for key, member in value.items():
            if type(member) is str:
                size += len(member)
            elif isinstance(member, dict | list):
                break
            size += len(key)
        else:
            return size
        size = 0
    todo: list[Json] = [value]
    for seen, node in enumerate(todo):
        if seen >= _FEW or (isinstance(node, dict | list) and len(node) > _FEW):
            return None
        if isinstance(node, str):
            size += len(node)
        elif isinstance(node, dict):
            todo += node.values()
            size += sum(map(len, node))
        elif isinstance(node, list):
            todo += node
    return size
