// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/base/file_visibility.hpp"
#include "core/base/own_name.hpp"
#include "core/history/record/run_record.hpp"

namespace commmap {

/// Returns the directory of histories in a directory of profiles. It is for the user alone.
[[nodiscard]] inline std::string history_directory(const std::string& profiles) {
    return profiles + "/" + own_name("history");
}

/// Holds the records of launches until a planner merges them into histories: the directory
/// history/new.
class RunInbox {
public:
    /// @param profiles  directory of profiles. It is made when a record is put, and `readers` may
    ///                  read it.
    explicit RunInbox(const std::string& profiles, FileVisibility visibility = FileVisibility::user)
        : profiles_(profiles),
          visibility_(visibility),
          directory_(history_directory(profiles) + "/new") {}

    /// Writes a record as a file of its own, in one step and without fsync. A record that is lost
    /// in a crash of the machine does no harm.
    /// Errors: as encode_record(); io.
    /// Cost: a tenth of a millisecond on a local disk.
    [[nodiscard]] Status put(const RunRecord& record) const;

    /// Tells whether nothing waits, or the directory is not this user's.
    [[nodiscard]] bool is_empty() const;

    struct Waiting {
        std::string path;
        Result<RunRecord> record;  ///< errors: those of read_file and decode_record
    };
    /// Reads the waiting records, at most `most`, in the order in which their runs ended. A
    /// directory that is not this user's counts as empty. Also removes files of writers that were
    /// killed over an hour ago, and times that no srun took within a week.
    /// Cost: `most` files are read, and at most eight times as many names, however many files there
    /// are.
    [[nodiscard]] std::vector<Waiting> take(std::size_t most) const;

private:
    [[nodiscard]] bool is_own() const;

    std::string profiles_;
    FileVisibility visibility_;
    std::string directory_;
};

}  // namespace commmap
