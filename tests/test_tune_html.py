"""The page of ``tune --html``: whole, closed to the network and to the texts of logs."""

import base64
import hashlib
import json
import re
import subprocess
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from repeat_reminder.policies.reminder_config import ReminderConfig
from repeat_reminder.render.html import tune_page
from repeat_reminder.render.html.changes import quoted
from repeat_reminder.render.html.lengths import bins
from repeat_reminder.render.html.plot import log_ticks, thinned, ticks
from repeat_reminder.render.safe import escape
from repeat_reminder.render.tune.advice_values import UnmatchedPattern
from repeat_reminder.render.tune.config_text import cordis_row
from repeat_reminder.render.tune.figures import Constraints, Results
from repeat_reminder.render.tune.values import (
    LengthRow,
    Missed,
    SessionChange,
    Survival,
    ToolShare,
    TuneReport,
)
from repeat_reminder.tune.candidates import Objective
from repeat_reminder.tune.request import Request
from tests.command import run
from tests.corpus import Truth
from tests.corpus import write as write_corpus
from tests.pages import ASKED, Element, explain_words, parsed, report_of

FIGURES = ["lengths", "curve", "front", "survival", "attribution"]
FREE = Constraints()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus"), Truth(sessions=30))


@pytest.fixture(scope="module")
def polling(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _log(tmp_path_factory.mktemp("polling"), [f"state {word}" for word in "abcdefghijkl"])


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _log(tmp_path_factory.mktemp("once"), ["done"])


def _log(folder: Path, answers: list[str]) -> Path:
    records: list[dict[str, object]] = [{"type": "session", "id": "s"}]
    for at, answer in enumerate(answers):
        records += [
            {"type": "tool_call", "id": f"c{at}", "name": "poll", "arguments": {"id": 1}},
            {"type": "tool_result", "call_id": f"c{at}", "content": answer, "status": "ok"},
        ]
    text = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "s.jsonl").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def report(corpus: Path) -> TuneReport:
    return report_of(corpus)


def page_of(report: TuneReport) -> Element:
    return parsed(tune_page(report))


CASES = {
    "now against best": ASKED,
    "fewest messages": replace(ASKED, objective=Objective.QUIET),
    "no constraint": replace(ASKED, constraints=FREE),
    "nothing meets the constraints": replace(
        ASKED, constraints=Constraints(max_messages=0.0, require_caught=Fraction(1))
    ),
    "all constraints": replace(
        ASKED,
        constraints=Constraints(
            max_warned=Fraction(1, 2),
            max_messages=2.0,
            require_caught=Fraction(1, 2),
            alpha=Fraction(1, 4),
        ),
    ),
    "no conformal threshold": replace(ASKED, constraints=Constraints(alpha=Fraction(1, 1000))),
    "held out": replace(ASKED, hold_out=Fraction(1, 3)),
    "named, and a tool excluded": replace(ASKED, tried=((4, 90),), try_exclude=("poll_job",)),
    "no intervals": replace(ASKED, resamples=0),
    "one threshold": replace(ASKED, config=ReminderConfig(thresholds=(4,))),
    "many thresholds": replace(ASKED, config=ReminderConfig(thresholds=(2, 3, 4, 5, 6, 7, 8, 500))),
}


def whole(page: Element) -> None:
    """A page has every part, and a table behind every drawing."""
    figures = page.all("figure")
    assert [one.attributes["id"] for one in figures] == FIGURES
    for figure in figures:
        drawn = [one for one in figure.all("svg") if one.attributes.get("role") == "img"]
        if drawn:
            assert drawn[0].attributes["aria-label"]
            assert figure.all("details")[0].all("tbody")[0].all("tr")
        else:
            assert [one.attributes.get("class") for one in figure.all("p")] == ["empty"]
    for part in ("verdict", "candidates", "changes", "method"):
        assert page.by_id(part).all("h2" if part != "verdict" else "p")


@pytest.mark.parametrize("labelled", [True, False], ids=["labelled", "no labels"])
@pytest.mark.parametrize("asked", CASES.values(), ids=CASES)
def test_every_page_is_whole(corpus: Path, asked: Request, *, labelled: bool) -> None:
    whole(page_of(report_of(corpus, asked, labelled=labelled)))


