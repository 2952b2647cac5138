// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/store/inbox.hpp"

#include <dirent.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <string_view>
#include <utility>

#include "core/base/file.hpp"
#include "core/base/handle.hpp"
#include "core/history/record/run_shape.hpp"
#include "core/history/store/clock_file.hpp"

namespace commmap {
namespace {

constexpr std::string_view suffix = ".run";
constexpr double hour_s = 3600.0;
/// The longest time that a clock file waits for the end of its step.
constexpr double week_s = 7 * 24 * hour_s;

using Directory = std::unique_ptr<DIR, FreeWith<::closedir>>;

bool is_dots(std::string_view name) { return name == "." || name == ".."; }

bool is_older(const std::string& path, double limit_s) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           std::difftime(std::time(nullptr), status.st_mtime) > limit_s;
}

std::string hex(std::uint64_t number) {
    constexpr const char* digits = "0123456789abcdef";
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[(number >> shift) & 15];
    return text;
}

std::uint64_t end_of(const RunInbox::Waiting& one) {
    return one.record ? one.record.value().run.ended_unix_s : 0;
}

}  // namespace

Status RunInbox::put(const RunRecord& record) const {
    const auto content = encode_record(record);
    if (!content) return content.error();
    if (!is_own()) {  // rarely: the directory is still to be made
        if (Status made = make_directories(profiles_, modes_of(visibility_).directory); !made)
            return made;
        if (Status made = make_directories(directory_); !made) return made;
        for (const std::string& path : {history_directory(profiles_), directory_})
            if (Status own = is_own_directory(path); !own) return own;
    }
    const std::string name = fmt::format("{}.{}-{}{}", record.run.job, record.run.step,
                                         hex(short_digest(content.value())), suffix);
    return write_file_atomically(directory_ + "/" + name, content.value(), 0600, Sync::no);
}

bool RunInbox::is_own() const {
    return is_own_directory(history_directory(profiles_)).ok() && is_own_directory(directory_).ok();
}

bool RunInbox::is_empty() const {
    const Directory directory(is_own() ? ::opendir(directory_.c_str()) : nullptr);
    while (const dirent* entry = directory ? ::readdir(directory.get()) : nullptr)
        if (!is_dots(entry->d_name)) return false;
    return true;
}

std::vector<RunInbox::Waiting> RunInbox::take(std::size_t most) const {
    constexpr std::size_t names_for_a_record = 8;
    std::vector<Waiting> all;
    const Directory directory(is_own() ? ::opendir(directory_.c_str()) : nullptr);
    std::size_t names_left = most * names_for_a_record;
    while (const dirent* entry = directory ? ::readdir(directory.get()) : nullptr) {
        const std::string_view name = entry->d_name;
        if (is_dots(name)) continue;
        if (all.size() == most || names_left-- == 0) break;
        std::string path = directory_ + "/" + entry->d_name;
        if (!name.ends_with(suffix)) {
            const bool is_half = name.find(".run.new-") != std::string_view::npos;
            if (is_half ? is_older(path, hour_s) : is_clock_file(name) && is_older(path, week_s))
                ::unlink(path.c_str());
            continue;
        }
        const auto content = read_file(path, most_record_bytes);
        auto record = content ? decode_record(content.value()) : Result<RunRecord>(content.error());
        all.push_back({std::move(path), std::move(record)});
    }
    std::sort(all.begin(), all.end(), [](const Waiting& a, const Waiting& b) {
        return std::pair(end_of(a), std::string_view(a.path)) <
               std::pair(end_of(b), std::string_view(b.path));
    });
    return all;
}

}  // namespace commmap
