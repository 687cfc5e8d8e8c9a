"""No network but where it is asked for; and a server that lies is found out."""

import hashlib
import subprocess
import sys
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from rankwise.datasets import DataFileError, load
from rankwise.datasets._catalogue import CATALOGUE, Entry

CONTENT = b"A1,L1,L2\n0.5,1,2\n-1,2,1\n"
FORBIDDEN = """
import socket, sys
def refuse(*_, **__): raise AssertionError("network")
socket.socket.connect = socket.socket.connect_ex = socket.socket.sendto = socket.getaddrinfo = refuse
socket.create_connection = refuse
import pkgutil, importlib, rankwise
for found in pkgutil.iter_modules(rankwise.__path__):
    importlib.import_module("rankwise." + found.name)
from rankwise.cli._app import app
print("quiet")
"""


def test_importing_every_package_opens_no_connection():
    done = subprocess.run([sys.executable, "-c", FORBIDDEN], capture_output=True, text=True)
    assert done.stdout.strip() == "quiet", done.stderr


class Liar(BaseHTTPRequestHandler):
    def __init__(self, lie, *args):
        self.lie = lie
        super().__init__(*args)

    def do_GET(self):
        lie = self.lie
        if lie == "redirect" and self.path != "/elsewhere":
            self.send_response(302)
            self.send_header("Location", "/elsewhere")
            self.end_headers()
            return
        if lie == "redirect for ever":
            self.send_response(302)
            self.send_header("Location", self.path + "x")
            self.end_headers()
            return
        self.send_response(200)
        if lie == "longer than said":
            self.send_header("Content-Length", str(len(CONTENT) - 1))
        elif lie == "shorter than said":
            self.send_header("Content-Length", str(len(CONTENT) + 10))
        self.end_headers()
        body = {"other bytes": CONTENT[::-1], "redirect": CONTENT[:-1] + b" ", "nothing": b""}
        self.wfile.write(body.get(lie, CONTENT))
        if lie == "endless":
            chunk = b"0" * 65536
            for _ in range(4000):
                try:
                    self.wfile.write(chunk)
                except OSError:
                    return

    def log_message(self, *_):
        pass


LIES = ["other bytes", "nothing", "redirect", "redirect for ever", "shorter than said",
        "longer than said", "endless"]  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_a_server_that_lies_leaves_an_error_and_no_file(lie, monkeypatch, tmp_path):
    pytest.importorskip("pooch")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Liar, lie))
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    entry = Entry("iris", 2, 1, 2, hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setitem(CATALOGUE, "iris", entry)
    monkeypatch.delenv("RANKWISE_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    reason = "could not be downloaded|its checksum is not"
    if lie == "endless":
        reason = "more than 40,000,000 bytes were sent"
    try:
        with pytest.raises(DataFileError, match=reason):
            load("iris", base_url=f"http://127.0.0.1:{server.server_port}", cache=tmp_path)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_package_that_nobody_looked_up_is_not_called_sound(capsys):
    from dependency_audit import UNKNOWN, judge

    skipped, sound = {"name": "a", "skip_reason": "?"}, {"name": "b", "version": "1", "vulns": []}
    weak = {"name": "c", "version": "1", "vulns": [{"id": "CVE-1"}]}
    assert judge([skipped]) == UNKNOWN
    assert "NOT AUDITED" in capsys.readouterr().out
    assert judge([sound]) == 0
    assert judge([sound, skipped]) == UNKNOWN
    assert judge([sound, weak, skipped]) == 1
    assert "c 1: CVE-1" in capsys.readouterr().out
