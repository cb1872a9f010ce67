"""``formats``: the readers, what recognises a log, and the schemas."""

import json
from pathlib import Path

import pytest

from repeat_reminder.cli.options import SchemaName
from repeat_reminder.formats import FORMATS
from repeat_reminder.formats.model import Format
from repeat_reminder.schemas import NAMES, schema
from tests.command import run

ROOT = Path(__file__).parents[1]
TWO_TIERS = ROOT / "fixtures" / "two-tiers.jsonl"
TORN = ROOT / "tests" / "data" / "dsh" / "abort-in-step.torn.jsonl.zstd"


def test_every_reader_is_listed_with_its_status() -> None:
    done = run("formats")
    assert done.code == 0
    blocks = done.out.split("\n\n")
    listed = {block.split()[0]: block for block in blocks[:-1]}
    assert listed.keys() == {form.name for form in FORMATS}
    for form in FORMATS:
        assert f"  status    {form.status.value}: " in listed[form.name]
        assert f"  where     {form.where}\n" in listed[form.name]


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_every_reader_says_what_it_recognises(form: Format) -> None:
    """The docstring of ``recognise`` is what users read, so it has to be about logs."""
    assert (form.recognise.__doc__ or "").startswith("See `Format.recognise`: ")
    assert form.signs
    assert "`" not in form.signs
    assert f"  known by  {form.signs}\n" in run("formats").out


def test_detect_tells_reader_and_evidence() -> None:
    done = run("formats", "--detect", TWO_TIERS)
    assert done.out.splitlines() == [
        f"{TWO_TIERS}: canonical",
        "  reader    repeat-reminder's own session log",
        "  evidence  the first record says schema repeat-reminder/session@1",
        "  status    proven: checked against recorded sessions",
    ]


def test_detect_looks_through_compression() -> None:
    out = run("formats", "--detect", TORN).out
    assert out.startswith(f"{TORN}: dsh\n")
    assert "  packed as zstd\n" in out


def test_detect_reads_standard_input() -> None:
    done = run("formats", "--detect", "-", stdin=TWO_TIERS.read_bytes())
    assert done.out.startswith("-: canonical\n")


def test_detect_says_what_an_unknown_file_looks_like(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("<!doctype html>\n")
    done = run("formats", "--detect", tmp_path / "x.jsonl")
    assert (done.code, done.out) == (2, "")
    assert "an HTML page" in done.err
    assert run("formats", "--detect", tmp_path / "no.jsonl").code == 2


def test_evidence_from_a_log_is_escaped(tmp_path: Path) -> None:
    schema_name = "repeat-reminder/session@1\x1b[31m\u202e"
    (tmp_path / "x.jsonl").write_text(json.dumps({"type": "session", "schema": schema_name}) + "\n")
    out = run("formats", "--detect", tmp_path / "x.jsonl").out
    assert "\\x1b[31m\\u202e" in out
    assert "\x1b" not in out


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_printed_as_they_are_shipped(name: str) -> None:
    done = run("formats", "--schema", name)
    assert (done.code, done.out.encode()) == (0, schema(name))


def test_the_option_knows_every_schema() -> None:
    assert [name.value for name in SchemaName] == list(NAMES)
    assert run("formats", "--schema", "nothing").code == 2


def test_one_question_at_a_time() -> None:
    done = run("formats", "--schema", "replay", "--detect", TWO_TIERS)
    assert done.code == 2
    assert "do not go together" in done.err


def test_a_file_takes_the_output(tmp_path: Path) -> None:
    assert run("formats", "--schema", "config", "-o", tmp_path / "c.json").out == ""
    assert (tmp_path / "c.json").read_bytes() == schema("config")
