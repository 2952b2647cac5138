#include "core/profile/launched_program.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/profile/content_id.hpp"
#include "core/profile/identity.hpp"

namespace commmap {
namespace {

/// They start another program with the arguments that they leave.
constexpr std::string_view starters[] = {
    "catchsegv", "chrt",    "env",     "hwloc-bind", "ionice",  "ltrace",   "nice",
    "nohup",     "numactl", "perf",    "prlimit",    "setarch", "setpriv",  "setsid",
    "stdbuf",    "strace",  "taskset", "time",       "timeout", "valgrind",
};

/// Version numbers behind the name ("python3.11") do not count.
constexpr std::string_view interpreters[] = {
    "Rscript", "bash",   "csh",  "dash", "guile",  "ipython",    "julia", "ksh",
    "lua",     "luajit", "mksh", "node", "octave", "octave-cli", "perl",  "php",
    "pypy",    "python", "ruby", "sh",   "tcsh",   "zsh",
};

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

template <std::size_t Size>
bool is_one_of(const std::string_view (&names)[Size], std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_interpreter(std::string_view command) {
    std::string_view name = base_name(command);
    name = name.substr(0, name.find_last_not_of("0123456789.-") + 1);
    return is_one_of(interpreters, name);
}

bool is_regular_file(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string in(const std::string& directory, const std::string& path) {
    return path.starts_with('/') ? path : directory + "/" + path;
}

/// An option, a value like 10, 0-3 or 5s, NAME=VALUE: what stands between a starter and what it
/// starts.
bool is_a_setting(const std::string& word) {
    return word.empty() || word.starts_with('-') || word.find('=') != std::string::npos ||
           std::isdigit(static_cast<unsigned char>(word.front())) != 0;
}

std::string script_of(const std::vector<std::string>& words, std::size_t command,
                      const std::string& directory) {
    for (std::size_t i = command + 1; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "-c" || word == "-e" || word == "-") return "";  // the code is no file
        if (word == "-m" && base_name(words[command]).starts_with("py"))
            return i + 1 < words.size() ? "-m " + words[i + 1] : "";
        if (!word.empty() && !word.starts_with('-') && is_regular_file(in(directory, word)))
            return word;
    }
    return "";
}

}  // namespace

LaunchedProgram find_launched_program(const std::vector<std::string>& words,
                                      const std::string& search_path,
                                      const std::string& directory) {
    if (words.empty()) return {};
    std::size_t command = 0;
    for (std::size_t i = 1; is_one_of(starters, base_name(words[command])) && i < words.size(); ++i)
        if (!is_a_setting(words[i]) && find_executable(words[i], search_path, directory))
            command = i;
    return {words[command],
            is_interpreter(words[command]) ? script_of(words, command, directory) : std::string()};
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
        // One that cannot be read does not run either.
        if (const auto content = content_id(script); content) {
            constexpr std::size_t digits = 16;
            id += ".script-" + content.value().substr(content.value().find(':') + 1, digits);
            inspected.shown_path = script;
        }
    }
    return inspected;
}

}  // namespace commmap
