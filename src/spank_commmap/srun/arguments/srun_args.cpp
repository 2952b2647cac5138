// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/arguments/srun_args.hpp"

#include <fcntl.h>
#include <getopt.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/handle.hpp"
#include "spank_commmap/process/argv_pointers.hpp"

namespace commmap::spank {
namespace {

constexpr std::array table = std::to_array<SrunOptionRow>({
#include "spank_commmap/srun/arguments/srun_option_table.inc"
    {"commmap", 0, Arity::required},
});

/// Saves and restores getopt's variables, which srun itself goes on using after us.
class GetoptState {
public:
    GetoptState() = default;
    GetoptState(const GetoptState&) = delete;
    GetoptState& operator=(const GetoptState&) = delete;
    ~GetoptState() {
        ::optind = optind_;
        ::opterr = opterr_;
        ::optopt = optopt_;
        ::optarg = optarg_;
    }

private:
    int optind_ = ::optind;
    int opterr_ = ::opterr;
    int optopt_ = ::optopt;
    char* optarg_ = ::optarg;
};

constexpr int first_long = 256;  // getopt_long's result for row 0: above every letter

int has_arg(Arity arity) {
    return arity == Arity::none       ? no_argument
           : arity == Arity::required ? required_argument
                                      : optional_argument;
}

}  // namespace

std::span<const SrunOptionRow> srun_option_table() { return table; }

std::optional<std::string> SrunArgs::value_of(std::string_view name) const {
    for (auto option = options.rbegin(); option != options.rend(); ++option) {
        if (option->name == name) return option->value.value_or("");
    }
    return std::nullopt;
}

Result<SrunArgs> parse_srun_args(const std::vector<std::string>& argv) {
    if (argv.empty()) return Error{Errc::invalid_input, "srun has no command line"};
    // "+": stop at the first word that is no option, whatever POSIXLY_CORRECT says. ":": report a
    // missing value by its own code.
    std::string letters = "+:";
    std::vector<::option> longs;
    for (std::size_t row = 0; row < table.size(); ++row) {
        longs.push_back({table[row].name, has_arg(table[row].arity), nullptr,
                         first_long + static_cast<int>(row)});
        if (table[row].letter == 0) continue;
        letters += table[row].letter;
        letters += table[row].arity == Arity::none       ? ""
                   : table[row].arity == Arity::required ? ":"
                                                         : "::";
    }
    longs.push_back({nullptr, 0, nullptr, 0});
    std::vector<std::string> words = argv;
    std::vector<char*> pointers = argv_pointers(words);

    const GetoptState restore;
    SrunArgs args;
    args.program = argv.front();
    ::optind = 0;  // 0, not 1: makes glibc forget the place of an earlier scan
    ::opterr = 0;
    for (;;) {
        // A cluster such as -lx stays on one word until its last letter, so the beginning of this
        // word is noted.
        const int word = ::optind == 0 ? 1 : ::optind;
        const int found = ::getopt_long(static_cast<int>(argv.size()), pointers.data(),
                                        letters.c_str(), longs.data(), nullptr);
        if (found == -1) break;
        if (found == '?' || found == ':') {
            const std::string& culprit =
                argv[static_cast<std::size_t>(word) < argv.size() ? static_cast<std::size_t>(word)
                                                                  : 0];
            return Error{Errc::invalid_input,
                         "option '" + culprit.substr(0, culprit.find('=')) + "' of srun " +
                             (found == ':' ? "has no value" : "is not known to commmap")};
        }
        const SrunOptionRow* row = nullptr;
        if (found >= first_long) {
            row = &table[static_cast<std::size_t>(found - first_long)];
        } else {
            for (const SrunOptionRow& candidate : table) {
                if (candidate.letter == found) row = &candidate;
            }
        }
        if (row == nullptr) return Error{Errc::internal, "option letter without a row"};
        std::optional<std::string> value;
        if (row->arity != Arity::none && ::optarg != nullptr) value = ::optarg;
        args.options.push_back({row->name, std::move(value)});
    }
    args.command.assign(argv.begin() + ::optind, argv.end());
    return args;
}

Result<std::vector<std::string>> read_own_command_line() {
    const FileDescriptor fd(::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC));
    std::string content;
    std::array<char, 4096> block{};
    while (fd) {
        const ssize_t got = ::read(fd.get(), block.data(), block.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        content.append(block.data(), static_cast<std::size_t>(got));
    }
    if (content.empty() || content.back() != '\0') {
        return Error{Errc::io, "srun's own command line cannot be read from /proc/self/cmdline"};
    }
    std::vector<std::string> argv;
    for (std::size_t begin = 0; begin < content.size();) {
        const std::size_t end = content.find('\0', begin);
        argv.push_back(content.substr(begin, end - begin));
        begin = end + 1;
    }
    return argv;
}

}  // namespace commmap::spank
