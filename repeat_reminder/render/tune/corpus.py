"""What a report about a corpus begins with: what was read, and what of it is evidence."""

from collections.abc import Iterator

from repeat_reminder.render.look import Look, plural
from repeat_reminder.render.paragraphs import paragraph
from repeat_reminder.render.tune.figures import CorpusFigures


def corpus_lines(corpus: CorpusFigures, look: Look) -> Iterator[str]:
    """Yield what was read, and what of it is evidence."""
    for parts in (_read(corpus), _evidence(corpus), _left_out(corpus)):
        if any(parts):
            yield from paragraph(look.join(*parts), look)


def _read(corpus: CorpusFigures) -> list[str]:
    labels = f"{corpus.stuck:,} stuck, {corpus.ok:,} ok, {corpus.unknown:,} unknown"
    return [
        plural(corpus.sessions, "session"),
        f"{plural(corpus.calls, 'call')} ({corpus.tracked:,} tracked)",
        f"labels: {labels}" if corpus.stuck or corpus.ok else "no labels",
    ]


def _evidence(corpus: CorpusFigures) -> list[str]:
    hold = "holds" if corpus.off_policy == 1 else "hold"
    off = f"{plural(corpus.off_policy, 'session')} {hold} recorded reminders"
    cut = plural(corpus.cut_by_reminder, "run")
    return [
        f"cost group {corpus.cost:,}" + (" (ok + unknown)" if corpus.stuck or corpus.ok else ""),
        f"{off}, {cut} cut there" if corpus.off_policy else "",
        f"{plural(corpus.cut_by_log, 'run')} cut by the end of the log"
        if corpus.cut_by_log
        else "",
    ]


def _left_out(corpus: CorpusFigures) -> list[str]:
    lines, files = plural(corpus.skipped_lines, "line"), plural(corpus.skipped_files, "file")
    skipped = f"{lines} skipped in {files}" if corpus.skipped_lines else f"{files} skipped"
    return [
        skipped if corpus.skipped_files else "",
        f"{plural(corpus.copies, 'copied call')} dropped" if corpus.copies else "",
        f"{plural(corpus.copied_sessions, 'session')} of nothing but copies"
        if corpus.copied_sessions
        else "",
    ]
