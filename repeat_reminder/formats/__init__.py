"""Log formats: one module each, asked in order whether a log is theirs."""

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

from repeat_reminder.errors import UsageError
from repeat_reminder.formats.model import Format, Sample

if TYPE_CHECKING:
    FORMATS: tuple[Format, ...]
    """Every reader, in the order they are asked. Importing it imports them all."""

MODULES: Final = (
    *("canonical", "dsh", "dsh_db", "dsh_export"),
    *("claude_code", "codex", "codex_exec", "pi", "qwen", "copilot_cli"),
    *("gemini_json", "gemini_jsonl", "opencode", "opencode_db", "openhands", "acp_wire"),
    *("swe_agent", "mini_swe", "cline", "cline_sdk", "cursor", "amp", "droid", "windsurf"),
    *("tau_bench", "inspect_ai", "goose", "hermes", "otel"),
    # The general lists come last: most agents write their calls in one of these shapes.
    *("openai_responses", "anthropic", "openai_chat"),
)
"""The modules that define a ``FORMAT``. The first that recognises a log reads it.

A format is imported when it is asked, so that the frequent ones are read without the others.
"""


class Detection(NamedTuple):
    """Which reader takes a log, and why."""

    format: Format
    evidence: str


def formats() -> Iterator[Format]:
    """Yield every format in the order they are asked, importing each only when it is its turn."""
    for name in MODULES:
        form: Format = import_module(f"{__name__}.{name}").FORMAT
        yield form


def detect(sample: Sample) -> Detection | None:
    """Ask the formats whether the sample is of theirs."""
    for candidate in formats():
        evidence = candidate.recognise(sample)
        if evidence is not None:
            return Detection(candidate, evidence)
    return None


def by_name(name: str) -> Format:
    """Return the format called ``name``.

    Raises:
        UsageError: no format has that name.
    """
    for candidate in formats():
        if candidate.name == name:
            return candidate
    raise UsageError(
        f"no format is called {name!r}",
        hint=f"one of: auto, {', '.join(sorted(known.name for known in formats()))}",
    )


def __getattr__(name: str) -> tuple[Format, ...]:
    """Give ``FORMATS`` to those who want all of them at once."""
    if name == "FORMATS":
        return tuple(formats())
    raise AttributeError(name)
