"""Annotations of GitHub Actions: a line of output that puts a message beside a line of a file."""

from typing import Final

from repeat_reminder.events import Problem, Severity
from repeat_reminder.render.look import Look

LEVELS: Final = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}
"""What GitHub calls a severity."""


def annotation(problem: Problem, look: Look) -> str:
    """Return a problem as a command of the runner; its texts can be no command of their own."""
    place = [] if problem.line is None else [f"line={problem.line}"]
    if problem.path:
        place.insert(0, f"file={_property(look.safe(problem.path))}")
    place.append(f"title={_property(look.safe(problem.kind))}")
    texts = [text for text in (problem.message, problem.hint) if text]
    message = _data("\n".join(map(look.safe, texts)))
    return f"::{LEVELS[problem.severity]} {','.join(place)}::{message}"


def _data(text: str) -> str:
    """Escape the message of a command (``@actions/core``, escapeData)."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape a property of a command (``@actions/core``, escapeProperty)."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
