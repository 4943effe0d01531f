"""Coverage: labels, figures, and the command that measures."""
