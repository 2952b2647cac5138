# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What is installed, file by file."""

import fcntl
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile
import termios

import patience
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ELF = b"\x7fELF"


@pytest.fixture(scope="module", name="installed")
def _installed(installed_at, tmp_path_factory):
    """name -> content without what is for debuggers"""
    prefix, contents = installed_at, {}
    for path in sorted(prefix.rglob("*")):
        if not path.is_file():
            continue
        name = str(path.relative_to(prefix))
        contents[name] = path.read_bytes()
        if contents[name].startswith(ELF):
            stripped = tmp_path_factory.mktemp("stripped") / path.name
            subprocess.run(["objcopy", "--strip-debug", path, stripped], check=True)
            contents[name] = stripped.read_bytes()
    assert len(contents) > 10 and any(content.startswith(ELF) for content in contents.values())
    return contents


def test_no_path_of_the_build(installed):
    """Whoever can make such a path on another machine would decide what is run there."""
    paths = {str(ROOT).encode(), os.path.abspath(os.environ["COMMMAP_BUILD"]).encode()}
    found = {name: path for name, content in installed.items() for path in paths if path in content}
    assert found == {}


def elf_files(installed, file, *options):
    """(name, what readelf says of it) of each"""
    for name, content in installed.items():
        if content.startswith(ELF):
            file.write_bytes(content)
            yield name, subprocess.run(["readelf", "-W", *options, file], check=True, capture_output=True, text=True).stdout


def test_no_other_search_path_for_libraries(installed, tmp_path):
    """Programs and plugins that root runs load the system's libraries, from where the system says."""
    for name, said in elf_files(installed, tmp_path / "file", "-d"):
        assert "(RPATH)" not in said and "(RUNPATH)" not in said, (name, said)


def test_protected_by_compiler_and_linker(installed, tmp_path):
    for name, said in elf_files(installed, tmp_path / "file", "-hlds"):
        assert "GNU_RELRO" in said and ("BIND_NOW" in said or "Flags: NOW" in said), f"{name}: addresses of functions can be written"
        assert "DYN (" in said, f"{name} is always at the same address"
        for word in ("__stack_chk_fail", "glibcxx_assert_fail"):
            assert word in said, f"{name}: no {word}"
        # FORTIFY's; the libraries that are left out call nothing that has such a twin
        assert re.search(r" __(?!stack)\w+_chk\b", said) or re.search(r"/(commmap_task\.so|libcommmap\.so[.\d]*)$", name), f"{name}: no __..._chk"


@pytest.fixture(scope="module", name="compilers")
def _compilers(installed_at):  # which is skipped where there is no build
    """the compilers of the build"""
    cache = (pathlib.Path(os.environ["COMMMAP_BUILD"]) / "CMakeCache.txt").read_text(encoding="utf-8")
    return re.findall(r"^CMAKE_C(?:XX)?_COMPILER:\w+=(.+)$", cache, re.MULTILINE)


def compiler_has(compiler, option):
    return subprocess.run([compiler, "-Werror", option, "-x", "c", "-fsyntax-only", os.devnull], capture_output=True, check=False).returncode == 0


def test_compiled_with_what_leaves_no_trace_in_a_file(compilers):
    """Nobody can see in a program that its stack grows page by page (stack clash protection), nor that each of its objects is marked for CET."""
    said = subprocess.run(["ninja", "-C", os.environ["COMMMAP_BUILD"], "-t", "commands", "installed"], check=True, capture_output=True, text=True).stdout
    compiled = [line for line in said.splitlines() if " -c " in line and any(f"{compiler} " in line for compiler in compilers)]
    assert len(compiled) > 10 and any("plugin_entry.c" in line for line in compiled)
    options = [option for option in ("-fstack-clash-protection", "-fcf-protection=full") if all(compiler_has(compiler, option) for compiler in compilers)]
    assert len(options) == 2 or platform.machine() != "x86_64"
    for option in options:
        assert [line.rpartition(" -c ")[2] for line in compiled if f" {option} " not in line] == [], f"compiled without {option}"


def cet_marks(file):
    said = subprocess.run(["readelf", "-W", "-n", file], check=True, capture_output=True, text=True).stdout
    return {mark for mark in ("IBT", "SHSTK") if re.search(rf"x86 feature:[^\n]*\b{mark}\b", said)}


def link_empty(compiler, file, *options):
    subprocess.run([compiler, "-fcf-protection=full", "-x", "c", "-", "-o", file, *options], input="int main(void) { return 0; }", check=True, text=True)
    return file


def test_marked_for_cet_where_the_systems_objects_are(installed, compilers, tmp_path):
    """The linker marks a file whose objects all are. Debian 12 has start-up objects without the mark."""
    compiler, file = compilers[0], tmp_path / "file"
    if not compiler_has(compiler, "-fcf-protection=full"):
        pytest.skip("the compiler has no CET")
    assert cet_marks(link_empty(compiler, file, "-shared", "-nostdlib")) == {"IBT", "SHSTK"}  # they are read at all
    given = cet_marks(link_empty(compiler, file))
    for name, content in installed.items():
        if content.startswith(ELF):
            file.write_bytes(content)
            assert cet_marks(file) >= given, f"{name}: not all of {given}"


def test_nobody_but_root_can_read_what_slurmstepd_runs_as_the_user(installed_at):
    """So that the kernel lets none of the user's processes trace it."""
    assert (installed_at / "lib" / "commmap" / "commmap-collect").stat().st_mode & 0o7777 == 0o711


NOBODY = 65534


