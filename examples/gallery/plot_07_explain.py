"""
Why this one first?
===================

``explain`` says which features put one label before another in one row, and names the training rows
that are most similar. The problem is made up, so that the right answer is known: beach lovers want
sun and warmth, museum goers rain.
"""

import numpy as np
import pandas as pd

import rankwise as rw

rng = np.random.default_rng(0)
days = pd.DataFrame(
    rng.integers(0, 2, (500, 5)), columns=["sunny", "warm", "windy", "weekend", "tired"]
)
wish = pd.DataFrame(
    {
        "beach": 0.6 * days.sunny + 0.5 * days.warm - 0.3 * days.windy,
        "museum": 0.5 - 0.3 * days.sunny + 0.1 * days.weekend,
        "cinema": 0.4 + 0.3 * days.tired,
    }
) + rng.normal(0, 0.2, (500, 3))
Y = rw.ranks_from_scores(wish)
model = rw.ForestRanker(100, min_samples_leaf=5, random_state=0).fit(days, Y)

# %%
# A sunny, warm and windy working day:

today = pd.DataFrame([[1, 1, 1, 0, 0]], columns=days.columns)
print(model.predict(today))

# %%

why = rw.explain(model, today, "beach", "museum", X=days, Y=Y)
print(why)

# %%

ax = why.plot()
