"""A partition unlike the others is an error that names it, its column and its row."""

import numpy as np
import pandas as pd
import pytest

from rankwise.forest import ForestRanker as InMemoryForest

dask = pytest.importorskip("dask")
FOREST = {"n_estimators": 2, "max_samples": 50, "max_depth": 3, "random_state": 0}
LABELS = ["tea", "soup", "milk"]


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((120, 3)) < 0.5, columns=list("abc"))
    return X, pd.DataFrame(rng.random((120, 3)).argsort(axis=1) + 1, columns=LABELS)


def thirds(table):
    return [table[i : i + 40] for i in (0, 40, 80)]


def mapped(parts):
    import dask.dataframe as dd

    return dd.from_map(lambda i: parts[i], range(len(parts)), meta=parts[0][:0])


def delayed(parts):
    import dask.dataframe as dd

    return dd.from_delayed([dask.delayed(own, pure=False) for own in parts], meta=parts[0][:0])


def blocks(parts):
    import dask.array as da

    return da.concatenate(
        [da.from_delayed(dask.delayed(own, pure=False), parts[0].shape, parts[0].dtype) for own in parts]
    )  # fmt: skip


def with_cell(table, value):
    table = table.astype({table.columns[1]: object})
    table.iloc[7, 1] = value
    return table


def opened(X, y, weights=None, dtype=bool):
    """All rows of a partition, as a worker opens it."""
    from rankwise.dask._partitions import Columns, PartitionPart

    features, labels = (tuple("abc"), tuple(LABELS)) if hasattr(X, "columns") else (None, None)
    columns = Columns(features, labels, 3, 3, np.dtype(dtype), None)
    return list(PartitionPart(X, y, weights, 4, len(X), columns).blocks())


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("X", lambda t: t.drop(columns="b"), r": lacks the column 'b', which other"),
        ("y", lambda t: t.drop(columns="soup"), r": lacks the column 'soup', which other"),
        ("X", lambda t: t.assign(z=1), r": has the column 'z', which other partitions lack"),
        ("y", lambda t: t.assign(z=1), r": has the column 'z', which other partitions lack"),
        ("X", lambda t: t[[*"cba"]], r": has its columns in the order 'c', 'b', 'a', and others"),
        ("y", lambda t: t[LABELS[::-1]], r": has its columns in the order 'milk', 'soup', 'tea'"),
        ("X", lambda t: t.astype(float), r": column 'a' holds float64 here, .* told .* hold bool"),
        ("X", lambda t: t.assign(b="x"), r", row 0: column 'b' holds 'x', which is no number"),
        ("X", lambda t: with_cell(t, "oops"), r", row 7: column 'b' holds 'oops', which is no"),
        ("y", lambda t: with_cell(t, "oops"), r", row 7: column 'soup' holds 'oops', which is no"),
        ("y", lambda t: with_cell(t.astype(str), "oops"), r", row 7: column 'soup' holds 'oops'"),
        ("y", lambda t: t.astype(str), r", row 0: column 'tea' holds the text '\d'; make numbers"),
        ("y", lambda t: with_cell(t, 0), r", row 7: label 'soup' has rank 0"),
        ("y", lambda t: with_cell(t, np.inf), r", row 7: label 'soup' has rank inf"),
        ("y", lambda t: t[:0], r": it has 0 rows, and X has 40; .* in the same partition of y"),
    ],
)  # fmt: skip
def test_a_table_unlike_the_others_is_named_with_column_and_row(tables, name, change, message):
    given = dict(zip("Xy", (own[:40] for own in tables), strict=True))
    with pytest.raises(ValueError, match=f"^{name}, partition 4{message}"):
        opened(**given | {name: change(given[name])})


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("X", lambda a: a[:, :2], r": it has the shape \(40, 2\), and 3 columns are those of all"),
        ("y", lambda a: a[:, [0, 1, 2, 2]], r": it has the shape \(40, 4\), and 3 columns"),
        ("X", lambda a: a[:, 0], r": it has the shape \(40,\), and 3 columns"),
        ("X", lambda a: a * 3, r" holds int64 here, and Dask was told that all .* hold bool"),
        ("X", lambda a: np.where(a, "x", "1"), r", row \d+: column 0 holds 'x', which is no number"),
        ("y", lambda a: a.astype(str), r", row 0: column 0 holds the text '\d'; make numbers"),
        ("y", lambda a: np.where(a == 1, 0, a), r", row 0: label \d has rank 0"),
        ("y", lambda a: a[:30], r": it has 30 rows, and X has 40"),
    ],
)  # fmt: skip
def test_an_array_unlike_the_others_is_named_with_column_and_row(tables, name, change, message):
    given = dict(zip("Xy", (own[:40].to_numpy() for own in tables), strict=True))
    with pytest.raises(ValueError, match=f"^{name}, partition 4{message}"):
        opened(**given | {name: change(given[name])})


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (["x", *"1" * 39], r"sample_weight, partition 4, row 0: its weight is 'x', which is no number"),
        (["1"] * 40, r"sample_weight, partition 4, row 0: its weight is the text '1'"),
        ([1.0] * 39, r"sample_weight, partition 4: it has 39 rows, and X has 40; .* needs its weight"),
        ([*[1.0] * 39, -2.0], r"sample_weight, partition 4, row 39: weight -2; every row needs a weight"),
        (np.ones((40, 2)), r"sample_weight, partition 4: it has 2 columns; give one number per row"),
    ],
)  # fmt: skip
def test_weights_that_are_none_are_named_with_partition_and_row(tables, weights, message):
    X, y = (own[:40] for own in tables)
    weights = weights if isinstance(weights, np.ndarray) else pd.Series(weights)
    with pytest.raises(ValueError, match=message):
        opened(X, y, weights)


