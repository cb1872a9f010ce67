"""What CI systems are given: annotations, a step summary, JUnit XML; whatever the logs hold."""

# ruff: noqa: RUF001 - the sign that reports count with

import html
import json
import re
import unicodedata
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repeat_reminder.check.report import Command, Report
from repeat_reminder.errors import SourceError
from repeat_reminder.pytest_plugin.sessions import SessionBuilder
from repeat_reminder.render.check.github import (
    MOST_ANNOTATIONS,
    SUMMARY_BYTES,
    annotations,
    inert,
    step_summary,
)
from repeat_reminder.render.check.junit import junit
from repeat_reminder.render.check.outcomes import (
    Cause,
    Change,
    ChangeKind,
    Explanation,
    Outcome,
    Result,
    Subject,
    Summary,
    Unused,
    Written,
)
from repeat_reminder.render.check.records import check_document
from repeat_reminder.render.check.text import closing, concise, full_result
from repeat_reminder.render.look import Look
from tests.checking import STUCK, Project
from tests.closed_schemas import faults

DATA = Path(__file__).parent / "data" / "ci"
NOW = "2025-03-01T12:00:00"
HOSTILE = "50%::\r\n::error file=x::y,##[add-mask]z <b>`|@you \x1b[2J\u202e\ud800 ]]>"


def result(name: str, outcome: Outcome, text: str = "x", **fields: Any) -> Result:  # noqa: ANN401 - fields of a result
    change = Change(
        kind=ChangeKind.MOVED,
        subject=Subject(tool=text, count=3, label="gentle", plugin="repeat-tool-reminder"),
        before="call_6",
        after="call_4",
        line=9,
        log=f"{text}:13",
    )
    explanation = Explanation(
        cause=Cause.GUARD,
        changes=(change, Change(kind=ChangeKind.POLICY, what=text, before=text, after="")),
        line=9,
        hint=text,
        diff=("@@ -1,2 +1,2 @@", f" {text}", f"-{text}", f"+{text}"),
        diff_omitted=7,
    )
    return Result(
        name=name,
        path=f"fixtures/{name}.jsonl",
        snapshot=f"snapshots/{name}.acp.jsonl",
        outcome=outcome,
        explanation=explanation if outcome is Outcome.CHANGED else None,
        error=SourceError(text, path=f"fixtures/{name}.jsonl", line=3, hint=text)
        if outcome is Outcome.ERROR
        else None,
        seconds=0.25,
        **fields,
    )


def summary(text: str = "bash", name: str = "a", **fields: Any) -> Summary:  # noqa: ANN401 - fields of a summary
    results = (
        result(name, Outcome.OK),
        result(f"{name}-changed", Outcome.CHANGED, text),
        result(f"{name}-missing", Outcome.MISSING, hint=text),
        result(f"{name}-broken", Outcome.ERROR, text),
        result(f"{name}-new", Outcome.MISSING, written=Written.ADDED),
    )
    report = Report(command=Command(), results=list(results), unused=[Unused(path=f"s/{name}-u")])
    made = report.summary()
    return Summary(
        results=made.results, unused=made.unused, accept=made.accept, exit_code=made.exit_code,
        **fields,
    )  # fmt: skip


# ---------------------------------------------------------------- golden outputs


def outputs(found: Summary) -> dict[str, str]:
    look = Look()
    full = [line for one in found.results for line in full_result(one, look)]
    return {
        "full.txt": "\n".join([*full, *closing(found, look)]) + "\n",
        "concise.txt": "\n".join(concise(found, look)) + "\n",
        "annotations.txt": "\n".join(annotations(found)) + "\n",
        "summary.md": step_summary(found),
        "junit.xml": junit(found, timestamp=NOW),
        "check.json": json.dumps(json.loads(check_document(found, "1.2.3")), indent=1) + "\n",
    }


@pytest.mark.parametrize("name", [*outputs(summary())])
def test_every_output_is_the_golden_one(name: str) -> None:
    """The texts of this one are as bad as a log's can be."""
    golden = DATA / f"golden.{name}"
    assert outputs(summary(HOSTILE))[name] == golden.read_bytes().decode()


def test_the_json_is_what_its_schema_says() -> None:
    for found in (summary(), summary(HOSTILE), Summary()):
        assert faults("check", json.loads(check_document(found, "1.2.3"))) == []


