"""The inner nodes of trees in the order of what they look at."""

from __future__ import annotations

from rankwise._jit import jit


@jit(allocates=False)
def sort_by_digit(digits, keys, nodes, places, sorted_keys, sorted_nodes):
    """Write keys and nodes by a digit of each, equal ones as they stand.

    `places` says where those of each digit begin, and is moved on.
    """
    for i in range(digits.shape[0]):
        place = places[digits[i]]
        places[digits[i]] = place + 1
        sorted_keys[place], sorted_nodes[place] = keys[i], nodes[i]
