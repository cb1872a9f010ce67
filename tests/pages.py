"""Reports to draw, and a strict reader of pages."""

import shlex
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from repeat_reminder.policies.reminder_config import ReminderConfig
from repeat_reminder.render.tune.values import Constraints, TuneReport
from repeat_reminder.tune.candidates import Objective
from repeat_reminder.tune.corpus import Corpus, corpus_of
from repeat_reminder.tune.labels import Label
from repeat_reminder.tune.reading import FileReader
from repeat_reminder.tune.report import tune_report
from repeat_reminder.tune.request import Request

VOID: Final = {"meta", "br", "hr"}


ASKED: Final = Request(
    config=ReminderConfig(),
    origins={},
    constraints=Constraints(max_warned=Fraction(2, 5), require_caught=Fraction(1)),
    objective=Objective.EARLY,
    resamples=50,
    seed=0,
    version="1.2.3",
    command="repeat-reminder tune runs",
)
"""What is asked, if a test does not ask otherwise."""


@cache
def _corpus(folder: Path) -> Corpus:
    reads = [FileReader()(str(path)) for path in sorted(folder.rglob("*.jsonl"))]
    return corpus_of([one.table for one in reads if one.table is not None])


def report_of(folder: Path, asked: Request = ASKED, *, labelled: bool = True) -> TuneReport:
    """Read the logs of a folder; those below a folder ``stuck`` are."""
    corpus = _corpus(folder)
    labels = [
        (Label.STUCK if "/stuck/" in table.path else Label.OK) if labelled else Label.UNKNOWN
        for table in corpus.sessions
    ]
    return tune_report(corpus, labels, asked)


@dataclass
class Element:
    """An element with what is in it."""

    name: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list["Element"] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def all(self, name: str) -> list["Element"]:
        """Return the elements of a name inside, in the order of the page."""
        found = []
        for child in self.children:
            found += [child] if child.name == name else []
            found += child.all(name)
        return found

    def by_id(self, wanted: str) -> "Element":
        """Return the element with an id."""
        (found,) = [one for one in self.every() if one.attributes.get("id") == wanted]
        return found

    def every(self) -> list["Element"]:
        """Return all elements inside."""
        return [one for child in self.children for one in (child, *child.every())]

    @property
    def text(self) -> str:
        """Return its text, without that of the elements inside."""
        return "".join(self.texts)

    @property
    def shape(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return what is there apart from texts and the values of attributes."""
        return [(one.name, tuple(one.attributes)) for one in self.every()]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"<{tag}> repeats an attribute"
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().name == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        self.open[-1].texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def parsed(page: bytes) -> Element:
    """Return a page's elements; every one has to be closed, in order."""
    reader = _Reader()
    reader.feed(page.decode())
    reader.close()
    assert reader.open == [reader.root], "something is not closed"
    return reader.root


def explain_words(item: Element) -> list[str]:
    """Return the words of the command in one of the sessions that change."""
    (code,) = [one for one in item.all("code") if "id" in one.attributes]
    return shlex.split(code.text)
