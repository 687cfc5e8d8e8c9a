"""Plain twins: the slow, obviously right version of every kernel and algorithm."""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np

# metrics: one row of truth and prediction at a time


def counted_pairs(true):
    """Pairs (i, j) with i strictly before j in the truth; comparisons with NaN are false."""
    return [(i, j) for i, j in itertools.permutations(range(len(true)), 2) if true[i] < true[j]]


def pair_counts(true, pred):
    pairs = counted_pairs(true)
    concordant = sum(pred[i] < pred[j] for i, j in pairs)
    discordant = sum(pred[i] > pred[j] for i, j in pairs)
    return len(pairs), concordant, discordant


def kendall_tau(true, pred):
    counted, concordant, discordant = pair_counts(true, pred)
    return (concordant - discordant) / counted if counted else math.nan


def kendall_distance(true, pred):
    counted, concordant, discordant = pair_counts(true, pred)
    tied = counted - concordant - discordant
    return discordant + tied / 2 if counted else math.nan


def exact_match(true, pred):
    counted, concordant, _ = pair_counts(true, pred)
    return float(concordant == counted) if counted else math.nan


def paired_positions(true, pred):
    """Positions of the observed labels in truth and prediction; ties in the truth are halves."""
    observed = [i for i in range(len(true)) if not math.isnan(true[i])]
    in_truth, in_prediction = [], []
    for i in observed:
        others = [j for j in observed if j != i]
        in_truth.append(1 + sum(_share(true[j], true[i]) for j in others))
        in_prediction.append(
            1 + sum(0.5 if true[j] == true[i] else _share(pred[j], pred[i]) for j in others)
        )
    return np.array(in_truth), np.array(in_prediction)


def _share(other, own):
    return 1.0 if other < own else 0.5 if other == own else 0.0


def spearman_distance(true, pred):
    a, b = paired_positions(true, pred)
    return float(((a - b) ** 2).sum()) if counted_pairs(true) else math.nan


def footrule_distance(true, pred):
    a, b = paired_positions(true, pred)
    return float(np.abs(a - b).sum()) if counted_pairs(true) else math.nan


def spearman_rho(true, pred):
    if not counted_pairs(true):
        return math.nan
    a, b = paired_positions(true, pred)
    return float(np.corrcoef(a, b)[0, 1]) if np.ptp(b) > 0 else 0.0


def best_position(true, pred):
    """Position of each best label among the labels that are worse; the smallest of them."""
    if not counted_pairs(true):
        return math.nan
    best = [i for i in range(len(true)) if true[i] == np.nanmin(true)]
    worse = [j for j in range(len(true)) if true[j] > np.nanmin(true)]
    return min(1 + sum(_share(pred[j], pred[i]) for j in worse) for i in best)


def top_k_accuracy(true, pred, k=1):
    position = best_position(true, pred)
    return math.nan if math.isnan(position) else float(position <= k)


def reciprocal_rank(true, pred):
    return 1 / best_position(true, pred)


def regret(values, pred, top=1):
    """Mean regret over every order of the labels with a value that the prediction allows."""
    valued = [i for i in range(len(values)) if not math.isnan(values[i])]
    if not valued:
        return math.nan
    allowed = [
        order
        for order in itertools.permutations(valued)
        if all(pred[a] <= pred[b] for a, b in itertools.pairwise(order))
    ]
    best = max(values[i] for i in valued)
    return sum(best - max(values[i] for i in order[:top]) for order in allowed) / len(allowed)


# rankings


def dense_ranks(scores, higher_is_better=True):
    """Rank of a score: one more than the number of distinct better scores in its row."""
    ranks = []
    for row in scores:
        seen = {s for s in row if s == s}
        ranks.append(
            [
                1 + sum(t > s if higher_is_better else t < s for t in seen) if s == s else math.nan
                for s in row
            ]
        )
    return ranks


def ranks_from_orders(orders, n_labels):
    """Position of each label: where it stands in its row, from 1; NaN where it does not."""
    return [
        [row.index(j) + 1 if j in row else math.nan for j in range(n_labels)]
        for row in map(list, orders)
    ]


def orders_from_ranks(ranks):
    """Observed labels by rank, ties by index, then -1 for every missing label."""
    orders = []
    for row in ranks:
        observed = sorted((rank, j) for j, rank in enumerate(row) if rank == rank)
        orders.append([j for _, j in observed] + [-1] * (len(row) - len(observed)))
    return orders


def parse_plain_ranking(text):
    """Rank of each label of a text that has no quotes and no commas."""
    groups = text.replace("=", "~").split(">")
    return {label.strip(): p + 1 for p, g in enumerate(groups) for label in g.split("~")}


