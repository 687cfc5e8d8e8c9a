"""How a model file keeps an object, and the checks of what came out of one.

An estimator says itself what of it is saved and what a sound state is, next to its `_fit`. The reader
of model files (`rankwise.models`) asks it by the three methods of `Saved` and knows no attribute.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# Squares of larger numbers would be infinite; no fit takes larger features.
_LARGEST = 1e150


class Saved:
    """Base of what a model file may hold.

    A class that learns more than its base extends `_check_state`, calling the base's first: attributes
    that a file brings may be of any type and size until that was called. A check raises a ValueError
    whose text goes on from the name of the file: "it has no trees".
    """

    # attributes that follow from the others: they are not in a file, and `_restore` makes them
    _made_again: tuple[str, ...] = ()
    # classes beside the public ones that its attributes are made of
    _saved_parts: tuple[type, ...] = ()

    def _saved_params(self) -> dict[str, Any]:
        """Return the parameters as they are saved."""
        return dict(self.get_params(deep=False))  # type: ignore[attr-defined]

    def _saved_state(self) -> dict[str, Any]:
        """Return what was learned, by attribute; parameters are saved beside it."""
        left_out = {*self.get_params(deep=False), *self._made_again}  # type: ignore[attr-defined]
        return {name: value for name, value in vars(self).items() if name not in left_out}

    def _check_state(self) -> None:
        """Raise a ValueError unless the attributes are such as `fit` leaves."""

    def _restore(self) -> None:
        """Make what `_made_again` names; the rest was checked before."""

    def _saved_array(self, name: str, shape: tuple[int, ...], kinds: str = "f") -> np.ndarray:
        """Return the attribute if it is an array of this shape, and of numbers of these kinds."""
        array = vars(self).get(name)
        if (
            not isinstance(array, np.ndarray)
            or array.shape != shape
            or array.dtype.kind not in kinds
        ):
            raise ValueError(f"its {name} is not of shape {shape}")
        return array

    def _saved_numbers(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Return the attribute if it is an array of float64 of this shape, all finite."""
        array = self._saved_array(name, shape)
        if array.dtype != np.float64 or not (np.abs(array) <= _LARGEST).all():
            raise ValueError(
                f"its {name} holds numbers that are not finite, too large, or of another type"
            )
        return array

    def _saved_spread(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Return the attribute if it is an array of numbers to divide by, all above 0."""
        array = self._saved_numbers(name, shape)
        if not (array > 0).all():
            raise ValueError(f"its {name} is not positive")
        return array

    def _saved_counts(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Return the attribute if it is an array of counts, or of weights, of this shape."""
        array = self._saved_array(name, shape, "if")
        if not ((array >= 0) & (array < np.inf)).all():
            raise ValueError(f"its {name} are negative, or not finite")
        return array

    def _check_saved_rankings(self, name: str, shape: tuple[int, ...]) -> None:
        """Raise a ValueError unless the attribute holds complete rankings without ties."""
        ranks = self._saved_array(name, shape, "i")
        if (np.sort(ranks, axis=-1) != np.arange(1, shape[-1] + 1)).any():
            raise ValueError(f"its {name} holds no rankings of {shape[-1]} labels")

    def _saved_rows(self, name: str) -> int:
        """Return how many rows the attribute has, a matrix that is not empty."""
        rows = vars(self).get(name)
        if not isinstance(rows, np.ndarray) or rows.ndim != 2 or not len(rows):
            raise ValueError("it remembers no rows")
        return len(rows)


def check_fitted_part(part: Any, method: str) -> None:
    """Raise a ValueError unless `part` is an estimator with this method."""
    try:
        found = hasattr(part, method)
    except Exception:  # a property of a stranger's pipeline may raise anything
        found = False
    if not found:
        raise ValueError(f"it holds a {type(part).__name__} where an estimator belongs")
