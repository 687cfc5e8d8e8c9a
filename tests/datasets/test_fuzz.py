"""Whatever a file holds, it gives data or one DataFileError."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.datasets import DataFileError, Dataset, read

# Pieces of each format, separated by blanks; then those that hold blanks or line ends themselves.
WORDS = {
    "csv": (
        "A1 A2 L1 L2 L3 , ; | ' \" 0 1 2 3.5 1,5 -1 nan ? inf 1e999 1_0 ranking a>b a~b>c a,b > "
        "row label rank value red blue @weight sep=; é \ufeff",
        ["\n", "\r\n", "\t", " "],
    ),
    "xarff": (
        "1 ? p 'q' , a>b a>b|c a>b|b>a a~c ,{2} { } {-1} % ' \" \\ > | 1e999 a",
        [
            "@relation r\n",
            "@attribute x numeric\n",
            "@attribute y {p,q}\n",
            "@attribute z string\n",
            "@attribute L RANKING {a,b,c}\n",
            "@data\n",
            "\n",
            "\t",
            " %",
        ],
    ),
    "soc": (
        "1 : , { } # 99999999999999999999",
        [
            "# ALTERNATIVE NAME 1: tea\n",
            "# ALTERNATIVE NAME 2: coffee\n",
            "# ALTERNATIVE NAME 3: tea\n",
            "# NUMBER ALTERNATIVES: 2\n",
            "# TITLE: t\n",
            "0: 1,2\n",
            "1: 1,1\n",
            "1: 1,2\n",
            "2: {1,2}\n",
            "3: 2\n",
            "\n",
        ],
    ),
}
PIECES = {kind: [*words.split(" "), *others] for kind, (words, others) in WORDS.items()}
PIECES["toi"] = PIECES["soc"]
PIECES["txt"] = [piece for pieces in list(PIECES.values()) for piece in pieces]
OPTIONS = {
    "csv": [
        {},
        {"format": "scikit-lr"},
        {"format": "ranking"},
        {"format": "long"},
        {"labels": ["L1", "L2"]},
        {"labels": ["L1", "L2"], "higher_is_better": False},
        {"labels": ["a", "b"], "format": "ranking"},
        {"nominal": ["A1"]},
        {"columns": {"weight": "A1"}},
        {"columns": {"row": "A1", "label": "A2", "value": "L1"}},
    ],
    "xarff": [{}, {"features": ["x"]}, {"nominal": ["x"]}],
}


def texts_of(kind):
    pieces = st.sampled_from(PIECES[kind])
    return st.lists(pieces, max_size=40).map(lambda parts: "".join(parts).encode())


def check_outcome(path, content, options):
    path.write_bytes(content)
    try:
        dataset = read(path, **options)
    except DataFileError as refusal:
        named = refusal.path
    else:
        named = str(path)
        check_dataset(dataset)
    assert named == str(path)


def check_dataset(dataset):
    assert isinstance(dataset, Dataset)
    assert dataset.features.shape[0] == dataset.ranks.shape[0] > 0
    assert dataset.ranks.shape[1] >= 2
    assert not np.isinf(dataset.features).any()
    assert np.nanmin(dataset.ranks) >= 1
    assert dataset.features.shape[1] == len(dataset.feature_names)


@pytest.mark.hypothesis
@pytest.mark.parametrize("kind", list(PIECES))
def test_texts_made_of_a_formats_own_pieces_give_data_or_the_error(kind, tmp_path_factory):
    path = tmp_path_factory.mktemp("fuzz") / f"file.{kind}"

    @given(texts_of(kind), st.sampled_from(OPTIONS.get(kind, [{}])))
    def run(content, options):
        check_outcome(path, content, options)

    run()


@pytest.mark.hypothesis
@pytest.mark.parametrize("kind", list(PIECES))
def test_any_bytes_give_data_or_the_error(kind, tmp_path_factory):
    path = tmp_path_factory.mktemp("fuzz") / f"file.{kind}"

    @given(st.binary(max_size=200))
    def run(content):
        check_outcome(path, content, {})

    run()


INTACT = {
    "scikit-lr.csv": "A1,A2,L1,L2\n0.5,1,1,2\n-2,?,2,1\n3,4,1,\n",
    "ranking.csv": "hour;place;ranking\n8,5;home;tea>coffee~water\n17,0;work;'water'>tea\n",
    "long.csv": "row,label,rank,hour\nr1,tea,1,8\nr1,coffee,2,8\nr2,tea,2,9\nr2,water,1,9\n",
    "a.xarff": "@relation r\n@attribute 'x 1' numeric\n@attribute y {p,'q r'}\n"
    "@attribute L RANKING {a,b,c}\n@data\n1,'q r',a>b|c>b,{2}\n% no\n?,p,b>a~c\n",
    "a.toi": "# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: tea\n# ALTERNATIVE NAME 2: coffee\n"
    "# ALTERNATIVE NAME 3: water\n2: 1,{2,3}\n1: 3,1\n",
}


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", list(INTACT))
def test_a_damaged_file_gives_data_or_the_error(name, tmp_path_factory):
    path = tmp_path_factory.mktemp("fuzz") / name
    intact = INTACT[name].encode()
    path.write_bytes(intact)
    assert len(read(path)) >= 2

    @given(st.integers(0, len(intact)), st.integers(0, 8), st.binary(max_size=4) | texts_of("txt"))
    def run(start, length, junk):
        check_outcome(path, intact[:start] + junk + intact[start + length :], {})

    run()


ARFF_RUNS = (
    b"@RELATION r\n@ATTRIBUTE instance_id STRING\n@ATTRIBUTE repetition NUMERIC\n"
    b"@ATTRIBUTE algorithm STRING\n@ATTRIBUTE runtime NUMERIC\n@ATTRIBUTE runstatus {ok,timeout}\n"
    b"@DATA\ni1,1,tea,1,ok\ni1,1,coffee,2,ok\ni2,1,tea,5,ok\ni2,1,coffee,9,timeout\n"
)
ARFF_FEATURES = (
    b"@RELATION r\n@ATTRIBUTE instance_id STRING\n@ATTRIBUTE repetition NUMERIC\n"
    b"@ATTRIBUTE size NUMERIC\n@DATA\ni1,1,3\ni2,1,?\n"
)
ARFF_FOLDS = (
    b"@RELATION r\n@ATTRIBUTE instance_id STRING\n@ATTRIBUTE repetition NUMERIC\n"
    b"@ATTRIBUTE fold NUMERIC\n@DATA\ni1,1,1\ni2,1,2\n"
)
SCENARIO = {
    "description.txt": b"maximize: [false]\nperformance_measures: [runtime]\n",
    "algorithm_runs.arff": ARFF_RUNS,
    "feature_values.arff": ARFF_FEATURES,
    "cv.arff": ARFF_FOLDS,
}


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", list(SCENARIO))
def test_a_damaged_scenario_gives_data_or_the_error(name, tmp_path_factory):
    folder = tmp_path_factory.mktemp("scenario")
    for file, content in SCENARIO.items():
        (folder / file).write_bytes(content)
    intact = SCENARIO[name]

    @given(st.integers(0, len(intact)), st.integers(0, 20), st.binary(max_size=8))
    def run(start, length, junk):
        (folder / name).write_bytes(intact[:start] + junk + intact[start + length :])
        try:
            dataset = read(folder)
        except DataFileError:
            return
        assert dataset.n_labels >= 2

    run()