def test_objects_that_are_numbers_and_gaps_are_taken_as_such(tables):
    X, y = (own[:40] for own in tables)
    objects = with_cell(X, None)
    for given in (objects, objects.replace({None: pd.NA})):
        (block,) = opened(given, with_cell(y, None), dtype=float)
        assert np.isnan(block.X[7, 1])
        np.testing.assert_array_equal(np.delete(block.X, 7, 0), np.delete(X.to_numpy(), 7, 0))
        assert block.positions[7, 1] == 0


def test_tables_that_cannot_be_learned_from_are_refused_before_anything_is_read(tables):
    import dask.array as da
    import dask.dataframe as dd

    from rankwise.dask._collections import collection_parts

    X, y = (dd.from_pandas(own, npartitions=3) for own in tables)
    arrays = (
        da.from_array(tables[0].to_numpy(), chunks=(40, 3)),
        da.from_array(tables[1].to_numpy(), chunks=(40, 3)),
    )
    w = dd.from_pandas(pd.Series(1.0, index=range(120)), npartitions=2)
    wrong = [
        ((X["a"], y), r"X is a Dask Series of 1 dimension\(s\); give a table"),
        ((X, y["tea"]), r"y is a Dask Series of 1 dimension\(s\); give a table"),
        ((arrays[0][:, 0], arrays[1]), r"X is a Dask Array of 1 dimension\(s\)"),
        ((X[[]], y), r"X is a Dask DataFrame of 2 dimension\(s\) without columns"),
        ((X, y.rename(columns={"tea": "milk"})), r"y has two columns called 'milk'; rename one"),
        ((arrays[0].astype(complex), arrays[1]), r"X must hold real numbers, got dtype complex128"),
        ((arrays[0].astype(str), arrays[1]), r"X must hold real numbers, got dtype .* texts are for"),
        ((X, y.repartition(npartitions=2)), r"X has 3 partition\(s\) and y has 2; give them the same"),
        ((X, y, w), r"X has 3 partition\(s\) and sample_weight has 2; give them the same"),
        ((*arrays, da.ones(60, chunks=20)), r"X and sample_weight have inconsistent .* 120 and 60 rows"),
        ((tables[0], y), r"X is a DataFrame; give a Dask DataFrame or Array"),
    ]  # fmt: skip
    for given, message in wrong:
        with pytest.raises((TypeError, ValueError), match=message):
            collection_parts(None, *given)


