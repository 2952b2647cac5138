// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// The functions that read profiles. They have a file of their own, because the recorder, which is
// loaded into programs, only writes.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/file.hpp"
#include "core/profile/store/merge_runs.hpp"
#include "core/profile/store/store.hpp"
#include "core/program/application_id.hpp"
#include "core/text/one_line.hpp"

namespace commmap {
namespace {

constexpr const char* record_again = "; record it again with srun --commmap=profile";
constexpr const char* name_another =
    "; name a profile (commmap profile list), or move it away and record with srun "
    "--commmap=profile";
constexpr const char* update_or_record_again =
    "; use a newer commmap or record it again with srun --commmap=profile";

/// Adds the file's name and the way out to an error in the file's content.
Error explained(const std::string& path, const Error& e) {
    return {e.code,
            fmt::format("cannot use the profile '{}': {}{}", path, e.message,
                        e.code == Errc::not_supported ? update_or_record_again : record_again)};
}

}  // namespace

Result<ProfileFile> open_profile_file(const std::string& path) {
    auto opened = open_file(path, max_profile_bytes);
    if (!opened) {
        const Error& e = opened.error();
        const bool in_the_way = e.code == Errc::invalid_input;
        return Error{e.code, e.message + (in_the_way ? name_another : record_again)};
    }
    auto file = ProfileFile::of_file(std::move(opened).value());
    if (!file) return explained(path, file.error());
    return file;
}

Result<ProfileFile> open_stored_profile(const std::string& path) {
    auto opened = open_profile_file(path);
    if (!opened) return opened;
    const std::string& id = opened.value().head().application_id;
    const std::size_t num_ranks = opened.value().num_ranks();
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    if (profile_key_of(name) == profile_key(id, num_ranks)) return opened;
    return Error{
        Errc::corrupt,
        fmt::format("'{}' is of '{}' on {} ranks, which is not what its name says; move it away",
                    path, one_line(id), num_ranks)};
}

Result<Profile> read_profile_file(const std::string& path) {
    const auto file = open_profile_file(path);
    if (!file) return file.error();
    auto profile = file.value().whole();
    if (!profile) return explained(path, profile.error());
    return profile;
}

namespace {

constexpr const char* left_out = "; the other runs are used without it";
constexpr std::uint64_t most_bytes_of_runs = std::uint64_t{256} << 20;

/// Makes the error for the case that no run is there any more.
Error replaced(const std::vector<std::string>& paths) {
    return {Errc::not_found,
            fmt::format("the runs are being replaced by others: '{}' is gone", paths.front())};
}

/// Adds a run to `found`, or a note that says why the run cannot be used.
/// @param failed  gets the first such error
void take(const std::string& path, FoundRuns& found, std::optional<Error>& failed) {
    if (const auto opened = open_stored_profile(path); opened) {
        found.paths.push_back(path);
    } else if (opened.error().code != Errc::not_found) {  // not_found: removed meanwhile
        if (!failed) failed = opened.error();
        found.notes.push_back(opened.error().message + left_out);
    }
}

/// Finds the last runs, as many as are merged.
FoundRuns last_runs(const std::vector<ProfileStore::Entry>& runs, std::optional<Error>& failed) {
    FoundRuns found;
    std::uint64_t bytes = 0;
    for (const ProfileStore::Entry& run : runs) {
        if (run.name.run.empty() && !found.paths.empty()) break;  // published or imported
        bytes += run.size_bytes;
        if (!found.paths.empty() &&
            (found.paths.size() == ProfileStore::most_runs || bytes > most_bytes_of_runs))
            break;
        take(run.path, found, failed);
    }
    return found;
}

/// Says which other profiles of a program there are: " (there is one for 4, 8 ranks)".
class Others {
public:
    Others(std::string_view id, std::size_t num_ranks) : id_(id), num_ranks_(num_ranks) {}

