"""The options that commands share, each defined once."""

import sys
from enum import StrEnum
from typing import Annotated, Final

import typer

ENV: Final = "REPEAT_REMINDER_"
"""Every option with a variable of its own has this prefix and the option's name."""

INPUT: Final = "Input"
POLICY: Final = "Policy"
OUTPUT: Final = "Output"


class ColorWhen(StrEnum):
    """When text output is coloured."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class AnswerTo(StrEnum):
    """What the operator says to every question of a policy."""

    UNATTENDED = "unattended"
    APPROVE = "approve"
    REJECT = "reject"


class TextAmount(StrEnum):
    """How much of a reminder's text is shown."""

    NONE = "none"
    FIRST_LINE = "first-line"
    FULL = "full"


def _formats(incomplete: str) -> list[str]:
    """Complete the name of a format."""
    from repeat_reminder.formats import FORMATS

    names = ["auto", *(form.name for form in FORMATS)]
    return [name for name in names if name.startswith(incomplete)]


def _policies(incomplete: str) -> list[str]:
    """Complete the name of a policy."""
    from repeat_reminder.config import NONE, POLICIES

    return [name for name in (*POLICIES, NONE) if name.startswith(incomplete)]


Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH...",
        help="Files, directories (recursive), quoted globs, or - for stdin.",
        show_default=False,
    ),
]
From = Annotated[
    str,
    typer.Option(
        "--from",
        metavar="FORMAT",
        help="Log format; auto recognises it by content.",
        autocompletion=_formats,
    ),
]
Sessions = Annotated[
    list[str] | None,
    typer.Option(
        "--session",
        metavar="ID",
        help="Report only sessions whose id starts so (repeatable). Never changes what is counted.",
        show_default=False,
    ),
]
Agents = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        metavar="ID",
        help="Report only agents whose id starts so (repeatable). Never changes what is counted.",
        show_default=False,
    ),
]
Latest = Annotated[bool, typer.Option("--latest", help="Only the newest session of the folder.")]
EveryLine = Annotated[
    bool,
    typer.Option(
        "--validate",
        help="Parse every line, also those proved to be irrelevant, and tell what is wrong with "
        "them (slower; --strict implies it).",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Any skipped line or file is an error.")]
MaxLineBytes = Annotated[
    int | None,
    typer.Option(
        "--max-line-bytes",
        metavar="N",
        min=1,
        help="Skip longer lines, with a message (default: 256 MiB).",
        show_default=False,
    ),
]
MaxBytes = Annotated[
    int | None,
    typer.Option(
        "--max-bytes",
        metavar="N",
        min=1,
        help="Unpack no more than this from one file (default: 64 GiB).",
        show_default=False,
    ),
]

Policies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        metavar="NAME",
        help="reminder (default), breaker or none; repeatable: mounted in that order.",
        autocompletion=_policies,
        show_default=False,
    ),
]
Answer = Annotated[
    AnswerTo | None,
    typer.Option(
        "--answer",
        help="What the operator says when the breaker asks; unattended (default): nobody is "
        "there, so the call is denied.",
        show_default=False,
    ),
]
Config = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="A cordis.patch.yml, one row of it, a bare config block, .toml, .json; - for stdin.",
        show_default=False,
    ),
]
Thresholds = Annotated[
    str | None,
    typer.Option(
        "--thresholds",
        metavar="N,N,...",
        help="Run lengths at which a reminder speaks (default: 3,5,8).",
        show_default=False,
    ),
]
Include = Annotated[
    list[str] | None,
    typer.Option(
        "--include",
        metavar="PATTERN",
        help="Track only tools that match; * is a wildcard (repeatable, replaces the list).",
        show_default=False,
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="PATTERN",
        help="Leave out tools that match; wins over --include (repeatable, replaces the list).",
        show_default=False,
    ),
]
PreviewChars = Annotated[
    str | None,
    typer.Option(
        "--arguments-preview-chars",
        metavar="N",
        help="UTF-16 units of the arguments that a detailed reminder quotes (default: 500).",
        show_default=False,
    ),
]
IgnoreArgs = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore-args",
        metavar="NAME",
        help="Leave this argument out of the comparison, or tool:name (repeatable). The plugin "
        "itself compares everything.",
        show_default=False,
    ),
]


