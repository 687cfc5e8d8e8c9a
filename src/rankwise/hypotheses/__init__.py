"""The paper's hypothesis classes as classifiers that minimise the 0/1 risk.

Each gives its VC dimension, its empirical risk, and whether that is proven to be the least.
"""

from rankwise.hypotheses._ball import Ball
from rankwise.hypotheses._halfspace import Halfspace
from rankwise.hypotheses._networks import SigmoidNetwork, SignNetwork
from rankwise.hypotheses._rectangle import Rectangle

__all__ = ["Ball", "Halfspace", "Rectangle", "SigmoidNetwork", "SignNetwork"]
