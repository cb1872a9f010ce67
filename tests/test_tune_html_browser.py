"""The page in a real browser: it fits, its script runs, it loads nothing and reports no error."""

import html
import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

from repeat_reminder.render.html import tune_page
from repeat_reminder.render.tune.values import Constraints, TuneReport
from tests.corpus import Truth
from tests.corpus import write as write_corpus
from tests.pages import ASKED, report_of

_FOUND: Final = shutil.which("chromium") or shutil.which("/usr/bin/chromium")
# In CI a missing browser is a failure, never a test that was quietly left out.
pytestmark = pytest.mark.skipif(
    _FOUND is None and not os.environ.get("CI"), reason="there is no Chromium here"
)

PHONE, DESKTOP = 390, 1280
FLAGS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    # The test looks into the page from a page of its own.
    "--allow-file-access-from-files",
    "--enable-logging=stderr", "--window-size=1400,1000", "--virtual-time-budget=5000",
)  # fmt: skip
_WATCH: Final = """<!doctype html><meta charset="utf-8"><title>watch</title>
<iframe id="page" src="page.html" width="WIDTH" height="900"></iframe><pre id="found"></pre>
<script>
const frame = document.getElementById("page");
frame.addEventListener("load", async () => {
  const page = frame.contentDocument, view = frame.contentWindow, found = {};
  const widest = () => page.documentElement.scrollWidth - page.documentElement.clientWidth;
  const texts = (selector) => [...page.querySelectorAll(selector)].map((one) => one.textContent);
  found.title = page.title;
  found.tooWide = widest();
  for (const one of page.querySelectorAll("details")) one.open = true;
  found.tooWideOpened = widest();
  found.loaded = view.performance.getEntriesByType("resource").map((one) => one.name);
  found.headers = texts("#candidates th[data-sort] > button");
  found.copies = texts("[data-copy] > button");
  found.boxes = page.querySelectorAll("[data-copy]").length;
  const header = [...page.querySelectorAll("#candidates th")].find((one) =>
    one.textContent === "messages");
  const button = header?.querySelector("button");
  found.sorted = [];
  for (let turn = 0; button && turn < 2; turn++) {
    button.click();
    found.sorted.push([header.getAttribute("aria-sort"),
      texts("#candidates tbody tr td:nth-child(2)").map((one) => Number(one.replace(",", "")))]);
  }
  const copy = page.querySelector("[data-copy=config] > button");
  copy.focus();
  found.focused = page.activeElement === copy;
  copy.click();
  await new Promise((done) => setTimeout(done, 200));
  found.copied = copy.textContent;
  found.selected = String(view.getSelection());
  found.unreached = [...page.querySelectorAll(".scroll")].filter((one) => one.tabIndex < 0).length;
  found.small = [...page.querySelectorAll("figure > svg text")].map((one) =>
    one.getBoundingClientRect().height).filter((height) => height && height < 10).length;
  found.outside = [...page.querySelectorAll("figure > svg")].flatMap((drawing) => {
    const box = drawing.getBoundingClientRect();
    return [...drawing.querySelectorAll("text")].filter((text) => {
      const own = text.getBoundingClientRect();
      return own.left < box.left - 1 || own.right > box.right + 12 || own.top < box.top - 1;
    }).map((text) => text.textContent);
  });
  document.getElementById("found").textContent = JSON.stringify(found);
});
</script>
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus"), Truth(sessions=30))


def watched(report: TuneReport, width: int, folder: Path) -> dict[str, Any]:
    """Load a page in a frame of a width, and return what a script beside it saw."""
    assert _FOUND is not None
    (folder / "page.html").write_bytes(tune_page(report))
    watch = folder / "watch.html"
    watch.write_text(_WATCH.replace("WIDTH", str(width)), encoding="utf-8")
    done = subprocess.run(  # noqa: S603 - the browser that was looked up
        [_FOUND, *FLAGS, f"--user-data-dir={folder / 'profile'}", "--dump-dom", watch.as_uri()],
        capture_output=True,
        check=True,
        timeout=90,
        text=True,
    )
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
    told = re.search(r'<pre id="found">(.+?)</pre>', done.stdout, re.DOTALL)
    assert told is not None, done.stdout[-500:]
    found: dict[str, Any] = json.loads(html.unescape(told[1]))
    return found


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_the_page_works(corpus: Path, width: int, tmp_path: Path) -> None:
    report = report_of(corpus)
    found = watched(report, width, tmp_path)
    assert found["title"] == "repeat-reminder: tuning report"
    assert (found["tooWide"], found["tooWideOpened"]) == (0, 0)
    assert (found["small"], found["outside"], found["unreached"]) == (0, [], 0)
    assert found["loaded"] == []
    assert found["headers"][:2] == ["thresholds", "messages"]
    assert found["copies"] == ["Copy"] * found["boxes"]
    assert found["boxes"] == 2 + len(report.changes)
    (up, rising), (down, falling) = found["sorted"]
    assert (up, down) == ("ascending", "descending")
    assert rising == sorted(rising)
    assert falling == sorted(falling, reverse=True)
    assert len(set(rising)) > 2
    assert found["focused"]
    assert found["copied"] != "Copy"


EVIL: Final = "</script><script>document.title='pwned'</script>\" onfocus=\"x" + "y" * 200


def _hostile(folder: Path) -> Path:
    for at, tool in enumerate(
        (EVIL, "مرحبا", "\u202eexe", "<svg onload=x>", "z" * 400, "a&b", "c")
    ):
        records: list[dict[str, Any]] = [{"type": "session", "id": f"{tool}{at}"}]
        for number in range(3 + 40 * at):
            arguments = {"a": EVIL}
            records += [
                {"type": "tool_call", "id": f"c{number}", "name": tool, "arguments": arguments},
                {"type": "tool_result", "call_id": f"c{number}", "content": "x", "status": "ok"},
            ]
        path = folder / f"o'dd <b> {at}.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return folder


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_hostile_names_do_nothing_and_fit(
    width: int, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    logs = _hostile(tmp_path_factory.mktemp("logs"))
    asked = replace(ASKED, constraints=Constraints(max_warned=Fraction(1, 2)))
    found = watched(report_of(logs, asked, labelled=False), width, tmp_path)
    assert found["title"] == "repeat-reminder: tuning report"
    assert (found["tooWide"], found["tooWideOpened"]) == (0, 0)
    assert (found["small"], found["outside"], found["loaded"]) == (0, [], [])
