# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The page that `commmap calibrate --page` writes: its data, and what a real browser shows of it."""

import json
import os
import pathlib
import re
import shutil

import browser
import documented
import patience
import pytest
from made_up_links import CLUSTER, LATENCY, RATE, measurements
from selenium.webdriver.common.by import By

PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
HOSTILE = "</script><script>document.title='taken over'</script><b>\x1b[31m"
OUTLIER = {"kind": "port", "nodes": ["m4"], "switches": [], "like_class": None, "text": "node m4: sends at 8.37 MB/s " + HOSTILE,
           "values": [{"direction": "out", "unit": "B/s", "first": 8.36e6, "second": 8.37e6, "reference": 11.9e6, "peers": 6,
                       "share": 0.7034, "times_spread": 30.0}]}
CHECK = {"nodes_checked": 8, "uplinks_checked": 2, "seconds": 43.2, "complete": True, "outliers": [OUTLIER],
         "not_tested": ["whether node m7 hangs on another switch"]}


@pytest.fixture(name="write")
def _write(tmp_path):
    """Works a page out from measurements that were made up."""
    def run(*words, page="page.html", cluster=CLUSTER, program=PREFIX / "bin/commmap", **made_up):
        (tmp_path / "cluster.yaml").write_text(cluster, encoding="utf-8")
        (tmp_path / "measured").write_text(measurements(**made_up), encoding="utf-8")
        (tmp_path / "check.json").write_text(json.dumps(CHECK), encoding="utf-8")
        return patience.run([program, "calibrate", "cluster.yaml", "--measured", "measured", "--page", page, *words],
                            capture_output=True, text=True, cwd=tmp_path, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)})
    return run


