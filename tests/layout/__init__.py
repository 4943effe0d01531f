"""Rules for the source as a whole: who imports whom, sizes, names, maps of packages, and what is shipped."""
