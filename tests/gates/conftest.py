# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What several gates look at."""

import os
import subprocess

import pytest


@pytest.fixture(scope="session", name="installed_at")
def _installed_at(tmp_path_factory):
    """A tree that is installed anew. Nobody may change it."""
    build = os.environ.get("COMMMAP_BUILD")
    if build is None:
        pytest.skip("COMMMAP_BUILD is not set")
    prefix = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    return prefix