def data_of(page):
    (data,) = re.findall(r'<script id="data" type="application/json">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(data)


def refused(done, tmp_path, *parts):
    assert done.returncode == 1 and done.stdout == "", done
    assert done.stderr.startswith("commmap: ") and done.stderr.count("\n") == 1, done
    for part in parts:
        assert part in done.stderr, done
    assert not (tmp_path / "page.html").exists() and (tmp_path / "cluster.yaml").read_text(encoding="utf-8") == CLUSTER


def test_the_page_has_what_was_measured(write, tmp_path):
    done = write("--yes", uplink=RATE / 2)

    assert done.returncode == 0 and "commmap: the page 'page.html' is written\n" in done.stderr, done
    data = data_of(tmp_path / "page.html")
    assert data["check"] is None
    documented.check(data, "admin/calibrate.md", "JSON of the page:")
    calibration = data["calibration"]
    assert (calibration["date"], calibration["job"], calibration["complete"]) == ("2026-11-29", "7", True)
    ports, uplinks = calibration["kinds"]
    assert ports["name"] == "ports of class 'dual'" and ports["link"] == "port" and ports["ports"] == 8
    assert ports["file"]["latency_s"] == pytest.approx(60e-6) and ports["file"]["curve"][0][1] == pytest.approx(12.5e6)
    assert ports["fitted"]["latency_s"] == pytest.approx(LATENCY, rel=0.01) and ports["latency"]["spread"] == pytest.approx(0.25)
    assert uplinks["max_out"]["value"] == pytest.approx(RATE / 2) and ports["max_out"]["value"] == pytest.approx(RATE)
    round_trips = [series for series in ports["series"] if series["pattern"] == "round-trips"]
    assert [series["pairs"] for series in round_trips] == [["m0>m1"]]
    assert [point["length_bytes"] for point in round_trips[0]["points"]] == [1 << exponent for exponent in range(23)]
    assert round_trips[0]["points"][0]["values"] == pytest.approx([LATENCY, LATENCY * 1.25], rel=0.01)


def test_the_page_has_maxima_of_switches(write, tmp_path):
    assert write("--yes", switch=15e6).returncode == 0
    leaves, root = data_of(tmp_path / "page.html")["calibration"]["switch_kinds"]
    assert leaves == {"name": "switches like 's0'", "switches": ["s0", "s1"], "measured_switch": "s0", "num_pairs": 2, "why_not": "", "file_max_bandwidth": None,
                      "alone": pytest.approx({"value": RATE, "spread": 0.02}), "together": pytest.approx({"value": 14.85e6, "spread": 0.02}, rel=0.02), "is_limit": True}
    assert root["together"] is None and root["why_not"] != "" and root["is_limit"] is False


def test_a_check_is_put_beside_it(write, tmp_path):
    assert write("--checked", "check.json", "-o", "links.yaml").returncode == 0
    shown = {key: value for key, value in OUTLIER.items() if key != "like_class"}
    shown["values"] = [{key: value for key, value in one.items() if key not in ("peers", "times_spread")} for one in OUTLIER["values"]]
    assert data_of(tmp_path / "page.html")["check"] == CHECK | {"outliers": [shown]}


def test_what_a_page_does_not_show_is_left_out(write, tmp_path):
    """However deep it is nested."""
    (tmp_path / "deep").write_text(json.dumps(CHECK)[:-1] + ', "more": ' + "[" * 100000 + "]" * 100000 + "}", encoding="utf-8")
    assert write("--checked", "deep", "-o", "links.yaml").returncode == 0
    assert "more" not in data_of(tmp_path / "page.html")["check"]


def test_no_result_of_a_check(write, tmp_path):
    for text in ("{}", "no JSON", json.dumps(CHECK | {"outliers": [OUTLIER | {"values": [{}]}]}), json.dumps(CHECK | {"seconds": "43"}), json.dumps(CHECK | {"not_tested": [1]}), json.dumps(CHECK | {"outliers": [1]})):
        (tmp_path / "other").write_text(text, encoding="utf-8")
        refused(write("--checked", "other", "--yes"), tmp_path, "'other' is not the result of a check", "--check --json")
    refused(write("--checked", "missing", "--yes"), tmp_path, "cannot read 'missing': No such file or directory")


def test_a_page_that_is_not_installed(write, tmp_path):
    (tmp_path / "bin").mkdir()
    alone = shutil.copy(PREFIX / "bin/commmap", tmp_path / "bin")
    refused(write("--yes", program=alone), tmp_path, "share/commmap/calibration.html'", "install commmap as a whole, or leave out --page")

    (tmp_path / "share/commmap").mkdir(parents=True)
    (tmp_path / "share/commmap/calibration.html").write_text("<html>another release", encoding="utf-8")
    refused(write("--yes", program=alone), tmp_path, "has no place for measurements: install commmap as a whole")


@pytest.mark.parametrize("words", [["--checked", "check.json", "--page", "check.json"], ["--page", "measured"], ["-o", "x", "--page", "./x"]])
def test_no_file_takes_the_place_of_another(write, tmp_path, words):
    done = write(*words[:-2], page=words[-1])
    refused(done, tmp_path, f"'{words[-1]}' is named twice, and would be replaced: name another file")
    assert not (tmp_path / "x").exists()


def test_standard_output_is_no_place_for_a_page(write, tmp_path):
    refused(write("--yes", page="-"), tmp_path, "--page needs a file")


def test_the_cluster_yaml_is_no_place_for_a_page(write, tmp_path):
    refused(write("--yes", page="./cluster.yaml"), tmp_path, "'./cluster.yaml' is the cluster YAML itself, which would be replaced: name another file")


def test_a_page_that_cannot_be_written_loses_no_links(write, tmp_path):
    done = write("--yes", page="none/page.html")
    assert done.returncode == 1 and "none/page.html" in done.stderr, done
    assert "rate: payload" in (tmp_path / "cluster.yaml").read_text(encoding="utf-8")


# In a browser.

def cells(driver, caption):
    for table in driver.find_elements(By.CSS_SELECTOR, "table:not(.u-legend)"):
        if table.find_element(By.TAG_NAME, "caption").get_property("textContent") == caption:
            return [[cell.get_property("textContent").replace("\xa0", " ") for cell in row.find_elements(By.TAG_NAME, "td")]
                    for row in table.find_elements(By.CSS_SELECTOR, "tbody tr")]
    raise AssertionError(f"no table {caption!r}")


def ink(driver, canvas):
    """How many points of a picture are drawn on."""
    return driver.execute_script("""
        const of = arguments[0];
        const data = of.getContext("2d").getImageData(0, 0, of.width, of.height).data;
        return data.filter((value, at) => at % 4 === 3 && value > 0).length;""", canvas)


def test_a_browser_shows_it(write, tmp_path):
    named = CLUSTER.replace("version: 1\n", "version: 1\nname: " + json.dumps("a<b>" + HOSTILE) + "\n")
    assert write("--checked", "check.json", "-o", "links.yaml", cluster=named, uplink=RATE / 2).returncode == 0

    with browser.opened(tmp_path) as driver:
        driver.get((tmp_path / "page.html").as_uri())
        assert driver.find_element(By.TAG_NAME, "body").get_attribute("data-shown") == "yes"
        assert driver.title.startswith("Measured links of a<b>") and "taken over" in driver.title, "names are text"
        assert driver.find_elements(By.TAG_NAME, "b") == []

        classes = cells(driver, "Classes of ports")
        assert [row[:3] for row in classes] == [["ports of class 'dual'", "port", "8"], ["uplinks of switches below the root", "trunk", "2"]]
        assert classes[0][3] == "116 µs (spread 25.0 %)" and classes[0][4] == "9 µs (spread 25.0 %)" and classes[0][5] == "12 MB/s" and classes[0][8] == "2.00"
        assert classes[1][4] == "9 µs (spread 25.0 %)" and [row[9] for row in classes] == ["full", "full"] and classes[1][6] == "6 MB/s (spread 25.0 %)", classes
        assert cells(driver, "Overheads of a short message") == [["ports of class 'dual'", "2 µs (spread 25.0 %)", "3 µs (spread 25.0 %)"]]
        round_trips = cells(driver, "Half a round trip of one pair")
        assert len(round_trips) == 23 and round_trips[0][:3] == ["1 B", "116 µs", "145 µs"], round_trips[0]
        assert round_trips[20][0] == "1 MiB" and round_trips[20][3] == "12 MB/s"

        outlier = driver.find_element(By.CLASS_NAME, "outlier")
        assert outlier.text.startswith("node m4: sends at 8.37 MB/s </script>")
        assert cells(driver, "port: m4") == [["out", "8.36 MB/s", "8.37 MB/s", "11.9 MB/s", "70.3 %", ""]]
        assert driver.find_element(By.CSS_SELECTOR, ".track").get_attribute("aria-label") == "70.3 %"

        pictures = driver.find_elements(By.CSS_SELECTOR, "figure canvas")
        assert len(pictures) == 4 and all(ink(driver, picture) > 5000 for picture in pictures)
        wide = driver.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
        assert wide, "the page is wider than its window"
        assert browser.complaints(driver) == []


def test_a_browser_shows_what_there_is(write, tmp_path):
    """Measured in part, without a check, and in dark colours."""
    lines = measurements(complete=False).splitlines()
    done = write("-o", "links.yaml")
    assert done.returncode == 0, done
    (tmp_path / "measured").write_text("\n".join(line for line in lines if not re.match(r"measured ([1-9]|0 \d{4})", line)) + "\n", encoding="utf-8")
    done = patience.run([PREFIX / "bin/commmap", "calibrate", "cluster.yaml", "--measured", "measured", "--page", "page.html"],
                        capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1 and "ended early" in done.stderr, done

    with browser.opened(tmp_path, dark=True) as driver:
        driver.get((tmp_path / "page.html").as_uri())
        assert driver.title == "Measured links"
        text = driver.find_element(By.ID, "page").text
        assert "The measuring ended early: some numbers are missing." in text and "Nobody looked for outliers" in text, text
        assert [row[3:] for row in cells(driver, "Classes of ports")][1] == ["–"] * 7
        assert len(driver.find_elements(By.CSS_SELECTOR, "figure canvas")) == 2
        assert browser.complaints(driver) == []