def ranking_of_pairs(pairs):
    """The one ranking with ties that orders exactly the pairs that follow from `pairs`, or None.

    Every way to give levels 1, 2, ... to the labels is tried, so keep them few.
    """
    labels = sorted({label for pair in pairs for label in pair})
    follows = set(pairs)
    for _ in labels:
        follows |= {(a, d) for a, b in follows for c, d in follows if b == c}
    for levels in itertools.product(range(1, len(labels) + 1), repeat=len(labels)):
        rank = dict(zip(labels, levels, strict=True))
        ordered = {(a, b) for a in labels for b in labels if rank[a] < rank[b]}
        if ordered == follows and set(levels) == set(range(1, max(levels) + 1)):
            return rank
    return None


# consensus


def support(ranks, weights=None):
    """Weight of the rows in which i is observed strictly before j."""
    k = len(ranks[0])
    weights = [1.0] * len(ranks) if weights is None else weights
    return [
        [sum(w for row, w in zip(ranks, weights, strict=True) if row[i] < row[j]) for j in range(k)]
        for i in range(k)
    ]


def borda_scores(W):
    """Mean, over the labels that i was compared with, of the share of wins; one half if none."""
    k, scores = len(W), []
    for i in range(k):
        shares = [W[i][j] / (W[i][j] + W[j][i]) for j in range(k) if W[i][j] + W[j][i] > 0]
        scores.append(sum(shares) / len(shares) if shares else 0.5)
    return scores


def copeland_positions(W):
    """1 + the number of labels with more support against i than i has; the middle if unknown."""
    k, positions = len(W), []
    for i in range(k):
        others = [j for j in range(k) if j != i and W[i][j] + W[j][i] > 0]
        beaten = sum(W[j][i] > W[i][j] for j in others) if others else (k - 1) // 2
        positions.append(1 + beaten)
    return positions


def disagreement(W, order):
    """Support for comparisons that an order contradicts."""
    return sum(W[b][a] for a, b in itertools.combinations(order, 2))


def kemeny_order(W):
    """The first order, label by label, among those that disagree least."""
    return list(min(itertools.permutations(range(len(W))), key=lambda o: disagreement(W, o)))


# oracles


def sparse_linear(X, supports, weights, intercepts):
    return np.array(
        [
            [
                intercepts[j] + sum(weights[j][f] * x[f] for f in supports[j])
                for j in range(len(supports))
            ]
            for x in X
        ]
    )


def insert_repeatedly(centre, uniforms, theta):
    """One Mallows draw, as 1-based positions per label: each label of `centre` enters in turn."""
    order = []
    for u, label in zip(uniforms, centre, strict=True):
        weights = [math.exp(-theta * jump) for jump in range(len(order) + 1)]
        passed, jump = weights[0] / sum(weights), 0
        while passed <= u and jump < len(order):
            jump += 1
            passed += weights[jump] / sum(weights)
        order.insert(len(order) - jump, label)
    return [order.index(label) + 1 for label in range(len(order))]


def mallows_distribution(centre, theta):
    """Every ranking (as positions) of a few labels with its probability, by enumerating all."""
    rankings = list(itertools.permutations(range(1, len(centre) + 1)))
    weights = np.array([math.exp(-theta * kendall_distance(centre, r)) for r in rankings])
    return rankings, weights / weights.sum()


def pairwise_of(rankings, probabilities):
    """P(i before j) in a distribution over rankings without ties."""
    k = len(rankings[0])
    p = np.full((k, k), 0.5)
    for i, j in itertools.permutations(range(k), 2):
        p[i, j] = sum(q for r, q in zip(rankings, probabilities, strict=True) if r[i] < r[j])
    return p


def plackett_luce_distribution(scores, scale):
    """Every ranking with its probability: pick the first label, then the next among the rest."""
    rankings, probabilities = [], []
    for order in itertools.permutations(range(len(scores))):
        chance = 1.0
        for place, label in enumerate(order):
            rest = sum(math.exp(scores[other] / scale) for other in order[place:])
            chance *= math.exp(scores[label] / scale) / rest
        rankings.append(tuple(order.index(label) + 1 for label in range(len(scores))))
        probabilities.append(chance)
    return rankings, np.array(probabilities)


def positions(ranks):
    """1 + number of labels strictly before; comparisons with NaN are false."""
    return [math.nan if math.isnan(r) else 1 + sum(other < r for other in ranks) for r in ranks]


def partial_rank(ranks, sizes):
    """The paper's PartialRank: labels whose positions fall into one interval are tied."""
    interval = [i for i, size in enumerate(sizes, start=1) for _ in range(size)]
    return [interval[int(r) - 1] for r in ranks]


# datasets


def positions_of_order(order):
    """Position of each label, from the labels in order of position; both start at 1."""
    return [order.index(label) + 1 for label in range(1, len(order) + 1)]


