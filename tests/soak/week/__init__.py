"""A week of the lichess bot in minutes: ``python -m tests.soak.week``.

The bot is the real one, a process of its own, and its timers run in real time. So do the stand-in's clocks of games,
its limits by the minute and the expiry of its challenges. Accelerated is the calendar: a day has the length of a
seventh of the games. The limit of 100 games between bots, the arena hours, the tokens and the schedule of mishaps
follow this calendar. The players shorten the games: they resign, abort, agree to draws, fall into traps or blunder.

================  ==================================================================
__main__.py       options, and the exit code
plan.py           how much is played, in how long, and when what goes wrong
crowd.py          people and bots that challenge the bot, write to it and wait
habits.py         how each of them plays, and the clocks
arenas.py         arenas of the week, which admit bots
mishaps.py        what goes wrong, and the moments that it disturbs
disk.py           a disk that can be filled and freed
usage.py          memory, descriptors and library along the run, and their growth
run.py            all processes of one week
verdict.py        the report
test_week.py      a short week, and a record that is lost
================  ==================================================================
"""
