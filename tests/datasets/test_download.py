"""Downloads against a local server: what goes wrong is told, and no half file stays."""

import hashlib
import sys
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rankwise.datasets import DataFileError, available, load, whereabouts
from rankwise.datasets._catalogue import CATALOGUE, Entry

pytest.importorskip("pooch")

CONTENT = b"A1,L1,L2\n0.5,1,2\n-1,2,1\n"


class Handler(BaseHTTPRequestHandler):
    def __init__(self, behaviour, *args):
        self.behaviour = behaviour
        super().__init__(*args)

    def do_GET(self):
        mode = self.behaviour["mode"]
        self.behaviour["asked"].append(self.path)
        if mode == "404":
            self.send_error(404)
            return
        body = b"<html>not the file</html>" if mode == "wrong" else CONTENT
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:10] if mode == "cut" else body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch, tmp_path):
    """A server of lr/iris.csv, whose checksum the catalogue is made to expect."""
    behaviour = {"mode": "good", "asked": []}
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, behaviour))
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)  # it ends that soon
    thread.start()
    behaviour["url"] = f"http://127.0.0.1:{server.server_port}"
    entry = Entry("iris", 2, 1, 2, hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setitem(CATALOGUE, "iris", entry)
    monkeypatch.delenv("RANKWISE_DATA", raising=False)
    monkeypatch.delenv("RANKWISE_DATA_URL", raising=False)
    monkeypatch.setenv("RANKWISE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield behaviour
    server.shutdown()
    server.server_close()
    thread.join()


def files_below(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_a_file_is_downloaded_once_and_then_found_in_the_cache(server, tmp_path):
    dataset = load("iris", base_url=server["url"])
    assert_array_equal(dataset.ranks, [[1, 2], [2, 1]])
    assert server["asked"] == ["/lr/iris.csv"]
    assert files_below(tmp_path / "cache") == ["lr/iris.csv"]
    load("iris", base_url=server["url"])
    assert len(server["asked"]) == 1


def test_the_server_and_the_cache_may_be_set_by_variable_or_argument(server, tmp_path, monkeypatch):
    monkeypatch.setenv("RANKWISE_DATA_URL", server["url"] + "/")
    load("iris", cache=tmp_path / "mine")
    assert files_below(tmp_path) == ["mine/lr/iris.csv"]


def test_a_damaged_file_in_the_cache_is_fetched_again(server, tmp_path):
    path = tmp_path / "cache" / "lr" / "iris.csv"
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT[:12])
    load("iris", base_url=server["url"])
    assert path.read_bytes() == CONTENT


def test_a_folder_of_the_user_comes_first(server, tmp_path, monkeypatch):
    (tmp_path / "own" / "lr").mkdir(parents=True)
    (tmp_path / "own" / "lr" / "iris.csv").write_bytes(CONTENT)
    monkeypatch.setenv("RANKWISE_DATA", str(tmp_path / "own"))
    load("iris", base_url=server["url"])
    assert server["asked"] == []
    monkeypatch.setenv("RANKWISE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataFileError, match="RANKWISE_DATA names this folder, and it is not there"):
        load("iris", base_url=server["url"])


FAULTS = {
    "404": "could not be downloaded (404",
    "wrong": "its checksum is not that of the published file",
    "cut": "could not be downloaded (",
}


@pytest.mark.parametrize("mode", list(FAULTS))
def test_a_failed_download_says_how_to_get_the_file_and_leaves_nothing(mode, server, tmp_path):
    server["mode"] = mode
    with pytest.raises(DataFileError) as caught:
        load("iris", base_url=server["url"])
    message = str(caught.value)
    assert FAULTS[mode] in message
    assert f"download {server['url']}/lr/iris.csv" in message
    assert CATALOGUE["iris"].sha256 in message
    assert "set RANKWISE_DATA" in message
    assert files_below(tmp_path) == []


def test_no_server_at_all_is_told_the_same_way(server, tmp_path):
    with pytest.raises(DataFileError, match="could not be downloaded"):
        load("iris", base_url="http://127.0.0.1:9")
    assert files_below(tmp_path) == []


def test_a_cache_that_cannot_be_written_is_told(server, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataFileError, match=r"cannot be kept there[\s\S]*RANKWISE_CACHE"):
        load("iris", base_url=server["url"], cache=tmp_path / "file" / "cache")
    assert files_below(tmp_path) == ["file"]


def test_the_progress_bar_goes_to_standard_error_and_changes_nothing(server, capsys):
    assert len(load("iris", base_url=server["url"], progress=True)) == 2
    assert capsys.readouterr().out == ""


def test_without_pooch_the_message_names_the_extra(server, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(
        ImportError,
        match=r"downloading benchmark files needs "
        r"pooch.*rankwise\[data\]",
    ):
        load("iris", base_url=server["url"])


@pytest.mark.parametrize("name", [*available("complete"), *available("partial")])
def test_every_entry_has_a_checksum_and_a_pinned_address(name):
    entry = CATALOGUE[name]
    assert len(bytes.fromhex(entry.sha256)) == 32
    assert entry.url.startswith("https://raw.githubusercontent.com/")
    assert "97c55dbca4e34979a15edef7668916f8ee23a11a" in entry.url
    assert entry.url.endswith(Path(entry.file).name)


def test_unknown_names_get_a_suggestion():
    with pytest.raises(ValueError, match="unknown benchmark 'irsi'; did you mean 'iris'"):
        load("irsi")
    with pytest.raises(ValueError, match=r"available\(\) lists all"):
        load("q")
    with pytest.raises(TypeError, match="name is a int"):
        load(3)
    with pytest.raises(ValueError, match="unknown kind 'tied'; known are complete, partial"):
        available("tied")


def test_the_bundled_set_needs_neither_folder_nor_network(monkeypatch, tmp_path):
    monkeypatch.setenv("RANKWISE_DATA", str(tmp_path))
    (name,) = available("bundled")
    dataset, entry = load(name), CATALOGUE[name]
    assert dataset.features.shape == (entry.n_samples, entry.n_features)
    assert dataset.values.shape == (entry.n_samples, entry.n_labels)
    assert (dataset.name, dataset.unit, dataset.higher_is_better) == (name, "%", True)
    assert "made up" in dataset.source
    assert whereabouts(name) == "in the package"
    # nothing to warn a newcomer of: every row compares something
    assert (~np.isnan(dataset.ranks)).sum(axis=1).min() >= 2
    assert not dataset.notes
