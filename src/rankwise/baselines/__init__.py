"""The systems that the paper compares with, each as its own publication has it.

All have the interface of the project's own estimators, so that comparisons are like for like.
"""

from rankwise.baselines._boost import BoostLR
from rankwise.baselines._consensus import Consensus
from rankwise.baselines._instance_mallows import InstanceMallows
from rankwise.baselines._instance_plackett_luce import InstancePlackettLuce
from rankwise.baselines._instance_plr import InstancePLR
from rankwise.baselines._kernel_ridge import KernelRidgeKemeny
from rankwise.baselines._knn_kemeny import KNNKemeny
from rankwise.baselines._lrrf import LRRF
from rankwise.baselines._lrt import LRT
from rankwise.baselines._lwd import LWD
from rankwise.baselines._plr_forest import PLRBagging, PLRForest
from rankwise.baselines._plr_tree import PLRTree
from rankwise.baselines._rpc import RPC

__all__ = [
    "LRRF",
    "LRT",
    "LWD",
    "RPC",
    "BoostLR",
    "Consensus",
    "InstanceMallows",
    "InstancePLR",
    "InstancePlackettLuce",
    "KNNKemeny",
    "KernelRidgeKemeny",
    "PLRBagging",
    "PLRForest",
    "PLRTree",
]
