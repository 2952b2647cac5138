// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/store/history_store.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/file.hpp"
#include "core/history/store/history_codec.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/format/profile_file.hpp"
#include "core/profile/store/store.hpp"
#include "core/profile/store/stored_name.hpp"

namespace commmap {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".history";

/// Returns rank 0's run time from a profile. 0: the profile cannot be read, or has no times.
double recorded_s(const std::string& profile) {
    auto opened = open_file(profile, max_profile_bytes);
    if (!opened) return 0.0;
    const auto file = ProfileFile::of_file(std::move(opened).value());
    const auto ranks = file ? file.value().ranks() : file.error();
    return ranks && !ranks.value().empty() ? ranks.value().front().wall_s : 0.0;
}

/// Completes records of profile mode, which name a job step but no program. The profile of the job
/// step has the program.
class ProfiledSteps {
public:
    explicit ProfiledSteps(std::string profiles) : profiles_(std::move(profiles)) {}

    /// Sets the record's program, and its mpi_s if the record's clock is MPI's. False: the job step
    /// left no profile, or the completed record is not valid.
    bool name(RunRecord& record) {
        if (!entries_) {
            auto listed = ProfileStore(profiles_).list();
            entries_ = listed ? std::move(listed).value() : std::vector<ProfileStore::Entry>();
        }
        for (const ProfileStore::Entry& entry : *entries_) {
            if (entry.name.num_ranks != record.num_ranks ||
                !is_run_of(entry.name.run, record.run.job, record.run.step))
                continue;
            record.application_id = entry.name.application_id;
            if (record.clock == RunClock::mpi) {
                const double seconds = recorded_s(entry.path);
                if (seconds > 0.0) record.mpi_s = std::min(seconds, record.run.wall_s);
            }
            return check_record(record).ok();
        }
        return false;
    }

private:
    std::string profiles_;
    std::optional<std::vector<ProfileStore::Entry>> entries_;
};

/// Records that are added to one history, and the files of these records.
struct Batch {
    std::vector<RunRecord> records;
    std::vector<std::string> paths;
};

Result<ProgramHistory> read_history(const std::string& path) {
    const auto content = read_file(path, most_history_bytes);
    if (!content) return content.error();
    auto history = decode_history(content.value());
    if (!history) return prefixed("'" + path + "'", history.error());
    return history;
}

Error of_another_program(const std::string& path) {
    return {Errc::corrupt, fmt::format("'{}': the file is of another program", path)};
}

}  // namespace

std::string HistoryStore::path_of(std::string_view application_id, std::size_t num_ranks) const {
    return directory_ + "/" + profile_key(application_id, num_ranks) + std::string(suffix);
}

Result<ProgramHistory> HistoryStore::load(std::string_view application_id,
                                          std::size_t num_ranks) const {
    if (Status own = is_own_directory(directory_); !own) return own.error();
    const std::string path = path_of(application_id, num_ranks);
    auto history = read_history(path);
    if (history && (history.value().application_id() != application_id ||
                    history.value().num_ranks() != num_ranks))
        return of_another_program(path);
    return history;
}

std::vector<HistoryStore::Entry> HistoryStore::list() const {
    std::vector<std::string> paths;
    std::vector<Entry> entries;
    if (!is_own_directory(directory_).ok()) return entries;
    std::error_code error;
    for (fs::directory_iterator entry(directory_, error), end; !error && entry != end;
         entry.increment(error))
        if (entry->path().filename().string().ends_with(suffix)) paths.push_back(entry->path());
    std::sort(paths.begin(), paths.end());
    paths.resize(std::min(paths.size(), most_files));
    for (std::string& path : paths) {
        auto history = read_history(path);
        if (history &&
            path_of(history.value().application_id(), history.value().num_ranks()) != path)
            history = of_another_program(path);
        entries.push_back({std::move(path), std::move(history)});
    }
    return entries;
}

FileDescriptor HistoryStore::lock() const {
    FileDescriptor file(
        ::open((directory_ + "/.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) file.reset();
    return file;
}

HistoryStore::Merged HistoryStore::merge() const {
    Merged merged;
    if (inbox_.is_empty()) return merged;
    const FileDescriptor lock = this->lock();
    if (!lock) return merged;

    std::size_t num_unusable = 0;
    std::map<std::string, Batch> batches;
    ProfiledSteps profiled(profiles_);
    for (RunInbox::Waiting& one : inbox_.take(most_at_once)) {
        num_unusable += one.record ? 0 : 1;
        if (!one.record ||
            (one.record.value().application_id.empty() && !profiled.name(one.record.value()))) {
            ::unlink(one.path.c_str());
            continue;
        }
        RunRecord& record = one.record.value();
        Batch& batch = batches[path_of(record.application_id, record.num_ranks)];
        batch.records.push_back(std::move(record));
        batch.paths.push_back(std::move(one.path));
    }
    if (num_unusable > 0)
        merged.notes.push_back(
            num_unusable == 1 ? "1 record of a launch cannot be read and is removed"
                              : fmt::format("{} records of launches cannot be read and are removed",
                                            num_unusable));
    bool is_new = false;
    for (const auto& [path, batch] : batches) {
        const RunRecord& first = batch.records.front();
        auto history = load(first.application_id, first.num_ranks);
        if (!history && history.error().code == Errc::not_supported) {
            merged.notes.push_back(history.error().message + ": its runs are not compared");
            for (const std::string& record : batch.paths) ::unlink(record.c_str());
            continue;
        }
        if (!history) {
            is_new = true;
            if (history.error().code != Errc::not_found)
                merged.notes.push_back(history.error().message + ": a new history begins");
            history = ProgramHistory(first.application_id, first.num_ranks);
        }
        for (const RunRecord& record : batch.records)
            merged.num_records += history.value().add(record) ? 1 : 0;
        const Status written =
            write_file_atomically(path, encode_history(history.value()), 0600, Sync::no);
        if (!written) {
            merged.notes.push_back("no history is kept: " + written.error().message);
            continue;  // the records stay in the inbox
        }
        for (const std::string& record : batch.paths) ::unlink(record.c_str());
    }
    if (is_new) throw_old_away();
    return merged;
}

void HistoryStore::throw_old_away() const {
    std::vector<std::pair<fs::file_time_type, fs::path>> files;
    std::error_code error;
    for (fs::directory_iterator entry(directory_, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code unknown;
        const auto time = entry->last_write_time(unknown);
        if (!unknown && entry->path().filename().string().ends_with(suffix))
            files.emplace_back(time, entry->path());
    }
    std::sort(files.begin(), files.end());
    for (std::size_t i = 0; i + most_files < files.size(); ++i) {
        std::error_code gone;
        fs::remove(files[i].second, gone);
    }
}

Status HistoryStore::forget(const std::string& path) const {
    constexpr int most_tries = 200;
    FileDescriptor locked = lock();
    for (int tries = 0; !locked && tries < most_tries; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        locked = lock();
    }
    if (!locked)
        return Error{Errc::timed_out, fmt::format("'{}' is in use by a launch; try again", path)};
    if (::unlink(path.c_str()) == 0) return Ok{};
    return Error{errno == ENOENT ? Errc::not_found : Errc::io,
                 fmt::format("cannot remove '{}': {}", path, std::strerror(errno))};
}

}  // namespace commmap
