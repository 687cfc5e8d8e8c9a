"""A ranker of tables: columns of any kind become features, and names stay what they are."""

from __future__ import annotations

import os
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from rankwise._arguments import check_arguments
from rankwise._fitted import check_ranker, find_ranker, is_pipeline, reaching_rows
from rankwise._messages import warn_caller
from rankwise._naming import refuse_halves, shown
from rankwise._parameters import check_flag, check_names, check_numbers, is_list
from rankwise.auto import AutoRanker
from rankwise.datasets import Dataset
from rankwise.datasets.tables import Column, FrameTable, Recipe
from rankwise.learners import fill_gaps, gap_means
from rankwise.ranker import BaseRanker, ExpectsValues

if TYPE_CHECKING:
    from rankwise import Explanation


def _expects_values(model: TableRanker) -> bool:
    inner = find_ranker(vars(model).get("ranker_", model.ranker))
    return inner is None or isinstance(inner, ExpectsValues)


class TableRanker(BaseRanker):
    """Learn from a table as it is: texts, categories, Booleans, numbers and gaps, with their names.

    It does with columns what ``rankwise fit`` does. Numbers are taken as they are. A column of texts,
    categories or Booleans becomes one feature of 0 and 1 per category that occurs at `fit` (a single
    one for two). A gap stays a gap, or becomes the mean of the training rows where the ranker inside
    takes none. Dates are refused, with advice. In new rows, columns are found by their names, in any
    order; others are not looked at. A category that did not occur at `fit` is taken as missing, and a
    warning names column, category and number of rows.

    Parameters
    ----------
    ranker : ranker or Pipeline, optional
        Who learns from the features: a ranker of this package, or a scikit-learn pipeline that ends in
        one. By default what ``rankwise fit`` takes: `rankwise.AutoRanker`.
    features : sequence of str, optional
        The columns to learn from; by default all but those of a DataFrame that name or count its rows,
        which are left out with a warning.
    drop : sequence of str
        Columns to leave out.
    nominal : sequence of str
        Columns that hold categories even where these look like numbers or dates.

    Attributes
    ----------
    ranker_ : ranker or Pipeline
        The fitted one, whose features are ``recipe_.feature_names``.
    recipe_ : Recipe
        How features are made of columns: the categories of each, and which columns were left out.
    gap_means_ : ndarray of shape (n_features,) or None
        What gaps are filled with; None where the ranker takes them as they are.
    feature_importances_ : ndarray of shape (n_columns,)
        Where the ranker has them: those of the features of each column of the recipe, added up.
    labels_, n_labels_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> import pandas as pd
    >>> import rankwise as rw
    >>> X = pd.DataFrame({"hour": [8, 9, 8, 17, 18, 17],
    ...                   "place": ["home", "work", "work", "home", "work", "train"]})
    >>> Y = pd.DataFrame([[2, 1, 3], [2, 1, 3], [2, 1, 3], [1, 3, 2], [1, 3, 2], [1, 3, 2]],
    ...                  columns=["tea", "coffee", "water"])
    >>> model = rw.TableRanker(rw.TreeRanker()).fit(X, Y)
    >>> model.predict(pd.DataFrame({"place": ["train", None], "hour": [7, 19]}, index=["Ann", "Bob"]))
         tea  coffee  water
    Ann    2       1      3
    Bob    1       3      2
    """

    _takes_missing_features = True
    _saved_parts = (Recipe, Column)

    def __init__(
        self,
        ranker: Any = None,
        *,
        features: Any = None,
        drop: Any = (),
        nominal: Any = (),
    ) -> None:
        self.ranker = ranker
        self.features = features
        self.drop = drop
        self.nominal = nominal

    @classmethod
    @check_arguments
    def of(
        cls,
        ranker: Any,
        recipe: Recipe,
        label_names: Any = None,
        means: ArrayLike | None = None,
    ) -> Self:
        """Return a fitted TableRanker around a ranker that was fitted to the features of a recipe.

        Parameters
        ----------
        ranker : ranker
            Fitted to ``recipe.feature_names``.
        recipe : Recipe
            How its features were made of the columns of a table.
        label_names : sequence of str, optional
            Names of the labels; by default those of the ranker.
        means : array-like of shape (n_features,), optional
            What gaps in features are filled with.

        Examples
        --------
        >>> import pandas as pd
        >>> import rankwise as rw
        >>> from rankwise.datasets.tables import Column, Recipe
        >>> tree = rw.TreeRanker().fit([[0], [1]], [[1, 2], [2, 1]])
        >>> model = TableRanker.of(tree, Recipe((Column("dry", ("no", "yes")),)), ["tea", "soup"])
        >>> model.predict(pd.DataFrame({"dry": ["yes"]}))
           tea  soup
        0    2     1
        """
        if (inside := find_ranker(ranker)) is not None:
            inside._check_parameters()
        model = cls(clone(ranker), features=[column.name for column in recipe.columns])
        inner = find_ranker(ranker)
        check_ranker(inner)
        model.ranker_ = ranker
        model._remember(recipe, [column.name for column in recipe.columns])
        model.gap_means_ = None if means is None else check_numbers("means", means, 1)
        model.n_labels_ = inner.n_labels_
        names = None if label_names is None else check_names("label_names", label_names)
        if names is not None and len(names) != inner.n_labels_:
            raise ValueError(
                f"there are {len(names)} label_names and {inner.n_labels_} labels; give one per label"
            )
        model.labels_ = inner.labels_ if names is None else np.array(names)
        model._labels_are_named = inner._labels_are_named or label_names is not None
        return model

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **others: Any
    ) -> Self:
        """Learn from the rows of a table and their rankings.

        Parameters
        ----------
        X : DataFrame of pandas or polars, or array-like of shape (n_samples, n_columns)
            Columns of numbers, texts, categories or Booleans; an empty cell (NaN, None) = missing.
        y : array-like of shape (n_samples, n_labels)
            Ranks, 1 = first; NaN = not observed, equal = tied, where the ranker takes that. Labels are
            called what the columns of a DataFrame are called.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows, where the ranker takes them.
        **others
            What else `fit` of the ranker takes, such as ``values=`` or ``groups=``.

        Returns
        -------
        Self
            The fitted estimator.
        """
        return self._fit_to(X, y, sample_weight, others)

    @check_arguments
    def fit_dataset(self, data: Dataset, **others: Any) -> Self:
        r"""Learn from a data set whose features were made of the columns of a file already.

        New rows are then tables with the columns of the file, as `rankwise.datasets.read` found them;
        what `features`, `drop` and `nominal` say, it was told. Weights go with the data, and groups
        where the ranker takes them.

        Parameters
        ----------
        data : Dataset
            As `rankwise.datasets.read` gives it.
        **others
            What else `fit` of the ranker takes, such as ``values=data.values``.

        Returns
        -------
        Self
            The fitted estimator.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import pandas as pd
        >>> import rankwise as rw
        >>> from rankwise.datasets import read
        >>> path = pathlib.Path(tempfile.mkdtemp(), "drinks.csv")
        >>> _ = path.write_text("place,ranking\nhome,tea>coffee\nwork,coffee>tea\nhome,tea>coffee\n")
        >>> model = rw.TableRanker(rw.TreeRanker()).fit_dataset(read(path))
        >>> model.predict(pd.DataFrame({"place": ["work"]}))
           coffee  tea
        0       1    2
        """
        self._given = data.columns_recipe()
        groups = data.groups if isinstance(self._inside(), AutoRanker) else None
        try:
            return self._fit_to(data.X, data.Y, data.weights, {"groups": groups, **others})
        finally:
            del self._given

    def _fit_to(self, X: Any, y: Any, sample_weight: Any, others: dict[str, Any]) -> Self:
        if sample_weight is not None and not self._takes_weights:
            raise ValueError(
                f"the rows have weights, which {type(self._inside()).__name__} does not take; choose "
                "another ranker, or leave the weights out"
            )
        self._others = {name: value for name, value in others.items() if value is not None}
        try:
            return super().fit(X, y, sample_weight)
        finally:
            del self._others

    @available_if(_expects_values)
    def predict_values(self, X: Any, return_std: bool = False) -> Any:
        """Predict what each label is worth, where the ranker was fitted with ``values=``.

        Parameters
        ----------
        X : DataFrame of pandas or polars, or array-like of shape (n_samples, n_columns)
            New rows.
        return_std : bool, default=False
            Whether to return the spread as well.

        Returns
        -------
        expected, spread : ndarray or DataFrame of shape (n_samples, n_labels)
            As `predict_values` of the ranker gives them.
        """
        check_flag("return_std", return_std)
        found = self._predict_values(self._check_predict(X))
        expected, spread = (self._as_output(part, X) for part in found)
        return (expected, spread) if return_std else expected

    def explain(self, x: Any, a: Any, b: Any, **others: Any) -> Explanation:
        """Explain why label `a` stands before label `b` in one row, in terms of the table's columns.

        Parameters
        ----------
        x : DataFrame of one row, or array-like of shape (n_columns,)
            The row, with the columns that the model was fitted to.
        a, b : label
            By name, or by number where the labels have no names.
        **others
            What else `rankwise.explain` takes, such as ``X=`` and ``Y=``, the training rows.

        Returns
        -------
        Explanation
            What `rankwise.explain` returns of this model.

        Examples
        --------
        >>> import pandas as pd
        >>> import rankwise as rw
        >>> X = pd.DataFrame({"place": ["home", "work", "home", "work"]})
        >>> Y = pd.DataFrame({"tea": [1, 2, 1, 2], "coffee": [2, 1, 2, 1]})
        >>> model = rw.TableRanker(rw.TreeRanker()).fit(X, Y)
        >>> why = model.explain(X[:1], "tea", "coffee")
        >>> [(part.feature, part.value, part.amount) for part in why.contributions]
        [('place', 'home', 1.0)]
        """
        # what stands above this package is asked for by the front of all, as users do
        import rankwise

        return rankwise.explain(self, x, a, b, **others)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, as `rankwise.save_model` does, which ``rankwise predict`` takes.

        Parameters
        ----------
        path : path-like
            The file, usually ``*.rankwise``; one that exists is replaced, wholly or not at all.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import pandas as pd
        >>> import rankwise as rw
        >>> X = pd.DataFrame({"place": ["home", "work"]})
        >>> Y = pd.DataFrame({"tea": [1, 2], "coffee": [2, 1]})
        >>> path = pathlib.Path(tempfile.mkdtemp(), "drinks.rankwise")
        >>> rw.TableRanker(rw.TreeRanker()).fit(X, Y).save(path)
        >>> rw.load_model(path).predict(X[1:])
           tea  coffee
        1    2       1
        """
        import rankwise

        rankwise.save_model(self, path)

    def encode(self, X: Any) -> NDArray[np.float64]:
        """Return the features that the recipe makes of rows, as the ranker inside was fitted to them.

        Parameters
        ----------
        X : DataFrame of pandas or polars, or array-like of shape (n_samples, n_columns)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            One column for each of ``recipe_.feature_names``; NaN = missing or unknown.
        """
        return self._check_predict(X)

    def cells(self, X: Any) -> list[list[Any]]:
        """Return the cells of rows as they stand in a table, one for each column of the recipe.

        Parameters
        ----------
        X : DataFrame of pandas or polars, or array-like of shape (n_samples, n_columns)
            Rows.

        Returns
        -------
        list of list
        """
        table = FrameTable(X, header=self._header)
        return table.rows([column.name for column in self.recipe_.columns])

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much each column decides; those of its features, added up."""
        by_feature = find_ranker(self.ranker_).feature_importances_
        sizes = [len(column.features) for column in self.recipe_.columns]
        if is_pipeline(self.ranker_) or len(by_feature) != sum(sizes):
            raise AttributeError("the features of the pipeline inside are not those of the columns")
        return np.add.reduceat(by_feature, np.cumsum([0, *sizes[:-1]]))

    # What a ranker takes is what the one inside takes.
    @property
    def _takes_missing_labels(self) -> bool:  # type: ignore[override]
        return bool(self._inside()._takes_missing_labels)

    @property
    def _takes_ties(self) -> bool:  # type: ignore[override]
        return bool(self._inside()._takes_ties)

    @property
    def _takes_weights(self) -> bool:  # type: ignore[override]
        return bool(self._inside()._takes_weights)

    def _inside(self) -> Any:
        """The ranker that is to be fitted, or the last step of its pipeline."""
        found = find_ranker(self._chosen())
        return AutoRanker() if found is None else found

    def _chosen(self) -> Any:
        return AutoRanker() if self.ranker is None else self.ranker

    def _check_features(self, X: Any, *, reset: bool) -> NDArray[np.float64]:
        """Return the features of a table, by the recipe that is learned if `reset`."""
        if "_given" in vars(self):
            self._remember(self._given, [column.name for column in self._given.columns])
            return np.asarray(X, dtype=np.float64)
        if reset:
            table = FrameTable(X)
            matrix, recipe, remarks = table.learn(
                features=self.features, drop=self.drop, nominal=self.nominal
            )
            self._remember(recipe, table.header, is_named=table.is_named)
        else:
            table = FrameTable(X, header=self._header)
            matrix, remarks = table.encode(self.recipe_)
            if not table.is_named and hasattr(self, "feature_names_in_"):
                remarks.append("its columns have no names; they are taken in the order of fitting")
        for remark in remarks:
            warn_caller(f"X: {remark}", UserWarning)
        return matrix

    def _remember(self, recipe: Recipe, header: list[str], is_named: bool = True) -> None:
        self.recipe_, self._header, self.n_features_in_ = recipe, header, len(header)
        if is_named:
            self.feature_names_in_ = np.array(header, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_rankings(self, y: ArrayLike) -> np.ndarray:
        checked: np.ndarray = self._inside()._check_rankings(y)
        return checked

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        model = clone(self._chosen())
        self.__dict__.pop("ranker_", None)  # of an earlier fit
        self.gap_means_ = None if _takes_gaps(model) else gap_means(X)
        known = {**self._others, **({} if weights is None else {"sample_weight": weights})}
        if is_pipeline(model):
            known = {f"{model.steps[-1][0]}__{name}": value for name, value in known.items()}
        self.ranker_ = model.fit(self._for_ranker(X), self._named(ranks), **known)

    def _named(self, ranks: np.ndarray) -> Any:
        if not self._labels_are_named:
            return ranks
        import pandas as pd  # named labels come in DataFrames alone

        return pd.DataFrame(ranks, columns=self.labels_, copy=False)

    def _for_ranker(self, X: NDArray[np.float64]) -> Any:
        """Return features with their names, and gaps filled if need be, as the ranker takes them."""
        if self.gap_means_ is not None:
            X = fill_gaps(X, self.gap_means_)
        inner, names = vars(self).get("ranker_"), None
        if inner is not None:
            names = getattr(inner, "feature_names_in_", None)
        elif hasattr(self, "feature_names_in_"):
            names = self.recipe_.feature_names
        if names is None:
            return X
        import pandas as pd  # as above

        return pd.DataFrame(X, columns=names, copy=False)

    def _pass_on(self, X: NDArray[np.float64]) -> tuple[Any, Any]:
        """Return the ranker inside, and the rows that it takes of the features of a table."""
        ranker, rows = reaching_rows(self.ranker_, self._for_ranker(X))
        return ranker, ranker._check_predict(rows)

    def _predict_positions(self, X: NDArray[np.float64]) -> np.ndarray:
        ranker, rows = self._pass_on(X)
        positions: np.ndarray = ranker._predict_positions(rows)
        return positions

    def _predict_ranks(self, X: NDArray[np.float64]) -> np.ndarray:
        ranker, rows = self._pass_on(X)
        ranks: np.ndarray = ranker._answer(rows)
        return ranks

    def _predict_shares(self, X: NDArray[np.float64]) -> np.ndarray:
        ranker, rows = self._pass_on(X)
        shares: np.ndarray = ranker._predict_shares(rows)
        return shares

    def _ranks_and_shares(self, X: NDArray[np.float64]) -> tuple[np.ndarray, np.ndarray]:
        ranker, rows = self._pass_on(X)
        both: tuple[np.ndarray, np.ndarray] = ranker._answer_and_shares(rows)
        return both

    def _predict_values(self, X: NDArray[np.float64]) -> tuple[np.ndarray, np.ndarray]:
        ranker, rows = reaching_rows(self.ranker_, self._for_ranker(X))
        expected, spread = ranker.predict_values(rows, return_std=True)
        return np.asarray(expected), np.asarray(spread)

    def _check_parameters(self) -> None:
        for name in ("features", "drop", "nominal"):
            value = getattr(self, name)
            is_flat = (
                is_list(value) and hasattr(value, "__len__") and getattr(value, "ndim", 1) == 1
            )
            names = is_flat and all(isinstance(one, Hashable) for one in value)
            if not names and not (value is None and name == "features"):
                raise TypeError(
                    f"{name} is {shown(value)}; give a list of names of columns, ['place']"
                )
        inner = find_ranker(self.ranker)
        if self.ranker is not None and (inner is None or isinstance(inner, TableRanker)):
            raise TypeError(
                f"ranker is {shown(self.ranker)}; give a ranker such as ForestRanker(), or a pipeline that "
                "ends in one"
            )
        if inner is not None:
            inner._check_parameters()

    def _saved_params(self) -> dict[str, Any]:
        # the ranker inside has the same parameters, and is saved: `_restore` takes them from there
        params = super()._saved_params() | {"ranker": None}
        plain = (list, tuple, type(None))
        return {
            n: value if isinstance(value, plain) else list(value) for n, value in params.items()
        }

    def _saved_state(self) -> dict[str, Any]:
        return super()._saved_state() | {"_is_given": self.ranker is not None}

    def _check_state(self) -> None:
        super()._check_state()
        state = vars(self)
        recipe, header = state.get("recipe_"), state.get("_header")
        ranker = find_ranker(state.get("ranker_"))
        if ranker is None or isinstance(ranker, TableRanker):
            raise ValueError("its TableRanker holds no ranker")
        if not isinstance(recipe, Recipe):
            raise ValueError("its TableRanker has no recipe of columns")
        texts = isinstance(header, list) and all(isinstance(name, str) for name in header)
        if header is None or not texts or len(header) != self.n_features_in_:
            raise ValueError("its TableRanker does not know its columns")
        if not {column.name for column in recipe.columns} <= {*header}:
            raise ValueError("its recipe takes columns that its table did not have")
        refuse_halves(recipe.feature_names, "column")
        n = len(recipe.feature_names)
        if n != self.ranker_.n_features_in_:
            raise ValueError("its columns do not make the features of its ranker")
        if ranker.n_labels_ != self.n_labels_:
            raise ValueError("its ranker ranks another number of labels")
        if state.get("gap_means_", "?") is not None:
            self._saved_numbers("gap_means_", (n,))
        if type(state.get("_is_given")) is not bool:
            raise ValueError("its TableRanker does not say who its ranker is")

    def _restore(self) -> None:
        if self.__dict__.pop("_is_given"):
            self.ranker = clone(self.ranker_)


def _takes_gaps(model: Any) -> bool:
    """Whether gaps are passed on; a pipeline may have a step for them, which does not say so."""
    steps = (model, getattr(model, "estimator", None))
    return any(map(is_pipeline, steps)) or get_tags(model).input_tags.allow_nan
