"""The command reference of the README: what ``--help`` prints, command by command.

``python -m tests.help_blocks`` writes it anew; `test_docs` fails while it is out of date.
"""

import re
from pathlib import Path
from typing import Final

from repeat_reminder.cli.lazy import NAMES
from tests.command import run

README: Final = Path(__file__).parents[1] / "README.md"
HEADING: Final = "## Command reference"
_SECTION: Final = re.compile(rf"^{re.escape(HEADING)}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    """Return the names of all commands, in the order of the help."""
    return [*NAMES]


def help_of(*words: str) -> str:
    """Return what ``--help`` prints, 80 columns wide whatever the terminal is."""
    done = run(*words, "--help", env={"COLUMNS": "80", "TERM": "dumb"})
    assert done.code == 0, done.err
    return "\n".join(line.rstrip() for line in done.out.strip("\n").splitlines())


def section() -> str:
    """Return the whole section, as the README has to have it."""
    blocks = [HEADING]
    for words in [(), *((name,) for name in commands())]:
        command = " ".join(("repeat-reminder", *words))
        blocks.append(f"```text\n$ {command} --help\n{help_of(*words)}\n```")
    return "\n\n".join(blocks) + "\n"


def section_of(text: str) -> str | None:
    """Return the section that a README has."""
    found = _SECTION.search(text)
    return found[0].rstrip("\n") + "\n" if found else None


def with_section(text: str) -> str:
    """Return a README with the section as it has to be, in its place or at the end."""
    if not _SECTION.search(text):
        return text.rstrip("\n") + "\n\n" + section()
    written = _SECTION.sub(lambda _found: section() + "\n", text)
    return written.rstrip("\n") + "\n"


if __name__ == "__main__":
    README.write_text(with_section(README.read_text(encoding="utf-8")), encoding="utf-8")
