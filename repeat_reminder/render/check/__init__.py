"""What `check` prints, for people, JSON, GitHub and JUnit."""
