"""What can be wrong with compressed data, and how it is told."""

from enum import StrEnum

from repeat_reminder.events import Problem, Severity


class Fault(StrEnum):
    """What is wrong with the compressed data."""

    TORN = "torn"
    """It ends too early: normal after a crash, and while the writer still runs."""
    CORRUPT = "corrupt"
    """It is damaged, or packed in a way that is not read."""
    TRAILING = "trailing-data"
    """It is whole, but something else follows it."""


class UnpackError(Exception):
    """Compressed data ends in a fault; all that was unpacked before has been handed out.

    Never leaves this room: it becomes a `Problem`, or a `SourceError` where nothing is left.
    """

    def __init__(self, fault: Fault, message: str) -> None:
        """Keep what is wrong, in words for the user."""
        super().__init__(message)
        self.fault = fault
        self.message = message

    @property
    def cuts_line(self) -> bool:
        """Whether a last line without a line end is incomplete."""
        return self.fault is not Fault.TRAILING

    def problem(self, path: str, *, lines: int, partial: bool) -> Problem:
        """Tell the user.

        Args:
            path: the file as shown.
            lines: whole lines before the fault.
            partial: there was the beginning of one more line, and it was left out.
        """
        cut = f"; line {lines + 1:,} is incomplete and was left out" if partial else ""
        return Problem(
            path=path,
            line=lines + 1 if partial else lines or None,
            severity=Severity.ERROR if self.fault is Fault.CORRUPT else Severity.WARNING,
            kind=self.fault.value,
            message=self.message + cut,
            hint=self._hint(lines),
            skipped=partial,
        )

    def _hint(self, lines: int) -> str:
        kept = f"the {lines:,} whole lines before it are kept"
        match self.fault:
            case Fault.TORN:
                return f"the writer was still running or was killed; {kept}"
            case Fault.CORRUPT:
                return f"{kept}, what follows is lost"
            case Fault.TRAILING:
                return "the log before it is complete"


def torn(compression: str) -> UnpackError:
    """Make the fault of data that ends in the middle."""
    return UnpackError(Fault.TORN, f"the {compression} data is cut off")


def zeroed(compression: str) -> UnpackError:
    """Make the fault of a file that was grown but not written, as a power cut leaves it."""
    return UnpackError(Fault.TORN, f"the {compression} data ends in zero bytes")


def corrupt(compression: str, why: str) -> UnpackError:
    """Make the fault of data that does not unpack."""
    reason = why.rpartition(": ")[2].lower()
    return UnpackError(Fault.CORRUPT, f"the {compression} data cannot be unpacked: {reason}")


def trailing(compression: str) -> UnpackError:
    """Make the fault of other data behind the end."""
    return UnpackError(Fault.TRAILING, f"data that is not {compression} follows the end; ignored")
