"""Everything that can go wrong on purpose: one base class, one subclass per boundary."""


class RepeatReminderError(Exception):
    """A fault the user can act on: what is wrong, where, and what would help.

    Args:
        message: what is wrong, one line, without the place.
        path: the file as the user named it.
        line: 1-based line of that file.
        hint: what to do about it.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        """Keep the parts; the text is made from them when it is shown."""
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.hint = hint

    def __str__(self) -> str:
        """Say ``path:line: what is wrong``."""
        place = ":".join(str(part) for part in (self.path, self.line) if part is not None)
        return f"{place}: {self.message}" if place else self.message


class UsageError(RepeatReminderError):
    """The command line asks for something that does not exist or does not go together."""


class ConfigError(RepeatReminderError):
    """A policy configuration breaks a rule of the policy it is meant for."""


class SourceError(RepeatReminderError):
    """A path cannot be opened, or what is in it cannot be unpacked."""


class FormatError(RepeatReminderError):
    """A log is of no format that has a reader, or of a version that none reads."""