def ranks_of_runs(runs, algorithms, maximize):
    """Ranks of algorithms from (algorithm, performance, status) of one instance; failures last."""
    keys = {}
    for algorithm in algorithms:
        own = [(value, status) for name, value, status in runs if name == algorithm]
        good = [value for value, status in own if status == "ok"]
        if not own:
            keys[algorithm] = None
        elif len(own) - len(good) >= len(good):
            keys[algorithm] = (1, 0.0)
        else:
            mean = sum(good) / len(good)
            keys[algorithm] = (0, -mean if maximize else mean)
    seen = sorted({key for key in keys.values() if key is not None})
    return [float("nan") if keys[a] is None else seen.index(keys[a]) + 1 for a in algorithms]


# theory: the bounds as the theorems write them, in floats


def tree_rows(criterion, d, k, r, C, eps, delta, product):
    confidence = math.log(d * k / delta)
    if product:
        power = 2 if criterion == "level" else 3
        return confidence * 2**r * k**power * C**2 / eps**power
    power = C * r + (2 if criterion == "level" else 3)
    return confidence * (C * r * k / eps) ** power


def forest_rows(criterion, d, k, r, beta, zeta, eps, delta):
    if criterion == "level":
        n = 2**r * k * math.log(k / delta) / eps * (math.log(d) / beta**2 + 1 / zeta)
        return n, 2**r * (math.log(d * k / delta) / beta**2 + math.log(k / delta) / zeta)
    n = 2**r * k * math.log(d * k / delta) / (eps * zeta * beta**2)
    return n, 2**r * math.log(d * k / delta) / (zeta * beta**2)


def pairwise_rows(k, vc, a, B, t, eps, delta, form):
    pairs = k * (k - 1) / 2
    c = B ** (1 - a) / ((1 - a) ** (1 - a) * a**a)
    Q = (c * pairs / (eps * t)) ** ((2 - a) / a)
    if form == "theorem":
        M = max(math.log(k / delta), vc * math.log(c * vc / t ** (3 - 2 * a) * Q))
        return c / (t ** (4 - 2 * a) * pairs) * Q * M
    N2 = c * math.log(k / delta) / t ** (3 - 2 * a) * Q
    M3 = c * vc / t ** (3 - 2 * a) * Q
    if math.e >= M3:
        N3 = M3
    else:
        # m = M3 log m by bisection of log m, which lies above 1
        low, high = 1.0, 2 * math.log(M3) + 2
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (
                (middle, high) if middle - math.log(middle) < math.log(M3) else (low, middle)
            )
        N3 = M3 * low
    if form == "approximation":
        N3 = 2 * M3 * max(math.log(M3), 1)
    return max(N2, N3) / (t * pairs)


# audits


def contradictory_rows(X, ranks):
    """Rows that have equal features and rank two labels the other way round than another row."""

    def same(a, b):
        return all(x == y or (x != x and y != y) for x, y in zip(a, b, strict=True))

    def groupmates(r):
        return [s for s in range(len(X)) if same(X[r], X[s])]

    def at_odds(rows):
        pairs = {pair for r in rows for pair in counted_pairs(ranks[r])}
        return any((j, i) in pairs for i, j in pairs)

    return [r for r in range(len(X)) if at_odds(groupmates(r))]


def mean_place(ranks, label):
    places = []
    for row in ranks:
        others = [rank for j, rank in enumerate(row) if j != label and rank == rank]
        if row[label] == row[label] and others:
            before = sum(rank < row[label] for rank in others)
            tied = sum(rank == row[label] for rank in others)
            places.append((before + tied / 2) / len(others))
    return sum(places) / len(places) if places else None


def tied_rows(ranks, label):
    return sum(any(rank == row[label] for j, rank in enumerate(row) if j != label) for row in ranks)


def linked(ranks, n_labels, directed):
    """Pairs (i, j) such that a chain of comparisons leads from i to j."""
    pairs = {pair for row in ranks for pair in counted_pairs(row)}
    if not directed:
        pairs |= {(j, i) for i, j in pairs}
    pairs |= {(i, i) for i in range(n_labels)}
    while True:
        longer = {(i, m) for i, j in pairs for other, m in pairs if other == j}
        if longer <= pairs:
            return pairs
        pairs |= longer


# pairwise: a double loop over pairs, one row at a time


def pair_problem(X, ranks, i, j):
    """Rows that order labels i and j, and whether i stands before j."""
    rows = [r for r in range(len(X)) if ranks[r][i] < ranks[r][j] or ranks[r][i] > ranks[r][j]]
    return [X[r] for r in rows], [int(ranks[r][i] < ranks[r][j]) for r in rows]


def pairwise_chances(classifier, X, ranks, x):
    """Chance of i before j for one new row; None where the pair was never compared."""
    k = len(ranks[0])
    chances = [[0.5 if i == j else None for j in range(k)] for i in range(k)]
    for i, j in itertools.combinations(range(k), 2):
        rows, before = pair_problem(X, ranks, i, j)
        if not rows:
            continue
        if len(set(before)) == 1:
            p = (sum(before) + 1) / (len(before) + 2)
        else:
            p = classifier().fit(rows, before).predict_proba([x])[0][1]
        chances[i][j], chances[j][i] = p, 1 - p
    return chances


