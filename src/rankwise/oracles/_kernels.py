"""Jitted loops of the oracles: sparse linear scores and Mallows by repeated insertion."""

from __future__ import annotations

import math

from rankwise._jit import jit


@jit
def sparse_linear(X, features, weights, intercepts, out):
    """Write intercepts[j] + sum_t weights[j, t] * X[i, features[j, t]] into out[i, j].

    The sum runs in a fixed order, so that a row's score does not depend on the rows beside it.
    """
    n_labels, sparsity = features.shape
    for i in range(X.shape[0]):
        for j in range(n_labels):
            total = intercepts[j]
            for t in range(sparsity):
                total += weights[j, t] * X[i, features[j, t]]
            out[i, j] = total


@jit
def repeated_insertion(centre, uniforms, theta, out):
    """Write into out[i, j] the position of label j in a Mallows draw around centre[i].

    centre[i, p] is the label at position p. The label at central position s enters the list
    `jump` places before its end, jump = 0..s with weight exp(-theta * jump), found by inverting
    the truncated geometric distribution at uniforms[i, s].
    """
    n_samples, n_labels = centre.shape
    for i in range(n_samples):
        for s in range(n_labels):
            u = uniforms[i, s]
            if theta * (s + 1) < 1e-12:
                # Uniform to twelve digits, where the formula below would divide 0 by 0.
                jump = int(u * (s + 1))
            else:
                # log1p and expm1 keep the inverse exact for small theta.
                jump = int(-math.log1p(u * math.expm1(-theta * (s + 1))) / theta)
            jump = min(jump, s)
            # out holds the list itself until the last loop turns it into positions.
            for p in range(s, s - jump, -1):
                out[i, p] = out[i, p - 1]
            out[i, s - jump] = centre[i, s]
        _invert_row(out, i)


@jit
def _invert_row(out, i):
    """Turn row i of `out` from labels in order into 1-based positions per label, in place.

    Following the cycles of the permutation needs no second buffer; a finished cell is marked by
    being negative until the end.
    """
    n_labels = out.shape[1]
    for start in range(n_labels):
        if out[i, start] < 0:
            continue
        p = start
        label = int(out[i, p])
        while True:
            following = int(out[i, label])
            out[i, label] = -(p + 1.0)
            if label == start:
                break
            p = label
            label = following
    for j in range(n_labels):
        out[i, j] = -out[i, j]


@jit
def count_before(ranks, out):
    """Write 1 + the number of labels strictly before j into out[i, j]; NaN stays NaN."""
    n_samples, n_labels = ranks.shape
    for i in range(n_samples):
        for j in range(n_labels):
            if math.isnan(ranks[i, j]):
                out[i, j] = math.nan
                continue
            before = 0
            for other in range(n_labels):
                # A comparison with NaN is false: missing labels stand before nobody.
                if ranks[i, other] < ranks[i, j]:
                    before += 1
            out[i, j] = before + 1.0
