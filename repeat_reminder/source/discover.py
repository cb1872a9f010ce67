"""From what the user typed to the logs that are meant."""

# ruff: noqa: PTH110, PTH112, PTH113, PTH114, PTH116, PTH118 - pathlib rewrites paths, here they stay as typed

import glob
import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property

from repeat_reminder.errors import SourceError
from repeat_reminder.events import Problem, Severity
from repeat_reminder.source import suggest
from repeat_reminder.source.generations import newest_generations
from repeat_reminder.source.lines import Report
from repeat_reminder.source.names import LOG_PATTERNS, STDIN, matcher, shown
from repeat_reminder.source.walk import expand, folders, is_folder


def _never(_: str) -> bool:
    return False


def discover(
    paths: Sequence[str],
    *,
    suffixes: Collection[str] = LOG_PATTERNS,
    is_log_folder: Callable[[str], bool] = _never,
    report: Report | None = None,
) -> list[str]:
    """Find the logs that paths stand for, each once, in the order of the paths.

    A file that is named is taken whatever it is called. A folder gives what its files' names
    promise, sorted by path, from all folders below it that are not hidden. Globs may be quoted.

    Args:
        paths: files, folders, globs, ``-`` for standard input.
        suffixes: file patterns to look for in folders; each also finds its compressed files.
        is_log_folder: tells of a folder that is one log as a whole; it is taken, not entered.
        report: gets a `Problem` for what is left out: a folder that cannot be listed, a broken
            link, an older generation of a session. Without it, the first two are errors.

    Returns:
        Paths as the user gave them, joined with ``/``.

    Raises:
        SourceError: a path or glob names nothing, or a folder holds no logs; with a hint.
    """
    search = _Search(suffixes, is_log_folder, report)
    found: dict[str, str] = {}
    for path in paths:
        for log in search.named(path):
            found.setdefault(search.identity(log), shown(log))
    return newest_generations(list(found.values()), report)


def latest(paths: Sequence[str]) -> str:
    """Return the log that was changed last; of several, the last by name.

    Raises:
        SourceError: there is none.
    """
    if not paths:
        raise SourceError("no logs to choose the newest from")
    return max(paths, key=lambda path: (_changed(path), path))


def _changed(path: str) -> float:
    """Return when a log was changed: of a folder, when the newest file in it was."""
    try:
        status = os.stat(path)
        if not stat.S_ISDIR(status.st_mode):
            return status.st_mtime
        with os.scandir(path) as entries:
            return max((entry.stat().st_mtime for entry in entries), default=status.st_mtime)
    except OSError:
        return float("-inf")


class _Search:
    """One call of `discover`."""

    def __init__(
        self,
        patterns: Collection[str],
        is_log_folder: Callable[[str], bool],
        report: Report | None,
    ) -> None:
        self._patterns = patterns
        self._is_log_folder = is_log_folder
        self._report = report
        self._failures = 0
        self._real: dict[str, str] = {}

    def named(self, path: str) -> Iterator[str]:
        """Yield the logs that one path stands for."""
        if path == STDIN:
            yield path
            return
        if not path:
            raise SourceError("the path is empty", hint="- is standard input, . is this folder")
        try:
            mode = os.stat(path).st_mode
        except PermissionError:
            yield path  # opening it tells
        except (FileNotFoundError, NotADirectoryError):
            yield from self._absent(path)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise SourceError(why or "cannot be opened", path=shown(path)) from error
        else:
            yield from self._folder(path) if stat.S_ISDIR(mode) else [path]

    def _absent(self, path: str) -> Iterator[str]:
        """Yield what a path that is no file matches as a glob."""
        if not glob.has_magic(path):
            raise suggest.missing(path)
        failures, matched = self._failures, False
        for match in expand(path, self._failed):
            for log in self._logs(match) if os.path.isdir(match) else [match]:
                matched = True
                yield log
        if not matched and failures == self._failures:
            raise suggest.unmatched(path)

    def _folder(self, folder: str) -> list[str]:
        failures = self._failures
        logs = self._logs(folder)
        if not logs and failures == self._failures:
            raise suggest.without_logs(folder, ", ".join(self._patterns))
        return logs

    def _logs(self, root: str) -> list[str]:
        logs: list[str] = []
        for folder, entries in folders(root, self._failed, self._is_log_folder):
            if self._is_log_folder(folder):
                logs.append(folder)
            logs += [entry.path for entry in entries if self._wanted(entry)]
        return sorted(logs, key=shown)

    @cached_property
    def _is_log(self) -> Callable[[str], bool]:
        """The test for names in folders; a file that is named does not need it."""
        return matcher(self._patterns)

    def _wanted(self, entry: os.DirEntry[str]) -> bool:
        if not self._is_log(entry.name) or is_folder(entry):
            return False
        if entry.is_symlink() and not os.path.exists(entry.path):
            self._tell(entry.path, "a symbolic link to nothing")
            return False
        # A pipe or socket in a folder would be waited for without end.
        return os.path.isfile(entry.path)

    def _failed(self, folder: str, error: OSError) -> None:
        denied = isinstance(error, PermissionError)
        self._tell(folder, "permission denied" if denied else error.strerror or str(error))

    def _tell(self, path: str, why: str) -> None:
        self._failures += 1
        if self._report is None:
            raise SourceError(why, path=shown(path))
        self._report(
            Problem(
                path=shown(path),
                line=None,
                severity=Severity.WARNING,
                kind="unreadable",
                message=why,
                skipped=True,
            )
        )

    def identity(self, path: str) -> str:
        """Return what two names of one file have in common."""
        if path == STDIN:
            return path
        folder, name = os.path.split(path)
        if name in ("", ".", "..") or os.path.islink(path):
            return os.path.realpath(path)
        if folder not in self._real:
            self._real[folder] = os.path.realpath(folder or ".")
        return os.path.join(self._real[folder], name)
