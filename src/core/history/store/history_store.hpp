// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/base/file_visibility.hpp"
#include "core/base/handle.hpp"
#include "core/history/program_history.hpp"
#include "core/history/store/inbox.hpp"

namespace commmap {

/// Keeps run histories beside a user's profiles: one file for a program and number of ranks,
/// history/<identity>[+<tag>]-np<ranks>.history. A file is replaced in one step. An error here
/// never fails a launch: a history that cannot be read or written counts as missing.
class HistoryStore {
public:
    explicit HistoryStore(const std::string& profiles,
                          FileVisibility visibility = FileVisibility::user)
        : profiles_(profiles),
          directory_(history_directory(profiles)),
          inbox_(profiles, visibility) {}

    [[nodiscard]] const std::string& directory() const { return directory_; }
    [[nodiscard]] std::string path_of(std::string_view application_id, std::size_t num_ranks) const;

    /// Reads the history of a program on a number of ranks.
    /// Errors: not_found; not_supported for another version; corrupt, also for a file of another
    /// program than its name says; io. The message names the file.
    [[nodiscard]] Result<ProgramHistory> load(std::string_view application_id,
                                              std::size_t num_ranks) const;

    struct Entry {
        std::string path;
        Result<ProgramHistory> history;
    };
    /// Reads all histories, sorted by name.
    /// Cost: all files are read, at most most_files.
    [[nodiscard]] std::vector<Entry> list() const;
    static constexpr std::size_t most_files = 256;

    struct Merged {
        std::size_t num_records = 0;
        std::vector<std::string> notes;  ///< for the user, a line each
    };
    /// Adds waiting records, at most most_at_once, to their histories, and removes them.
    ///
    /// - A record that cannot be read is thrown away, with a note. So is a damaged history.
    /// - A history of another version stays, and the record is lost.
    /// - A record of profile mode takes its program from the profile that the job step left.
    ///   Without that profile it is thrown away.
    /// - A crash between adding and removing leaves a record, which is not added a second time.
    ///
    /// Where the file system knows locks, one process merges at a time; others return at once.
    /// Cost: 10 to 20 microseconds without records; some 20 for each record; at most a millisecond
    /// for each history that changes.
    [[nodiscard]] Merged merge() const;
    static constexpr std::size_t most_at_once = 1024;

    /// Removes a history for good. Waits at most two seconds for a process that merges.
    /// Errors: not_found, io, timed_out.
    [[nodiscard]] Status forget(const std::string& path) const;

private:
    [[nodiscard]] FileDescriptor lock() const;
    void throw_old_away() const;

    std::string profiles_;
    std::string directory_;
    RunInbox inbox_;
};

}  // namespace commmap
