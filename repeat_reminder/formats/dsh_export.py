"""What DSH exports: a zip with ``session.jsonl``, ``subagents/<id>/session.jsonl``, ``media/…``.

Each log in it is read as `dsh` reads a file, with lines of its own. The session's own log is shown
under the archive's path, those of its subagents under the path they have in it.
"""

import io
import re
from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING, BinaryIO, Final

from repeat_reminder.errors import SourceError
from repeat_reminder.events import Problem, Severity
from repeat_reminder.formats import dsh, model
from repeat_reminder.formats.model import Format, Sample, Shape
from repeat_reminder.formats.shared.zip_members import ZSTD, MemberError, read_member
from repeat_reminder.source import Log
from repeat_reminder.source.generations import newest_generations

if TYPE_CHECKING:
    import zipfile

    from _typeshed import WriteableBuffer

NAME: Final = "dsh-export"
MEDIA: Final = "media"

_LOG: Final = re.compile(r"(?:[^/]{1,1000}/){0,64}session(?:\.v\d{1,9})?\.jsonl(?:\.zstd?)?")


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: an archive with a session's log in it."""
    if sample.kind != "zip":
        return None
    found = _logs(sample.names)
    return f"an archive with {found[0]}" if found else None


def parts(log: Log) -> Iterator[tuple[Log, Format] | Problem]:
    """Yield the log of the session, then those of its subagents, ordered by path.

    Raises:
        SourceError: the archive is damaged as a whole.
    """
    notes: list[Problem] = []
    with log.archive() as archive:
        for name in newest_generations(_logs(archive.namelist()), notes.append):
            path = log.path if "/" not in name else f"{log.path}/{name}"
            try:
                stream = _opened(archive, name)
                member = Log(path, stream, limits=log.limits, close=stream.close)
            except (MemberError, SourceError) as error:
                yield _unreadable(log.path, name, error)
                continue
            with member:
                yield member, dsh.FORMAT
    yield from notes


def _logs(names: Iterable[str]) -> list[str]:
    """Return the members that are logs, those nearest to the root first."""
    found = (name for name in set(names) if _LOG.fullmatch(name))
    return sorted(
        (name for name in found if MEDIA not in name.split("/")),
        key=lambda name: (name.count("/"), name),
    )


def _opened(archive: "zipfile.ZipFile", name: str) -> BinaryIO:
    """Open a member as a stream.

    Raises:
        MemberError: it is encrypted, or packed in a way that is not read.
    """
    info = archive.getinfo(name)
    if info.compress_type == ZSTD:
        return io.BytesIO(read_member(archive, name))
    try:
        return io.BufferedReader(_Member(archive.open(info)))
    except Exception as error:  # damage makes zipfile raise whatever it meets
        raise MemberError(str(error) or "it is damaged") from error


class _Member(io.RawIOBase):
    """A member whose faults are those of a file that cannot be read on."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer)
        try:
            data = self._stream.read(len(view))
        except Exception as error:  # as where it is opened
            raise OSError(0, str(error) or "it ends too early") from error
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def _unreadable(path: str, name: str, error: MemberError | SourceError) -> Problem:
    why = error.message if isinstance(error, SourceError) else error
    return Problem(
        path=path,
        line=None,
        severity=Severity.WARNING,
        kind="unreadable-member",
        message=f"{name} is left out: {why}",
        skipped=True,
    )


FORMAT: Final = Format(
    name=NAME,
    title="DeepSeek Harness session export",
    where="a zip that DSH exports: session.jsonl, subagents/<id>/session.jsonl",
    shape=Shape.ARCHIVE,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=dsh.Reader,
    parts=parts,
    lossy=dsh.FORMAT.lossy,
)