def run_by_nobody(program, shown):
    """Which of the shown files in /proc another process of the same user can open, when the program has read something."""
    look = "import sys\nfor name in sys.argv[1:]:\n    try:\n        open(name, 'rb').close()\n        print(name)\n    except PermissionError:\n        pass"
    as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/"}
    with subprocess.Popen([*program], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **as_nobody) as process:
        try:
            os.write(process.stdin.fileno(), b"x")
            patience.until(lambda: fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)) == bytes(4), 60, "that the program reads")
            names = [f"/proc/{process.pid}/{name}" for name in shown]
            found = subprocess.run(["/usr/bin/python3", "-I", "-c", look, *names], check=True, capture_output=True, text=True, **as_nobody).stdout
        finally:
            process.kill()
    return {name.rpartition("/")[2] for name in found.splitlines()}


@pytest.mark.parametrize("mode", [0o711, 0o755])
def test_no_other_process_of_the_user_reads_what_slurmstepd_runs_as_the_user(installed_at, mode):
    """By its mode, or by PR_SET_DUMPABLE alone where the file system, or an admin, gives it another mode."""
    if os.geteuid() != 0:
        pytest.skip("needs root")
    shown = ("environ", "maps", "mem")
    readable = run_by_nobody(["/usr/bin/cat"], shown)
    assert {"environ", "maps"} <= readable  # Yama may forbid mem
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        os.chmod(place, 0o755)
        program = shutil.copy(installed_at / "lib" / "commmap" / "commmap-collect", place)
        os.chmod(program, mode)
        assert run_by_nobody([program, "1", "0", "-"], shown) == set()


# A symbol of a later C library than glibc 2.17 that a library in a user's program may ask for, and why. None may be later than 2.28.
LATER_SYMBOLS = {}


def versions_of_symbols(said):
    """name -> (2, 34), of what an object takes from glibc"""
    return {name: tuple(map(int, version.split("."))) for name, version in re.findall(r"UND +(\w+)@GLIBC_([\d.]+)", said)}


# Libraries in lib/commmap that no user's program loads, and why. All the others there must suit older C libraries.
NOT_IN_PROGRAMS = {
    "commmap.so": "srun and slurmstepd load the plugin, and have the C library of the build",
    "commmap_task.so": "slurmstepd's child loads this library, and loses it when it executes the program",
}


def loaded_into_programs(names):
    """By folder: a library that comes later is looked at, whatever its name is."""
    return [name for name in names if re.search(r"(^|/)commmap/[^/]+\.so(\.\d+)*$", name) and name.rpartition("/")[2] not in NOT_IN_PROGRAMS]


def test_what_is_loaded_into_programs_suits_their_c_library(installed, tmp_path):
    """The dynamic linker ends a program into which a library is loaded that asks for more. Whatever is there is looked at."""
    loaded = dict(elf_files({name: installed[name] for name in loaded_into_programs(installed)}, tmp_path / "file", "--dyn-syms"))
    assert len(loaded) >= 3
    for name, said in loaded.items():
        versions = versions_of_symbols(said)
        assert "malloc" in versions, said  # they are read at all
        later = {symbol for symbol, version in versions.items() if version > (2, 17)}
        assert later <= LATER_SYMBOLS.keys() and all(versions[symbol] <= (2, 28) for symbol in later), f"{name}: {sorted(later)}: see src/pmix_hooks/process/older_libc.cpp"


# What a library in a user's program may stand in for: calls of MPI, and the calls of PMIx with which Slurm's MPI begins.
STOOD_IN_FOR = re.compile(r"(MPIX?|mpix?)_\w+|PMIx_(Commit|Fence|Fence_nb)")


def foreign_exports(said):
    """Symbols that an object offers others (`readelf --dyn-syms`), and that are no calls of MPI; of all kinds, so unique ones too."""
    exported = re.findall(r" (?:GLOBAL|WEAK|UNIQUE) +(?:DEFAULT|PROTECTED) +(?!UND\b)\w+ +(\S+)", said)
    assert exported, said
    return [name for name in exported if not STOOD_IN_FOR.fullmatch(name.partition("@")[0])]


def test_what_is_loaded_into_programs_stands_in_for_calls_of_mpi_alone(installed, tmp_path):
    """Any other symbol could take the place of the program's own. Whatever is there is looked at."""
    loaded = {name: installed[name] for name in loaded_into_programs(installed)}
    assert any(name.endswith("/libcommmap_clock.so") for name in loaded)
    for name, said in elf_files(loaded, tmp_path / "file", "--dyn-syms"):
        assert foreign_exports(said) == [], name


def test_a_foreign_export_is_seen():
    head = "     9: 0000000000001234    42 "
    said = "\n".join(head + rest for rest in (
        "FUNC    GLOBAL DEFAULT   12 MPI_Send", "FUNC    WEAK   DEFAULT   12 mpi_send_", "FUNC    GLOBAL DEFAULT   12 PMIx_Fence", "FUNC    GLOBAL DEFAULT  UND malloc@GLIBC_2.2.5 (2)",
        "FUNC    LOCAL  DEFAULT   12 own", "OBJECT  UNIQUE DEFAULT   20 _ZNSt1a", "FUNC    GLOBAL DEFAULT   12 PMIx_Get", "FUNC    WEAK   DEFAULT   12 malloc"))
    assert foreign_exports(said) == ["_ZNSt1a", "PMIx_Get", "malloc"]


def test_libraries_are_chosen_by_their_folder(installed):
    names = {name.rpartition("/")[2]: name for name in installed}
    assert set(NOT_IN_PROGRAMS) <= set(names)
    folder = names["commmap.so"].rpartition("/")[0]
    assert loaded_into_programs([f"{folder}/new.so", f"{folder}/other.so.1", *[f"{folder}/{name}" for name in NOT_IN_PROGRAMS],
                                 f"{folder}/commmap-collect", "lib/libcommmap.so.1"]) == [f"{folder}/new.so", f"{folder}/other.so.1"]
