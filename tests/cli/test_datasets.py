"""``rankwise datasets`` lists what can be loaded, and says where it is."""

import json

from rankwise.datasets import available


def test_the_table_names_every_benchmark(rankwise):
    outcome = rankwise("datasets")
    assert outcome.code == 0
    assert [line.split()[0] for line in outcome.out.splitlines()[1:]] == list(available())


def test_kinds_are_kept_apart(rankwise):
    listed = json.loads(rankwise("datasets", "--kind", "generated", "--json").out)
    assert [entry["name"] for entry in listed] == list(available("generated"))
    assert {entry["found"] for entry in listed} == {"made on the spot"}


def test_each_file_is_found_where_load_would_find_it(rankwise, tmp_path, monkeypatch):
    for folder, name in (("data", "iris"), ("cache", "wine")):
        (tmp_path / folder / "lr").mkdir(parents=True)
        (tmp_path / folder / "lr" / f"{name}.csv").write_text("A1,L1,L2\n")
    monkeypatch.setenv("RANKWISE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("RANKWISE_CACHE", str(tmp_path / "cache"))
    listed = json.loads(rankwise("datasets", "--json").out)
    found = {entry["name"]: entry["found"] for entry in listed}
    assert found["iris"] == "RANKWISE_DATA"
    assert found["wine"] == "cache"
    assert found["glass"] == "download on first use"
