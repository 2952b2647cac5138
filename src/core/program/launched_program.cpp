// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/program/launched_program.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/program/content_id.hpp"
#include "core/program/find_executable.hpp"
#include "core/program/identity.hpp"

namespace commmap {
namespace {

/// The largest script. A larger file is data, or takes longer to hash than a launch should.
constexpr off_t most_script_bytes = off_t{4} << 20;

/// A command that runs another program, with the arguments that follow the command's own.
struct Starter {
    std::string_view name;
    std::string_view letters;       ///< short options whose value is the next word
    std::string_view long_options;  ///< such long options, with blanks between
    std::size_t words;              ///< number of words before the program that are no options
};
constexpr std::array starters{
    Starter{"env", "uCS", "--unset --chdir", 0},
    Starter{"nice", "n", "--adjustment", 0},
    Starter{"nohup", "", "", 0},
    Starter{"numactl", "NmCpiPw", "--cpunodebind --membind --physcpubind --preferred --interleave",
            0},
    Starter{"setsid", "", "", 0},
    Starter{"stdbuf", "ioe", "--input --output --error", 0},
    Starter{"taskset", "", "", 1},
    Starter{"time", "fo", "--format --output", 0},
    Starter{"timeout", "ks", "--kill-after --signal", 1},
};

/// A program that runs a script, or the code that follows an option of one of these letters.
struct Interpreter {
    std::string_view name;  ///< without version: "python" stands for "python3.11"
    std::string_view code_letters;
};
constexpr std::array interpreters{
    Interpreter{"Rscript", "e"}, Interpreter{"bash", "c"},  Interpreter{"csh", "c"},
    Interpreter{"dash", "c"},    Interpreter{"guile", "c"}, Interpreter{"ipython", "c"},
    Interpreter{"julia", "eE"},  Interpreter{"ksh", "c"},   Interpreter{"lua", "e"},
    Interpreter{"luajit", "e"},  Interpreter{"mksh", "c"},  Interpreter{"octave", ""},
    Interpreter{"perl", "eE"},   Interpreter{"pypy", "c"},  Interpreter{"python", "c"},
    Interpreter{"ruby", "e"},    Interpreter{"sh", "c"},    Interpreter{"tcsh", "c"},
    Interpreter{"zsh", "c"},
};

constexpr std::array<std::string_view, 13> container_runtimes{
    "apptainer", "ch-run",          "crun",  "docker",  "enroot",      "podman", "podman-hpc",
    "runc",      "run-singularity", "sarus", "shifter", "singularity", "udocker"};

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_container_runtime(std::string_view command) {
    return std::ranges::find(container_runtimes, base_name(command)) != container_runtimes.end();
}

template <class Row, std::size_t Size>
const Row* find(const std::array<Row, Size>& table, std::string_view name) {
    const auto row = std::find_if(table.begin(), table.end(),
                                  [&](const Row& each) { return each.name == name; });
    return row == table.end() ? nullptr : &*row;
}

const Interpreter* interpreter_called(std::string_view command) {
    const std::string_view name = base_name(command);
    return find(interpreters, name.substr(0, name.find_last_not_of("0123456789.-") + 1));
}

bool is_word_of(std::string_view words, std::string_view word) {
    for (std::size_t at = words.find(word); at != std::string_view::npos;
         at = words.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
            return true;
    }
    return false;
}

/// Returns the index of the word that a starter runs; words.size() where there is none.
std::size_t started_by(const Starter& starter, const std::vector<std::string>& words,
                       std::size_t command) {
    std::size_t left = starter.words;
    std::size_t i = command + 1;
    for (; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--") {
            i += 1 + left;
            break;
        }
        if (word.starts_with("--")) {
            if (is_word_of(starter.long_options, word)) ++i;
        } else if (word.size() > 1 && word.starts_with('-')) {
            if (starter.letters.find(word.back()) != std::string_view::npos &&
                (word.size() == 2 || std::isalpha(static_cast<unsigned char>(word[1])) != 0))
                ++i;
        } else if (starter.name == "env" && word.find('=') != std::string::npos) {
            continue;
        } else if (left > 0) {
            --left;
        } else {
            break;
        }
    }
    return std::min(i, words.size());
}

std::string in(const std::string& directory, const std::string& path) {
    return path.starts_with('/') ? path : directory + "/" + path;
}

bool is_script(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size <= most_script_bytes;
}

std::string script_of(const Interpreter& interpreter, const std::vector<std::string>& words,
                      std::size_t command, const std::string& directory) {
    for (std::size_t i = command + 1; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "-m" && base_name(words[command]).starts_with("py"))
            return i + 1 < words.size() ? "-m " + words[i + 1] : "";
        if (word == "-" || word == "--eval" || word == "--command") return "";
        if (word.starts_with("--")) continue;
        if (word.starts_with('-')) {  // as in "-lc": the code is in the command line
            if (word.find_first_of(interpreter.code_letters) != std::string::npos) return "";
        } else if (!word.empty() && is_script(in(directory, word))) {
            return word;
        }
    }
    return "";
}

}  // namespace

bool runs_in_container(const std::string& command, const Executable& executable) {
    if (is_container_runtime(command)) return true;
    std::istringstream words(executable.interpreter);
    return std::any_of(std::istream_iterator<std::string>(words), {}, is_container_runtime);
}

LaunchedProgram find_launched_program(const std::vector<std::string>& words,
                                      const std::string& search_path,
                                      const std::string& directory) {
    if (words.empty()) return {};
    std::size_t command = 0;
    while (const Starter* starter = find(starters, base_name(words[command]))) {
        const std::size_t next = started_by(*starter, words, command);
        if (next == words.size() || !find_executable(words[next], search_path, directory)) break;
        command = next;
    }
    const Interpreter* const interpreter = interpreter_called(words[command]);
    return {words[command], interpreter == nullptr
                                ? std::string()
                                : script_of(*interpreter, words, command, directory)};
}

Result<InspectedProgram> inspect_launched(const LaunchedProgram& program,
                                          const std::string& search_path,
                                          const std::string& directory) {
    const auto path = find_executable(program.command, search_path, directory);
    if (!path) return path.error();
    auto executable = inspect_executable(path.value());
    if (!executable) return executable.error();
    InspectedProgram inspected{std::move(executable).value(), ""};
    inspected.shown_path = inspected.executable.path;
    std::string& id = inspected.executable.application_id;
    constexpr std::string_view module = "-m ";
    if (program.script.starts_with(module)) {
        id += ".module-" + program.script.substr(module.size());
    } else if (!program.script.empty()) {
        const std::string script = in(directory, program.script);
        // Ignores a script that cannot be read, because such a script does not run either.
        if (const auto content = content_id(script); content) {
            constexpr std::size_t digits = 16;
            id += ".script-" + content.value().substr(content.value().find(':') + 1, digits);
            inspected.shown_path = script;
        }
    }
    return inspected;
}

}  // namespace commmap
