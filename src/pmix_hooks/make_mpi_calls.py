#!/usr/bin/env python3
"""Writes the wrappers of mpi_calls.py: make_mpi_calls.py c|fortran FILE."""

import re
import sys

sys.dont_write_bytecode = True  # the sources may be somebody else's
from mpi_calls import CALLS, PARAMETERS  # noqa: E402

HEAD = """// Made by make_mpi_calls.py from mpi_calls.py; do not edit.
#include "pmix_hooks/begin_and_end.hpp"
#include "pmix_hooks/call_arguments.hpp"
#include "pmix_hooks/{name}"

using namespace commmap::hooks;
using commmap::CollectiveOp;

#pragma GCC visibility push(default)
"""


def declared(name):
    """"const int[]", "counts" -> "const int counts[]" """
    kind = PARAMETERS[name][0]
    return f"{kind[:-2]} {name}[]" if kind.endswith("[]") else f"{kind} {name}"


def body(call, made, fetch):
    """@param made   the call itself
       @param fetch  gives the C++ lines that make a parameter of what Fortran gives"""
    inner = f"[&] {{ return {made}; }}"
    if call.around:
        return "".join(f"    {line}\n" for line in fetch(call.around)) + f"    return {call.around.format(call=inner)};\n"
    if not call.note:
        return f"    return timed({inner});\n"
    note = "".join(f"\n        {line}" for line in fetch(call.note))
    return f"    return recorded({inner}, [&] {{{note}\n        {call.note};\n    }});\n"


def c_wrapper(call):
    parameters = ", ".join(declared(name) for name in call.parameters)
    made = f"P{call.prefix.rstrip('_')}({call.name})({', '.join(call.parameters)})"
    return f'extern "C" int {call.prefix}{call.name}({parameters}) {{\n{body(call, made, lambda text: [])}}}\n'


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
    if becomes == "handles":
        return f"const auto {name} = Handles<{base}>::of_fortran(f_{name});"
    if becomes == "handle output":
        return f"auto {name}_now = from_fortran<{base}>(f_{name});\n        auto* const {name} = &{name}_now;"
    raise ValueError(f"a note cannot use {name}")


def fortran_wrappers(call):
    """mpi_x_ (mpif.h and the module mpi) and mpi_x_f08_."""
    parameters = "".join(f"void* f_{name}, " for name in call.in_fortran) + "MPI_Fint* f_error"
    arguments = "".join(f", f_{name}" for name in call.in_fortran)
    lower = f"{call.prefix}{call.name}".lower()

    def fetch(text):
        return [from_fortran(name) for name in call.in_fortran if re.search(rf"\b{name}\b", text)]

    text = ""
    for symbol in (f"{lower}_", f"{lower}_f08_"):
        made = body(call, f'call_fortran<"{symbol}">(reinterpret_cast<void*>(&{symbol}), f_error{arguments})', fetch).replace("    return ", "    ", 1)
        text += f'extern "C" void {symbol}({parameters}) {{\n{made}}}\n'
    return text


def guarded(call, text):
    return f"#if {call.only}\n{text}#endif\n" if call.only else text


def main():
    name, wrapper = {"c": ("call.hpp", c_wrapper), "fortran": ("fortran_call.hpp", fortran_wrappers)}[sys.argv[1]]
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join([HEAD.format(name=name), *[guarded(call, wrapper(call)) for call in CALLS]]))


main()
