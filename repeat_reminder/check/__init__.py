"""Compare where reminders land with the snapshots that pin it.

Scenarios (``scenarios``) are replayed under their own settings (``replaying``) and their
transcripts compared with the files beside them (``run``); what differs is explained from the two
lists of events (``explain``). Nothing is written but by an update (``write``).
"""
