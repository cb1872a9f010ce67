"""What readers of several formats share."""
