// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/config/sources.hpp"

#include <cstdlib>

#include "core/base/user_cache.hpp"

namespace commmap {
namespace {

Error ignored(const std::string& what, const Error& error) {
    Error told = prefixed(what, error);
    told.message += "; it is ignored";
    return told;
}

}  // namespace

std::optional<std::string> own_variable(std::string_view name) {
    const char* value = std::getenv(std::string(name).c_str());
    if (value == nullptr) return std::nullopt;
    return value;
}

std::vector<Error> read_environment(Options& options, const Environment& environment) {
    std::vector<Error> errors;
    for (const OptionSpec& spec : option_table()) {
        if ((spec.scopes & scope_environment) == 0) continue;
        const std::string name = environment_name(spec.name);
        const auto value = environment(name);
        if (!value || value->empty()) continue;
        const Status status = spec.name == "mode" ? set_mode(options, *value, scope_environment)
                                                  : spec.set(options, *value);
        if (!status) {
            errors.push_back(ignored("environment variable " + name, status.error()));
        }
    }
    return errors;
}

std::vector<Error> read_plugstack_arguments(Options& options,
                                            const std::vector<std::string_view>& arguments) {
    std::vector<Error> errors;
    for (const std::string_view argument : arguments) {
        const auto equals = argument.find('=');
        const std::string_view value =
            equals == std::string_view::npos ? "" : argument.substr(equals + 1);
        const Status status =
            set_option(options, scope_plugstack, argument.substr(0, equals), value);
        if (!status) errors.push_back(ignored("plugstack argument", status.error()));
    }
    return errors;
}

Result<std::string> profile_directory(const Options& options, const Environment& environment) {
    if (!options.profile_dir.empty()) return options.profile_dir;
    if (const auto cache = user_cache(environment("XDG_CACHE_HOME").value_or(""),
                                      environment("HOME").value_or("")))
        return *cache + "/commmap";
    return Error{
        Errc::not_found,
        "no place for profiles: neither COMMMAP_PROFILE_DIR nor XDG_CACHE_HOME nor HOME is set"};
}

}  // namespace commmap
