"""What a log format is: how it is recognised, and how its records become events."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Protocol, runtime_checkable

from msgspec import Struct

from repeat_reminder.batches import Batch
from repeat_reminder.events import Event, Json, Problem
from repeat_reminder.source import Log
from repeat_reminder.source.lines import Line

Record = dict[str, Json]
"""One JSON object of a log."""


class Shape(StrEnum):
    """How the records of a format are stored."""

    LINES = "lines"
    """JSON Lines: streamed."""
    DOCUMENT = "document"
    """One JSON document: held in memory."""
    DATABASE = "database"
    """An SQLite file, opened read-only."""
    FOLDER = "folder"
    """One file per record."""
    ARCHIVE = "archive"
    """A zip file."""


class Status(StrEnum):
    """How sure we are of a reader."""

    PROVEN = "proven"
    """Checked against recorded sessions."""
    SPECIFIED = "specified"
    """Written from the writer's source or schema, checked on samples made from it."""
    UNPROVEN = "unproven"
    """Written from second-hand descriptions."""


class Origin(Struct, frozen=True, kw_only=True):
    """What a reader is told about the log it reads."""

    path: str
    """As the user gave it."""
    name: str
    """The file's name without known suffixes: the session's id if the log has none."""
    compression: str | None = None


class Sample(Struct, frozen=True, kw_only=True):
    """The beginning of a log, for recognition."""

    path: str
    kind: str
    """``Log.kind``: text, sqlite, zip, folder, …"""
    records: Sequence[Record]
    """The first JSON objects of the lines; of a document that is an object, that object."""
    document: Json = None
    """The whole value, if the file is one JSON document (or a pretty-printed one)."""
    names: Sequence[str] = ()
    """Tables of a database, members of an archive or folder."""
    lines: Sequence[bytes] = ()
    """The first lines as they are, for formats whose lines are more than one JSON object."""


class Reader(Protocol):
    """Turns the records of one log into events in harness order. Unknown records give nothing."""

    def record(self, line: int | None, record: Record) -> Iterable[Event]:
        """Map one record. ``line`` is None in formats without lines."""

    def end(self, line: int | None) -> Iterable[Event]:
        """Close what is open; ``line`` is the last line read."""


@runtime_checkable
class Attentive(Protocol):
    """A reader that at times must see lines which are irrelevant by themselves."""

    @property
    def needs_every_line(self) -> bool:
        """Whether now is such a time: no line may be left out by `Format.irrelevant`."""


class Skimmer(Protocol):
    """Takes calls from lines that need no parsing, behind the first call of a log.

    It knows how the writer of a format spells the lines of a call that is the only one of its step,
    runs, and is answered at once (`batches.PlainCalls`), which messages the model reads between
    such calls, and which lines change nothing about them. Any other line, and any line at another
    time, it leaves to the `Reader`: a spelling that it does not know is slow, never wrong.

    It takes for granted that a line of which it compares the beginning and the end alone is
    well-formed JSON in UTF-8 without a key twice, and that members which it does not look at are
    not nested too deep. With ``--validate`` every line is parsed, and what is wrong is told.
    """

    line: int
    """The number of the last line taken in, or left out."""

    def skim(self, lines: Iterator[Line]) -> list[Line]:
        """Take in lines up to one that must be parsed.

        Args:
            lines: as they are, with their ends.

        Returns:
            That line, behind those before it that must be parsed now as well; nothing at the end.
        """

    def taken(self) -> Iterable[Event | Batch]:
        """Give out what was taken in since it was asked the last time."""

    def rest(self) -> list[Line]:
        """Give up the lines that wait for another one: they are parsed behind what was `taken`."""


@runtime_checkable
class Skimmable(Protocol):
    """A reader for which plain calls can be taken from unparsed lines."""

    def skimmer(self) -> Skimmer:
        """Return what takes them; it and the reader get their lines in turn, in order."""


class Format(Struct, frozen=True, kw_only=True):
    """One log format. Adding one is one file that defines it, and its entry in ``MODULES``."""

    name: str
    title: str
    where: str
    """Where such logs lie on disk."""
    shape: Shape
    status: Status
    recognise: Callable[[Sample], str | None]
    """The evidence that a log is of this format, in words; None if it is not."""
    reader: Callable[[Origin], Reader]
    records: Callable[[Log], Iterator[Record | Problem]] | None = None
    """How to get the records of a format that is not made of lines; of one that is, those of a file
    that is one JSON value instead, or of a folder. A `Problem` stands for a record left out."""
    numbered: bool = False
    """Those records have places of their own, which count from 1 as lines do."""
    parts: "Callable[[Log], Iterator[tuple[Log, Format] | Problem]] | None" = None
    """How to get the logs inside a log that holds several, and the format to read each as: every
    one has a reader and lines of its own."""
    parse: Callable[[bytes], Json] | None = None
    """How to read a line that is more than one JSON object; it may hold a list of records. Raises
    `jsontext.NotJson`."""
    irrelevant: Callable[[bytes], bool] | None = None
    """Whether a line is proved, by the bytes it begins with, to give no event and to change nothing
    that later ones give, behind a call and while its reader is not `Attentive`. A no proves
    nothing: the line is parsed. A yes rests on two things: the line is well-formed JSON in UTF-8,
    and it has no key twice."""
    exact_numbers: bool = False
    """Records are parsed so that the sign of ``-0`` is kept (slower)."""
    lossy: str | None = None
    """What such logs do not tell."""

    @property
    def signs(self) -> str:
        """What such a log is recognised by: what the docstring of ``recognise`` begins with."""
        # Without docstrings (python -OO) there is nothing to say.
        first = inspect.cleandoc(self.recognise.__doc__ or "its content").partition("\n")[0]
        return first.removeprefix("See `Format.recognise`: ").rstrip(".").replace("``", "")