def transitive_chances(chances):
    """Fill None by the mean log-odds through labels in between, nearest links first."""
    k = len(chances)

    def log_odds(p):
        p = min(max(p, 1e-6), 1 - 1e-6)
        return math.log(p) - math.log(1 - p)

    while True:
        filled = [list(row) for row in chances]
        for i, j in itertools.permutations(range(k), 2):
            between = [
                m
                for m in range(k)
                if m not in (i, j) and chances[i][m] is not None and chances[m][j] is not None
            ]
            if chances[i][j] is None and between:
                odds = [log_odds(chances[i][m]) + log_odds(chances[m][j]) for m in between]
                filled[i][j] = 1 / (1 + math.exp(-sum(odds) / len(odds)))
        if filled == chances:
            return chances
        chances = filled


def copeland_by_chances(chances):
    """1 + number of labels predicted to beat i; ties by the sum of chances, then lower label."""
    k = len(chances)
    beaten = [1 + sum(chances[i][j] < 0.5 for j in range(k) if j != i) for i in range(k)]
    order = sorted(range(k), key=lambda i: (beaten[i], -round(sum(chances[i]), 9), i))
    return [1 + order.index(i) for i in range(k)]


# trees: targets[r] is a tuple of whole numbers, None where not seen; a direction is (feature,
# threshold, side of missing values); counts[r] is how often row r was drawn, weights[r] its weight


def _is_missing(value):
    return value != value


def cut_rows(X, rows, direction):
    """Rows on the left (at most the threshold) and on the right of a direction."""
    f, threshold, missing_left = direction
    sides = [], []
    for r in rows:
        goes_left = missing_left if _is_missing(X[r][f]) else X[r][f] <= threshold
        sides[0 if goes_left else 1].append(r)
    return sides


def directions_of(X, rows, larger_side):
    """Every direction with a value on both sides, by feature, threshold, missing right first.

    Where no row misses the feature, `larger_side(feature, threshold)` is where a gap would go.
    """
    for f in range(len(X[0])):
        values = sorted({float(X[r][f]) for r in rows if not _is_missing(X[r][f])})
        missing = any(_is_missing(X[r][f]) for r in rows)
        for low, high in itertools.pairwise(values):
            middle = low / 2 + high / 2
            threshold = middle if low <= middle < high else low
            for side in (False, True) if missing else (larger_side(f, threshold),):
                yield f, threshold, side
        if missing and values:
            yield f, math.inf, False


def explained(rows, targets, weights):
    """The part of the sum of squares that the means of a cell explain; V_n is its sum over cells / n."""
    total = Fraction(0)
    for o in range(len(targets[0])):
        seen = [r for r in rows if targets[r][o] is not None]
        if seen:
            s = sum(weights[r] * targets[r][o] for r in seen)
            total += Fraction(s * s) / sum(weights[r] for r in seen)
    return total


def nothing_left_to_learn(rows, targets):
    return all(len({targets[r][o] for r in rows} - {None}) <= 1 for o in range(len(targets[0])))


def first_best(gain_of):
    """The first key of the largest value, and that value; None of nothing."""
    best = max(gain_of.values(), default=None)
    return next(((key, gain) for key, gain in gain_of.items() if gain == best), None)


def _left_is_larger(X, rows, counts, f, threshold):
    left = sum(counts[r] for r in rows if X[r][f] <= threshold)
    return 2 * left >= sum(counts[r] for r in rows)


def breiman_cut(X, targets, counts, weights, rows, held, min_leaf):
    """The direction of a node that maximises V_n^l, among those that keep enough on both sides."""
    gains = {}

    def larger_side(f, threshold):
        return _left_is_larger(X, rows, counts, f, threshold)

    for direction in directions_of(X, rows, larger_side):
        sides = cut_rows(X, rows, direction)
        filling = sides if held is None else cut_rows(X, held, direction)
        if all(sides) and all(sum(counts[r] for r in side) >= min_leaf for side in filling):
            gains[direction] = sum(explained(side, targets, weights) for side in sides) - explained(
                rows, targets, weights
            )
    return first_best(gains)


