"""A project with scenarios and snapshots in a folder, and checks of it."""

from pathlib import Path

from repeat_reminder.pytest_plugin.sessions import SessionBuilder
from tests.command import Ran, run

STUCK = SessionBuilder().user("Fix the build").call("bash", command="npm test", times=5).say("Done")
"""Five equal calls: the default policy speaks at the third and the fifth."""


class Project:
    """A folder that is the current one."""

    def __init__(self, folder: Path) -> None:
        """Name its parts."""
        self.folder = folder
        self.fixtures = folder / "fixtures"
        self.snapshots = folder / "snapshots"

    def scenario(self, name: str, session: SessionBuilder = STUCK, config: str = "") -> Path:
        """Record a scenario, with settings of its own if there are any."""
        self.fixtures.mkdir(exist_ok=True)
        if config:
            (self.fixtures / f"{name}.config.yml").write_text(config)
        return session.write(self.fixtures / f"{name}.jsonl")

    def settings(self, toml: str) -> None:
        """Write the settings of the project."""
        (self.folder / "pyproject.toml").write_text(f"[tool.repeat-reminder]\n{toml}\n")

    def snapshot(self, name: str) -> Path:
        """Return where the snapshot of a scenario is."""
        return self.snapshots / f"{name}.acp.jsonl"

    def files(self) -> dict[str, bytes]:
        """Return everything that is there."""
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in found}

    def check(self, *words: str, env: dict[str, str] | None = None) -> Ran:
        """Run the command."""
        return run("check", *words, env=env)

    def accepted(self) -> "Project":
        """Accept everything as it is."""
        assert self.check("--update").code == 0
        return self