def _file_or_stdout(output: str | None) -> str | None:
    """Take ``-`` for standard output, as everywhere."""
    return None if output == "-" else output


Output = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write to this file, atomically; its suffix picks the format if -f is absent.",
        show_default=False,
        callback=_file_or_stdout,
    ),
]
Color = Annotated[ColorWhen, typer.Option("--color", help="Colour the text output.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No notes or warnings on stderr.")]
Verbose = Annotated[
    bool, typer.Option("-v", "--verbose", help="Say where each setting came from; list all notes.")
]


class ExplainFormat(StrEnum):
    """What an explanation can be printed as."""

    FULL = "full"
    JSON = "json"


class SchemaName(StrEnum):
    """JSON Schemas that can be printed."""

    REPLAY = "replay"
    EXPLAIN = "explain"
    TUNE = "tune"
    STATS = "stats"
    SESSION = "session"
    CONFIG = "config"
    LABELS = "labels"
    CHECK = "check"


class ConvertFormat(StrEnum):
    """What a log can be converted to."""

    CANONICAL = "canonical"
    ACP = "acp"


class ValidateFormat(StrEnum):
    """What a validation can be printed as."""

    FULL = "full"
    CONCISE = "concise"
    JSON = "json"
    JSONL = "jsonl"
    GITHUB = "github"


class ReplayFormat(StrEnum):
    """What a replay can be printed as."""

    FULL = "full"
    CONCISE = "concise"
    JSON = "json"
    JSONL = "jsonl"
    ACP = "acp"


# ---------------------------------------------------------------- tune and stats


class TableFormat(StrEnum):
    """What figures can be printed as."""

    FULL = "full"
    JSON = "json"
    CSV = "csv"


class StatsBy(StrEnum):
    """What figures can be grouped by."""

    TOOL = "tool"
    AGENT = "agent"
    SESSION = "session"
    LABEL = "label"
    FORMAT = "format"


class TuneObjective(StrEnum):
    """What to look for among the configurations that meet the constraints."""

    EARLY = "early"
    QUIET = "quiet"


class EmitAs(StrEnum):
    """What a config can be printed as."""

    YAML = "yaml"
    TOML = "toml"
    JSON = "json"
    PATCH = "patch"


Jobs = Annotated[
    int | None,
    typer.Option(
        "-j",
        "--jobs",
        metavar="N",
        min=1,
        help="Processes to read with (default: one for each CPU, for large corpora). The output "
        "is the same for any number.",
        show_default=False,
    ),
]
NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Read every log, and keep nothing of it in the cache folder."),
]
ClearCache = Annotated[
    bool, typer.Option("--clear-cache", help="Remove what the cache folder holds, then run.")
]
VerifyCache = Annotated[
    bool,
    typer.Option(
        "--verify-cache",
        help="Know a log again by all of its content, not by its size, time, first and last bytes.",
    ),
]
Labels = Annotated[
    str | None,
    typer.Option(
        "--labels",
        metavar="FILE",
        help="CSV or JSON Lines of session,label[,note]: id, unique beginning of an id, or path "
        "glob; stuck, ok or unknown.",
        show_default=False,
    ),
]
LabelFrom = Annotated[
    str | None,
    typer.Option(
        "--label-from",
        metavar="TEMPLATE",
        help="Read labels from paths, such as 'runs/{label}/**'.",
        show_default=False,
    ),
]


def table_format_of(output: str | None) -> TableFormat:
    """Pick the format that an output file's name asks for."""
    suffix = (output or "").lower().rpartition(".")[2]
    return TableFormat(suffix) if suffix in ("json", "csv") else TableFormat.FULL


def typed() -> str:
    """Return the command line, quoted for a shell."""
    import shlex

    return shlex.join(["repeat-reminder", *sys.argv[1:]])
