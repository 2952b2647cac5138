// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/config/options.hpp"

namespace commmap {

/// A mode: the part of --commmap's value before the first comma.
struct ModeRow {
    std::string_view name;
    std::string_view help;
    unsigned scopes;  ///< sources that may set the mode; scope_cli is srun's own command line
};

/// A word in --commmap's value after a comma: "verbose", "report=FILE".
struct ModeWord {
    std::string_view name;
    /// placeholder of the value in help texts; empty: the word has no value
    std::string_view value;
    std::string_view default_text;
    std::string_view help;
    unsigned scopes;
    bool only_automatic;  ///< allowed with the mode auto only
    Status (*set)(Options& options, std::string_view value);
};

[[nodiscard]] std::span<const ModeRow> mode_table();
[[nodiscard]] std::span<const ModeWord> mode_word_table();

/// Returns the text of --commmap=help, made from the tables: the modes, the words, and the settings
/// by environment variable, one line each with its default.
[[nodiscard]] std::string mode_help();

}  // namespace commmap
