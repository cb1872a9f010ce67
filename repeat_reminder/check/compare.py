"""What differs between two transcripts: what guards did, their settings, the session itself."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from repeat_reminder import jsontext
from repeat_reminder.check.align import Pair, pairs
from repeat_reminder.check.lines import Line, Object, text_of
from repeat_reminder.check.transcript import (
    Entry,
    Said,
    Transcript,
    gated_calls,
    policies_of,
    transcript,
)
from repeat_reminder.check.words import parted, policy_changes, setting, shown_line
from repeat_reminder.render.check.outcomes import Change, ChangeKind

_EXCERPT = 48
"""Characters of two texts shown from where they part."""


class _Same(NamedTuple):
    """One thing a guard did, in both transcripts."""

    then: Said
    now: Said


def changes(
    before: Sequence[Line], after: Sequence[Line], places: Mapping[int, str]
) -> Iterator[Change]:
    """Yield what differs, in the order of the headline; nothing if only the spelling does.

    Args:
        before: lines of the snapshot.
        after: lines of this run's transcript.
        places: ``file:line`` of the call behind a line of this run.
    """
    gated = gated_calls(before) | gated_calls(after)
    policies = [*policies_of(before), *policies_of(after)]
    old, new = (transcript(side, gated, policies) for side in (before, after))
    session = _Session(old, new)
    of_session = list(session.changes())
    yield from _Guards(session, places).changes(old.said, new.said)
    yield from policy_changes(old.policies, new.policies)
    yield from of_session


class _Session:
    """The session's own lines, compared: which calls and places are the same."""

    def __init__(self, old: Transcript, new: Transcript) -> None:
        self._old, self._new = old, new
        self._same = pairs([one.key for one in old.entries], [one.key for one in new.entries])
        matching = [*self._same, *self._in_place()]
        self._calls = {
            old.entries[i].line.call: new.entries[j].line.call
            for i, j in matching
            if old.entries[i].line.kind == new.entries[j].line.kind == "tool_call"
        }
        self._spots = {0: 0} | {i + 1: j + 1 for i, j in matching}

    def _in_place(self) -> Iterator[Pair]:
        """Pair lines that were edited where they stand: as many came as went."""
        at_old = at_new = 0
        for i, j in [*self._same, (len(self._old.entries), len(self._new.entries))]:
            if i - at_old == j - at_new:
                yield from zip(range(at_old, i), range(at_new, j), strict=True)
            at_old, at_new = i + 1, j + 1

    def call(self, said: Said) -> str | None:
        """Return what the call behind something of the snapshot is called in this run."""
        return self.call_of(said.call)

    def call_of(self, call: str | None) -> str | None:
        """Return what a call of the snapshot is called in this run; None if it is gone."""
        return self._calls.get(call)

    def spot(self, said: Said) -> int | None:
        """Return where something of the snapshot would stand in this run."""
        return self._spots.get(said.at)

    def changes(self) -> Iterator[Change]:
        """Yield how the session differs."""
        gone, came = self._rest()
        for what, before, after in (
            ("format", ",".join(self._old.formats), ",".join(self._new.formats)),
            ("schema", f"{self._old.schema}", f"{self._new.schema}"),
        ):
            if before != after:
                yield _reader(what, before, after, 1)
        if gone and _without_kind(gone) == _without_kind(came):
            first = gone[0].line
            before, after = (text_of(side[0].line.update.get("kind")) for side in (gone, came))
            yield _reader(f"kind of {shown_line(first)}", before, after, first.number)
        elif gone or came:
            yield _session_change(gone, came)

    def _rest(self) -> tuple[list[Entry], list[Entry]]:
        """Return the lines that the other side has not; or else those whose calls got crossed."""
        old, new = self._old.entries, self._new.entries
        kept_old, kept_new = {i for i, _ in self._same}, {j for _, j in self._same}
        gone = [one for i, one in enumerate(old) if i not in kept_old]
        came = [one for j, one in enumerate(new) if j not in kept_new]
        if gone or came:
            return gone, came
        both = [(old[i], new[j]) for i, j in self._same if old[i].line.call]
        crossed = [(a, b) for a, b in both if self._calls.get(a.line.call) != b.line.call]
        return [a for a, _ in crossed], [b for _, b in crossed]


def _reader(what: str, before: str, after: str, line: int) -> Change:
    return Change(kind=ChangeKind.READER, what=what, before=before, after=after, line=line)


def _session_change(gone: Sequence[Entry], came: Sequence[Entry]) -> Change:
    both = min(len(gone), len(came))
    numbers = {"changed": both, "gone": len(gone) - both, "new": len(came) - both}
    told = ", ".join(f"{number:,} {word}" for word, number in numbers.items() if number)
    before, after = (shown_line(side[0].line) if side else "" for side in (gone, came))
    before, after = parted(before, after, _EXCERPT * 2)
    return Change(
        kind=ChangeKind.SESSION,
        what=f"lines of the session: {told}",
        before=before,
        after=after,
        line=gone[0].line.number if gone else None,
    )