def breiman_tree(
    X,
    targets,
    counts,
    weights,
    rows,
    held=None,
    min_leaf=1,
    max_depth=math.inf,
    max_splits=math.inf,
):
    """Algorithm Breiman-Algo: nodes in the order they were made, each cut at its own best direction."""
    root = {"rows": list(rows), "held": held, "depth": 0}
    queue, n_cuts = [root], 0
    while queue and n_cuts < max_splits:
        node = queue.pop(0)
        if node["depth"] >= max_depth or nothing_left_to_learn(node["rows"], targets):
            continue
        best = breiman_cut(X, targets, counts, weights, node["rows"], node["held"], min_leaf)
        if best is None:
            continue
        node["direction"], node["gain"] = best
        sides = cut_rows(X, node["rows"], best[0])
        filling = (None, None) if held is None else cut_rows(X, node["held"], best[0])
        node["children"] = [
            {"rows": own, "held": own_held, "depth": node["depth"] + 1}
            for own, own_held in zip(sides, filling, strict=True)
        ]
        queue += node["children"]
        n_cuts += 1
    return root


def level_directions(X, targets, counts, weights, rows, held=None, max_levels=math.inf):
    """Algorithm LevelSplits-Algo, its directions: each maximises V_n(S + {i}); with their gains.

    Where only held rows miss a feature they go to the larger side; None where no row misses it.
    """

    def larger_side(f, threshold):
        if any(_is_missing(X[r][f]) for r in rows):
            return False
        if any(_is_missing(X[r][f]) for r in held or ()):
            return _left_is_larger(X, rows, counts, f, threshold)
        return None

    cells, chosen = [list(rows)], []
    while len(chosen) < max_levels:
        cells_left = [c for c in cells if not nothing_left_to_learn(c, targets)]
        now = sum(explained(c, targets, weights) for c in cells_left)
        gains = {}
        for direction in directions_of(X, [r for c in cells_left for r in c], larger_side):
            cut = [cut_rows(X, c, direction) for c in cells_left]
            if any(left and right for left, right in cut):
                after = sum(explained(side, targets, weights) for both in cut for side in both)
                gains[direction] = after - now
        if not gains:
            break
        chosen.append(first_best(gains))
        cells = [side for c in cells for side in cut_rows(X, c, chosen[-1][0]) if side]
    return chosen


def level_tree(X, counts, rows, directions, min_leaf=1, depth=0):
    """Algorithm LevelSplits-Algo, its tree: a cell is cut only where both sides keep enough rows."""
    node = {"rows": list(rows), "held": None, "depth": depth}
    for level, direction in enumerate(directions):
        sides = cut_rows(X, rows, direction)
        if all(sum(counts[r] for r in side) >= min_leaf for side in sides):
            f, threshold, side = direction
            if side is None:
                side = _left_is_larger(X, rows, counts, f, threshold)
            node["direction"] = f, threshold, side
            node["children"] = [
                level_tree(X, counts, side, directions[level + 1 :], min_leaf, depth + 1)
                for side in sides
            ]
            break
    return node


def cell_means(node, targets, weights, above):
    """Mean of each target in a cell; what the cell never saw it takes from the cell `above`."""
    filling = node["rows"] if node["held"] is None else node["held"]
    means = []
    for o, inherited in enumerate(above):
        seen = [r for r in filling if targets[r][o] is not None]
        n = sum(weights[r] for r in seen)
        means.append(
            Fraction(sum(weights[r] * targets[r][o] for r in seen)) / n if seen else inherited
        )
    return means


# theory: conditions


def stretched_position(ranks, label):
    """Position of a label among the observed ones, ties in the middle, stretched to 1..k, over k."""
    k = len(ranks)
    others = [r for j, r in enumerate(ranks) if j != label and not math.isnan(r)]
    if math.isnan(ranks[label]) or not others:
        return math.nan
    before = sum(_share(r, ranks[label]) for r in others)
    return (1 + before * (k - 1) / len(others)) / k


def heterogeneity(X, y, features):
    """V(S) by products of the centred y of two different rows of one cell."""
    y = np.asarray(y, dtype=float) - np.mean(y)
    cells = {}
    for row, value in zip(X, y, strict=True):
        cells.setdefault(tuple(row[i] for i in features), []).append(value)
    v = 0.0
    for inside in cells.values():
        pairs = [a * b for a, b in itertools.permutations(inside, 2)]
        v += len(inside) / len(y) * (sum(pairs) / len(pairs) if pairs else 0.0)
    return v


def _true_v(f, d, features, cell):
    """V of a function of d fair Boolean features within a cell (feature -> value)."""
    inside = [x for x in itertools.product((0, 1), repeat=d) if all(x[i] == v for i, v in cell)]
    v = 0.0
    for x in inside:
        alike = [f(z) for z in inside if all(z[i] == x[i] for i in features)]
        v += (sum(alike) / len(alike)) ** 2 / len(inside)
    return v


def submodularity_constant(f, d):
    """C by its definition, over all S within T and all features; inf where no C will do."""
    worst = 1.0
    for i in range(d):
        others = [j for j in range(d) if j != i]
        sets = [S for n in range(d) for S in itertools.combinations(others, n)]
        gain = {S: _true_v(f, d, (*S, i), ()) - _true_v(f, d, S, ()) for S in sets}
        for S, T in itertools.product(sets, sets):
            if set(S) <= set(T) and gain[T] > 1e-12:
                worst = max(worst, gain[T] / gain[S] if gain[S] > 1e-12 else math.inf)
    return worst


