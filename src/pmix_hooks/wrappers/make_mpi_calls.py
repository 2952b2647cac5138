#!/usr/bin/env python3
# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Writes the wrappers of one language from mpi_calls.py: make_mpi_calls.py c|fortran FILE."""

import pathlib
import re
import sys

sys.dont_write_bytecode = True  # the sources may be somebody else's
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "core/profile/recording"))
import make_mpi_call_names
from mpi_calls import CALLS, PARAMETERS

HEAD = """// Made by make_mpi_calls.py from mpi_calls.py; do not edit.
#include <type_traits>

#include "pmix_hooks/wrappers/special_wrappers.hpp"
#include "pmix_hooks/wrappers/call_arguments.hpp"
#include "pmix_hooks/wrappers/waiting_calls.hpp"
#include "pmix_hooks/wrappers/{name}"

using namespace commmap::hooks;
using commmap::CollectiveOp;

#pragma GCC visibility push(default)
"""
# true for an mpi.h with the forms for large counts (Open MPI 5.0 lacks them)
LARGE_COUNTS = "defined(MPICH_VERSION) && MPI_VERSION >= 4"


def c_type(name, large):
    """The C type of a parameter, an array as a pointer."""
    kind = PARAMETERS[name][0]
    if large and name.endswith(("count", "counts")):
        kind = kind.replace("int", "MPI_Count")
    elif large and (name.endswith("offsets") or name == "unit"):
        kind = kind.replace("int", "MPI_Aint")
    return kind.replace("[]", "*")


def number(call):
    return f"commmap::MpiCall::{call.name}"


def is_handle(name):
    return PARAMETERS[name][1] == "handle"


def is_status(name):
    return PARAMETERS[name][1] == "status"


FILLING_STATUSES = "{call_filling_statuses}"


def has_buffer(call):
    return any(PARAMETERS[name][1] == "buffer" for name in call.in_fortran)


def has_large_form(call):
    return "unit" in call.parameters or any(name.endswith(("type", "types")) and PARAMETERS[name][1].startswith("handle") for name in call.parameters) and \
        any(name.endswith(("count", "counts")) and name != "partition_count" for name in call.parameters) and \
        "partition_count" not in call.parameters


def body(call, made, first, fetch):
    """@param made   the call itself
       @param first  the number of an array's first element
       @param fetch  returns the C++ lines that make a text's parameters from the wrapper's arguments"""
    inner = f"[&] {{ return {made}; }}"
    if call.around:
        filling = f"[&]([[maybe_unused]] MPI_Status* to_fill) {{ return {made}; }}"
        note = "[&]([[maybe_unused]] auto known) {" + "".join(f" {line}" for line in fetch(call.note)) + f" {call.note}; }}"
        outer = fetch(call.around)
        looking = f"look_for_message(source, {'receive_tag' if 'receive_tag' in call.parameters else 'tag'}, comm)"
        look = "[&] {" + "".join(f" {line}" for line in fetch(looking) if line not in outer) + f" {looking}; }}"
        around = call.around
        for name, text in (("call", inner), ("number", number(call)), ("first", str(first)), ("note", note), ("look", look),
                           ("call_filling_statuses", filling)):
            around = around.replace(f"{{{name}}}", text)
        return "".join(f"    {line}\n" for line in outer) + f"    return {around};\n"
    if not call.note:
        return f"    return timed({number(call)}, {inner});\n"
    note = "".join(f"\n        {line}" for line in fetch(call.note))
    return f"    return recorded({number(call)}, {inner}, [&] {{{note}\n        {call.note};\n    }});\n"


