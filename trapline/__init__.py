"""The command line: ``trapline``, its commands, and the one table of settings."""
