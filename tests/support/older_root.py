# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""A root with the C library and the shell of the oldest Debian that the package mirror still has."""

import os
import pathlib
import shutil
import tempfile

import patience

SUITES = ["stretch", "buster", "bullseye"]
PACKAGES = ["libc6", "dash"]
MIRROR = os.environ.get("COMMMAP_DEBIAN_MIRROR", "http://deb.debian.org/debian")
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


class NoMirror(Exception):
    """None of these suites is to be had; says why."""


def make(place):
    """Makes the root in `place`, a directory that there is not yet. Gives the suite."""
    with tempfile.TemporaryDirectory() as work:
        for suite in SUITES:
            packages = pathlib.Path(work, suite)
            said = _download(packages, suite)
            if said:
                continue
            os.makedirs(place)
            for package in packages.glob("*.deb"):
                patience.run(["dpkg-deb", "-x", package, place], check=True)
            os.makedirs(f"{place}/usr/bin", exist_ok=True)
            shutil.copymode("/", place)
            return suite
        raise NoMirror(said)


def _download(packages, suite):
    """Into the directory `packages`. Gives what apt says where that fails."""
    for name in ("lists/partial", "cache/archives/partial"):
        os.makedirs(packages / name)
    (packages / "sources.list").write_text(f"deb [signed-by={KEYS}] {MIRROR} {suite} main\n", encoding="utf-8")
    options = [f"Dir::Etc::sourcelist={packages}/sources.list", "Dir::Etc::sourceparts=/dev/null", f"Dir::State::lists={packages}/lists",
               "Dir::State::status=/dev/null", f"Dir::Cache={packages}/cache", "Acquire::Check-Valid-Until=false", "APT::Sandbox::User=root",
               "Acquire::Retries=2", "Acquire::http::Timeout=20"]
    apt = ["apt-get", "-qq", *(word for option in options for word in ("-o", option))]
    for words in (["update", "--error-on=any"], ["download", *PACKAGES]):
        done = patience.run([*apt, *words], seconds=120, cwd=packages, capture_output=True, text=True)
        if done.returncode != 0:
            return (done.stderr.strip().splitlines() or ["apt-get failed"])[0]
    return ""
