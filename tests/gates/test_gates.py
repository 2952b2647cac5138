# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Each gate must be able to fail: a small bad tree is put before it, and it has to say no."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import patience
import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **environment):
    return patience.run(command, seconds=300, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", **environment})


def tree(tmp_path, files):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name in ("src", "include", "tests", "bench", "docs"):
        (tmp_path / name).mkdir(exist_ok=True)
    for name in (".clang-format", ".clang-tidy", ".cmake-format.yaml", ".flake8", ".shellcheckrc"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    return tmp_path


LAYERS = [
    {"folder": "core/base", "purpose": "small things", "uses": [], "rooms": [], "public": ["result.hpp"]},
    {"folder": "core/estimate", "purpose": "costs", "uses": ["base"], "rooms": [], "public": []},
    {"folder": "core/plan", "purpose": "plans", "uses": ["estimate"], "rooms": ["low", "left|right", "."], "public": []},
    {"folder": "cli", "purpose": "the program", "uses": ["plan"], "rooms": [], "public": []},
    {"folder": "spank_commmap", "purpose": "the plugin", "uses": ["base"], "rooms": [], "public": []},
]
# what uses all that is declared
USES = {"src/core/estimate/use.hpp": '#include "core/base/a.hpp"\n', "src/core/plan/use.hpp": '#include "core/estimate/a.hpp"\n',
        "src/cli/use.hpp": '#include "core/plan/a.hpp"\n', "src/spank_commmap/use.hpp": '#include "core/base/a.hpp"\n'}


def layers(root, files, declared=None, without=()):
    """What check_layers.py says of these files beside those that use what is declared."""
    tree(root, {**USES, **files})
    (root / "layers.jsonl").write_text("".join(json.dumps(folder) + "\n" for folder in declared or LAYERS))
    return run("/usr/bin/python3", str(ROOT / "cmake/check_layers.py"), str(root / "layers.jsonl"), str(root), *(["--without", *without] if without else []))


@pytest.mark.parametrize("file, include", [
    ("src/core/plan/a.cpp", "core/estimate/b.hpp"), ("src/core/plan/a.cpp", "core/plan/low/b.hpp"),
    ("src/core/plan/left/a.cpp", "core/plan/low/b.hpp"), ("src/core/plan/left/a.cpp", "core/plan/left/b.hpp"),
    ("src/core/estimate/a.cpp", "commmap/result.hpp"), ("include/commmap/result.hpp", "commmap/result.hpp"),
])
def test_layers_accepts_the_right_direction(tmp_path, file, include):
    result = layers(tmp_path, {file: f'#include "{include}"\n'})
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("file, text, says", [
    ("src/core/base/a.cpp", '#include "core/plan/planner.hpp"', "core/base may use only: nothing"),
    ("src/core/plan/a.cpp", '#include "core/base/a.hpp"', "core/plan may use only: core/estimate"),
    ("src/cli/a.cpp", '#include "spank_commmap/process/guard.hpp"', "spank_commmap is used by nobody else"),
    ("src/core/plan/low/a.cpp", '#include "core/plan/left/b.hpp"', "in core/plan the room 'left' is not below 'low'"),
    ("src/core/plan/low/a.cpp", '#include "core/plan/b.hpp"', "in core/plan the room '.' is not below 'low'"),
    ("src/core/plan/left/a.cpp", '#include "core/plan/right/b.hpp"', "in core/plan the room 'right' is not below 'left'"),
    ("src/core/plan/new/a.cpp", "", "src/core/plan/new/a.cpp: no CMakeLists.txt declares this folder"),
    ("src/core/plan/a.cpp", '#include "commmap/result.hpp"', "core/plan may use only: core/estimate"),
    ("include/commmap/result.hpp", '#include "core/base/a.hpp"', "what is installed includes what is not"),
    ("include/commmap/result.hpp", '#include "core/estimate/a.hpp"', "what is installed includes what is not"),
    ("include/commmap/result.hpp", "inline void f() { std::cout << 1; }", "core neither prints nor exits"),
    ("include/commmap/new.hpp", "", "include/commmap/new.hpp: no CMakeLists.txt declares this folder"),
    ("src/core/new/a.cpp", "", "src/core/new/a.cpp: no CMakeLists.txt declares this folder"),
    ("src/core/plan/a.cpp", "void f() { std::cout << 1; }", "core neither prints nor exits"),
    ("src/core/plan/a.cpp", 'auto x = std::getenv("HOME");', "only core/config reads the environment"),
])
def test_layers_refuses(tmp_path, file, text, says):
    result = layers(tmp_path, {file: text + "\n"})
    assert result.returncode == 1 and says in result.stderr and result.stderr.endswith("1 faults\n"), result.stderr


@pytest.mark.parametrize("count, code", [(27, 0), (28, 1)])
def test_layers_refuses_a_folder_of_too_many_files(tmp_path, count, code):
    result = layers(tmp_path, {f"src/cli/f{number}.cpp": "" for number in range(count)})  # and use.hpp
    assert result.returncode == code and ("src/cli has 29 files, at most 28 are wanted" in result.stderr) == bool(code)


@pytest.mark.parametrize("uses, says", [
    ({"core/base": ["plan"]}, "core/base uses itself by way of others"),
    ({"core/base": ["text"]}, "core/base names core/text, which there is not"),
    ({"cli": ["plan", "base"]}, "cli names core/base and includes nothing of it"),
])
def test_layers_refuses_what_folders_declare(tmp_path, uses, says):
    result = layers(tmp_path, {}, [{**folder, "uses": uses.get(folder["folder"], folder["uses"])} for folder in LAYERS])
    assert result.returncode == 1 and says in result.stderr


NOT_BUILT = ["spank_commmap", "core/import"]  # no CMakeLists.txt declares these
BUILT = [{**folder, "uses": folder["uses"] + (["import"] if folder["folder"] == "cli" else [])} for folder in LAYERS if folder["folder"] not in NOT_BUILT]


@pytest.mark.parametrize("file, include, says", [
    ("src/cli/a.cpp", "core/import/a.hpp", None),
    ("src/core/import/a.cpp", "cli/use.hpp", None),
    ("docs/developer/architecture.md", "another table", None),
    ("src/core/estimate/a.cpp", "core/plan/use.hpp", "core/estimate may use only: core/base"),
    ("src/core/new/a.cpp", "core/base/a.hpp", "src/core/new/a.cpp: no CMakeLists.txt declares this folder"),
    ("src/core/imported/a.cpp", "core/base/a.hpp", "src/core/imported/a.cpp: no CMakeLists.txt declares this folder"),
])
def test_layers_leaves_out_what_is_not_built(tmp_path, file, include, says):
    result = layers(tmp_path, {file: f'#include "{include}"\n'}, BUILT, NOT_BUILT)
    assert (result.returncode == 0 and "4 folders, all" in result.stdout) if says is None else (result.returncode == 1 and says in result.stderr), result


def test_layers_leaves_out_nothing_that_is_built(tmp_path):
    result = layers(tmp_path, {}, without=["cli"])
    assert (result.returncode, result.stderr) == (1, "check_layers.py: cli is built\n")
    result = layers(tmp_path, {"docs/developer/architecture.md": ""}, BUILT)
    assert result.returncode == 1 and "cli names core/import, which there is not\n" in result.stderr


def test_layers_holds_the_page_to_what_is_declared(tmp_path):
    pieces = [run("/usr/bin/python3", str(ROOT / "cmake/check_layers.py"), str(tmp_path / "layers.jsonl"), str(tmp_path), option).stdout
              for option in ("--table", "--tree", "--picture") if layers(tmp_path, {}).returncode == 0]
    assert "| `src/core/plan` | plans | estimate |\n" in pieces[0] and "        plan/\n" in pieces[1] and "    plan --> estimate\n" in pieces[2]
    assert layers(tmp_path, {"docs/developer/architecture.md": "".join(pieces)}).returncode == 0
    result = layers(tmp_path, {"docs/developer/architecture.md": "".join(pieces[1:])})
    assert result.stderr.startswith("docs/developer/architecture.md has not what `check_layers.py --table` prints\n")


def test_layers_refuses_an_empty_tree(tmp_path):
    tree(tmp_path, {})
    (tmp_path / "layers.jsonl").write_text("")
    assert run("/usr/bin/python3", str(ROOT / "cmake/check_layers.py"), str(tmp_path / "layers.jsonl"), str(tmp_path)).returncode == 1


CLEAN = {"src/a.cpp": "int f() { return 1; }\n", "src/CMakeLists.txt": "add_library(a a.cpp)\n",
         "tests/a.py": "import os\n\nprint(os.name)\n", "scripts/a.sh": "#!/bin/sh\necho \"$1\"\n"}


def check_format(tmp_path, files, *arguments):
    """The format gate on a tree that is clean but for these files. None: the tree lacks that file."""
    tree(tmp_path, {name: text for name, text in {**CLEAN, **files}.items() if text is not None})
    return run(str(ROOT / "scripts/check-format"), *arguments, COMMMAP_ROOT=str(tmp_path))


def test_format_refuses_an_unformatted_file(tmp_path):
    result = check_format(tmp_path, {"src/a.cpp": "int  f( ){return 1;}\n"})
    assert result.returncode != 0
    assert "src/a.cpp" in result.stderr


def test_format_accepts_a_formatted_file(tmp_path):
    result = check_format(tmp_path, {})
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "1 files of C and C++ and 1 of CMake are formatted; nothing found in 1 Python files and 1 shell scripts\n"


@pytest.mark.parametrize("name, text", [
    ("src/a.cpp", "// {}\nint f() {{ return 1; }}\n"), ("src/b.hpp", "/// {}\nint f();\n"), ("include/b.hpp", "int f();  ///< {}\n"),
    ("tests/b.cpp", 'const char* text = R"(\n{})";\n'), ("bench/b.c", "/* {} */\n"), ("docs/b.h", "// {}\n"),
])
def test_format_refuses_a_line_above_100_columns(tmp_path, name, text):
    number, line = next((number, line) for number, line in enumerate(text.split("\n"), 1) if "{}" in line)
    room = 100 - len(line.format(""))
    assert check_format(tmp_path, {name: text.format("\u00b5" * room)}).returncode == 0
    result = check_format(tmp_path, {name: text.format("w" * (room + 1))})
    assert (result.returncode, result.stderr) == (1, f"scripts/check-format: {name}:{number}: more than 100 columns\n")


@pytest.mark.parametrize("name, text", [
    ("src/CMakeLists.txt", "add_library( a a.cpp )\n"),
    ("src/CMakeLists.txt", "ADD_LIBRARY(a a.cpp)\n"),
    ("cmake/a.cmake", "if(A)\n  set(B 1)\nendif()\n"),
    ("cmake/a.cmake", "set(A\n    1)\n"),
    ("cmake/a.cmake", f"set({'A' * 60} {'B' * 60})\n"),
    ("tests/CMakeLists.txt", f"commmap_test({'a' * 80}_test.cpp DEPS b LIBS c SOURCES d.cpp\n             e.cpp)\n"),
])
def test_format_refuses_an_unformatted_cmake_file(tmp_path, name, text):
    result = check_format(tmp_path, {name: text})
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"scripts/check-format: not formatted: {name}\nscripts/check-format: run scripts/check-format --fix\n"


def test_format_refuses_a_cmake_file_that_cannot_be_read(tmp_path):
    for arguments in ([], ["--fix"]):
        result = check_format(tmp_path, {"src/CMakeLists.txt": "add_library(a a.cpp\n"}, *arguments)
        assert result.returncode == 1 and "While processing src/CMakeLists.txt" in result.stderr, result.stderr


CMAKE_CALLS = """\
# A comment   keeps its
#   lines.
commmap_module(a
               SOURCES b/a_source_with_a_long_name.cpp b/another_source_with_a_long_name.cpp
                       c/a_third_source_with_a_long_name.cpp
               LIBS d)
commmap_module(b SOURCES z.cpp a.cpp DEPS c LIBS d)
"""


@pytest.mark.parametrize("text", [CMAKE_CALLS, CMAKE_CALLS.replace("\n               ", " ").replace("        c/", "c/")])
def test_format_lays_out_calls_of_the_project_and_leaves_comments_and_orders(tmp_path, text):
    for _ in range(2):
        assert check_format(tmp_path, {"src/CMakeLists.txt": text}, "--fix").returncode == 0
        text = (tmp_path / "src/CMakeLists.txt").read_text()
        assert text == CMAKE_CALLS
    assert check_format(tmp_path, {"src/CMakeLists.txt": text}).returncode == 0


def test_format_knows_the_keywords_of_the_project():
    """A function whose keywords .cmake-format.yaml lacks is laid out as a list of names."""
    known = yaml.safe_load((ROOT / ".cmake-format.yaml").read_text())["parse"]["additional_commands"]
    files = [path for folder in ("bench", "cmake", "src", "tests") for path in (ROOT / folder).rglob("*") if path.name == "CMakeLists.txt" or path.suffix == ".cmake"]
    parsed = {name: set(filter(None, re.split("[; ]", ";".join(words)))) for path in files for name, *words in re.findall(
        r'^ *function\((\w+)[^)]*\)\n *cmake_parse_arguments\(PARSE_ARGV \d+ \w+ "([^"]*)"\s+"([^"]*)"\s+"([^"]*)"\)', path.read_text(), re.M)}
    assert {name: set(call["kwargs"]) for name, call in known.items()} == parsed and parsed


@pytest.mark.parametrize("name, text, rule", [
    ("tests/b.py", "import os\n", "F401"),
    ("tests/b.py", "def f():\n    unused = 1\n", "F841"),
    ("tests/b.py", "print(missing)\n", "F821"),
    ("tests/b.py", "try:\n    print()\nexcept:\n    print(1)\n", "E722"),
    ("tests/b.py", "l = 1\n", "E741"),
    ("tests/b.py", "print(\n", "E999"),
    ("tests/b.py", "print('\\d')\n", "W605"),
    ("tests/b.py", "print() \n", "W291"),
    ("tests/program", "#!/usr/bin/python3 -SE\nimport os\n", "F401"),
    ("tests/program", "#!/usr/bin/env python3\nimport os\n", "F401"),
])
def test_format_refuses_a_finding_in_python(tmp_path, name, text, rule):
    result = check_format(tmp_path, {name: text})
    assert result.returncode == 1
    assert f"scripts/check-format: {name}:" in result.stderr and f" {rule} " in result.stderr, result.stderr
    assert result.stderr.splitlines()[-1] == "scripts/check-format: findings of flake8 above"


@pytest.mark.parametrize("name, text, rule", [
    ("scripts/b.sh", "#!/bin/sh\nrm $1\n", "SC2086"),
    ("scripts/b.sh", "unknown=shell\n", "SC2148"),
    ("scripts/b.sh", "#!/bin/sh\nif true; then\n", "SC1073"),
    ("scripts/b.sh", "#!/bin/bash\nwhich \"$1\"\n", "SC2230"),
    (".ci/program", "#!/usr/bin/env bash\nrm $1\n", "SC2086"),
    ("tests/program", "#!/bin/busybox sh\n# shellcheck shell=dash\nrm $1\n", "SC2086"),
])
def test_format_refuses_a_finding_in_a_shell_script(tmp_path, name, text, rule):
    result = check_format(tmp_path, {name: text})
    assert result.returncode == 1
    assert f"scripts/check-format: {name}:" in result.stderr and f"[{rule}]" in result.stderr, result.stderr
    assert result.stderr.splitlines()[-1] == "scripts/check-format: findings of shellcheck above"


def test_format_reads_what_a_script_sources(tmp_path):
    uses = '#!/bin/bash\n. "$(dirname "$0")/lib/b.sh"\necho "$VALUE"\n'
    sets = "# shellcheck shell=bash\nVALUE=1\nexport VALUE\n"
    result = check_format(tmp_path, {"scripts/program": uses, "scripts/lib/b.sh": sets})
    assert result.returncode == 0, result.stderr
    result = check_format(tmp_path, {"scripts/program": uses.replace("b.sh", "c.sh"), "scripts/lib/b.sh": sets})
    assert result.returncode == 1 and "[SC1091]" in result.stderr


def test_format_says_all_findings_at_once(tmp_path):
    result = check_format(tmp_path, {"src/a.cpp": "int  f( ){return 1;}\n", "src/CMakeLists.txt": "set( A )\n", "tests/a.py": "import os\n", "scripts/a.sh": "#!/bin/sh\nrm $1\n"})
    assert result.returncode == 1
    assert all(word in result.stderr for word in ("not formatted: src/a.cpp", "not formatted: src/CMakeLists.txt", "F401", "SC2086")), result.stderr


@pytest.mark.parametrize("lacks", CLEAN)
def test_format_refuses_a_tree_without_sources_of_one_kind(tmp_path, lacks):
    result = check_format(tmp_path, {lacks: None})
    assert result.returncode == 1 and " found" in result.stderr.splitlines()[-1], result.stderr


def test_format_formats_and_leaves_scripts_alone(tmp_path):
    texts = {"src/a.cpp": "int  f( ){return 1;}\n", "src/CMakeLists.txt": "add_library( a\n a.cpp)\n", "tests/a.py": "import os\n", "scripts/a.sh": "#!/bin/sh\nrm $1\n"}
    result = check_format(tmp_path, texts, "--fix")
    assert (result.returncode, result.stderr) == (0, "")
    assert {name: (tmp_path / name).read_text() for name in texts} == {**texts, **{name: CLEAN[name] for name in ("src/a.cpp", "src/CMakeLists.txt")}}


def test_format_reads_new_files_and_none_that_git_ignores(tmp_path):
    run("git", "init", "-q", str(tmp_path))
    result = check_format(tmp_path, {".gitignore": "/made/\n", "made/b.py": "import os\n"})
    assert result.returncode == 0, result.stderr
    result = check_format(tmp_path, {"tests/b.py": "import os\n"})
    assert result.returncode == 1 and "tests/b.py:1:1: F401" in result.stderr, result.stderr


def test_format_finds_nothing_in_this_tree():
    result = run(str(ROOT / "scripts/check-format"))
    assert result.returncode == 0, result.stderr
    cmake, python, shell = map(int, re.search(r"(\d+) of CMake are formatted; nothing found in (\d+) Python files and (\d+) shell scripts", result.stdout).groups())
    assert cmake >= 50 and python >= 150 and shell >= 18, result.stdout


def tidy(tmp_path, text, compiled="src/core/base/a.cpp", sources=()):
    tree(tmp_path, {"src/core/base/a.cpp": text, "build/src/core/base/Unity/all.cxx": f'#include "{tmp_path}/src/core/base/a.cpp"\n'})
    source = str(tmp_path / compiled)
    commands = [{"directory": str(tmp_path), "file": source, "command": f"g++ -std=c++20 -c {source}"}]
    (tmp_path / "build/compile_commands.json").write_text(json.dumps(commands))
    return run(str(ROOT / "scripts/check-tidy"), *sources, COMMMAP_TIDY_BUILD=str(tmp_path / "build"), COMMMAP_ROOT=str(tmp_path))


@pytest.mark.parametrize("compiled", ["src/core/base/a.cpp", "build/src/core/base/Unity/all.cxx"])
def test_tidy_refuses_a_finding(tmp_path, compiled):
    result = tidy(tmp_path, "int BadName() { return 1; }\n", compiled)
    assert result.returncode != 0
    assert "readability-identifier-naming" in result.stderr


def test_tidy_refuses_a_finding_in_a_source_that_is_named(tmp_path):
    assert "readability-identifier-naming" in tidy(tmp_path, "int BadName() { return 1; }\n", sources=["src/core/base/a.cpp"]).stderr


def test_tidy_refuses_a_source_that_there_is_not(tmp_path):
    result = tidy(tmp_path, "int good_name() { return 1; }\n", sources=["src/core/base/b.cpp"])
    assert result.returncode != 0 and "no source" in result.stderr


def test_tidy_refuses_a_source_that_is_not_compiled_beside_one_that_is(tmp_path):
    result = tidy(tmp_path, "int good_name() { return 1; }\n", sources=["src/core/base/a.cpp", "src/core/base/b.cpp"])
    assert result.returncode != 0 and "src/core/base/b.cpp is compiled by no target" in result.stderr


@pytest.mark.parametrize("found, code", [("a.cpp:1:5: error: a finding", 1), ("", 143)])
def test_tidy_that_is_ended_says_what_it_has_found(tmp_path, found, code):
    """The program that reads is a stand-in: nothing is slow on demand."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/run-clang-tidy").write_text(f"#!/bin/sh\necho '{found}'\necho $$ >{tmp_path}/reads\nsleep 1000\n")
    (tmp_path / "bin/run-clang-tidy").chmod(0o755)
    tree(tmp_path, {"src/a.cpp": ""})
    (tmp_path / "build").mkdir()
    (tmp_path / "build/compile_commands.json").write_text(json.dumps([{"directory": "/", "file": f"{tmp_path}/src/a.cpp", "command": "g++"}]))
    with subprocess.Popen([ROOT / "scripts/check-tidy"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={
            **os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "COMMMAP_TIDY_BUILD": str(tmp_path / "build"), "COMMMAP_ROOT": str(tmp_path)}) as process:
        patience.until(lambda: (tmp_path / "reads").exists() and (tmp_path / "reads").read_text().strip(), 60, "the beginning")
        process.terminate()
        out, err = patience.communicate(process, 60)
    assert (process.returncode, out) == (code, ""), err
    assert found in err and ("findings above" in err) == (code == 1)
    reader = (tmp_path / "reads").read_text().strip()
    patience.until(lambda: not os.path.exists(f"/proc/{reader}"), 60, "the end of what reads")


def test_tidy_accepts_clean_code(tmp_path):
    assert tidy(tmp_path, "int good_name() { return 1; }\n").returncode == 0


def pieces_not_in_examples(root):
    """The pieces of C++ in pages of docs that no program in docs/examples has as they are."""
    examples = [path.read_text() for path in sorted((root / "docs/examples").glob("*.cpp"))]
    pieces = [piece for page in sorted((root / "docs").rglob("*.md")) for piece in re.findall(r"^```cpp\n(.*?)^```$", page.read_text(), re.M | re.S)]
    assert examples and pieces
    return [piece for piece in pieces if not any(piece in example for example in examples)]


def test_cpp_in_docs_is_of_programs_that_run():
    assert pieces_not_in_examples(ROOT) == []


def test_a_piece_of_cpp_that_no_program_has_is_found(tmp_path):
    program = "#include <a>\n\nint f() {\n    return 1;\n}\nint main() { return f(); }\n"
    good = "int f() {\n    return 1;\n}\n"
    bad = good.replace("1", "2")
    tree(tmp_path, {"docs/examples/a.cpp": program, "docs/a.md": f"A\n\n```cpp\n{good}```\n\nB\n\n```cpp\n{bad}```\n"})
    assert pieces_not_in_examples(tmp_path) == [bad]


@pytest.mark.parametrize("change, says", [
    (lambda text: text.replace("Waitall\n", ""), "make_mpi_calls.py: MPI_Waitall: mpi_calls.txt does not name it"),
    (lambda text: text + "Wait_for_ever\n", "make_mpi_calls.py: MPI_Wait_for_ever: mpi_calls.py has no row for it"),
])
def test_the_build_refuses_calls_that_only_the_table_or_the_list_has(tmp_path, change, says):
    shutil.copytree(ROOT / "src/pmix_hooks/wrappers", tmp_path / "src/pmix_hooks/wrappers")
    shutil.copytree(ROOT / "src/core/profile/recording", tmp_path / "src/core/profile/recording")
    maker, calls = tmp_path / "src/pmix_hooks/wrappers/make_mpi_calls.py", tmp_path / "src/core/profile/recording/mpi_calls.txt"
    assert run("/usr/bin/python3", str(maker), "c", str(tmp_path / "c.cpp")).returncode == 0
    calls.write_text(change(calls.read_text()))
    result = run("/usr/bin/python3", str(maker), "c", str(tmp_path / "c.cpp"))
    assert (result.returncode, result.stderr.strip()) == (1, says)
