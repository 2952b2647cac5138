#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/base/file_visibility.hpp"
#include "core/base/handle.hpp"
#include "core/history/inbox.hpp"
#include "core/history/program_history.hpp"

namespace commmap {

/// Histories beside a user's profiles: history/<identity>[+<tag>]-np<ranks>.history, one file for a
/// program and number of ranks. Each is replaced in one step. Nothing here fails a launch: what
/// cannot be read or written is no history.
class HistoryStore {
public:
    explicit HistoryStore(const std::string& profiles,
                          FileVisibility visibility = FileVisibility::user)
        : profiles_(profiles),
          directory_(history_directory(profiles)),
          inbox_(profiles, visibility) {}

    [[nodiscard]] const std::string& directory() const { return directory_; }
    [[nodiscard]] std::string path_of(std::string_view application_id, std::size_t num_ranks) const;

    /// Of a program and number of ranks. Errors: not_found, not_supported (another version),
    /// corrupt (also: of another program than its name says), io. The message names the file.
    [[nodiscard]] Result<ProgramHistory> load(std::string_view application_id,
                                              std::size_t num_ranks) const;

    struct Entry {
        std::string path;
        Result<ProgramHistory> history;
    };
    /// All of them, by name. Cost: all are read, at most most_files.
    [[nodiscard]] std::vector<Entry> list() const;
    static constexpr std::size_t most_files = 256;

    struct Merged {
        std::size_t num_records = 0;
        std::vector<std::string> notes;  ///< for the user, a line each
    };
    /// Adds the records that wait, at most most_at_once, to the histories, and removes them. A
    /// record that cannot be read is thrown away, with a note; so is a damaged history. A history
    /// of another version stays, and the record is lost. Records of profile mode get their program
    /// from the profile that the job step left; without one they are thrown away. A crash between
    /// adding and removing leaves a record, which is not added again.
    ///
    /// One process at a time does so, where the file system knows locks; the others leave it to
    /// that one. Cost: 10 to 20 microseconds for nothing; a record some 20, a history that changes
    /// a millisecond at most.
    [[nodiscard]] Merged merge() const;
    static constexpr std::size_t most_at_once = 1024;

    /// Removes a history for good. Waits for one who merges, two seconds at most. Errors:
    /// not_found, io, timed_out.
    [[nodiscard]] Status forget(const std::string& path) const;

private:
    [[nodiscard]] FileDescriptor lock() const;
    void throw_old_away() const;

    std::string profiles_;
    std::string directory_;
    RunInbox inbox_;
};

}  // namespace commmap
