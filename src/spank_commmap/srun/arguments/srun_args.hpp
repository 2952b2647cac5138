// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap::spank {

enum class Arity : unsigned char { none, required, optional };

/// One option of srun. The table has all options of the releases 20.11 to 26.05 (srun_options.csv),
/// and --commmap.
struct SrunOptionRow {
    const char* name;
    char letter;  ///< 0: long name only
    Arity arity;
};

[[nodiscard]] std::span<const SrunOptionRow> srun_option_table();

/// A command line of srun, read as srun reads it: by getopt_long with "+".
/// So abbreviations (--ntas=4), clusters (-ln4) and attached values mean what they mean for srun.
/// An optional value never takes the next word.
struct SrunArgs {
    struct Given {
        std::string_view name;             ///< full long name, points into the table
        std::optional<std::string> value;  ///< none: given without a value
    };
    std::string program;               ///< argv[0]
    std::vector<Given> options;        ///< in the order of the command line
    std::vector<std::string> command;  ///< the program to launch and its arguments

    /// Returns the last value given for an option; "" when the option was given without a value.
    /// The last value wins in srun too.
    [[nodiscard]] std::optional<std::string> value_of(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const { return value_of(name).has_value(); }
};

/// Parses a copy of the words, and restores getopt's global state.
/// Errors: invalid_input names the first option that the table lacks, that is ambiguous or that has
/// no value.
/// Threads: not safe (getopt).
[[nodiscard]] Result<SrunArgs> parse_srun_args(const std::vector<std::string>& argv);

/// Returns this process's command line as the kernel has it. Errors: io.
[[nodiscard]] Result<std::vector<std::string>> read_own_command_line();

}  // namespace commmap::spank
