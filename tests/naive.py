"""Plain twins: the slow, obviously right version of every kernel and algorithm, written from the definitions."""
