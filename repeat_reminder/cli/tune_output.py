"""How a tuning report is printed, or the config it finds."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from repeat_reminder.cli import options as opt
from repeat_reminder.cli.output import Writer, look_of
from repeat_reminder.cli.tune_command import without_jobs
from repeat_reminder.config import ConfigText, load
from repeat_reminder.errors import UsageError
from repeat_reminder.events import Json
from repeat_reminder.jsontext import dumps
from repeat_reminder.render.look import Look
from repeat_reminder.render.tune.config_text import cordis_row, toml_table
from repeat_reminder.render.tune.records import Record, candidate_record, tune_json
from repeat_reminder.render.tune.values import TuneReport
from repeat_reminder.source import STDIN

if TYPE_CHECKING:
    from repeat_reminder.cli.tuning import Wanted
    from repeat_reminder.render.tune.breaker_values import BreakerReport


def print_report(report: "TuneReport | BreakerReport", wanted: "Wanted", writer: Writer) -> None:
    """Print a report as a page, JSON or CSV."""
    report = replace(report, command=without_jobs(report.command))
    match wanted.form:
        case opt.TableFormat.JSON:
            if isinstance(report, TuneReport):
                writer.write(tune_json(report))
            else:
                from repeat_reminder.render.tune.breaker_records import breaker_json

                writer.write(breaker_json(report))
        case opt.TableFormat.CSV:
            from repeat_reminder.render.tune.csv_text import csv_of

            writer.write(csv_of(_rows(report)))
        case opt.TableFormat.FULL:
            look = look_of(
                None if wanted.output else sys.stdout.buffer,
                "utf-8" if wanted.output else sys.stdout.encoding,
                wanted.color,
            )
            for line in _lines(report, look, origins=wanted.origins):
                writer.line(line)
        case _:
            assert_never(wanted.form)


def _rows(report: "TuneReport | BreakerReport") -> list[Record]:
    if isinstance(report, TuneReport):
        return [candidate_record(one) for one in report.candidates]
    from repeat_reminder.render.tune.breaker_records import breaker_record

    return [breaker_record(one) for one in report.candidates]


def _lines(report: "TuneReport | BreakerReport", look: Look, *, origins: bool) -> Iterable[str]:
    if isinstance(report, TuneReport):
        from repeat_reminder.render.tune.report import tune_lines

        return tune_lines(report, look, origins=origins)
    from repeat_reminder.render.tune.breaker import breaker_lines

    return breaker_lines(report, look)


def emit(
    report: "TuneReport | BreakerReport", how: opt.EmitAs, path: str | None, writer: Writer
) -> None:
    """Print the best config alone.

    Args:
        report: has a best config.
        how: in which syntax.
        path: the config file, which a patch is for.
        writer: takes the text.

    Raises:
        ConfigError: the config file cannot be edited.
    """
    best = report.best_config
    if best is None:
        return
    policy = "reminder" if isinstance(report, TuneReport) else "breaker"
    match how:
        case opt.EmitAs.JSON:
            writer.write(dumps(dict(best)) + b"\n")
        case opt.EmitAs.YAML:
            writer.write(_text(cordis_row(policy, best)))
        case opt.EmitAs.TOML:
            text = _text(toml_table(policy, best))
            _read_back(policy, best, text)
            writer.write(text)
        case opt.EmitAs.PATCH:
            # It takes a YAML parser along that nothing else here has a use for.
            from repeat_reminder.tune.patching import patch

            before = None if path is None else _file(path)
            writer.write(patch(policy, best, path, before).encode())
        case _:
            assert_never(how)


def _read_back(policy: str, config: Mapping[str, Json], text: bytes) -> None:
    """See whether a table says the config.

    Raises:
        UsageError: something is switched off that is on by default; TOML has no null for that.
    """
    said = load([policy], config=ConfigText(path="config.toml", data=text)).policies[0].config
    if said.record() != config:
        hint = "use --emit yaml"
        raise UsageError("TOML cannot say that something is off", path="--emit toml", hint=hint)


def _text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _file(path: str) -> str:
    if path == STDIN:
        hint = "name the file, or use --emit yaml"
        raise UsageError("standard input cannot be patched", path="--config", hint=hint)
    return ConfigText.of(path).data.decode("utf-8-sig")
