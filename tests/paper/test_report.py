"""The report: complete, self-contained, safe with any text, for light and dark."""

import csv
import json
import re
from dataclasses import replace

import pytest

from rankwise.paper import build_page, make_manifest, read_report, write_report
from rankwise.paper._claims import Verdict
from rankwise.paper._page_tables import paper_table_html
from rankwise.paper._protocol import Protocol
from rankwise.paper._reproduce import Reproduction
from rankwise.paper._tables import Cell, PaperTable, paper_table, vc_records


def noise_record(learner, alpha):
    return {
        "family": "SFN", "operator": "Gaussian", "parameter": alpha, "mallows_on": None,
        "learner": learner, "alpha": alpha, "beta": 1 - alpha, "beta_on_orders": 1 - 2 * alpha,
        "tau": 0.8, "tau_sd": 0.01, "tau_on_orders": 0.5, "tau_on_orders_sd": 0.02, "validations": 2,
        "seconds": 0.5,
    }  # fmt: skip


def a_result(**changes):
    tables = {"table-real": paper_table("table-real", [])}
    values = {
        "parts": ("table-real", "table-vc", "figure-noise"),
        "protocol": Protocol.quick(),
        "tables": tables,
        "records": {
            "table-real": tables["table-real"].records(),
            "table-vc": vc_records(),
            "figure-noise": [
                noise_record(learner, alpha) for learner in ("RF", "DT") for alpha in (0.1, 0.5)
            ],
            "timing": [{"part": "figure-noise", "learner": "RF", "units": 2, "seconds": 1.5}],
        },
        "verdicts": [
            Verdict("figure-noise", "trees <b>fit</b>", "orders", False, "x < 1", "a & b")
        ],
        "failures": [],
        "n_units": 4,
        "n_reused": 1,
        "seconds": 3725.0,
    }
    return Reproduction(**(values | changes))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    result = a_result()
    return folder, result, write_report(result, make_manifest(result, jobs=2), folder)


def test_every_table_and_figure_has_its_files(written):
    folder, _, files = written
    names = {file.name for file in files}
    assert names == {path.name for path in folder.iterdir()}
    assert {"report.html", "manifest.json", "verdicts.csv", "table-real.csv", "table-vc.csv",
            "figure-noise.csv", "figure-noise.png", "figure-noise.svg", "figure-noise-orders.png",
            "figure-noise-orders.svg", "timing.csv"} <= names  # fmt: skip


def test_the_page_needs_no_network(written):
    page = (written[0] / "report.html").read_text(encoding="utf-8")
    targets = re.findall(r'(?:src|href|srcset)="([^"]*)"', page)
    assert targets
    assert all(target.startswith(("#", "data:image/svg+xml;base64,")) for target in targets)
    assert "@import" not in page
    assert "url(" not in page
    assert "<script" not in page


def test_links_within_the_page_lead_somewhere(written):
    page = (written[0] / "report.html").read_text(encoding="utf-8")
    for anchor in re.findall(r'href="#([^"]*)"', page):
        assert f'id="{anchor}"' in page


def test_figures_come_for_light_and_dark_pages(written):
    page = (written[0] / "report.html").read_text(encoding="utf-8")
    pairs = re.findall(r'<source srcset="([^"]*)" media="\(prefers-color-scheme: dark\)">\s*'
                       r'<img src="([^"]*)"', page)  # fmt: skip
    assert len(pairs) == page.count("<figure") == 2
    assert all(dark != light for dark, light in pairs)
    assert (written[0] / "figure-noise.png").read_bytes().startswith(b"\x89PNG")


def test_texts_are_shown_as_they_are():
    page = build_page(a_result(failures=["<i>tea</i> & co"]), {"cut": ["a<b"]})
    assert "trees &lt;b&gt;fit&lt;/b&gt;" in page
    assert "&lt;i&gt;tea&lt;/i&gt; &amp; co" in page
    assert "a&lt;b" in page


def test_failures_are_reported_and_absent_without_any():
    assert 'id="failures"' in build_page(a_result(failures=["iris: broken"]), {})
    assert 'id="failures"' not in build_page(a_result(), {})


def test_the_manifest_tells_what_is_needed_to_repeat_the_run(written):
    folder, result, _ = written
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert {"command", "versions", "machine", "seed", "wall_seconds", "protocol", "cut"} <= set(
        manifest
    )
    assert manifest["versions"]["numpy"]
    assert manifest["protocol"]["n_samples"] == result.protocol.n_samples
    assert manifest["jobs"] == 2
    assert manifest["seconds_of_all_units"] == 1.5


def test_csv_files_hold_the_records(written):
    folder, result, _ = written
    with open(folder / "figure-noise.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(result.records["figure-noise"])
    assert float(rows[0]["tau"]) == 0.8
    assert rows[0]["mallows_on"] == ""


def test_a_cell_off_the_paper_is_shaded_and_the_best_on_ranks_is_bold():
    rows = {"tea": {"RF": Cell(paper=0.8, orders=0.7, ranks=0.9), "RPC": Cell(paper=0.85)}}
    html = paper_table_html(PaperTable("table-comparison", "t", ("RF", "RPC"), rows))
    assert '<td class="off">0.700</td>' in html
    assert '<td class="best">0.900</td>' in html
    assert '<td class="first paper">0.85</td>' in html


def test_a_run_of_one_table_has_a_page():
    result = a_result(parts=("table-vc",), tables={}, verdicts=[])
    page = build_page(replace(result, records={"table-vc": vc_records(), "timing": []}), {})
    assert "VC dimensions" in page
    assert "0 of 0" not in page


def test_a_run_is_read_again_from_its_files_and_judged_anew(written, tmp_path):
    folder, result, _ = written
    again, manifest = read_report(folder)
    assert (again.parts, again.protocol, again.seconds) == (
        result.parts, result.protocol, result.seconds
    )  # fmt: skip
    assert again.tables == result.tables
    assert again.records["figure-noise"] == result.records["figure-noise"]
    # the verdicts in the files were made up; those of the records follow from them
    assert again.verdicts
    assert "trees <b>fit</b>" not in [v.claim for v in again.verdicts]
    assert manifest["judged_after_the_run"]
    write_report(again, manifest, tmp_path)
    for name in ("table-real.csv", "figure-noise.csv", "timing.csv"):
        assert (tmp_path / name).read_text() == (folder / name).read_text()


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"no manifest.json; give the folder of a run"):
        read_report(tmp_path)


def test_a_run_that_was_cut_short_refutes_nothing():
    short = build_page(a_result(), {})
    assert "too short to judge" in short
    assert "does not hold" not in short
    assert "does not hold" in build_page(a_result(protocol=Protocol()), {})
    assert not Protocol(repeats=1).is_short