def diminishing_returns_constant(f, d):
    """C by its definition, over all cells A' within A, all T and all features."""
    worst = 1.0
    states = list(itertools.product((0, 1, None), repeat=d))
    cells = [tuple((i, v) for i, v in enumerate(s) if v is not None) for s in states]
    for i in range(d):
        open_cells = [cell for cell in cells if all(j != i for j, _ in cell)]
        others = [j for j in range(d) if j != i]
        sets = [T for n in range(d) for T in itertools.combinations(others, n)]
        for outer in open_cells:
            early = _true_v(f, d, (i,), outer) - _true_v(f, d, (), outer)
            for inner, T in itertools.product(open_cells, sets):
                if not set(outer) <= set(inner):
                    continue
                late = _true_v(f, d, (*T, i), inner) - _true_v(f, d, T, inner)
                if late > 1e-12:
                    worst = max(worst, late / early if early > 1e-12 else math.inf)
    return worst


def first_circle(beats):
    """Three labels that beat each other in turn, or None."""
    for i, j, u in itertools.permutations(range(len(beats)), 3):
        if beats[i][j] and beats[j][u] and beats[u][i]:
            return i, j, u
    return None


# hypotheses: try everything


def fewest_mistakes_of_boxes(X, y):
    """Boxes with faces at coordinates of rows, and the empty box."""
    X = np.asarray(X)
    faces = [list(itertools.combinations_with_replacement(sorted(set(c)), 2)) for c in X.T]
    fewest = sum(y)
    for box in itertools.product(*faces):
        inside = [all(a <= x <= b for x, (a, b) in zip(row, box, strict=True)) for row in X]
        fewest = min(fewest, sum(i != bool(t) for i, t in zip(inside, y, strict=True)))
    return fewest


def fewest_mistakes_of_thresholds(x, y):
    """Half-lines of either direction on one feature."""
    cuts = [min(x) - 1, *[(a + b) / 2 for a, b in itertools.pairwise(sorted(set(x)))], max(x) + 1]
    return min(
        sum((side * (value - cut) > 0) != bool(t) for value, t in zip(x, y, strict=True))
        for cut in cuts
        for side in (1, -1)
    )


def fewest_rows_to_drop(rows, y, is_separable):
    """Smallest number of rows without which `is_separable(positive, negative)`."""
    for size in range(len(rows) + 1):
        for dropped in itertools.combinations(range(len(rows)), size):
            kept = [r for r in range(len(rows)) if r not in dropped]
            if is_separable([rows[r] for r in kept if y[r]], [rows[r] for r in kept if not y[r]]):
                return size
    raise AssertionError("no rows at all can be separated")


def fewest_mistakes_of_lines(X, y):
    """Lines through two of the points, no three on one, in fractions: the two may go either way."""
    points = [[Fraction(float(value)) for value in row] for row in X]
    fewest = min(sum(y), len(y) - sum(y))
    for (a, b), (c, d) in itertools.combinations(points, 2):
        others = [
            (x, z, t) for (x, z), t in zip(points, y, strict=True) if [x, z] not in ([a, b], [c, d])
        ]
        for side in (1, -1):
            wrong = [side * ((z - b) * (c - a) - (x - a) * (d - b)) > 0 for x, z, _ in others]
            fewest = min(
                fewest, sum(w != bool(t) for w, (_, _, t) in zip(wrong, others, strict=True))
            )
    return int(fewest)


# positions: labels at positions, one row at a time


def likeliest_assignment(chances):
    """Greatest product of chances[p][label] over all ways to put labels at positions."""
    k = len(chances)
    orders = itertools.permutations(range(k))
    return max(math.prod(chances[p][order[p]] for p in range(k)) for order in orders)


def before_by_positions(table):
    """Chance of i before j if each draws its position by table[p][label], anew where they meet."""
    k = len(table)
    shares = [[0.5] * k for _ in range(k)]
    for i, j in itertools.permutations(range(k), 2):
        pairs = [(p, q) for p in range(k) for q in range(k) if p != q]
        before = sum(table[p][i] * table[q][j] for p, q in pairs if p < q)
        shares[i][j] = before / sum(table[p][i] * table[q][j] for p, q in pairs)
    return shares


# experiments: tests of methods over data sets


def friedman_ranks_and_statistic(scores):
    """Average ranks (1 = highest, ties share) and Friedman's chi square, corrected for ties."""
    n, k = len(scores), len(scores[0])
    ranks = [
        [1 + sum(b > a for b in row) + (sum(b == a for b in row) - 1) / 2 for a in row]
        for row in scores
    ]
    means = [sum(row[j] for row in ranks) / n for j in range(k)]
    spread = sum((rank - (k + 1) / 2) ** 2 for row in ranks for rank in row) / (n * (k - 1))
    return means, n * sum((mean - (k + 1) / 2) ** 2 for mean in means) / spread