@pytest.mark.parametrize("folder", ["polling", "once"])
@pytest.mark.parametrize("constraints", [FREE, Constraints(max_warned=Fraction(0))])
def test_a_single_session_makes_a_page(
    folder: str, constraints: Constraints, request: pytest.FixtureRequest
) -> None:
    asked = replace(ASKED, constraints=constraints)
    found = report_of(request.getfixturevalue(folder), asked, labelled=False)
    page = page_of(found)
    whole(page)
    drawn = {"polling": {"lengths", "curve", "front", "survival", "attribution"}, "once": {"front"}}
    assert {
        figure.attributes["id"]
        for figure in page.all("figure")
        if any(svg.attributes.get("role") == "img" for svg in figure.all("svg"))
    } == drawn[folder]


def test_all_sessions_stuck(corpus: Path) -> None:
    page = page_of(report_of(corpus / "runs" / "stuck"))
    whole(page)
    assert "Every session is labelled stuck" in page.by_id("front").all("p")[0].text


# ---------------------------------------------------------------- what it says


def cells(figure: Element) -> list[list[str]]:
    body = figure.all("tbody")[0]
    return [[cell.text for cell in row.children] for row in body.all("tr")]


def test_the_tables_hold_the_figures(report: TuneReport) -> None:
    page = page_of(report)
    assert cells(page.by_id("lengths")) == [
        [f"{value:,}" for value in row] for row in report.lengths
    ]
    assert [row[:3] for row in cells(page.by_id("curve"))] == [
        [f"{point.first:,}", f"{point.messages:,}", f"{point.sessions_warned:,}"]
        for point in report.curve
    ]
    assert [row[0] for row in cells(page.by_id("attribution"))] == [
        share.tool for share in report.tools
    ]
    assert len(cells(page.by_id("survival"))) == max(len(one.reach) for one in report.survival)


def test_the_front_is_all_there_and_can_be_sorted(report: TuneReport) -> None:
    table = page_of(report).by_id("candidates").all("table")[0]
    rows = table.all("tbody")[0].all("tr")
    told = sum(one.is_front or one.is_now or one.is_best for one in report.candidates)
    assert len(rows) == told
    assert [row.attributes["class"] for row in rows[:2]] == ["now", "best"]
    sorted_by = [one for one in table.all("th") if "data-sort" in one.attributes]
    for row in rows:
        values = [cell.attributes.get("data-v") for cell in row.children]
        assert [float(value or "nan") >= 0 for value in values[:-1]] == [True] * len(sorted_by)


def test_the_config_is_what_to_paste(report: TuneReport) -> None:
    assert report.best_config is not None
    shown = page_of(report).by_id("config").text
    assert shown.splitlines() == cordis_row("reminder", report.best_config)


def test_the_verdict_names_what_it_rests_on(report: TuneReport) -> None:
    page = page_of(report)
    said = [one.text for one in page.by_id("verdict").every()]
    for fact in (report.corpus.digest, "repeat-reminder 1.2.3", "--max-warned 40%"):
        assert any(fact in text for text in said), fact
    assert page.by_id("command").text == report.command


def test_stuck_sessions_that_the_best_misses_are_told(report: TuneReport) -> None:
    lost = tuple(Missed(f"s{at}", f"runs/s{at}.jsonl:7", 4) for at in range(12))
    said = [one.text for one in page_of(replace(report, missed=lost)).by_id("verdict").every()]
    assert "runs/s9.jsonl:7" in said
    assert "runs/s10.jsonl:7" not in said
    assert "and 2 more" in said


def test_twenty_sessions_with_a_command_that_runs(report: TuneReport) -> None:
    items = page_of(report).by_id("changes").all("li")
    assert len(items) == len(report.changes) > 5
    assert report.best is not None
    words = explain_words(items[0])
    thresholds = ",".join(map(str, report.best.thresholds))
    assert words == [
        "repeat-reminder", "explain", report.changes[0].place, "--thresholds", thresholds
    ]  # fmt: skip
    done = run(*words[1:])
    assert (done.code, done.err) == (0, "")
    assert f"thresholds {thresholds.replace(',', ', ')}" in done.out


