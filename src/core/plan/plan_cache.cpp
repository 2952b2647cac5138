// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/plan_cache.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/file.hpp"
#include "core/base/own_directory.hpp"
#include "core/profile/store/store.hpp"
#include "core/program/content_id.hpp"

namespace commmap {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".plan";
constexpr std::string_view any_first_line = "commmap-kept-plan ";
constexpr std::string_view first_line = "commmap-kept-plan 2 ";
constexpr std::uint64_t most_bytes_of_one = std::uint64_t{64} << 20;
constexpr std::uintmax_t most_bytes = most_bytes_of_one;
constexpr std::size_t most_plans = 256;

/// Hashes a file. Refuses a file that its reader would not accept, because hashing a larger file
/// could take for ever.
Result<std::string> readable_id(const std::string& file) {
    std::error_code error;
    if (const auto bytes = fs::file_size(file, error); !error && bytes > max_profile_bytes)
        return Error{Errc::invalid_input,
                     fmt::format("'{}' is larger than {} bytes", file, max_profile_bytes)};
    return content_id(file);
}

/// Takes the text up to the next `end` off the front; nothing when there is none.
std::optional<std::string_view> take_until(std::string_view& text, char end) {
    const auto place = text.find(end);
    if (place == std::string_view::npos) return std::nullopt;
    const std::string_view part = text.substr(0, place);
    text.remove_prefix(place + 1);
    return part;
}

/// Takes a number and the `end` behind it off the front; false when there is none.
template <class Number>
bool take_number(std::string_view& text, char end, Number& number) {
    const auto part = take_until(text, end);
    if (!part) return false;
    const auto [rest, error] = std::from_chars(part->data(), part->data() + part->size(), number);
    return error == std::errc() && rest == part->data() + part->size();
}

std::string path_in(const std::string& directory, const std::string& key) {
    return directory + "/" + key + std::string(suffix);
}

Error unusable(const std::string& why) { return {Errc::invalid_input, why}; }

}  // namespace

Result<std::string> PlanCache::key(const std::vector<std::string>& files,
                                   const std::vector<std::string>& arguments) {
    std::string question;
    for (const std::string& file : files) {
        const auto id = readable_id(file);
        if (!id) return id.error();
        question += id.value() + '\0';
    }
    for (const std::string& argument : arguments) question += argument + '\0';
    std::string id = text_id(question);
    return id.substr(id.find(':') + 1);
}

Result<KeptPlan> PlanCache::find(const std::string& key) const {
    // Several users may share a directory of profiles. A file that another user put there is no
    // answer.
    const auto own = OwnDirectory::open(directory_);
    const auto content = own ? read_file(path_in(own.value().path(), key), most_bytes_of_one)
                             : Result<std::string>(own.error());
    if (!content && content.error().code == Errc::not_found) return content.error();
    if (!content)
        return unusable(own ? own.value().named(content.error()).message : own.error().message);
    std::string_view rest = content.value();
    const auto head = take_until(rest, '\n');
    if (head && head->starts_with(any_first_line) && !head->starts_with(first_line))
        return unusable("it is of another version");
    if (!head || !head->starts_with(first_line) || head->substr(first_line.size()) != text_id(rest))
        return unusable("it is damaged or half written");
    KeptPlan plan;
    for (;;) {
        auto path = take_until(rest, '\n');
        if (!path) return unusable("it is damaged");
        if (path->empty()) break;
        const auto known = take_until(*path, ' ');
        plan.files.emplace_back(*path);
        const auto now = readable_id(plan.files.back());
        if (!known || !now || now.value() != *known)
            return unusable("'" + plan.files.back() + "' has changed");
    }
    std::size_t search_bytes = 0;
    if (!take_number(rest, ' ', plan.cut_short_at_ms) ||
        !take_number(rest, ' ', plan.launches_left) || plan.launches_left > most_launches ||
        !take_number(rest, '\n', search_bytes) || search_bytes > rest.size())
        return unusable("it is damaged");
    plan.search = rest.substr(0, search_bytes);
    plan.answer = rest.substr(search_bytes);
    return plan;
}

FileDescriptor PlanCache::lock() const {
    const auto own = OwnDirectory::open(directory_);
    if (!own) return {};
    FileDescriptor file(::open((own.value().path() + "/.lock").c_str(),
                               O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) file.reset();
    return file;
}

bool PlanCache::is_begun(const std::string& key) const {
    const std::string begin = key + std::string(suffix) + ".";
    std::error_code error;
    for (fs::directory_iterator entry(directory_, error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().filename().string().starts_with(begin)) return true;
    }
    return false;
}

Result<PlanCache::File> PlanCache::file_of(const std::string& key, const KeptPlan& plan) const {
    std::string body;
    for (const std::string& file : plan.files) {
        const auto id = readable_id(file);
        if (!id) return id.error();
        if (file.find('\n') != std::string::npos)
            return Error{Errc::invalid_input, "a file name with a line feed"};
        std::error_code error;
        const std::string absolute = fs::absolute(file, error).string();
        body += id.value() + " " + absolute + "\n";
    }
    body +=
        fmt::format("\n{} {} {}\n", plan.cut_short_at_ms, plan.launches_left, plan.search.size()) +
        plan.search + plan.answer;
    if (body.size() > most_bytes_of_one)
        return Error{Errc::out_of_range, "a plan of more than 64 MiB"};
    if (Status made = make_directories(profiles_, modes_of(visibility_).directory); !made)
        return made.error();
    if (Status made = make_directories(directory_); !made) return made.error();
    if (const auto own = OwnDirectory::open(directory_); !own) return own.error();
    return File{path_in(directory_, key), std::string(first_line) + text_id(body) + "\n" + body};
}

Status PlanCache::keep(const std::string& key, const KeptPlan& plan) const {
    const auto file = file_of(key, plan);
    if (!file) return file.error();
    const auto own = OwnDirectory::open(directory_);
    if (!own) return own.error();
    Status written =
        write_file_atomically(path_in(own.value().path(), key), file.value().content, 0600,
                              Sync::no);  // the hash shows that a plan is cut
    throw_old_away(own.value().path());
    return written;
}

void PlanCache::throw_old_away(const std::string& directory) {
    struct Kept {
        fs::path path;
        fs::file_time_type time;
        std::uintmax_t bytes;
    };
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
    std::vector<Kept> kept;
    std::uintmax_t bytes = 0;
    std::error_code error;
    for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code unknown;  // another launch may remove the file meanwhile
        const auto time = entry->last_write_time(unknown);
        if (entry->path().extension() != suffix) {
            // A planner that was killed leaves KEY.plan.new-XXXXXX.
            if (!unknown && entry->path().stem().extension() == suffix && time < long_ago)
                fs::remove(entry->path(), unknown);
            continue;
        }
        const auto size = unknown ? 0 : entry->file_size(unknown);
        if (unknown) continue;
        kept.push_back({entry->path(), time, size});
        bytes += size;
    }
    std::sort(kept.begin(), kept.end(),
              [](const Kept& a, const Kept& b) { return a.time < b.time; });
    for (std::size_t oldest = 0;
         oldest < kept.size() && (kept.size() - oldest > most_plans || bytes > most_bytes);
         ++oldest) {
        std::error_code gone;
        fs::remove(kept[oldest].path, gone);
        bytes -= kept[oldest].bytes;
    }
}

}  // namespace commmap