def c_wrapper(call, large=False):
    """The wrapper has a name of its own, for it takes handles of any kind (Passed). mpi.h's declaration is checked."""
    symbol = f"{call.prefix}{call.name}" + ("_c" if large else "")
    types = {name: c_type(name, large) for name in call.parameters}
    taken = {name: f"Passed<{kind}>" if is_handle(name) else kind for name, kind in types.items()}
    given = {name: f"{name}_given" if is_handle(name) else name for name in call.parameters}
    parameters = ", ".join(f"{taken[name]} {given[name]}" for name in call.parameters)
    own = f"wrapped_{symbol}"
    made = ", ".join("to_fill" if is_status(name) and FILLING_STATUSES in call.around else given[name] for name in given)

    def fetch(text):
        used = [name for name in call.parameters if re.search(rf"\b{name}\b", text)]
        return [f"const auto {name} = static_cast<{types[name]}>({given[name]});" for name in used if is_handle(name)]

    return (f"static_assert(std::is_same_v<decltype({symbol}), int({', '.join(types.values())})>);\n"
            f'extern "C" int {own}({parameters}) __asm__("{symbol}");\n'
            f'extern "C" int {own}({parameters}) {{\n' + body(call, f'call_next<"{symbol}">({made})', 0, fetch) + "}\n")


def c_wrappers(call):
    text = guarded(call.only, c_wrapper(call))
    return text + guarded(LARGE_COUNTS, c_wrapper(call, large=True)) if has_large_form(call) and call.prefix == "MPI_" else text


def from_fortran(name):
    kind, becomes = PARAMETERS[name]
    base = kind.removeprefix("const ").rstrip("[]*")
    if becomes == "buffer":
        return f"const void* const {name} = fortran_buffer(f_{name});"
    if becomes == "by value":
        return f"const {base} {name} = *static_cast<const {base}*>(f_{name});"
    if becomes == "array":
        return f"const auto* const {name} = static_cast<const {base}*>(f_{name});"
    if becomes == "handle":
        return f"const auto {name} = from_fortran<{base}>(f_{name});"
    if becomes in ("handles", "before"):
        return f"const auto {name} = Handles<{base}>::of_fortran(f_{name});"
    if becomes == "output" and base == "int":
        return f"const auto* const {name} = static_cast<const int*>(f_{name});"
    if becomes == "status":
        return f"const FortranStatuses {name}(f_{name});"
    if becomes == "handle output":
        return f"auto {name}_now = from_fortran<{base}>(f_{name});\n        auto* const {name} = &{name}_now;"
    raise ValueError(f"a note cannot use {name}")


def fortran_wrapper(call, symbol):
    parameters = "".join(f"void* f_{name}, " for name in call.in_fortran) + "MPI_Fint* f_error"
    arguments = "".join(f", f_{name}" for name in call.in_fortran)

    def fetch(text):
        return [from_fortran(name) for name in call.in_fortran if re.search(rf"\b{name}\b", text)]

    made = body(call, f'call_fortran<"{symbol}">(f_error{arguments})', 1, fetch).replace("    return ", "    ", 1)
    return f'extern "C" void {symbol}({parameters}) {{\n{made}}}\n'


def fortran_wrappers(call):
    """Wraps the functions that call PMPI_X. In Open MPI these are mpi_x_ (mpif.h and the module mpi) and mpi_x_f08_.
       In MPICH these are the functions of mpi_f08 that have no buffer; the others call MPI_X."""
    symbol = f"{call.prefix}{call.name}".lower()
    modern = fortran_wrapper(call, f"{symbol}_f08_")
    older = guarded("defined(OPEN_MPI)", fortran_wrapper(call, f"{symbol}_"))
    return guarded(call.only, older + (guarded("defined(OPEN_MPI)", modern) if has_buffer(call) else modern))


def guarded(condition, text):
    return f"#if {condition}\n{text}#endif\n" if condition else text


def check_names():
    """Ends this program unless the list that core/profile numbers has the calls of the table, and no others."""
    listed, wrapped = set(make_mpi_call_names.names()), {call.name for call in CALLS}
    for name in sorted(listed ^ wrapped):
        where = "mpi_calls.py has no row for it" if name in listed else f"{make_mpi_call_names.LIST.name} does not name it"
        sys.exit(f"make_mpi_calls.py: MPI_{name}: {where}")


def main():
    check_names()
    name, wrappers = {"c": ("call.hpp", c_wrappers), "fortran": ("fortran_call.hpp", fortran_wrappers)}[sys.argv[1]]
    text = "\n".join([HEAD.format(name=name), *map(wrappers, CALLS)])
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(text)


main()
