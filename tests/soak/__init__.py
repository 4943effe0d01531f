"""Server, service, bot and all reading commands on one library, under kills and faults, with every promise counted."""