def test_the_call_of_a_change_gets_the_first_message(report: TuneReport) -> None:
    assert report.best is not None
    kinds = set()
    for change in report.changes:
        # A reminder that the best configuration never sends is one of the current.
        kinds.add(change.best > 0)
        used = report.best if change.best else report.current
        words = ("--thresholds", ",".join(map(str, used.thresholds)), "-f", "json")
        done = run("explain", change.place, *words)
        (call,) = json.loads(done.out)["calls"]
        (account,) = call["accounts"]
        assert (call["tool"], account["count"]) == (change.tool, used.thresholds[0])
        path, _, line = change.place.rpartition(":")
        (replayed,) = json.loads(run("replay", path, *words).out)["sessions"]
        first = replayed["reminders"][0]
        assert (first["call"]["line"], first["tool"]) == (int(line), change.tool)
    assert kinds == {True, False}


# ---------------------------------------------------------------- closed


def test_nothing_is_loaded_and_only_its_own_script_runs(report: TuneReport) -> None:
    data = tune_page(report)
    page = parsed(data)
    policy = next(
        one.attributes["content"]
        for one in page.all("meta")
        if one.attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in (policy or "").split(";"))
    assert rules["default-src"] == "'none'"
    assert set(rules) == {"default-src", "style-src", "script-src", "base-uri", "form-action"}
    for kind in ("style", "script"):
        (own,) = page.all(kind)
        digest = base64.b64encode(hashlib.sha256(own.text.encode()).digest()).decode()
        assert rules[f"{kind}-src"] == f"'sha256-{digest}'"
    names = {name for one in page.every() for name in one.attributes}
    assert not {"src", "href", "style", "srcset", "action"} & names
    assert not [name for name in names if name.startswith("on")]
    assert not re.search(rb"https?://|url\(|@import|\beval\b|innerHTML", data)


def test_the_same_report_gives_the_same_bytes(corpus: Path, report: TuneReport) -> None:
    assert tune_page(report_of(corpus)) == tune_page(report)


def with_text(report: TuneReport, text: str) -> TuneReport:
    """Put a text everywhere that a log, a path or a command line has one."""
    change = report.changes[0]._replace(
        session=text, place=text, tool=text, preview=text, label=text
    )
    share = ToolShare(text, (3, 2, 1), (1, 0, 0), Results(changing=3))
    return replace(
        report,
        command=text,
        version=text,
        changes=(change,),
        tools=(share,),
        survival=(Survival(text, (3, 2)),),
        advice=(UnmatchedPattern("exclude", text, text, (text,)),),
        candidates=(
            report.candidates[0],
            *(structs.replace(one, also_excluded=(text,)) for one in report.candidates[1:]),
        ),
        best_config={"thresholds": [3], "exclude": [text]},
    )


@given(text=st.text(min_size=1, max_size=60) | st.sampled_from([
    "</script><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "\" onload='alert(1)' x=\"",
    "--></title></svg>",
    "&lt;&#x202e;",
    "\u202egnp.exe\u2066\u200b",
    "\ud800\udcff\x00\x1b[31m",
]))  # fmt: skip
def test_no_text_of_a_log_is_more_than_text(report: TuneReport, text: str) -> None:
    data = tune_page(with_text(report, text))
    page = parsed(data)
    assert page.shape == page_of(with_text(report, "x")).shape
    shown = data.decode()
    assert escape(shown.replace("\n", "")) == shown.replace("\n", "")
    assert page.by_id("command").text == escape(text)


