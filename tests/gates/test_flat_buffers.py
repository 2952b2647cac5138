# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Lists of structs are written right by every release of FlatBuffers."""

import pathlib
import re

SRC = pathlib.Path(__file__).resolve().parents[2] / "src"
OWN = SRC / "core/base/flat_buffer.hpp"


def test_lists_of_structs_are_made_by_list_of_structs():
    """It does not compile for structs that FlatBuffers 23.5 writes wrongly; unit tests have 2.0, which writes them right."""
    writers = [str(path.relative_to(SRC)) for path in SRC.rglob("*.?pp")
               if re.search(r"VectorOf(Sorted)?(Native)?Structs", path.read_text(encoding="utf-8")) and path != OWN]
    assert writers == [] and "VectorOfStructs" in OWN.read_text(encoding="utf-8")
