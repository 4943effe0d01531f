"""The real bot against the server of the tests, and the real server, under faults, with every promise counted."""