def test_an_error_of_many_scenarios_is_one_annotation() -> None:
    error = SourceError("the package is missing", hint="install it")
    broken = [
        Result(name=name, path=f"f/{name}", snapshot="", outcome=Outcome.ERROR, error=error)
        for name in "abcd"
    ]
    found = Summary(results=(*broken, result("x", Outcome.ERROR)))
    titles = [line.partition("title=")[2].partition("::")[0] for line in annotations(found)]
    assert titles == ["scenario error%3A a and 3 more", "scenario error%3A x"]


def test_an_annotation_says_that_settings_were_only_typed() -> None:
    command = Command(settings=("--thresholds", "4"))
    report = Report(command=command, results=[result("a", Outcome.CHANGED)])
    (line,) = annotations(report.summary())
    told = line.split("%0A")
    assert told[-2].startswith("these settings stand only on this command line")
    assert told[-1] == "then accept with: repeat-reminder check --update"
    assert "these settings stand only" in html.unescape(step_summary(report.summary()))


# ---------------------------------------------------------------- the runner's commands


class Sent(NamedTuple):
    """A command as the runner understands it."""

    name: str
    properties: dict[str, str]
    data: str


HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
REGISTERED = {
    *("error", "warning", "notice", "debug", "group", "endgroup", "add-mask", "set-output"),
    *("stop-commands", "add-path", "set-env", "save-state", "add-matcher", "echo"),
}


def understood(line: str) -> Sent | None:
    """Read a line of output as the runner does (actions/runner, ActionCommand)."""
    trimmed = line.lstrip()
    head, found, data = trimmed[2:].partition("::")
    name, _, rest = head.partition(" ")
    if trimmed.startswith("::") and found and name in REGISTERED:
        pairs = (pair.split("=", 1) for pair in rest.strip().split(",") if "=" in pair)
        properties = {key: unescaped(value, (":", "%3A"), (",", "%2C")) for key, value in pairs}
        return Sent(name, properties, unescaped(data))
    at = line.find("##[")
    old, found, data = line[at + 3 :].partition("]")
    if at >= 0 and found and old.partition(" ")[0] in REGISTERED:
        return Sent(old.partition(" ")[0], {}, data)
    return None


def unescaped(text: str, *more: tuple[str, str]) -> str:
    for char, code in (("\r", "%0D"), ("\n", "%0A"), *more, ("%", "%25")):
        text = text.replace(code, char)
    return text


BAD = st.text(
    st.one_of(
        st.sampled_from(
            [*"%:,#[]\r\n\t =<>&\"'`|@\\", "\x85", "\u2028", "\x00", "\ud800", "\ufffe"]
        ),
        st.characters(exclude_categories=()),
    ),
    max_size=30,
)
COMMANDS = st.sampled_from(["::error::x", "##[add-mask]x", "::stop-commands::x", "  ::group::y"])
TEXT = st.one_of(BAD, COMMANDS, st.builds("{}\n{}".format, BAD, COMMANDS))


def test_the_runner_in_this_file_understands_commands() -> None:
    assert understood("::error file=a%2Cb,line=1::50%25%0Ax") == Sent(
        "error", {"file": "a,b", "line": "1"}, "50%\nx"
    )
    assert understood(" text ##[add-mask]secret") == Sent("add-mask", {}, "secret")
    assert understood("text ::error::x") is None


@given(TEXT, TEXT)
def test_an_annotation_is_one_command_with_the_text_as_it_is(text: str, name: str) -> None:
    found = summary(text, name)
    lines = list(annotations(found))
    assert len(lines) == 4
    for line in lines:
        assert not {"\n", "\r"} & set(line)
        sent = understood(line)
        assert sent is not None
        assert (sent.name, set(sent.properties)) == ("error", {"file", "line", "title"})
        assert sent.properties["line"].isdigit()
    changed = understood(lines[0])
    assert changed is not None
    assert changed.properties["file"] == Look().safe(f"snapshots/{name}-changed.acp.jsonl")
    assert changed.data.splitlines()[0].startswith("moved")


