"""The heaviest rectangle in the plane, by a sweep."""

from __future__ import annotations

from rankwise._jit import jit


@jit
def heaviest_slab(starts, can_end, left_over, place, weight, size, total, prefix, suffix, heaviest):
    r"""Return (gain, first, last): the groups of the best rectangle, and the sum of its weights.

    Rows come in groups of equal x, by rising x: group g is rows ``starts[g]:starts[g + 1]``, and
    a rectangle may begin or end there if ``can_end[g]``. ``left_over[g]`` is the positive weight
    from group g on. ``place`` is the position of a row's y in 0..size - 1, `size` a power of 2.

    For each first group the others are added one by one to a tree over the places of y:

        node            total  = weight of its places
       /    \            prefix = best sum of its first places, suffix = of its last
    left    right       heaviest = best sum of places in a row, which answers at the root

    O(groups x rows x log size); the last four arguments are work space of length 2 size.
    """
    best, best_first, best_last = 0, -1, -1
    n_groups = len(can_end)
    for first in range(n_groups):
        if left_over[first] <= best:
            break
        if not can_end[first]:
            continue
        total[:] = 0
        prefix[:] = 0
        suffix[:] = 0
        heaviest[:] = 0
        for last in range(first, n_groups):
            for row in range(starts[last], starts[last + 1]):
                node = size + place[row]
                total[node] += weight[row]
                positive = max(total[node], 0)
                prefix[node] = positive
                suffix[node] = positive
                heaviest[node] = positive
                node //= 2
                while node >= 1:
                    left = 2 * node
                    right = left + 1
                    total[node] = total[left] + total[right]
                    prefix[node] = max(prefix[left], total[left] + prefix[right])
                    suffix[node] = max(suffix[right], total[right] + suffix[left])
                    across = suffix[left] + prefix[right]
                    heaviest[node] = max(across, max(heaviest[left], heaviest[right]))
                    node //= 2
            # size 1 has no node above its only place
            root = heaviest[1]
            if can_end[last] and root > best:
                best, best_first, best_last = root, first, last
    return best, best_first, best_last
