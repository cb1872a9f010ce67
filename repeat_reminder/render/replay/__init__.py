"""What `replay` prints: a table, lines for grep, JSON."""