@given(TEXT, TEXT, st.booleans())
def test_no_text_of_a_log_is_a_command(text: str, name: str, ascii_only: bool) -> None:  # noqa: FBT001 - hypothesis
    look = Look(ascii_only=ascii_only)
    found = summary(text, name)
    full = [line for one in found.results for line in full_result(one, look, verbose=True)]
    for line in [*full, *closing(found, look), *concise(found, look)]:
        assert understood(line) is None
        assert not {unicodedata.category(char) for char in line} & HIDDEN


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("plain :: text", "plain :: text"),
        ("::error::x", r"\x3a:error::x"),
        ("  ::error::x", r"  \x3a:error::x"),
        ("a ##[group]b ##[x]", r"a #\x23[group]b #\x23[x]"),
        ("## [x]", "## [x]"),
        ("", ""),
    ],
)
def test_what_becomes_of_a_command_in_a_text(line: str, shown: str) -> None:
    assert inert(line) == shown
    assert understood(inert(line)) is None


def test_at_most_ten_annotations_the_last_of_which_counts() -> None:
    many = tuple(result(f"n{number}", Outcome.MISSING) for number in range(40))
    lines = list(annotations(Summary(results=many)))
    assert len(lines) == MOST_ANNOTATIONS + 1 == 10
    assert lines[-1].endswith("::and 31 more: see the log of this step")
    nine = list(annotations(Summary(results=many[:9])))
    assert len(nine) == 9
    assert "more" not in nine[-1]


def test_what_is_allowed_or_accepted_is_not_annotated() -> None:
    assert not list(annotations(Summary(unused=(Unused(path="x"),), unused_allowed=True)))
    accepted = result("a", Outcome.CHANGED, written=Written.MODIFIED)
    gone = Unused(path="x", written=Written.DELETED)
    assert not list(annotations(Summary(results=(accepted,), unused=(gone,))))


def test_long_texts_are_cut_before_they_are_escaped() -> None:
    line = next(iter(annotations(summary("%" * 100_000))))
    sent = understood(line)
    assert sent is not None
    assert len(line) < 20_000
    assert sent.data.startswith("moved    %%%")


# ---------------------------------------------------------------- the step's summary


def test_a_summary_stays_under_its_limit_and_counts_the_rest() -> None:
    many = tuple(result(f"n{number}", Outcome.CHANGED, "<" * 900) for number in range(2_000))
    whole = Summary(results=many)
    text = step_summary(whole)
    assert SUMMARY_BYTES - 20_000 < len(text.encode()) <= SUMMARY_BYTES
    rows = sum(line.startswith("| changed") for line in text.splitlines())
    assert f"and {2_000 - rows:,} more" in text
    assert len(step_summary(whole, 2_000).encode()) <= 2_000
    assert step_summary(whole, 50) == ""
    assert step_summary(whole, -5) == ""


@given(TEXT, TEXT)
def test_a_summary_is_text_and_no_markup(text: str, name: str) -> None:
    lines = step_summary(summary(text, name)).splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 2 + 4
    assert all(row.count("|") == 4 for row in rows)
    for row in rows[2:]:
        inner = re.sub(r"</?code>|&#\d+;", "", row.strip("|").replace(" | ", ""))
        assert re.fullmatch("[A-Za-z0-9 ,;()×→·…]*", inner)
    assert Look().safe(f"{name}-changed") in html.unescape(rows[2])


# ---------------------------------------------------------------- JUnit


SCHEMA = json.loads((DATA / "junit-schema.json").read_bytes())


def violations(element: ET.Element) -> list[str]:
    """List where an element breaks the schema."""
    rule = SCHEMA.get(element.tag)
    if rule is None:
        return [f"unknown element {element.tag}"]
    found = []
    known = {key.rstrip("?"): pattern for key, pattern in rule["attributes"].items()}
    for key, pattern in rule["attributes"].items():
        value = element.get(key.rstrip("?"))
        if value is None and not key.endswith("?"):
            found.append(f"{element.tag} has no {key}")
        elif value is not None and not re.fullmatch(pattern, value, re.DOTALL):
            found.append(f"{element.tag} {key}={value!r}")
    found += [f"{element.tag} has a {key}" for key in element.keys() - known.keys()]
    children = "".join(f"{child.tag} " for child in element)
    if not re.fullmatch(rule["children"], children):
        found.append(f"{element.tag} holds {children}")
    return found + [text for child in element for text in violations(child)]


def test_the_schema_finds_what_is_wrong() -> None:
    bad = (
        '<testsuites><testsuite name=" "><testcase name="a"/><properties/></testsuite></testsuites>'
    )
    found = violations(ET.fromstring(bad))  # noqa: S314 - our own text
    assert "testsuite name=' '" in found
    assert "testcase has no time" in found
    assert "testsuite holds testcase properties " in found


