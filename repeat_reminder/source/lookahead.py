"""A stream of chunks that can be looked into before it is read."""

from collections.abc import Iterator

from repeat_reminder.errors import SourceError
from repeat_reminder.source.damage import UnpackError
from repeat_reminder.source.names import size_text


class Lookahead:
    """Keeps the chunks that were looked at, until they are read.

    Attributes:
        size: bytes that are kept.
        fault: what is wrong with the compressed data, once a look has met it.
        ended: a look has met the end, or the fault.
        all_seen: the last `each` came as far.
    """

    def __init__(self, chunks: Iterator[bytes]) -> None:
        """Start with nothing looked at."""
        self.size = 0
        self.fault: UnpackError | None = None
        self.ended = False
        self.all_seen = False
        self._chunks = chunks
        self._held: list[bytes] = []

    def each(self, most: int) -> Iterator[bytes]:
        """Yield chunks from the first, reading on as needed, until they are ``most`` bytes.

        Raises:
            UnpackError: the data is cut off or damaged; everything before that was yielded.
        """
        at = seen = 0
        while seen < most and (at < len(self._held) or self._pull()):
            yield self._held[at]
            seen += len(self._held[at])
            at += 1
        self.all_seen = self.ended and at == len(self._held)
        if self.all_seen and self.fault is not None:
            raise self.fault

    def hold(self, size: int) -> None:
        """Read on until this many bytes are kept, the data ends or a fault is met."""
        while self.size < size and self._pull():
            pass

    def held(self) -> bytes:
        """Return all that is kept."""
        if len(self._held) == 1:
            return self._held[0]
        whole = b"".join(self._held)
        self._held = [whole] if whole else []
        return whole

    def strip(self, mark: bytes) -> None:
        """Take a mark off the beginning."""
        whole = self.held().removeprefix(mark)
        self._held = [whole] if whole else []

    def let_go(self) -> None:
        """Forget what is kept."""
        self._held = []

    def rest(self) -> Iterator[bytes]:
        """Yield what is kept, each chunk let go of, then what is still to come.

        Raises:
            UnpackError: the data is cut off or damaged; everything before that was yielded.
        """
        held, self._held = self._held[::-1], []
        while held:
            yield held.pop()
        if self.fault is not None:
            raise self.fault
        yield from self._chunks

    def _pull(self) -> bool:
        """Read one chunk and keep it; False at the end."""
        try:
            chunk = next(self._chunks, None)
        except UnpackError as error:
            self.fault = error
            chunk = None
        if chunk is None:
            self.ended = True
            return False
        self._held.append(chunk)
        self.size += len(chunk)
        return True


def capped(chunks: Iterator[bytes], most: int, path: str) -> Iterator[bytes]:
    """Pass chunks on until they are more than ``most`` bytes.

    Raises:
        SourceError: they are.
    """
    total = 0
    for chunk in chunks:
        total += len(chunk)
        if total > most:
            raise SourceError(
                f"there are more than {size_text(most)} in it, unpacked",
                path=path,
                hint="--max-bytes raises the limit",
            )
        yield chunk
