"""The owner's control of a running bot.

===============  ===================================================================================
local_socket.py  the socket in ``bot.folder``, for the account of the bot alone
overview.py      what ``status`` tells: games, waiting challenges, arenas, problems
reload.py        reading the settings again, and which of them need a restart
commands.py      the commands: status, challenge, join, leave, stop, reload
===============  ===================================================================================
"""
