// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/profile_name.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/profile_stores.hpp"
#include "core/profile/store/store.hpp"
#include "core/program/application_id.hpp"
#include "core/program/identity.hpp"

namespace commmap::cli {
namespace {

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Returns the identity of a file that is a program and not a profile; empty when the file is none.
std::string id_of_program(const std::string& path) {
    if (::access(path.c_str(), X_OK) != 0 || open_profile_file(path)) return "";
    const auto program = inspect_executable(path);
    return program ? program.value().application_id : "";
}

/// Finds entries by a file's name or its beginning, else by the name of the recorded program with
/// that tag.
/// @param whole  does not take the beginning of a file's name
std::vector<ProfileStore::Entry> called(const std::string& name, const std::string& tag,
                                        const std::vector<ProfileStore::Entry>& entries,
                                        bool whole) {
    std::vector<ProfileStore::Entry> matches;
    std::vector<ProfileStore::Entry> kind;  // "x-np4" is the beginning of "x-np48" too
    for (const ProfileStore::Entry& entry : entries) {
        if (file_name(entry.path) == name) return {entry};
        if (profile_key_of(file_name(entry.path)) == name) kind.push_back(entry);
        if (!whole && file_name(entry.path).starts_with(name)) matches.push_back(entry);
    }
    if (!kind.empty()) return kind;
    if (!matches.empty()) return matches;
    // All runs of a kind are of the program, a damaged run too.
    std::set<std::string_view> kinds;
    for (const ProfileStore::Entry& entry : entries) {
        if (tag_of(entry.name.application_id) != tag) continue;
        const auto profile = open_stored_profile(entry.path);
        if (profile && file_name(profile.value().head().command) == name)
            kinds.insert(profile_key_of(file_name(entry.path)));
    }
    for (const ProfileStore::Entry& entry : entries)
        if (kinds.contains(profile_key_of(file_name(entry.path)))) matches.push_back(entry);
    return matches;
}

std::vector<ProfileStore::Entry> of_program(const std::string& id,
                                            const std::vector<ProfileStore::Entry>& entries) {
    std::vector<ProfileStore::Entry> matches;
    for (const ProfileStore::Entry& entry : entries)
        if (entry.name.application_id == id) matches.push_back(entry);
    return matches;
}

bool same_kind(const ProfileStore::Entry& a, const ProfileStore::Entry& b) {
    return profile_key_of(file_name(a.path)) == profile_key_of(file_name(b.path));
}

/// Returns the name of each kind once, as the user would write it.
std::string names_of(const std::vector<ProfileStore::Entry>& matches) {
    constexpr std::size_t most_shown = 4;
    std::vector<std::string> names;
    for (const ProfileStore::Entry& entry : matches) {
        std::string name(profile_key_of(file_name(entry.path)));
        if (names.empty() || names.back() != name) names.push_back(std::move(name));
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most_shown); ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    return text + (names.size() > most_shown ? ", ..." : "");
}

}  // namespace

Result<std::vector<std::string>> find_all_profile_files(const std::string& name,
                                                        const Options& options, Where which) {
    if (name.empty()) return Error{Errc::invalid_input, "a profile's name is empty"};
    auto stores = profile_stores(options);
    if (stores && which == Where::users) stores.value().resize(1, stores.value().front());
    std::string program = id_of_program(name);
    const bool is_path = name.find('/') != std::string::npos || ::access(name.c_str(), F_OK) == 0;
    if (program.empty() && is_path) return std::vector{name};
    if (!stores) return stores.error();
    if (!program.empty()) program = with_tag(program, options.tag);
    std::string where;
    for (const ProfileStore& store : stores.value()) {
        const auto entries = store.list();
        if (!entries) return entries.error();
        auto matches = program.empty()
                           ? called(name, options.tag, entries.value(), which == Where::users)
                           : of_program(program, entries.value());
        where += (where.empty() ? "" : " or ") + store.directory();
        if (matches.empty()) continue;
        if (!std::all_of(matches.begin(), matches.end(), [&](const ProfileStore::Entry& entry) {
                return same_kind(entry, matches.front());
            }))
            return Error{Errc::not_found,
                         fmt::format("'{}' may be any of several profiles in {}: {}; write more of "
                                     "the name, or its tag (--tag)",
                                     name, store.directory(), names_of(matches))};
        std::sort(matches.begin(), matches.end(),
                  [](const ProfileStore::Entry& a, const ProfileStore::Entry& b) {
                      return is_read_before(a.name, b.name);
                  });
        std::vector<std::string> paths;
        paths.reserve(matches.size());
        for (ProfileStore::Entry& entry : matches) paths.push_back(std::move(entry.path));
        return paths;
    }
    if (!program.empty())
        return Error{
            Errc::not_found,
            fmt::format("'{}' has no profile in {}; record one with srun --commmap=profile, or "
                        "name a profile (commmap profile list shows what there is)",
                        name, where)};
    return Error{Errc::not_found, fmt::format("no file and no profile in {} is called '{}' "
                                              "(commmap profile list shows what there is)",
                                              where, name)};
}

Result<FoundRuns> find_profile_files(const std::string& name, const Options& options) {
    auto paths = find_all_profile_files(name, options);
    if (!paths) return paths.error();
    if (paths.value().front() == name) return FoundRuns{std::move(paths).value(), {}};
    std::vector<std::string>& all = paths.value();
    if (!all.front().ends_with(".partial"))
        std::erase_if(all, [](const std::string& path) { return path.ends_with(".partial"); });
    const auto without_run = std::find_if(all.begin() + 1, all.end(), [](const std::string& path) {
        const auto parsed = parse_stored_name(file_name(path));
        return parsed && parsed->run.empty() && !parsed->partial;
    });
    all.erase(without_run, all.end());  // a published or imported profile stands alone
    all.resize(std::min(all.size(), ProfileStore::most_runs));
    return pass_over_unusable(all);
}

Result<Profile> load_named_profile(const std::string& name, const Options& options) {
    const auto found = find_profile_files(name, options);
    if (!found) return found.error();
    auto loaded = read_runs(found.value().paths);
    if (!loaded) return loaded.error();
    print_notes(found.value().notes);
    print_notes(loaded.value().notes);
    return std::move(loaded).value().profile;
}

}  // namespace commmap::cli