def test_what_dask_cannot_make_is_named_with_the_partition(client, tables, tmp_path):
    import dask.dataframe as dd

    from rankwise.dask import ForestRanker, PairwiseRanker

    X, y = (thirds(own) for own in tables)
    lost = [X[0], X[1].drop(columns="b"), X[2]]
    no_soup = [*y[:2], y[2].drop(columns="soup")]
    both = [own.join(ranks) for own, ranks in zip(lost, y, strict=True)]
    for i, own in enumerate(both):
        own.to_parquet(tmp_path / f"{i}.parquet", index=False)
    files = dd.read_parquet(str(tmp_path))
    named = (
        r"X, partition 1: Dask could not make it, .*'b'(?s:.)*All partitions need the same columns"
    )
    for ranker, rows, ranks, message in [
        (ForestRanker(**FOREST), delayed(lost), delayed(y), named),
        (ForestRanker(**FOREST), files[list("abc")], files[LABELS], named),
        (ForestRanker(**FOREST), mapped(X), delayed(no_soup), r"y, partition 2: Dask could not.*'soup'"),
        (PairwiseRanker(), mapped(X), delayed(no_soup), r"y, partition 2: Dask could not make it.*'soup'"),
        (
            ForestRanker(**FOREST),
            blocks([own.to_numpy() for own in X]),
            blocks([own.to_numpy() for own in (y[0], no_soup[2], y[2])]),
            r"y, partition 1: it has the shape \(40, 2\), and 3 columns are those of all",
        ),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=f"(?s){message}"):
            ranker.fit(rows, ranks, client=client)


def test_texts_in_some_partitions_are_named(client, tables):
    from rankwise.dask import ForestRanker

    X, y = tables
    coloured = thirds(X.assign(colour=np.where(X["a"], "red", "blue")))
    for odd, message in (
        (coloured[1].drop(columns="colour"), "X, partition 1: lacks the column 'colour', unlike X"),
        (coloured[1].assign(colour=1.5), "X, partition 1: column 'colour' holds numbers here and"),
    ):
        rows = mapped([coloured[0], odd, coloured[2]])
        with pytest.raises(ValueError, match=message):
            ForestRanker(**FOREST).fit(rows, mapped(thirds(y)), client=client)


def test_weights_and_labels_of_other_partitions_are_made_alike_where_rows_are_counted(
    client, tables
):
    import dask.array as da

    from rankwise.dask import ForestRanker

    X, y = (own.to_numpy() for own in tables)
    w = np.arange(120) % 3 + 1
    given = (
        da.from_array(own, chunks=(n, -1)[: own.ndim]) for own, n in ((X, 40), (y, 30), (w, 50))
    )
    model = ForestRanker(**FOREST).fit(*given, client=client)
    expected = InMemoryForest(**FOREST).fit(X, y, w)
    assert model._trees.values.tobytes() == expected._trees.values.tobytes()


def test_columns_of_files_that_dask_reads_in_fewer_partitions_stay_with_their_rows(
    client, tables, tmp_path
):
    import dask.dataframe as dd

    from rankwise.dask import ForestRanker, rowwise
    from rankwise.metrics import kendall_tau

    X, y = tables
    whole = X.join(y).assign(w=np.arange(120) % 3 + 1, **{f"z{j}": 0.5 for j in range(12)})
    for i in range(12):
        whole[10 * i : 10 * (i + 1)].to_parquet(tmp_path / f"{i:02}.parquet", index=False)
    files = dd.read_parquet(str(tmp_path))
    assert files["w"].optimize().npartitions < files.npartitions
    rows, ranks = files[list("abc")], files[LABELS]
    model = ForestRanker(**FOREST).fit(rows, ranks, files["w"], client=client)
    expected = InMemoryForest(**FOREST).fit(X, y, whole["w"])
    assert model._trees.values.tobytes() == expected._trees.values.tobytes()
    tau = rowwise(kendall_tau, files[LABELS], model.predict(files))
    np.testing.assert_allclose(tau, kendall_tau(y, expected.predict(X), average=False))
    assert model.score(files, ranks) == pytest.approx(expected.score(X, y))


