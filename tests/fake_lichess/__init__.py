"""A lichess on loopback: state, clocks and rules of its own, spoken over the published API, with faults to order."""