def signed_rank_p_value(gaps):
    """Two-sided p-value of Wilcoxon's test: all ways to give the sizes of the gaps their signs."""
    sizes = [abs(gap) for gap in gaps]
    ranks = [sum(b < a for b in sizes) + 1 for a in sizes]
    total = sum(ranks)
    extreme = abs(2 * sum(r for r, gap in zip(ranks, gaps, strict=True) if gap > 0) - total)
    sums = [
        sum(r for r, sign in zip(ranks, signs, strict=True) if sign)
        for signs in itertools.product((0, 1), repeat=len(gaps))
    ]
    return sum(abs(2 * s - total) >= extreme for s in sums) / len(sums)


def holm_rejects(p_values, alpha):
    """Which hypotheses Holm's step-down procedure rejects."""
    rejected = set()
    for step, i in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        if p_values[i] > alpha / (len(p_values) - step):
            break
        rejected.add(i)
    return rejected


# explanations: a tree is a list of nodes, (None, value) in a leaf, else (feature, threshold, left, right,
# whether a missing value goes left)


def next_node(node, x):
    feature, threshold, left, right, missing_left = node
    goes_left = missing_left if _is_missing(x[feature]) else x[feature] <= threshold
    return left if goes_left else right


def nodes_passed(tree, x, root=0):
    passed = [root]
    while tree[passed[-1]][0] is not None:
        passed.append(next_node(tree[passed[-1]], x))
    return passed


def leaf_values_below(tree, number):
    node = tree[number]
    if node[0] is None:
        return [node[1]]
    return leaf_values_below(tree, node[2]) + leaf_values_below(tree, node[3])


def path_credits(tree, x, rows):
    """The root's value and what each cut on x's path adds; a node's value is the mean prediction of the
    rows that pass it, or of the leaves below it where none does."""

    def value(number):
        passing = [nodes_passed(tree, row) for row in rows]
        seen = [tree[passed[-1]][1] for passed in passing if number in passed]
        return np.mean(seen or leaf_values_below(tree, number))

    credits = [0.0] * len(x)
    passed = nodes_passed(tree, x)
    for above, below in itertools.pairwise(passed):
        credits[tree[above][0]] += value(below) - value(above)
    return value(0), credits


def shapley_values(worth, n):
    """What each of n players adds to worth(set of players), averaged over all orders of joining."""
    values = [0.0] * n
    orders = list(itertools.permutations(range(n)))
    for order in orders:
        for p, player in enumerate(order):
            gain = worth(set(order[: p + 1])) - worth(set(order[:p]))
            values[player] += gain / len(orders)
    return values


# baselines: embeddings of rankings, their decoding, neighbours and their models, one row at a time


def kemeny_vector(ranks):
    pairs = itertools.combinations(range(len(ranks)), 2)
    return [float(ranks[i] < ranks[j]) - float(ranks[i] > ranks[j]) for i, j in pairs]


def hamming_vector(ranks):
    k = len(ranks)
    return [float(ranks[label] == p) for p in range(1, k + 1) for label in range(k)]


def lehmer_vector(ranks):
    return [float(sum(ranks[i] >= ranks[j] for i in range(j))) for j in range(len(ranks))]


def nearest_rankings(vector, embed, n_labels):
    """All rankings whose own vector is nearest to `vector`, by trying every one."""
    rankings = list(itertools.permutations(range(1, n_labels + 1)))
    away = [sum((a - b) ** 2 for a, b in zip(vector, embed(r), strict=True)) for r in rankings]
    return [r for r, d in zip(rankings, away, strict=True) if d <= min(away) + 1e-9]


def nearest_rows(X, x, count, without=None):
    """Rows by distance; on ties the answer is not unique, so callers keep distances apart."""
    rows = [r for r in range(len(X)) if r != without]
    return sorted(rows, key=lambda r: sum((a - b) ** 2 for a, b in zip(X[r], x, strict=True)))[
        :count
    ]


def position_chance(place, n_observed, n_labels, position):
    """Chance of the label at `place` of those observed, over all sets that may be observed."""
    sets = list(itertools.combinations(range(1, n_labels + 1), n_observed))
    return Fraction(sum(s[place - 1] == position for s in sets), len(sets))


def plackett_luce_log_likelihood(strengths, orders, prior):
    """Log-likelihood of orders, plus `prior` wins and losses in each pair of labels."""
    total = 0.0
    for order in orders:
        for p in range(len(order) - 1):
            total += math.log(strengths[order[p]] / sum(strengths[i] for i in order[p:]))
    for i, j in itertools.permutations(range(len(strengths)), 2):
        total += prior * math.log(strengths[i] / (strengths[i] + strengths[j]))
    return total


