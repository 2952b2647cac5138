#!/usr/bin/env python3
# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Writes a header with the names and numbers of the calls in mpi_calls.txt: make_mpi_call_names.py FILE"""

import pathlib
import sys

LIST = pathlib.Path(__file__).with_name("mpi_calls.txt")


def names():
    return [line for line in LIST.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


def header(calls):
    enumerators = "".join(f"    {call},\n" for call in calls)
    texts = "".join(f'    "MPI_{call}",\n' for call in calls)
    return f"""// Made by make_mpi_call_names.py from mpi_calls.txt; do not edit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace commmap {{

/// The calls of which the recorder keeps the time. Numbers are those of one version of commmap.
enum class MpiCall : std::uint16_t {{
{enumerators}}};
inline constexpr std::size_t num_mpi_calls = {len(calls)};
inline constexpr std::array<const char*, num_mpi_calls> mpi_call_names = {{
{texts}}};

}}  // namespace commmap
"""


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(header(names()), encoding="utf-8")