def _without_kind(entries: Sequence[Entry]) -> list[bytes]:
    lines = (one.line for one in entries)
    return [
        jsontext.dumps([line.session, {k: v for k, v in line.update.items() if k != "kind"}])
        for line in lines
    ]


@dataclass(slots=True)
class _Guards:
    """What guards did, then and now."""

    session: _Session
    places: Mapping[int, str]

    def changes(self, old: Sequence[Said], new: Sequence[Said]) -> list[Change]:
        """Pair what is the same, then what moved, then what is said differently at one call."""
        same, old, new = _paired(old, new, self._then_here, _here)
        alike, old, new = _paired(old, new, _subject, _subject)
        moved = [pair for pair in alike if not self._stayed(*pair)]
        same += [pair for pair in alike if self._stayed(*pair)]
        other, old, new = _paired(old, new, self._then_call, _call)
        other += [pair for pair in same if _saying(pair.then) != _saying(pair.now)]
        return [
            *(self._moved(*pair) for pair in _by_line([*moved, *_reordered(same)])),
            *(self._change(ChangeKind.ADDED, now, after=_landing(now)) for now in new),
            *(self._change(ChangeKind.REMOVED, then, before=_landing(then)) for then in old),
            *(self._reworded(*pair) for pair in _by_line(other)),
        ]

    def _then_here(self, said: Said) -> object:
        return said.line.session, said.subject, self.session.call(said), self.session.spot(said)

    def _stayed(self, then: Said, now: Said) -> bool:
        """Tell whether it stands where it stood, although the line before it is another."""
        session = self.session
        unsure = session.spot(then) is None and session.call_of(then.after) == now.after
        return unsure and session.call(then) == now.call

    def _then_call(self, said: Said) -> object:
        return said.line.session, said.subject.plugin, self.session.call(said)

    def _moved(self, then: Said, now: Said) -> Change:
        if self.session.call(then) != now.call:
            before, after = then.call, now.call
        else:
            before, after = _landing(then), _landing(now)
            after = f"{after}, in another order" if before == after else after
        return self._change(ChangeKind.MOVED, then, now, before=before, after=after)

    def _reworded(self, then: Said, now: Said) -> Change:
        before, after = _title(then), _title(now)
        if before == after:
            before, after = parted(then.text, now.text, _EXCERPT)
        if before == after:
            before, after = _other_note(then.note, now.note)
        return self._change(ChangeKind.TEXT, then, now, before=before, after=after)

    def _change(
        self,
        kind: ChangeKind,
        one: Said,
        now: Said | None = None,
        *,
        before: str = "",
        after: str = "",
    ) -> Change:
        is_new = kind is ChangeKind.ADDED
        here = now or (one if is_new else None)
        return Change(
            kind=kind,
            subject=one.subject,
            before=before,
            after=after,
            line=None if is_new else one.line.number,
            log=self.places.get(here.line.number) if here else None,
        )


def _paired(
    old: Sequence[Said],
    new: Sequence[Said],
    of_old: Callable[[Said], object],
    of_new: Callable[[Said], object],
) -> tuple[list[_Same], list[Said], list[Said]]:
    """Pair what is alike, the first with the first; return what is left on both sides too."""
    waiting: dict[object, list[int]] = defaultdict(list)
    for index in range(len(new) - 1, -1, -1):
        waiting[of_new(new[index])].append(index)
    found: list[_Same] = []
    taken: set[int] = set()
    left = []
    for then in old:
        if indexes := waiting.get(of_old(then)):
            taken.add(indexes[-1])
            found.append(_Same(then, new[indexes.pop()]))
        else:
            left.append(then)
    return found, left, [now for index, now in enumerate(new) if index not in taken]


def _reordered(same: Sequence[_Same]) -> Iterator[_Same]:
    """Find what stands in another order at one place."""
    furthest = 0
    for pair in _by_line(same):
        if pair.now.line.number < furthest:
            yield pair
        furthest = max(furthest, pair.now.line.number)


def _by_line(found: Sequence[_Same]) -> list[_Same]:
    return sorted(found, key=lambda pair: pair.then.line.number)


def _here(said: Said) -> object:
    return said.line.session, said.subject, said.call, said.at


def _subject(said: Said) -> object:
    return said.line.session, said.subject


def _call(said: Said) -> object:
    return said.line.session, said.subject.plugin, said.call


def _landing(said: Said) -> str:
    """Say where something stands: behind the last call before it, or at a call's own lines."""
    if said.line.call:
        return f"at {said.call}"
    return f"after {said.after}" if said.after else "at the start"


def _title(said: Said) -> str:
    return f"{said.subject.label} {said.subject.count}"


def _saying(said: Said) -> object:
    return said.text, said.note


def _other_note(then: Object, now: Object) -> tuple[str, str]:
    """Say what is noted of it that was not: {"delivered":true}, and false."""
    keys = [key for key in then | now if then.get(key) != now.get(key)]
    before, after = (setting("", {key: note.get(key) for key in keys}) for note in (then, now))
    return parted(before, after, _EXCERPT)
