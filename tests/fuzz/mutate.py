"""Changes to bytes, texts and values, all drawn from one source of chance."""

import copy

ODD_NUMBERS = [
    *(0, 1, -1, 2, 3, 7, 127, 128, 255, 256, 2**15, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53 + 1),
    *(2**62, 2**63, 2**64, 10**30, 0.5, -0.0, 1e-320, 1e-9, 1e150, 1e308, -1e308),
]
ODD_TEXTS = [
    "", " ", "?", "nan", "NaN", "inf", "-inf", "1e999", "0", "-1", "1_000", "1,5", "tea", "a>b", "=1+1",
    "é", "\u202e", "\x1b[2J", "\ufeff", "\u2028", "a" * 300, "'", '"', "\\", "{", "}", "%", "|", ">", "~",
    "__class__", "predict", "../x", "/etc/passwd", "None", "True", "object", "float64", "\ud800",
]  # fmt: skip
ODD_BYTES = [text.encode("utf-8", "surrogatepass") for text in ODD_TEXTS] + [
    *(b"\0", b"\xff", b"\xff\xfe", b"\x80", b"\n", b"\r\n", b"\r", b",", b";", b"\t", b"\x1a", b"PK\x03\x04"),
]  # fmt: skip


def odd_value(rng):
    """Return a value of any kind that JSON holds."""
    kind = rng.randrange(8)
    if kind < 3:
        return rng.choice(ODD_NUMBERS)
    if kind == 3:
        return rng.choice(ODD_TEXTS)
    if kind == 4:
        return rng.choice([None, True, False, [], {}, [[]], [None], {"": None}])
    if kind == 5:
        return [odd_value(rng) for _ in range(rng.randrange(4))]
    if kind == 6:
        return {rng.choice(ODD_TEXTS): odd_value(rng) for _ in range(rng.randrange(3))}
    return rng.choice([{"float": "nan"}, {"float": "inf"}, {"tuple": [1, 2]}, {"dict": []}])


def mutated(data, rng, tokens=()):
    """Return bytes changed in one to six places."""
    data = bytearray(data)
    pieces = [*ODD_BYTES, *tokens]
    for _ in range(rng.choice([1, 1, 1, 1, 2, 4])):
        at, how = rng.randrange(len(data) + 1), rng.randrange(9)
        end = min(len(data), at + rng.choice([1, 1, 2, 4, 16, 200]))
        if how == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif how == 1:
            del data[at:end]
        elif how == 2:
            data[at:at] = rng.choice(pieces)
        elif how == 3:
            data[at:end] = rng.choice(pieces)
        elif how == 4:
            data[at:at] = data[at:end] * rng.choice([1, 2, 50])
        elif how == 5:
            other = rng.randrange(len(data) + 1)
            data[at:end] = data[other : other + end - at]
        elif how == 6:
            data[at:at] = rng.choice(pieces) * rng.choice([2, 2, 100, 20_000])
        elif how == 7:
            data[at:at] = str(rng.choice(ODD_NUMBERS)).encode()
        elif rng.random() < 0.3:
            del data[at:]
    return bytes(data)


def places_of(value):
    """Return every place in a JSON value, as (container, key)."""
    found, waiting = [], [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, (dict, list)):
            keys = list(inner) if isinstance(inner, dict) else range(len(inner))
            found.extend((inner, key) for key in keys)
            waiting.extend(inner[key] for key in keys)
    return found


def mutate_json(value, rng):
    """Change a JSON value in one to three places, where it stands."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        places = places_of(value)
        if not places:
            return
        holder, key = rng.choice(places)
        how = rng.randrange(6)
        if how == 0:
            del holder[key]
        elif how == 1 and isinstance(holder, dict):
            holder[rng.choice(ODD_TEXTS)] = holder.pop(key)
        elif how == 2:
            other, name = rng.choice(places)
            holder[key] = copy.deepcopy(other[name])
        elif how == 3 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif how == 4 and isinstance(holder[key], (int, float)) and holder[key] is not True:
            holder[key] += rng.choice([1, -1, 0.5, 10**6])
        else:
            holder[key] = odd_value(rng)


WORDS = [
    "breiman", "level", "best", "random", "auto", "never", "labelwise", "joint", "pairwise", "copeland", "borda",
    "kemeny", "mean", "median", "tea", "coffee", "water", "a", "b", "c", "d", "p", "q", "exact", "Tree", "Kernel",
]  # fmt: skip


def mutate_leaf(value, rng):
    """Change one to three numbers, texts or truths of a JSON value to others that might stand there."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        leaves = [
            (holder, key)
            for holder, key in places_of(value)
            if not isinstance(holder[key], (dict, list))
        ]
        if not leaves:
            return
        holder, key = rng.choice(leaves)
        old = holder[key]
        same = [h[k] for h, k in leaves if type(h[k]) is type(old)]
        if isinstance(old, bool):
            holder[key] = not old
        elif isinstance(old, (int, float)):
            holder[key] = rng.choice(
                [old + 1, old - 1, old / 2, 0, 1, 2, 3, 0.5, -1, None, rng.choice(same)]
            )
        elif isinstance(old, str):
            holder[key] = rng.choice(
                [rng.choice(WORDS), rng.choice(same), rng.choice(ODD_TEXTS), None, 1]
            )
        else:
            holder[key] = rng.choice([0, 1, 2, 5, 0.5, True, "auto", rng.choice(ODD_NUMBERS)])


def shuffle_array(array, rng):
    """Set some numbers of an array to others near them or of the same array, where they stand."""
    flat = array.reshape(-1)
    if not flat.size:
        return
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        at, other = rng.randrange(flat.size), rng.randrange(flat.size)
        if flat.dtype.kind == "f" and rng.random() < 0.5:
            flat[at] = flat[other] * rng.choice([0.5, 0.9, 1.1, 2])
        else:
            flat[at], flat[other] = flat[other], flat[at]


def mutate_array(array, rng):
    """Set some numbers of an array to odd ones, where they stand."""
    import numpy as np

    flat = array.reshape(-1)
    if not flat.size:
        return
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(flat.size)
        with np.errstate(all="ignore"):
            if flat.dtype.kind == "f":
                odd = [
                    *ODD_NUMBERS,
                    float("nan"),
                    float("inf"),
                    -float("inf"),
                    flat[rng.randrange(flat.size)],
                ]
                flat[at] = np.float64(rng.choice(odd))
            elif flat.dtype.kind == "b":
                flat[at] = not flat[at]
            else:
                number = rng.choice([*ODD_NUMBERS[:22], int(flat[rng.randrange(flat.size)])])
                low, high = np.iinfo(flat.dtype).min, np.iinfo(flat.dtype).max
                flat[at] = min(max(int(number), low), high)