@pytest.mark.parametrize(
    "text",
    [
        "a b",
        "it's",
        "\u202e.jsonl",
        "a\\b\u200b'c",
        "\x1b[0m\x7f",
        "\udcff\u200b",
        "\U000e0041",
        "",
    ],
    ids=["blank", "quote", "bidi", "backslash", "control", "byte", "tag", "empty"],
)
def test_a_command_names_the_file_whatever_it_is_called(text: str) -> None:
    word = quoted(text)
    assert escape(word) == word
    done = subprocess.run(  # noqa: S603 - prints one word
        ["/bin/bash", "-c", f"printf %s {word}"],
        capture_output=True,
        check=True,
        env={"LC_ALL": "C.UTF-8"},
    )
    assert done.stdout == text.encode("utf-8", "surrogateescape")


# ---------------------------------------------------------------- drawing


def test_both_figures_of_the_curve_have_a_band(report: TuneReport) -> None:
    bands = page_of(report).by_id("curve").all("rect")
    drawn = [one for one in bands if one.attributes.get("class") == "band"]
    assert len(drawn) == 2 * len(report.curve) + len(["legend"])
    none = page_of(report_with_no_bands(report)).by_id("curve").all("rect")
    assert len([one for one in none if one.attributes.get("class") == "band"]) == 1
    for point in report.curve:
        assert point.messages_interval is not None
        assert point.messages_interval.low <= point.messages <= point.messages_interval.high
    assert cells(page_of(report).by_id("curve"))[0][-1] == "{:,.0f} to {:,.0f}".format(
        *(report.curve[0].messages_interval or ())
    )


def report_with_no_bands(report: TuneReport) -> TuneReport:
    bare = tuple(one._replace(low=None, high=None, messages_interval=None) for one in report.curve)
    return replace(report, curve=bare)


def test_a_single_threshold_has_the_same_interval_in_the_curve(corpus: Path) -> None:
    asked = replace(ASKED, config=ReminderConfig(thresholds=(4,)), resamples=4_000)
    found = report_of(corpus, asked)
    (point,) = [one for one in found.curve if one.first == 4]
    assert found.current.messages == point.messages > 0
    assert point.messages_interval == pytest.approx(found.current.messages_interval, rel=0.15)


def test_bars_are_stacked_by_label(report: TuneReport) -> None:
    rows = (LengthRow(2, 5, 3, 4, 1), LengthRow(3, 2, 0, 0, 2))
    figure = page_of(replace(report, lengths=rows)).by_id("lengths")
    svg = next(one for one in figure.all("svg") if one.attributes.get("role") == "img")
    bars = [bar.all("rect") for bar in svg.all("g") if bar.all("rect")]
    kinds = [[one.attributes["class"] for one in bar] for bar in bars]
    assert kinds == [["cost", "unlabelled", "stuck"], ["unlabelled"]]
    sizes = [float(one.attributes["height"] or 0) for one in bars[0]]
    assert [round(size / sizes[1]) for size in sizes] == [4, 1, 3]
    for below, above in pairwise(bars[0]):
        top = float(above.attributes["y"] or 0) + float(above.attributes["height"] or 0)
        assert top == pytest.approx(float(below.attributes["y"] or 0), abs=0.2)
    assert cells(figure) == [["2", "5", "3", "4", "1"], ["3", "2", "0", "0", "2"]]


def test_runs_are_counted_by_the_label_of_their_session(report: TuneReport, corpus: Path) -> None:
    assert all(row.cost == row.ok and not row.unknown for row in report.lengths)
    assert sum(row.stuck for row in report.lengths)
    bare = report_of(corpus, labelled=False)
    assert all(row.cost == row.unknown and not row.ok + row.stuck for row in bare.lengths)
    assert [row.unknown for row in bare.lengths] == [row.ok + row.stuck for row in report.lengths]


@pytest.mark.parametrize("longest", [2, 3, 24, 25, 26, 80, 5_000])
def test_bins_hold_every_run_and_leave_no_gap(longest: int) -> None:
    rows = [
        LengthRow(length, length % 3 + length % 5, length % 2, length % 3, length % 5)
        for length in range(2, longest + 1)
    ]
    found = bins(rows)
    assert found[0].low == 2
    assert found[-1].high >= longest
    assert all(one.high + 1 == other.low for one, other in pairwise(found))
    for label in ("ok", "unknown", "stuck"):
        assert sum(getattr(one, label) for one in found) == sum(getattr(row, label) for row in rows)
    assert sum(one.total for one in found) == sum(row.cost + row.stuck for row in rows)
    assert len(found) < 60


