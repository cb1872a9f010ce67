"""A check as JUnit XML, for whatever shows test results.

The schema is that of Ant's JUnit task, the strictest in use; what it requires and a check does not
have (properties, output) is there and empty.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from repeat_reminder.render.check.outcomes import Result, Summary, Unused
from repeat_reminder.render.check.words import UNUSED, brief, result_lines
from repeat_reminder.render.look import Look

SUITE: Final = "repeat-reminder check"
_PLAIN: Final = Look()
_MESSAGE: Final = 500


class _Case(NamedTuple):
    """One test case: where, what, how long, and what went wrong."""

    folder: str
    name: str
    seconds: float
    element: str = ""
    """``failure`` or ``error``; empty if nothing went wrong."""
    kind: str = ""
    message: str = ""
    text: str = ""


def junit(summary: Summary, *, timestamp: str, hostname: str = "localhost") -> str:
    """Return a check as an XML document: a case for each scenario, and for each unused snapshot.

    Args:
        summary: the check.
        timestamp: when it began, ``YYYY-MM-DDThh:mm:ss``.
        hostname: where it ran.
    """
    cases = [_case(result) for result in summary.results]
    if not summary.unused_allowed:
        cases += [_unused_case(unused) for unused in summary.left_unused]
    return "\n".join(_document(cases, timestamp, hostname)) + "\n"


def _case(result: Result) -> _Case:
    folder = result.path.rpartition("/")[0] or "."
    if not (result.failed or result.error):
        return _Case(folder, result.name, result.seconds)
    element = "error" if result.error else "failure"
    text = "\n".join(result_lines(result, _PLAIN))
    message = brief(result, _PLAIN)[:_MESSAGE]
    return _Case(folder, result.name, result.seconds, element, result.outcome.value, message, text)


def _unused_case(unused: Unused) -> _Case:
    folder, _, name = unused.path.rpartition("/")
    return _Case(folder or ".", name, 0.0, "failure", "unused", UNUSED, _PLAIN.safe(unused.path))


def _document(cases: Sequence[_Case], timestamp: str, hostname: str) -> Iterator[str]:
    counts = {
        "tests": len(cases),
        "failures": sum(case.element == "failure" for case in cases),
        "errors": sum(case.element == "error" for case in cases),
        "skipped": 0,
    }
    attributes = {
        "id": "0",
        "name": SUITE,
        "package": "repeat-reminder",
        "timestamp": timestamp,
        "hostname": hostname,
        **{key: str(number) for key, number in counts.items()},
        "time": _seconds(sum(case.seconds for case in cases)),
    }
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<testsuites>"
    yield f"  <testsuite{_attributes(attributes)}>"
    yield "    <properties/>"
    for case in cases:
        yield from _element(case)
    yield "    <system-out/>"
    yield "    <system-err/>"
    yield "  </testsuite>"
    yield "</testsuites>"


def _element(case: _Case) -> Iterator[str]:
    attributes = {
        "classname": _PLAIN.safe(case.folder),
        "name": _PLAIN.safe(case.name),
        "time": _seconds(case.seconds),
    }
    if not case.element:
        yield f"    <testcase{_attributes(attributes)}/>"
        return
    problem = _attributes({"type": case.kind, "message": case.message})
    yield f"    <testcase{_attributes(attributes)}>"
    yield f"      <{case.element}{problem}>{escape(case.text)}</{case.element}>"
    yield "    </testcase>"


def _attributes(values: dict[str, str]) -> str:
    return "".join(f" {key}={quoteattr(value)}" for key, value in values.items())


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"
