#include "cli/profile_name.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/config/sources.hpp"
#include "core/profile/identity.hpp"
#include "core/profile/store.hpp"

namespace commmap::cli {
namespace {

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// The file is the program that was recorded and not a profile: its identity. Empty: it is not.
std::string id_of_program(const std::string& path) {
    if (::access(path.c_str(), X_OK) != 0 || open_profile_file(path)) return "";
    const auto program = inspect_executable(path);
    return program ? program.value().application_id : "";
}

/// By the beginning of the file's name, else by the name of the recorded program.
std::vector<ProfileStore::Entry> called(const std::string& name,
                                        const std::vector<ProfileStore::Entry>& entries) {
    std::vector<ProfileStore::Entry> matches;
    // The name of a complete profile's file is the beginning of that of a partial one.
    for (const ProfileStore::Entry& entry : entries) {
        if (file_name(entry.path) == name) return {entry};
        if (file_name(entry.path).starts_with(name)) matches.push_back(entry);
    }
    if (!matches.empty()) return matches;
    for (const ProfileStore::Entry& entry : entries) {
        const auto profile = open_profile_file(entry.path);
        if (profile && file_name(profile.value().head().command) == name) matches.push_back(entry);
    }
    return matches;
}

}  // namespace

Result<std::string> find_profile_file(const std::string& name, const Options& options) {
    const std::string program = id_of_program(name);
    const bool is_path = name.find('/') != std::string::npos || ::access(name.c_str(), F_OK) == 0;
    if (program.empty() && is_path) return name;
    const auto directory = profile_directory(options);
    if (!directory) return directory.error();
    const ProfileStore store(directory.value());
    const auto entries = program.empty() ? store.list() : store.list_of(program);
    if (!entries) return entries.error();
    const auto matches = program.empty() ? called(name, entries.value()) : entries.value();
    if (matches.size() == 1) return matches.front().path;
    if (matches.empty() && !program.empty())
        return Error{Errc::not_found,
                     "'" + name + "' has no profile in " + directory.value() +
                         "; record one with srun --commmap=profile, or name a profile (commmap "
                         "profile list shows what there is)"};
    if (matches.empty())
        return Error{Errc::not_found, "no file and no profile in " + directory.value() +
                                          " is called '" + name +
                                          "' (commmap profile list shows what there is)"};
    constexpr std::size_t most_shown = 4;
    std::string which;
    for (std::size_t i = 0; i < std::min(matches.size(), most_shown); ++i)
        which += (i == 0 ? "" : ", ") + std::string(file_name(matches[i].path));
    if (matches.size() > most_shown) which += ", ...";
    return Error{Errc::not_found, "'" + name + "' may be any of " + std::to_string(matches.size()) +
                                      " profiles in " + directory.value() + ": " + which +
                                      "; write more of the name"};
}

}  // namespace commmap::cli
