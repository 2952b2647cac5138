#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/base/file_visibility.hpp"
#include "core/base/own_name.hpp"
#include "core/history/run_record.hpp"

namespace commmap {

/// In a directory of profiles; the user's alone.
[[nodiscard]] inline std::string history_directory(const std::string& profiles) {
    return profiles + "/" + own_name("history");
}

/// Where launches leave their records until a planner merges them: history/new.
class RunInbox {
public:
    /// @param profiles  the directory of profiles, made when something is put, for those readers
    explicit RunInbox(const std::string& profiles, FileVisibility visibility = FileVisibility::user)
        : profiles_(profiles),
          visibility_(visibility),
          directory_(history_directory(profiles) + "/new") {}

    /// One file, whole or not at all, without fsync: a record that a crash of the machine costs is
    /// no loss. Errors: those of encode_record, io. Cost: a tenth of a millisecond on a local disk.
    [[nodiscard]] Status put(const RunRecord& record) const;

    /// Nothing at all is there, or not in a directory of this user's.
    [[nodiscard]] bool is_empty() const;

    struct Waiting {
        std::string path;
        Result<RunRecord> record;  ///< errors: those of read_file and decode_record
    };
    /// At most so many of those that wait, in the order of their ends. A directory that is not this
    /// user's is empty. Removes what writers that were killed left an hour ago, and times that no
    /// srun took in a week.
    /// Cost: that many files are read, and at most eight times as many names, however many there
    /// are.
    [[nodiscard]] std::vector<Waiting> take(std::size_t most) const;

private:
    [[nodiscard]] bool is_own() const;

    std::string profiles_;
    FileVisibility visibility_;
    std::string directory_;
};

}  // namespace commmap
