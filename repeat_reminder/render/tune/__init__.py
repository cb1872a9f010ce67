"""What `tune` and `stats` print, and the values they print."""
