"""A learner with the manners of a forest that needs no compilation: neighbours vote on pairs."""

import numpy as np


class NeighbourRanker:
    def __init__(self, n_neighbours=40, **_):
        self.n_neighbours = n_neighbours

    def fit(self, X, Y):
        self.X, self.Y = X, Y
        return self

    def predict_pairwise(self, X):
        distances = ((X[:, None] - self.X[None]) ** 2).sum(axis=2)
        nearest = np.argsort(distances, axis=1, kind="stable")[:, : self.n_neighbours]
        Y = self.Y[nearest]
        before = (Y[:, :, :, None] < Y[:, :, None, :]).sum(axis=1)
        return (before + 1) / (before + before.transpose(0, 2, 1) + 2)

    def predict_positions(self, X):
        return 0.5 + self.predict_pairwise(X).sum(axis=1)

    def predict(self, X):
        return np.argsort(np.argsort(self.predict_positions(X), axis=1), axis=1) + 1.0
