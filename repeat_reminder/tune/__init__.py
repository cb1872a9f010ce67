"""Thresholds and scope from recorded sessions: one pass over the logs, then arithmetic.

`recorder` reduces a session to a `table.SessionTable`, `corpus` puts tables together, `runs` chains
the calls of a table under any scope, and everything else reads the runs. `cache` keeps tables from
one run of the program to the next.
"""
