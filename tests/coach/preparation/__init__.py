"""A player's own repertoire, and preparing for an opponent."""