    void look_at(const ProfileStore& store) {
        const auto entries = store.list();
        if (!entries) return;
        for (const ProfileStore::Entry& entry : entries.value()) {
            if (entry.name.partial) continue;
            if (is_of(entry.path.substr(entry.path.rfind('/') + 1), id_))
                ranks_.insert(entry.name.num_ranks);
            else if (entry.name.num_ranks == num_ranks_ &&
                     without_tag(entry.name.application_id) == without_tag(id_))
                tags_.insert(tag_of(entry.name.application_id));
        }
    }
    [[nodiscard]] std::string text() const {
        std::string text;
        for (const std::size_t ranks : ranks_)
            text += fmt::format("{}{}", text.empty() ? " (there is one for " : ", ", ranks);
        if (!text.empty()) text += " ranks)";
        std::string tags;
        for (const std::string& tag : tags_)
            tags += fmt::format(
                "{}{}", tags.empty() ? " (there is one " : ", ",
                tag.empty() ? std::string("without a tag") : fmt::format("with the tag '{}'", tag));
        if (!tags.empty()) tags += ")";
        return text + tags;
    }

private:
    std::string_view id_;
    std::size_t num_ranks_;
    std::set<std::size_t> ranks_;
    std::set<std::string> tags_;
};

}  // namespace

Result<FoundRuns> find_runs(std::span<const ProfileStore> stores, std::string_view application_id,
                            std::size_t num_ranks, std::string_view program) {
    std::string partial;
    std::optional<Error> failed;
    for (const ProfileStore& store : stores) {
        const auto runs = store.runs_of(application_id, num_ranks);
        if (!runs) return runs.error();
        FoundRuns found = last_runs(runs.value(), failed);
        if (!found.paths.empty()) return found;
        const std::string path = store.partial_path_of(application_id, num_ranks);
        const auto ended_early = open_stored_profile(path);
        if (!ended_early) {
            if (!failed && ended_early.error().code != Errc::not_found)
                failed = ended_early.error();
            continue;
        }
        const std::size_t missing = ended_early.value().head().missing.size();
        if (missing == 0) return FoundRuns{{path}, {}};
        partial += fmt::format("; of '{}' {} ranks are missing", path, missing);
    }
    if (failed) return *failed;
    Others others(application_id, num_ranks);
    std::string message =
        fmt::format("no profile of '{}'", program.empty() ? application_id : program);
    if (const std::string tag = tag_of(application_id); !tag.empty() && !program.empty())
        message += fmt::format(" with the tag '{}'", tag);
    message += fmt::format(" on {} {}", num_ranks, num_ranks == 1 ? "rank" : "ranks");
    for (const ProfileStore& store : stores) {
        message +=
            fmt::format(" {} '{}'", &store == stores.data() ? "in" : "or", store.directory());
        others.look_at(store);
    }
    return Error{Errc::not_found, fmt::format("{}{}{}; record one with srun --commmap=profile",
                                              message, others.text(), partial)};
}

Result<FoundRuns> pass_over_unusable(const std::vector<std::string>& paths) {
    FoundRuns found;
    std::optional<Error> failed;
    for (const std::string& path : paths) take(path, found, failed);
    if (!found.paths.empty()) return found;
    return failed.value_or(replaced(paths));
}

namespace {

bool is_empty(const Profile& run) {
    return std::all_of(run.phases.begin(), run.phases.end(), [](const Phase& phase) {
        return phase.sent.num_cells() == 0 &&
               std::all_of(phase.collectives.begin(), phase.collectives.end(),
                           [](const CollectiveRecord& record) { return record.member_bytes == 0; });
    });
}

/// Ignores runs without messages if other runs have some: such a run is almost always a mistyped
/// command.
void leave_out_empty_runs(std::vector<Profile>& runs, std::vector<std::string>& notes) {
    const auto empty = std::stable_partition(runs.begin(), runs.end(),
                                             [](const Profile& run) { return !is_empty(run); });
    if (empty == runs.begin() || empty == runs.end()) return;
    notes.push_back(
        fmt::format("{} of {} runs sent nothing and are left out (commmap profile list --runs)",
                    runs.end() - empty, runs.size()));
    runs.erase(empty, runs.end());
}

}  // namespace

Result<LoadedProfile> read_runs(const std::vector<std::string>& paths,
                                std::string_view application_id, std::size_t num_ranks) {
    LoadedProfile loaded;
    std::vector<Profile> runs;
    std::optional<Error> first_error;
    const auto leave_out = [&](const Error& error) {
        if (!first_error) first_error = error;
        loaded.notes.push_back(error.message + left_out);
    };
    std::string id(application_id);
    for (const std::string& path : paths) {
        auto profile = read_profile_file(path);
        if (!profile) {
            const bool removed = profile.error().code == Errc::not_found;  // after the listing
            if (!removed || paths.size() == 1) leave_out(profile.error());
            continue;
        }
        Profile& run = profile.value();
        if (id.empty()) {
            id = run.application_id;
            num_ranks = run.num_ranks();
        }
        if (run.application_id != id || run.num_ranks() != num_ranks) {
            leave_out(
                {Errc::corrupt,
                 fmt::format(
                     "cannot use the profile '{}': it is of '{}' on {} ranks, not of '{}' on {}{}",
                     path, run.application_id, run.num_ranks(), id, num_ranks, record_again)});
            continue;
        }
        runs.push_back(std::move(run));
    }
    leave_out_empty_runs(runs, loaded.notes);
    if (runs.empty()) return first_error.value_or(replaced(paths));
    loaded.profile = merge_runs(std::move(runs));
    return loaded;
}

}  // namespace commmap