@pytest.fixture(scope="module")
def fitted(tables):
    return InMemoryForest(**FOREST).fit(*tables)


@pytest.mark.parametrize("method", ["predict", "predict_positions", "predict_pairwise"])
@pytest.mark.parametrize(
    ("make", "change", "message"),
    [
        (mapped, lambda t: t.assign(b="x"), r": column 'b' holds the text 'x' \(row 0\)"),
        (mapped, lambda t: with_cell(t, "oops"), r": column 'b' holds the text 'oops' \(row 7\)"),
        (mapped, lambda t: with_cell(t, np.inf).astype(float), r" .* infinity .* row 7, feature 'b'"),
        (mapped, lambda t: t.drop(columns="b"), r": lacks the column 'b', which other partitions have"),
        (blocks, lambda t: with_cell(t, "oops").to_numpy(), r": feature 1 holds the text 'oops' \(row 7\)"),
        (blocks, lambda t: t.to_numpy()[:, :2], r".* has 2 features, .* expecting 3"),
    ],
)  # fmt: skip
def test_a_bad_partition_that_is_predicted_lazily_is_named(
    tables, fitted, method, make, change, message
):
    from rankwise.dask import lazily

    first, second, third = thirds(tables[0].astype(float))
    parts = [own if make is mapped else np.asarray(own) for own in (first, change(second), third)]
    with (
        dask.config.set(scheduler="synchronous"),
        pytest.raises(ValueError, match=f"^X, partition 1{message}"),
    ):
        lazily(fitted, method, make(parts)).compute()


def test_partitions_that_dask_reads_together_are_numbered_as_it_reads_them(tables, tmp_path):
    import dask.dataframe as dd

    from rankwise.dask import lazily

    X = tables[0].astype(float).assign(**{f"z{j}": 0.5 for j in range(12)})
    X.loc[117, "b"] = np.inf
    for i in range(12):
        X[10 * i : 10 * (i + 1)].to_parquet(tmp_path / f"{i:02}.parquet", index=False)
    files = dd.read_parquet(str(tmp_path))
    model = InMemoryForest(**FOREST).fit(tables[0].astype(float), tables[1])
    with (
        dask.config.set(scheduler="synchronous"),
        pytest.raises(ValueError, match=r"^X, partition \d of \d \(Dask reads 12 .*feature 'b'"),
    ):
        lazily(model, "predict", files).compute()


def test_columns_are_taken_by_name_and_what_is_missing_is_said_before_anything_is_computed(
    tables, fitted
):
    import dask.array as da
    import dask.dataframe as dd

    from rankwise.dask import lazily, rowwise
    from rankwise.metrics import kendall_tau

    X, y = tables
    more = dd.from_pandas(X.assign(z=1)[list("zcba")], npartitions=3)
    found = lazily(fitted, "predict", more).compute()
    np.testing.assert_array_equal(found, fitted.predict(X))
    with pytest.raises(
        ValueError, match="X lacks the columns 'a', 'c', which the model was fitted"
    ):
        lazily(fitted, "predict", more[["b"]])
    with pytest.raises(ValueError, match=r"X has the shape \(120, 2\), .* fitted to 3 features"):
        lazily(fitted, "predict", da.from_array(X.to_numpy()[:, :2], chunks=(40, 2)))
    ranks = dd.from_pandas(y, npartitions=2)
    with pytest.raises(
        ValueError, match=r"y_true has 2 partition\(s\) and y_pred has 3; give them"
    ):
        rowwise(kendall_tau, ranks, lazily(fitted, "predict", more))
    wrong = da.from_array(np.where(np.arange(120)[:, None] == 77, 0, y), chunks=(50, 3))
    with pytest.raises(ValueError, match=r"^Y_true, partition 1, row 37: label 0 has"):
        rowwise(kendall_tau, wrong, da.from_array(y.to_numpy(), chunks=(40, 3))).compute()
