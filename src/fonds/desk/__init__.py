"""The author's desk: a process of its own, for one archive and whoever keeps it."""
