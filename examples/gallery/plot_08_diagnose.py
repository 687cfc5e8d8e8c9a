"""
Do the theorems apply to my data?
=================================

``theory.diagnose`` estimates every condition of the paper's theorems, with an interval and a
verdict. Here on a problem that meets them: three labels, ten yes/no features of which few matter.
"""

from rankwise import theory
from rankwise.oracles import Oracle, SparseLinear, Survival, TruncatedGaussian

oracle = Oracle(
    SparseLinear(10, 3, 2, random_state=3),
    noise=TruncatedGaussian(0.05),
    mechanism=Survival(0.8),
)
X, Y = oracle.sample(1500, random_state=0)
report = theory.diagnose(X, Y, progress=False)
print(report)

# %%
# Each condition with its 95 % interval.

figure = report.plot()

# %%
# What the numbers are for: how many cuts a Level-Splits tree should get, by the theorem's formula.

print(theory.suggest_splits(X, Y))