@pytest.mark.parametrize("high", [0, 0.3, 1, 7, 10, 99, 1_234_567])
def test_ticks_are_few_and_reach_the_top(high: float) -> None:
    found = ticks(high)
    assert found[0] == 0
    assert found[-1] >= high
    assert 2 <= len(found) <= 6


def test_ticks_of_a_logarithmic_scale() -> None:
    assert log_ticks(1, 60) == [1, 2, 5, 10, 20, 50]
    assert log_ticks(1, 40_000) == [1, 10, 100, 1_000, 10_000]


def test_labels_that_would_touch_are_left_out() -> None:
    assert thinned([0, 10, 40, 45], ["10", "11", "12", "13"]) == [0, 2]


# ---------------------------------------------------------------- the command

CHOICE = ("--require-caught", "100%", "--max-warned", "80%", "--bootstrap", "20")


def tune(corpus: Path, *words: str | Path) -> list[str | Path]:
    return ["tune", corpus / "runs", "--labels", corpus / "labels.csv", *CHOICE, *words]


def test_the_command_writes_the_page_and_prints_as_before(corpus: Path, tmp_path: Path) -> None:
    target = tmp_path / "tune.html"
    plain, done = run(*tune(corpus)), run(*tune(corpus, "--html", target))
    assert (done.code, done.out) == (plain.code, plain.out)
    size = len(target.read_bytes())
    assert done.err == f"wrote {target} ({size / 1000:,.0f} KB, offline)\n"
    whole(parsed(target.read_bytes()))
    assert list(tmp_path.iterdir()) == [target]
    assert run(*tune(corpus, "--html", target, "-q")).err == ""


def test_a_page_is_written_where_nothing_meets_the_constraints(
    corpus: Path, tmp_path: Path
) -> None:
    target = tmp_path / "tune.html"
    done = run(*tune(corpus, "--max-messages-per-session", "0", "--html", target))
    assert done.code == 1
    said = parsed(target.read_bytes()).by_id("verdict").all("p")[0].text
    assert said.startswith("No configuration meets the constraints.")


def test_redact_leaves_arguments_out(corpus: Path, tmp_path: Path) -> None:
    target = tmp_path / "tune.html"
    words = tune(corpus, "--html", target, "-f", "json")
    assert "arguments" in run(*words).out
    assert "cat build.log" in target.read_text(encoding="utf-8")
    done = run(*words, "--redact")
    assert {one["arguments_preview"] for one in json.loads(done.out)["changes"]} == {None}
    shown = target.read_text(encoding="utf-8")
    assert "cat build.log" not in shown
    assert "job-1" not in shown


def test_what_cannot_be_written_is_told_before_anything_is_read(
    corpus: Path, tmp_path: Path
) -> None:
    log = next((corpus / "runs" / "ok").iterdir())
    before = log.read_bytes()
    old = tmp_path / "old.html"
    old.write_text("old", encoding="utf-8")
    for words, told in (
        (("--html", tmp_path / "no" / "tune.html"), "there is no such folder"),
        (("--html", old, "-o", old), "the page and the output are one file"),
        (("--html", old, "--max-warned", "much"), "--max-warned"),
        (("--html", old, "--policy", "breaker"), "--html is for the reminder"),
    ):
        done = run(*tune(corpus, *words))
        assert (done.code, done.out) == (2, ""), done
        assert told in done.err
    done = run("tune", log, "--html", log)
    assert done.code == 2
    assert log.read_bytes() == before
    assert old.read_text(encoding="utf-8") == "old"


def test_the_change_of_a_session_is_shown_whatever_is_known(report: TuneReport) -> None:
    bare = SessionChange("s", "p.jsonl:1", "unknown", "", None, 1, 0, 2)
    (item,) = page_of(replace(report, changes=(bare,))).by_id("changes").all("li")
    assert item.all("b")[0].text == "0 → 2"
    assert "arguments" not in {one.attributes.get("class") for one in item.all("code")}
