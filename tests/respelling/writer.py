"""Writes sessions full of repeated calls as harnesses do, record by record.

What is written is in order as far as an ordinary reader can tell: a step's results are all there
before the agent's next step, and users speak between steps. `changes` and `files` do the rest.
"""

from collections.abc import Iterator
from random import Random
from typing import Final

from tests.respelling.calls import Caller, Step, said
from tests.respelling.spelling import Members, tree

Record = dict[str, object]
PLAIN: Final = 0.7
"""How many files are as plain as files get."""
TIME: Final = "2026-01-02T03:04:05.678Z"


def plain(members: Members) -> Record:
    """Make a dict of a record again."""
    return dict(members)


class Writer:
    """Writes one file."""

    texts = True
    """Arguments are texts, so that they need not be JSON."""
    ids = 1 << 30
    """How many calls have different ids."""

    def __init__(self, draw: Random, seed: int) -> None:
        """Begin a file; nothing in it has an id of another file."""
        self.draw = draw
        self.seed = seed
        self.records: list[Members] = []
        self.since = 0
        """Where the current session begins."""
        self._made = 0
        self.stamped = draw.random() < 0.5
        """The file has what some versions write and others do not."""
        self.plain = draw.random() < PLAIN
        """Every step has one call, answered at once, in the most usual shape."""

    def id(self, prefix: str) -> str:
        """Make an id."""
        self._made += 1
        return f"{prefix}{self.seed}-{self._made}"

    def chance(self, share: float) -> bool:
        """Tell whether something less usual happens."""
        return not self.plain and self.draw.random() < share

    def written(self) -> list[Members]:
        """Write the file."""
        for _ in range(self.draw.choice([1, 1, 2])):
            self.since = len(self.records)
            self.put(self.header())
            lanes = [self.lane(agent) for agent in self.agents()]
            while lanes:
                lane = self.draw.choice(lanes)
                for _ in range(self.draw.choice([1, 2, 9])):
                    record = next(lane, None)
                    if record is None:
                        lanes.remove(lane)
                        break
                    self.put([record])
        return self.records

    def put(self, records: list[Record]) -> None:
        """Append records."""
        made = (tree(record) for record in records)
        self.records += [record for record in made if isinstance(record, Members)]

    def lane(self, agent: str | None) -> Iterator[Record]:
        """Yield what one agent does."""
        draw = self.draw
        yield from self.user(agent)
        caller = Caller(
            draw, self.id("c"), texts=self.texts, ids=self.ids, most=1 if self.plain else 3
        )
        for step in caller.steps(draw.randint(2, 6)):
            yield from self.step(agent, step)
            if draw.random() < 0.15:
                yield from draw.choice([self.user, self.user, self.aside, self.again])(agent)

    def told(self) -> str:
        """Draw what a result says."""
        return said(self.draw, self.records)

    # ------------------------------------------------------------ one method an act

    def header(self) -> list[Record]:
        """Begin a session."""
        raise NotImplementedError

    def agents(self) -> list[str | None]:
        """Name the agents of a session."""
        return [None]

    def step(self, agent: str | None, step: Step, /) -> list[Record]:
        """Write calls and results."""
        raise NotImplementedError

    def user(self, agent: str | None, /) -> list[Record]:
        """Let a human speak."""
        raise NotImplementedError

    def aside(self, agent: str | None, /) -> list[Record]:
        """Write something that changes nothing."""
        raise NotImplementedError

    def again(self, agent: str | None, /) -> list[Record]:
        """Write something that stands there already, or a resume."""
        raise NotImplementedError