def plackett_luce_strengths(orders, n_labels, prior, rounds=3000):
    """Hunter's MM algorithm (2004), choice by choice, on orders without missing labels at the end."""
    v = [1.0] * n_labels
    for _ in range(rounds):
        new = []
        for i in range(n_labels):
            wins, faced = prior * (n_labels - 1), 0.0
            faced += sum(2 * prior / (v[i] + v[j]) for j in range(n_labels) if j != i)
            for order in orders:
                for p in range(len(order) - 1):
                    wins += order[p] == i
                    faced += (i in order[p:]) / sum(v[j] for j in order[p:])
            new.append(wins / faced)
        v = new
    mean = math.exp(sum(map(math.log, v)) / n_labels)
    return [x / mean for x in v]


def ridge_errors_left_out(kernel, targets, alpha):
    """Fit kernel ridge regression without each row in turn; the errors on that row."""
    errors = []
    for i in range(len(kernel)):
        kept = [r for r in range(len(kernel)) if r != i]
        inner = kernel[np.ix_(kept, kept)] + alpha * np.eye(len(kept))
        errors.append(targets[i] - kernel[i, kept] @ np.linalg.solve(inner, targets[kept]))
    return np.array(errors)


# label-ranking trees: Mallows models by enumeration, cuts one by one


def kendall(a, b):
    """Number of pairs that two position vectors order differently."""
    return sum(
        (a[i] - a[j]) * (b[i] - b[j]) < 0 for i, j in itertools.combinations(range(len(a)), 2)
    )


def completions(ranks):
    """All complete position vectors that keep the order of the observed labels."""
    seen = [j for j in range(len(ranks)) if not math.isnan(ranks[j])]
    for positions in itertools.permutations(range(1, len(ranks) + 1)):
        if all(
            (ranks[i] < ranks[j]) == (positions[i] < positions[j])
            for i, j in itertools.combinations(seen, 2)
        ):
            yield positions


@functools.cache
def mallows_theta(distance, k):
    """The theta with this expected distance, by enumerating all rankings and halving an interval."""
    distances = [kendall(range(k), p) for p in itertools.permutations(range(k))]
    if distance <= 0:
        return math.inf
    low, high = 0.0, 50.0
    for _ in range(50):
        middle = (low + high) / 2
        chances = [math.exp(-middle * d) for d in distances]
        mean = sum(c * d for c, d in zip(chances, distances, strict=True)) / sum(chances)
        low, high = (middle, high) if mean > distance else (low, middle)
    return low


def compared_pairs(ranks):
    """The pairs (better, worse) that a row tells."""
    pairs = itertools.permutations(range(len(ranks)), 2)
    return [(i, j) for i, j in pairs if ranks[i] < ranks[j]]


def borda_of_comparisons(rows, weights):
    """Positions by wins less losses; equal labels in the order of their numbers."""
    k = len(rows[0])
    scores = [0.0] * k
    for ranks, w in zip(rows, weights, strict=True):
        for i, j in compared_pairs(ranks):
            scores[i] += w
            scores[j] -= w
    order = sorted(range(k), key=lambda j: (-scores[j], j))
    return [order.index(j) + 1 for j in range(k)]


def lrt_theta(rows, weights, largest=10.0):
    """Theta of one side of a cut, from the share of comparisons that contradict its ranking."""
    center = borda_of_comparisons(rows, weights)
    wrong = total = 0.0
    for ranks, w in zip(rows, weights, strict=True):
        for i, j in compared_pairs(ranks):
            total += w
            wrong += w * (center[i] > center[j])
    k = len(center)
    return min(largest, mallows_theta(wrong / total * k * (k - 1) / 2, k))


def lrt_goodness(rows, weights, left):
    """Mean theta of both sides of a cut, weighted by their rows."""
    result = 0.0
    for side in (True, False):
        members = [i for i in range(len(rows)) if left[i] == side]
        w = [weights[i] for i in members]
        result += sum(w) * lrt_theta([rows[i] for i in members], w)
    return result / sum(weights)


def lrt_cuts(x, rows, weights, min_leaf):
    """The cuts of a feature that are tried, as lists of who goes left."""
    values = sorted(set(x))
    allowed = []
    for a, b in itertools.pairwise(values):
        left = [v <= a for v in x]
        n_left = sum(w for w, goes in zip(weights, left, strict=True) if goes)
        kinds = {tuple(compared_pairs(r)) for r, v in zip(rows, x, strict=True) if v in (a, b)}
        if n_left >= min_leaf and sum(weights) - n_left >= min_leaf:
            allowed.append((left, len(kinds) > 1))
    return [
        left for i, (left, differs) in enumerate(allowed) if differs or i in (0, len(allowed) - 1)
    ]
