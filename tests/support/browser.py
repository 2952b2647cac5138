# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Opens a page that commmap wrote in Debian's Chromium, and tells what the page did wrong."""

import contextlib
import json
import os

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

# Without these Chromium asks hosts of its own vendor, and the log would be of that.
QUIET = ("--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-quic")


@contextlib.contextmanager
def opened(folder, dark=False):
    """A browser without a window. Its own files go into the folder."""
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless", "--disable-gpu", "--disable-dev-shm-usage", *QUIET, f"--user-data-dir={folder}/browser",
                     "--window-size=1366,768", *(["--no-sandbox"] if os.geteuid() == 0 else []),
                     *(["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if dark else [])):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    try:
        yield driver
    finally:
        driver.quit()


def complaints(driver):
    """What the console says, and each address but that of the page itself that the page asked for."""
    said = [entry["message"] for entry in driver.get_log("browser")]
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            document, url = message["params"]["documentURL"], message["params"]["request"]["url"]
            # Chromium's first window is a page of its own.
            if document == driver.current_url != url and not url.startswith("data:"):
                said.append(f"asks for {url}")
    return said
