#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/config/options.hpp"

namespace commmap {

/// A value of --commmap before the first comma.
struct ModeRow {
    std::string_view name;
    std::string_view help;
    unsigned scopes;  ///< who may say it: scope_cli is srun's own command line
};

/// A word after a comma: "verbose", "report=FILE".
struct ModeWord {
    std::string_view name;
    std::string_view value;  ///< what stands for the value in help; empty: it has none
    std::string_view default_text;
    std::string_view help;
    unsigned scopes;
    bool only_automatic;  ///< makes sense with auto only
    Status (*set)(Options& options, std::string_view value);
};

[[nodiscard]] std::span<const ModeRow> mode_table();
[[nodiscard]] std::span<const ModeWord> mode_word_table();

/// What --commmap=help prints: the modes, the words, and the settings by environment variable, one
/// line each with its default; all out of the tables.
[[nodiscard]] std::string mode_help();

}  // namespace commmap
