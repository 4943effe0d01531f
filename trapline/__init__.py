"""The command line ``trapline`` and the one table of settings.

=============  ===========================================================================
commands/      the commands
web/           the library over HTTP: pages, an interface for programs, uploads
service/       fetches games and runs the jobs that let a library grow
__main__.py    the start of the command, and its end by Ctrl-C
program.py     the list of the commands, the version, exit codes
lazy_group.py  command groups that import a command when it is used
examples.py    example of each command, as its help shows it
echo.py        what is printed, made harmless for a terminal
doctor.py      condition of an installation: library, settings, tokens, disk, clock
settings.py    the settings of all packages in one table; the example file of it
=============  ===========================================================================
"""
