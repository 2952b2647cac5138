#include "cli/profile_name.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/config/sources.hpp"
#include "core/profile/store.hpp"

namespace commmap::cli {
namespace {

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Result<std::string> find_profile_file(const std::string& name, const Options& options) {
    if (name.find('/') != std::string::npos || ::access(name.c_str(), F_OK) == 0) return name;
    const auto directory = profile_directory(options);
    if (!directory) return directory.error();
    const auto entries = ProfileStore(directory.value()).list();
    if (!entries) return entries.error();
    std::vector<std::string> matches;
    for (const ProfileStore::Entry& entry : entries.value())
        if (file_name(entry.path).starts_with(name)) matches.push_back(entry.path);
    if (matches.empty()) {
        for (const ProfileStore::Entry& entry : entries.value()) {
            const auto profile = read_profile_file(entry.path);
            if (profile && file_name(profile.value().command) == name)
                matches.push_back(entry.path);
        }
    }
    if (matches.size() == 1) return matches.front();
    if (matches.empty())
        return Error{Errc::not_found, "no file and no profile in " + directory.value() +
                                          " is called '" + name +
                                          "' (commmap profile list shows what there is)"};
    constexpr std::size_t most_shown = 4;
    std::string which;
    for (std::size_t i = 0; i < std::min(matches.size(), most_shown); ++i)
        which += (i == 0 ? "" : ", ") + std::string(file_name(matches[i]));
    if (matches.size() > most_shown) which += ", ...";
    return Error{Errc::not_found, "'" + name + "' may be any of " + std::to_string(matches.size()) +
                                      " profiles in " + directory.value() + ": " + which +
                                      "; write more of the name"};
}

}  // namespace commmap::cli
