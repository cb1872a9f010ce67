"""Snapshots of transcripts by syrupy: the files of ``check``, and its rules for them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.data import SnapshotCollection, SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension
from syrupy.location import PyTestLocation
from syrupy.types import SerializableData, SerializedData, SnapshotIndex

from repeat_reminder.check.diff import DiffMode, DiffStyle
from repeat_reminder.check.explain import explain
from repeat_reminder.check.lines import refuse_newer
from repeat_reminder.check.names import SNAPSHOT_SUFFIX, unportable
from repeat_reminder.check.paths import snapshot_names
from repeat_reminder.check.scenarios import scenarios_in
from repeat_reminder.check.suites import Suite
from repeat_reminder.check.write import write_snapshot
from repeat_reminder.errors import RepeatReminderError
from repeat_reminder.pytest_plugin.places import suites_for
from repeat_reminder.pytest_plugin.running import places_in
from repeat_reminder.render.check.words import diff_lines, headline
from repeat_reminder.render.look import Look

_ACCEPT = "accept with: pytest --snapshot-update (-k NAME for one alone)"
_STYLE = DiffStyle(mode=DiffMode.SEMANTIC, most=12, width=72)
"""Few and short lines: what is whole is shown by ``check``."""


def assertion(request: pytest.FixtureRequest) -> SnapshotAssertion:
    """Make syrupy's snapshot of a test one of transcripts.

    Raises:
        pytest.fail.Exception: syrupy is switched off, or another plugin is in its place.
    """
    try:
        snapshot = request.getfixturevalue("snapshot")
    except pytest.FixtureLookupError:
        pytest.fail("reminder_snapshot: syrupy is switched off", pytrace=False)
    if not isinstance(snapshot, SnapshotAssertion):
        pytest.fail("reminder_snapshot: the fixture `snapshot` is not syrupy's", pytrace=False)
    return replace(
        snapshot,
        test_location=_AnyName(request.node),
        extension_class=TranscriptExtension,
    )


class _AnyName(PyTestLocation):
    """A test whose snapshots are called after scenarios: syrupy need not warn of it."""

    def matches_snapshot_name(self, snapshot_name: str) -> bool:
        """Accept every name."""
        return bool(snapshot_name)

    def matches_snapshot_location(self, snapshot_location: str) -> bool:
        """Accept every place."""
        return bool(snapshot_location)


class TranscriptExtension(SingleFileSnapshotExtension):
    """Bytes in ``snapshots/NAME.acp.jsonl``, where NAME is ``reminder_snapshot(name=...)``."""

    file_extension = SNAPSHOT_SUFFIX.removeprefix(".")

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: SnapshotIndex = 0) -> str:
        """Return the given name alone, without the test's.

        Raises:
            ValueError: there is none, or no file can have it everywhere.
        """
        if not isinstance(index, str):
            message = 'a transcript is pinned by name: reminder_snapshot(name="curl-404")'
            raise ValueError(message)  # noqa: TRY004 - the type is the caller's missing name
        reason = unportable(index)
        if reason is not None:
            message = f"no snapshot can be called {index!r}: {reason}"
            raise ValueError(message)
        return index

    @classmethod
    def get_location(cls, *, test_location: PyTestLocation, index: SnapshotIndex) -> str:
        """Return the snapshot's path: that of the scenario with this name, if there is one."""
        name = cls.get_snapshot_name(test_location=test_location, index=index)
        first, *others = suites_for(test_location.filepath)
        suites = [first, *(one for one in others if name in _names(one))]
        return str(Path(suites[-1].snapshots) / f"{name}{SNAPSHOT_SUFFIX}")

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """Return the one folder that every test shares."""
        return str(Path(suites_for(test_location.filepath)[0].snapshots))

    @classmethod
    def discovery_dirname(cls, *, test_location: PyTestLocation) -> str:
        """Return what tells sites of snapshots apart: test files share one."""
        return cls.dirname(test_location=test_location)

    def discover_snapshots(
        self, *, test_location: PyTestLocation, ignore_extensions: list[str] | None = None
    ) -> SnapshotCollections:
        """Return the snapshots that may be unused: those of no scenario.

        A scenario that no test is about is still ``check``'s, and one whose test fails or is
        skipped keeps its snapshot. A run with ``-k`` judges none: syrupy would hold the words of
        the expression, which are about tests, against the names of scenarios.
        """
        found = SnapshotCollections()
        if test_location.item.config.option.keyword:
            return found
        for suite in suites_for(test_location.filepath):
            for path in _without_scenario(suite):
                found.add(self.read_snapshot_collection(snapshot_location=path))
        return found

    def read_snapshot_data_from_location(
        self, *, snapshot_location: str, snapshot_name: str, session_id: str
    ) -> SerializableData | None:
        """Read a file whose name is exactly this one."""
        if snapshot_name not in snapshot_names(str(Path(snapshot_location).parent)):
            return None
        return super().read_snapshot_data_from_location(
            snapshot_location=snapshot_location, snapshot_name=snapshot_name, session_id=session_id
        )

    @classmethod
    def write_snapshot_collection(
        cls,
        *,
        snapshot_collection: SnapshotCollection,
        name_order: dict[str, int] | None = None,
    ) -> None:
        """Write a file whole or not at all.

        Raises:
            RepeatReminderError: it cannot be written, or a newer version wrote it.
        """
        path = Path(snapshot_collection.location)
        if path.exists():
            refuse_newer(path.read_bytes(), path.as_posix())
        for snapshot in snapshot_collection:
            if isinstance(snapshot.data, bytes):  # nothing else gets past `serialize`
                write_snapshot(str(path), snapshot.data)

    def diff_lines(
        self, serialized_data: SerializedData, snapshot_data: SerializedData
    ) -> Iterator[str]:
        """Explain a difference as ``check`` does."""
        if not isinstance(snapshot_data, bytes) or not isinstance(serialized_data, bytes):
            yield _ACCEPT
            return
        look = Look()
        try:
            explanation = explain(
                snapshot_data,
                serialized_data,
                "the snapshot",
                style=_STYLE,
                places=places_in(serialized_data),
            )
        except RepeatReminderError as error:
            yield look.safe(f"{error}: {error.hint}")
            return
        # pytest cuts what is long: the headline and the way out come before the diff.
        yield from headline(explanation, look)
        yield _ACCEPT
        yield from diff_lines(explanation, "the snapshot", look, more="check shows all")


def _names(suite: Suite) -> set[str]:
    if not Path(suite.fixtures).is_dir():
        return set()
    return {scenario.name for scenario in scenarios_in([suite])}


def _without_scenario(suite: Suite) -> Iterator[str]:
    names = _names(suite)
    for name in snapshot_names(suite.snapshots):
        if name not in names:
            yield str(Path(suite.snapshots) / f"{name}{SNAPSHOT_SUFFIX}")
