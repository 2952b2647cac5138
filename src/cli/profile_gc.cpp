#include "cli/profile_gc.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <vector>

#include "core/base/number.hpp"
#include "core/profile/application_id.hpp"
#include "core/profile/unfinished_path.hpp"

namespace commmap::cli {
namespace {

namespace fs = std::filesystem;

constexpr double day_s = 86400.0;

/// Of when it was changed last.
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
        if (!limits.tag.empty() && tag_of(entry.name.application_id) != limits.tag) continue;
        std::size_t& before =
            kept[kind_of(std::string_view(entry.path).substr(entry.path.rfind('/') + 1))];
        if (limits.days > 0.0 && age_s(entry.path, now) > limits.days * day_s) {
            doomed.push_back({entry.path, "too old"});
        } else if (entry.name.partial && before > 0) {
            doomed.push_back({entry.path, "a complete one is there"});
        } else if (!entry.name.run.empty() && ++before > limits.runs) {
            doomed.push_back({entry.path, "newer runs are there"});
        } else if (entry.name.run.empty()) {
            ++before;  // published or imported: not a run that piles up
        }
    }
}

/// `NAME.commmap.new-XXXXXX`, as write_file_atomically() calls it.
bool is_temporary(const std::string& name) {
    constexpr std::string_view mark = ".new-";
    constexpr std::size_t letters = 6;
    if (name.size() < mark.size() + letters) return false;
    const std::size_t end = name.size() - letters - mark.size();
    return name.compare(end, mark.size(), mark) == 0 &&
           parse_stored_name(std::string_view(name).substr(0, end)).has_value();
}

/// `JOB.STEP`
bool is_step(const std::string& name) {
    const auto dot = name.find('.');
    return dot != std::string::npos && parse_number(std::string_view(name).substr(0, dot)) &&
           parse_number(std::string_view(name).substr(dot + 1));
}

void find_left_behind(const std::string& directory, std::time_t now, std::vector<Doomed>& doomed) {
    const auto look = [&](const fs::path& place, bool (*is_ours)(const std::string&),
                          fs::file_type type, const char* why) {
        std::error_code error;
        for (fs::directory_iterator entry(place, error), end; !error && entry != end;
             entry.increment(error))
            if (is_ours(entry->path().filename().string()) &&
                entry->symlink_status().type() == type && age_s(entry->path(), now) > day_s)
                doomed.push_back({entry->path(), why});
    };
    look(directory, is_temporary, fs::file_type::regular, "its writer was killed");
    look(fs::path(directory) / unfinished_name, is_step, fs::file_type::directory,
         "nobody collected it");
}

}  // namespace

Result<std::string> collect_garbage(const ProfileStore& store, const GcLimits& limits,
                                    std::time_t now) {
    const auto entries = store.list();
    if (!entries) return entries.error();
    std::vector<Doomed> doomed;
    find_profiles(entries.value(), limits, now, doomed);
    if (limits.tag.empty()) find_left_behind(store.directory(), now, doomed);
    std::string text;
    for (const auto& [path, why] : doomed) {
        std::error_code error;
        if (!limits.dry_run) fs::remove_all(path, error);
        if (error) return Error{Errc::io, "cannot remove '" + path + "': " + error.message()};
        text += limits.dry_run ? "would remove " : "removed ";
        text += path;
        (text += ": ") += why;
        text += '\n';
    }
    return text.empty() ? std::string("nothing to remove\n") : text;
}

}  // namespace commmap::cli
