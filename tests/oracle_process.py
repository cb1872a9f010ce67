"""Starts the published plugins in node, if they are installed."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent / "oracle"
INSTALL = "npm ci --prefix tests/oracle"


def require_oracle() -> None:
    """Skip a test whose oracle is not installed; where CI says it must be, fail."""
    if shutil.which("node") and (FOLDER / "node_modules").is_dir():
        return
    if os.environ.get("CI"):
        pytest.fail(f"the differential tests need node and `{INSTALL}`")
    pytest.skip(f"needs node and `{INSTALL}`")


def ask(script: str, events: Iterable[Any]) -> list[Any]:
    """Give events to a driver, one a line in ASCII, and return its answers."""
    require_oracle()
    # readline ends lines at U+2028 too, and a lone surrogate has no UTF-8: escape everything.
    lines = "".join(json.dumps(event) + "\n" for event in events).encode()
    done = subprocess.run(  # noqa: S603 - our own script
        ["node", str(FOLDER / script)],  # noqa: S607 - whichever node there is
        input=lines,
        capture_output=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.split(b"\n") if line]
