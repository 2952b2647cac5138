// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/profile/profile_gc.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <vector>

#include "core/base/number.hpp"
#include "core/profile/store/unfinished_path.hpp"
#include "core/profile/store/unfinished_run.hpp"
#include "core/program/application_id.hpp"

namespace commmap::cli {
namespace {

namespace fs = std::filesystem;

constexpr double day_s = 86400.0;

/// Returns the time since a file's last change.
double age_s(const std::string& path, std::time_t now) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 ? std::difftime(now, status.st_mtime) : 0.0;
}

struct Doomed {
    std::string path;
    std::string why;
};

void find_profiles(std::vector<ProfileStore::Entry> entries, const GcLimits& limits,
                   std::time_t now, std::vector<Doomed>& doomed) {
    std::sort(entries.begin(), entries.end(),
              [](const ProfileStore::Entry& a, const ProfileStore::Entry& b) {
                  return is_read_before(a.name, b.name);
              });
    std::map<std::string_view, std::size_t> kept;
    for (const ProfileStore::Entry& entry : entries) {
        if (limits.tag && tag_of(entry.name.application_id) != *limits.tag) continue;
        std::size_t& before =
            kept[profile_key_of(std::string_view(entry.path).substr(entry.path.rfind('/') + 1))];
        if (limits.days > 0.0 && age_s(entry.path, now) > limits.days * day_s) {
            doomed.push_back({entry.path, "too old"});
        } else if (entry.name.partial && before > 0) {
            doomed.push_back({entry.path, "a complete one is there"});
        } else if (!entry.name.run.empty() && ++before > limits.runs) {
            doomed.push_back({entry.path, "newer runs are there"});
        } else if (entry.name.run.empty()) {
            ++before;  // published or imported, so not one of many runs
        }
    }
}

/// Returns `NAME` of `NAME.new-XXXXXX`, the name in write_file_atomically(); else empty.
std::string_view without_temporary_mark(std::string_view name) {
    constexpr std::string_view mark = ".new-";
    constexpr std::size_t letters = 6;
    if (name.size() < mark.size() + letters) return {};
    const std::size_t end = name.size() - letters - mark.size();
    return name.substr(end, mark.size()) == mark ? name.substr(0, end) : std::string_view();
}

bool is_temporary(std::string_view name) {
    return parse_stored_name(without_temporary_mark(name)).has_value();
}

bool is_part(std::string_view name) {
    return name.ends_with(".part") || without_temporary_mark(name).ends_with(".part");
}

/// Returns whether a name has the form `JOB.STEP`.
bool is_step(const std::string& name) {
    const auto dot = name.find('.');
    return dot != std::string::npos && parse_number(std::string_view(name).substr(0, dot)) &&
           parse_number(std::string_view(name).substr(dot + 1));
}

/// Returns the entries of a directory; none if the directory cannot be read.
std::vector<fs::directory_entry> entries_of(const fs::path& directory) {
    std::vector<fs::directory_entry> entries;
    std::error_code error;
    for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
         entry.increment(error))
        entries.push_back(*entry);
    return entries;
}

/// Returns whether a directory has only parts that nodes kept, and nothing of others.
bool has_only_parts(const fs::path& step) {
    const auto entries = entries_of(step);
    return std::all_of(entries.begin(), entries.end(), [](const fs::directory_entry& entry) {
        return is_part(entry.path().filename().string()) &&
               fs::is_regular_file(entry.symlink_status());
    });
}

void find_left_behind(const std::string& directory, std::time_t now, std::vector<Doomed>& doomed) {
    for (const fs::directory_entry& entry : entries_of(directory))
        if (is_temporary(entry.path().filename().string()) &&
            fs::is_regular_file(entry.symlink_status()) && age_s(entry.path(), now) > day_s)
            doomed.push_back({entry.path(), "its writer was killed"});
    if (!OwnDirectory::open(unfinished_directory(directory))) return;
    for (const fs::directory_entry& entry : entries_of(unfinished_directory(directory)))
        if (is_step(entry.path().filename().string()) && fs::is_directory(entry.symlink_status()) &&
            age_s(entry.path(), now) > day_s && has_only_parts(entry.path()))
            doomed.push_back({entry.path(), "nobody collected it"});
}

/// Removes a file, or a directory of files.
std::error_code remove(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(fs::symlink_status(path)))
        for (const fs::directory_entry& entry : entries_of(path))
            if (!error) fs::remove(entry.path(), error);
    if (!error) fs::remove(path, error);
    return error;
}

}  // namespace

Result<std::string> collect_garbage(const ProfileStore& store, const GcLimits& limits,
                                    std::time_t now) {
    const auto entries = store.list();
    if (!entries) return entries.error();
    std::vector<Doomed> doomed;
    find_profiles(entries.value(), limits, now, doomed);
    if (!limits.tag) find_left_behind(store.directory(), now, doomed);
    std::string text;
    for (const auto& [path, why] : doomed) {
        const std::error_code error = limits.dry_run ? std::error_code() : remove(path);
        if (error) return Error{Errc::io, "cannot remove '" + path + "': " + error.message()};
        text += limits.dry_run ? "would remove " : "removed ";
        text += path;
        (text += ": ") += why;
        text += '\n';
    }
    return text.empty() ? std::string("nothing to remove\n") : text;
}

}  // namespace commmap::cli
