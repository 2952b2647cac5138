#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace commmap {

/// What a launch is asked to do.
enum class Mode : unsigned char { off, profile, automatic };

/// Everything that can be set, with its default. Later sources win: default, plugstack arguments,
/// environment, command line.
struct Options {
    Mode mode = Mode::off;
    bool verbose = false;
    std::string cluster_file = "/etc/commmap/cluster.yaml";
    std::string profile_dir;  ///< empty: profile_directory() says where
    double threshold_percent = 5.0;
    std::uint64_t seed = 1;
    bool rank0_free = false;
    std::uint64_t plan_seconds = 10;
    std::uint64_t plan_memory_mib = 2048;
    std::string
        program;  ///< the `commmap` program that plans; empty: the one installed with the plugin
    std::string
        hooks;  ///< directory of the hook libraries; empty: the one installed with the plugin
};

/// Who may set an option.
enum Scope : unsigned { scope_cli = 1, scope_environment = 2, scope_plugstack = 4 };

/// One option: the command line (--name), the environment (COMMMAP_NAME, dashes as underscores) and
/// plugstack.conf (name=value) are all read from this row, and so are --help and the man pages.
struct OptionSpec {
    std::string_view name;
    std::string_view value;  ///< what stands for the value in help: "FILE", "PERCENT"
    std::string_view default_text;
    std::string_view help;
    unsigned scopes;
    Status (*set)(Options& options, std::string_view value);
};

[[nodiscard]] std::span<const OptionSpec> option_table();

/// Sets one option by name. invalid_input for an unknown name (names the nearest known one) or a
/// value that makes no sense (names the value and what is allowed).
[[nodiscard]] Status set_option(Options& options, unsigned scope, std::string_view name,
                                std::string_view value);

/// Value of --commmap and COMMMAP: "off|profile|auto[,verbose]". On error nothing is changed.
[[nodiscard]] Status set_mode(Options& options, std::string_view value);

/// "COMMMAP_PROFILE_DIR" for "profile-dir"; "COMMMAP" for "mode".
[[nodiscard]] std::string environment_name(std::string_view option);

}  // namespace commmap