@given(TEXT, TEXT)
def test_junit_is_valid_and_has_every_case(text: str, name: str) -> None:
    document = junit(summary(text, name), timestamp=NOW, hostname="host")
    root = ET.fromstring(document)  # noqa: S314 - our own text
    assert violations(root) == []
    suite = root[0]
    cases = suite.findall("testcase")
    assert [len(case) for case in cases] == [0, 1, 1, 1, 0, 1]
    counts = {key: int(suite.get(key, "")) for key in ("tests", "failures", "errors")}
    assert counts == {"tests": 6, "failures": 3, "errors": 1}
    assert cases[1].get("name") == Look().safe(f"{name}-changed")


def test_junit_of_nothing_found() -> None:
    root = ET.fromstring(junit(Summary(), timestamp=NOW))  # noqa: S314 - our own text
    assert violations(root) == []
    assert root[0].get("tests") == "0"


# ---------------------------------------------------------------- the command in a workflow


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path)


def test_a_workflow_step_gets_all_three(project: Project) -> None:
    project.scenario("a")
    project.accepted()
    (project.folder / "summary.md").write_text("before\n")
    env = {
        "GITHUB_STEP_SUMMARY": "summary.md",
        "GITHUB_WORKSPACE": str(project.folder.parent),
    }
    words = ("-f", "github", "--junit-xml", "build/reports/rr.xml", "--thresholds", "4")
    done = project.check(*words, env=env)
    assert done.code == 1
    assert done.out.startswith("FAIL  a ")
    sent = understood(done.err.splitlines()[0])
    assert sent is not None
    assert sent.properties["file"] == f"{project.folder.name}/snapshots/a.acp.jsonl"
    assert (project.folder / "summary.md").read_text().startswith("before\n### repeat-reminder ch")
    root = ET.parse(project.folder / "build" / "reports" / "rr.xml").getroot()  # noqa: S314 - our own
    assert violations(root) == []


def test_a_full_summary_of_the_step_is_left_alone(project: Project) -> None:
    project.scenario("a")
    full = b"x" * SUMMARY_BYTES
    (project.folder / "summary.md").write_bytes(full)
    project.check("-f", "github", env={"GITHUB_STEP_SUMMARY": "summary.md"})
    assert (project.folder / "summary.md").read_bytes() == full


def test_a_summary_that_cannot_be_written_is_a_warning(project: Project) -> None:
    project.scenario("a")
    project.accepted()
    done = project.check("-f", "github", env={"GITHUB_STEP_SUMMARY": "no/such/folder.md"})
    assert done.code == 0
    assert "warning: no/such/folder.md: the summary of the step cannot be written" in done.err


def test_nothing_of_the_workflow_is_written_without_being_asked_for(project: Project) -> None:
    project.scenario("a")
    done = project.check(env={"GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_ACTIONS": "true"})
    assert "::error" not in done.out + done.err
    assert not (project.folder / "summary.md").exists()


def test_junit_that_cannot_be_written(project: Project) -> None:
    project.scenario("a")
    done = project.check("--junit-xml", "fixtures/a.jsonl/x.xml")
    assert done.code == 2
    assert "fixtures/a.jsonl/x.xml: cannot be written" in done.err


def test_a_hostile_session_from_end_to_end(project: Project) -> None:
    """Tool, arguments, result and message are as bad as they can be; nothing obeys them."""
    session = (
        SessionBuilder()
        .user(HOSTILE)
        .call(HOSTILE.replace("\ud800", ""), {"x": HOSTILE}, times=3)
        .say(HOSTILE)
    )
    project.scenario("a", session)
    project.accepted().scenario("a", session.call(HOSTILE.replace("\ud800", ""), {"x": HOSTILE}))
    for diff in ("unified", "semantic"):
        done = project.check("-f", "github", "--thresholds", "2,3", "--diff", diff)
        assert done.code == 1
        assert all(line.isprintable() and not understood(line) for line in done.out.splitlines())
        assert [sent.name for sent in map(understood, done.err.splitlines()) if sent] == ["error"]
        assert all(line.isprintable() for line in done.err.splitlines())


def test_the_logs_of_this_file_are_hostile() -> None:
    assert STUCK.records
    assert understood(HOSTILE.splitlines()[1]) is not None
